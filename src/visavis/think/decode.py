"""Station think, node `think.decode`: commands become tokens. Runs in the lane `llm`.

Takes prompt.prefill, reply.start, view.describe, and the pictures of view.taken and
memory.recalled, which it holds until an engine is to see them. Gives prompt.prefilled, token.made,
tool.called, reply.written, view.described. Invariant: each reply.start is answered by exactly one
reply.written, as the last of its events and once the engine is free, whatever happens; each other
command by one event. Does not know what was heard of an answer, nor which engine it is, nor what
becomes of a call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from visavis.backends.contract import Llm, Sampling, Usage
from visavis.flow.errors import VisavisError
from visavis.flow.events import (
    Event,
    MemoryRecalled,
    Message,
    PromptPrefill,
    PromptPrefilled,
    ReplyStart,
    ReplyWritten,
    TokenMade,
    ToolCalled,
    ViewDescribe,
    ViewDescribed,
    ViewTaken,
)
from visavis.think import describe
from visavis.think.calls import MOST_RESULTS, Call, parted, results_since_asked, worth
from visavis.think.context import Window
from visavis.think.pictures import Held, Pictures
from visavis.think.prefill import Seat
from visavis.think.prompt import Opening, answerable, opening
from visavis.think.tools import Tool


class Thinker:
    """Answers with `llm`. `system`: empty = the default of `language`, with its examples.

    `tools`: those that the engine is told of; without any, no call is looked for.
    """

    name = "think.decode"

    def __init__(
        self,
        llm: Llm,
        *,
        sampling: Sampling | None = None,
        system: str = "",
        language: str = "en",
        beginning: Opening | None = None,
        tools: Sequence[Tool] = (),
    ) -> None:
        before = (beginning or opening(system, language, tools)).messages()
        self._llm, self._sampling, self._language = llm, sampling or Sampling(), language
        self._held, able = Held(), llm.capabilities
        pictures = Pictures.of(able, self._held, language)
        window = Window(able.context_tokens, self._sampling.max_tokens, before, pictures)
        self._seat = Seat(llm, window, self._held)
        self._at_work: Event | None = None
        self._newest: Event | None = None  # command, which may not have come yet
        self._has_tools = bool(tools)
        self._over = -1  # replies up to this epoch

    def on(self, event: Event) -> Iterable[Event]:
        match event:
            case ViewTaken(view=view, data=data):
                self._held.take(view.id, data, view.stream)
            case MemoryRecalled(view=view, data=data):
                self._held.take(view.id, data, "memory")
            case PromptPrefill():
                return (self._prefill(event),)
            case ViewDescribe():
                return (self._describe(event),)
            case ReplyStart(say=text) if text:
                return (_token(event, text, 0), _written(event, "end", Usage(made_tokens=1)))
            case ReplyStart():
                return self._reply(event)
        return ()

    def cancel(self, epoch: int) -> None:
        """Replies up to `epoch` are over, and whatever is being prefilled is out of date."""
        self._over = max(self._over, epoch)
        self._seat.cancel()

    def coming(self, event: Event) -> None:
        """What is done for later gives way to any command; a prefill to one that sees another."""
        if not isinstance(event, (PromptPrefill, ReplyStart, ViewDescribe)):
            return
        self._newest, work = event, self._at_work
        sees_another = isinstance(work, PromptPrefill) and _seen(event) != _seen(work)
        if sees_another or isinstance(work, ViewDescribe):
            self._seat.cancel()

    def close(self) -> None:
        self._seat.close()
        self._llm.close()

    def _prefill(self, event: PromptPrefill) -> Event:
        self._at_work = event
        try:
            usage = self._seat.prefill(event.messages)
        except VisavisError:
            # Nothing is lost but time: the reply that follows tries again and reports.
            usage = Usage(complete=False)
        finally:
            self._at_work = None
        return PromptPrefilled(
            t_ns=event.t_ns,
            trace=event.trace,
            epoch=event.epoch,
            complete=usage.complete,
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.cached_tokens,
        )

    def _describe(self, event: ViewDescribe) -> Event:
        text, self._at_work = "", event
        try:
            if self._llm.capabilities.picture_tokens and event.view.id in self._held:
                messages = describe.asked(event, self._language)
                answer = "".join(
                    self._seat.generate(messages, describe.SAMPLING, lambda: self._is_newest(event))
                )
                usage = self._seat.usage()
                text = describe.told(answer, usage.finish) if usage.complete else ""
        except VisavisError:
            pass  # it may be asked for again
        finally:
            self._at_work = None
        return ViewDescribed(
            t_ns=event.t_ns, trace=event.trace, epoch=event.epoch, id=event.view.id, text=text
        )

    def _reply(self, event: ReplyStart) -> Iterator[Event]:
        tokens = calls = 0
        try:
            for part in self._parts(event):
                if isinstance(part, Call):
                    yield _called(event, part, calls)
                    calls += 1
                else:
                    yield _token(event, part, tokens)
                    tokens += 1
        except VisavisError as error:
            reason = "cancelled" if self._is_over(event.epoch) else "failed"
            yield _written(event, reason, Usage(made_tokens=tokens + calls), str(error))
        except Exception as error:
            # A bug of ours: the node is said to have failed as well.
            yield _written(event, "failed", Usage(made_tokens=tokens + calls), repr(error))
            raise
        else:
            yield self._ended(event, tokens, calls)

    def _parts(self, event: ReplyStart) -> Iterator[str | Call]:
        """The answer, and the calls of tools in it."""
        messages = answerable(event.messages)
        pieces = self._pieces(messages, event.epoch)
        if not self._has_tools:
            yield from pieces
            return
        for part in worth(parted(pieces), MOST_RESULTS - results_since_asked(messages)):
            if self._is_over(event.epoch):
                break
            yield part
        self._seat.cancel()
        for _ in pieces:
            pass  # until the engine is free

    def _pieces(self, messages: Sequence[Message], epoch: int) -> Iterator[str]:
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

    def _ended(self, event: ReplyStart, tokens: int, calls: int) -> Event:
        usage = self._seat.usage()
        if self._is_over(event.epoch):
            return _written(event, "cancelled", usage)
        if calls:
            # Words may come with the results; and where we stopped is where the reply ends.
            return _written(event, "end", usage)
        if not tokens:
            # Silence is no answer: the session says so instead of waiting for sound. Blanks, and
            # calls that may not be made any more, are no words either.
            return _written(
                event, "failed", replace(usage, made_tokens=0), "the engine gave no words"
            )
        return _written(event, usage.finish, usage)

    def _is_newest(self, command: Event) -> bool:
        return self._newest is None or self._newest is command

    def _is_over(self, epoch: int) -> bool:
        return epoch <= self._over


def _seen(command: PromptPrefill | ReplyStart | ViewDescribe) -> tuple[str, ...]:
    """What is seen with the newest words."""
    messages = command.messages
    return tuple(view.id for view in messages[-1].views) if messages else ()


def _token(event: ReplyStart, text: str, index: int) -> Event:
    return TokenMade(t_ns=event.t_ns, trace=event.trace, epoch=event.epoch, text=text, index=index)


def _called(event: ReplyStart, call: Call, number: int) -> Event:
    return ToolCalled(
        t_ns=event.t_ns,
        trace=event.trace,
        epoch=event.epoch,
        call=number,
        name=call.name,
        arguments=call.arguments,
    )


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
