"""A seat at the engine: one session that is brought to whatever messages are wanted next.

Takes messages as they were said. Gives the engine only what differs from what it holds (rewind to
the common beginning, append the rest), so that what was evaluated while the user spoke is not
evaluated again. Invariants: a conversation never fails for its length, what the window guesses
wrong, the engine's refusal corrects; nor for a picture, which after a failure is shown in words.
`cancel` is safe from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from visavis.backends.contract import Llm, Sampling, Usage
from visavis.flow.errors import ContextFull, EngineError
from visavis.flow.events import Message
from visavis.think.context import Window
from visavis.think.pictures import Held

ATTEMPTS = 8
"""Each is at least a quarter shorter than the one before."""


class Seat:
    """A session and the window through which it sees the conversation.

    `pictures`: the bytes of the views that the window may show.
    """

    def __init__(self, llm: Llm, window: Window, pictures: Held | None = None) -> None:
        self._can_prefill = llm.capabilities.prefill
        self._session = llm.open()
        self._window = window
        self._pictures = pictures or Held()
        self._held: tuple[Message, ...] = ()
        self._proven: frozenset[str] = frozenset()  # pictures that the engine has made sense of
        self._suspected: frozenset[str] = frozenset()  # of having made it fail once

    def prefill(self, messages: Sequence[Message]) -> Usage:
        """Evaluates the messages, generating nothing. Raises `EngineError`."""
        if not self._can_prefill:
            return Usage(complete=False)
        for attempt in range(ATTEMPTS):
            if not (shown := self._hold(messages)):
                return Usage()
            try:
                usage = self._session.prefill()
            except ContextFull as full:
                self._refused(shown, full, attempt)
            except EngineError:
                if not self._gives_up_pictures(shown):
                    raise
            else:
                return self._counted(usage)
        raise AssertionError

    def generate(
        self, messages: Sequence[Message], sampling: Sampling, wanted: Callable[[], bool]
    ) -> Iterator[str]:
        """Streams the answer; cancelled, it ends early. Raises `EngineError`.

        `wanted` is asked once the call can be cancelled: a cancel just before that is not lost.
        """
        for attempt in range(ATTEMPTS):
            if not wanted() or not (shown := self._hold(messages)):
                return
            pieces = self._session.generate(sampling)
            if not wanted():
                self._session.cancel()
            begun = False
            try:
                for piece in pieces:
                    begun = True
                    yield piece
            except ContextFull as full:
                if begun:
                    raise
                self._refused(shown, full, attempt)
            except EngineError:
                if begun or not self._gives_up_pictures(shown):
                    raise
            else:
                self._counted(self._session.usage())
                return

    def usage(self) -> Usage:
        """Of the last call."""
        return self._session.usage()

    def cancel(self) -> None:
        """Stops the running call soon."""
        self._session.cancel()

    def close(self) -> None:
        self._session.close()

    def _hold(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Brings the session to what the window shows of the messages."""
        shown = self._window.fit(messages)
        same = 0
        while same < min(len(shown), len(self._held)) and shown[same] == self._held[same]:
            same += 1
        if same < len(self._held):
            self._session.rewind(same)
        self._held = shown[:same]
        for message in shown[same:]:
            self._session.append(message, self._pictures.media(message.views))
        self._held = shown
        return shown

    def _gives_up_pictures(self, shown: Sequence[Message]) -> bool:
        """Whether to try again: pictures may have caused a failure.

        The first time with them, since an engine may die of anything; the second time they are
        forgotten, and told in words.
        """
        suspects = _pictures_of(shown) - self._proven
        for view_id in suspects & self._suspected:
            self._pictures.drop(view_id)
        self._suspected = suspects - self._suspected
        return bool(suspects)

    def _refused(self, shown: Sequence[Message], full: ContextFull, attempt: int) -> None:
        if attempt == ATTEMPTS - 1:
            raise full
        self._window.overflow(shown, full)

    def _counted(self, usage: Usage) -> Usage:
        if usage.complete:
            self._proven = _pictures_of(self._held)
        # A cancelled call has counted the whole prompt too, or nothing.
        self._window.learn(self._held, usage.prompt_tokens)
        return usage


def _pictures_of(messages: Sequence[Message]) -> frozenset[str]:
    return frozenset(view.id for message in messages for view in message.views)
