"""Station think, node `think.decode`: commands become tokens. Runs in the lane `llm`.

Takes prompt.prefill and reply.start. Gives prompt.prefilled, token.made, reply.written. Invariant:
each reply.start is answered by exactly one reply.written, as the last of its events and once the
engine is free, whatever happens. Does not know what was heard of an answer, nor which engine it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from visavis.backends.contract import Llm, Sampling, Usage
from visavis.flow.errors import VisavisError
from visavis.flow.events import (
    Event,
    Message,
    PromptPrefill,
    PromptPrefilled,
    ReplyStart,
    ReplyWritten,
    TokenMade,
)
from visavis.think.context import Window
from visavis.think.prefill import Seat
from visavis.think.prompt import Opening, opening


class Thinker:
    """Answers with `llm`. `system`: empty = the default of `language`, with its examples."""

    name = "think.decode"

    def __init__(
        self,
        llm: Llm,
        *,
        sampling: Sampling | None = None,
        system: str = "",
        language: str = "en",
        beginning: Opening | None = None,
    ) -> None:
        before = (beginning or opening(system, language)).messages()
        self._llm, self._sampling = llm, sampling or Sampling()
        window = Window(llm.capabilities.context_tokens, self._sampling.max_tokens, before)
        self._seat = Seat(llm, window)
        self._over = -1  # replies up to this epoch

    def on(self, event: Event) -> Iterable[Event]:
        match event:
            case PromptPrefill():
                return (self._prefill(event),)
            case ReplyStart(say=text) if text:
                return (_token(event, text, 0), _written(event, "end", Usage(made_tokens=1)))
            case ReplyStart():
                return self._reply(event)
        return ()

    def cancel(self, epoch: int) -> None:
        """Replies up to `epoch` are over, and whatever is being prefilled is out of date."""
        self._over = max(self._over, epoch)
        self._seat.cancel()

    def close(self) -> None:
        self._seat.close()
        self._llm.close()

    def _prefill(self, event: PromptPrefill) -> Event:
        try:
            usage = self._seat.prefill(event.messages)
        except VisavisError:
            # Nothing is lost but time: the reply that follows tries again and reports.
            usage = Usage(complete=False)
        return PromptPrefilled(
            t_ns=event.t_ns,
            trace=event.trace,
            epoch=event.epoch,
            complete=usage.complete,
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.cached_tokens,
        )

    def _reply(self, event: ReplyStart) -> Iterator[Event]:
        index = 0
        try:
            for index, text in enumerate(self._pieces(event.messages, event.epoch), 1):
                yield _token(event, text, index - 1)
        except VisavisError as error:
            reason = "cancelled" if self._is_over(event.epoch) else "failed"
            yield _written(event, reason, Usage(made_tokens=index), str(error))
        except Exception as error:
            # A bug of ours: the node is said to have failed as well.
            yield _written(event, "failed", Usage(made_tokens=index), repr(error))
            raise
        else:
            yield self._ended(event, index)

    def _pieces(self, messages: tuple[Message, ...], epoch: int) -> Iterator[str]:
        """The answer's text from its first visible character on, as long as anyone wants it."""
        visible = False
        pieces = self._seat.generate(messages, self._sampling, lambda: not self._is_over(epoch))
        try:
            for piece in pieces:
                text = piece if visible else piece.lstrip()
                visible = visible or bool(text)
                if self._is_over(epoch):
                    self._seat.cancel()
                elif text:
                    yield text
        finally:
            self._seat.cancel()

    def _ended(self, event: ReplyStart, tokens: int) -> Event:
        usage = self._seat.usage()
        if self._is_over(event.epoch):
            return _written(event, "cancelled", usage)
        if not tokens:
            # Silence is no answer: the session says so instead of waiting for sound.
            return _written(event, "failed", usage, "the engine gave no words")
        return _written(event, usage.finish, usage)

    def _is_over(self, epoch: int) -> bool:
        return epoch <= self._over


def _token(event: ReplyStart, text: str, index: int) -> Event:
    return TokenMade(t_ns=event.t_ns, trace=event.trace, epoch=event.epoch, text=text, index=index)


def _written(event: ReplyStart, reason: str, usage: Usage, error: str = "") -> Event:
    return ReplyWritten(
        t_ns=event.t_ns,
        trace=event.trace,
        epoch=event.epoch,
        reason=reason,
        tokens=usage.made_tokens,
        prompt_tokens=usage.prompt_tokens,
        cached_tokens=usage.cached_tokens,
        error=error,
    )
