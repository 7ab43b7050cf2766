"""Hosts a language model engine in a child process: its death is an event, not the end.

Takes the engine's `module:callable` and its options; gives an `Llm` whose sessions live here as
lists of messages and are mirrored in the child just before each call. So a child that crashed,
hung or was killed costs the running call (`EngineError`); the next call starts a new one and finds
its session again. A picture travels once a child, as long as the album remembers it: here and there
the same turns are added to one, so that both hold the same. Invariant: one child at most, and none
after `close`.
"""

from __future__ import annotations

import base64
import itertools
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from visavis.backends.contract import LlmCapabilities, Media, Options, Sampling, Usage
from visavis.backends.llm.pictures import Turn, turn
from visavis.backends.llm.wire import Call, Child, Silence
from visavis.flow import errors
from visavis.flow.errors import EngineError, VisavisError
from visavis.flow.events import Message

FIRST_WAIT_S, LONGEST_WAIT_S = 0.25, 8.0
"""Before a second start in a row that follows a failure, and what doubling it leads to."""

GAUGES = ("resident_bytes",)


class ProcessLlm:
    """An engine in a child process. One call at a time; `cancel` and `close` from any thread.

    `engine` is `module:callable`, called in the child with the options. `start_timeout_s`: how
    long loading may take. A call that says nothing for `stall_timeout_s` (a long prefill is
    silent), or for `cancel_timeout_s` after it was cancelled, has hung.
    """

    def __init__(
        self,
        engine: str,
        options: Options,
        *,
        start_timeout_s: float = 120,
        stall_timeout_s: float = 300,
        cancel_timeout_s: float = 20,
        close_timeout_s: float = 2,
    ) -> None:
        self._engine, self._options = engine, options
        self._start_silence = Silence(start_timeout_s, start_timeout_s)
        self._silence = Silence(stall_timeout_s, cancel_timeout_s)
        self._close_timeout_s = close_timeout_s
        self._numbers = itertools.count(1)
        self._closed = False
        self._failures = 0
        self._starts = 0
        self._past: Counter[str] = Counter()
        self._present: dict[str, float] = {}
        self._starting = threading.Lock()
        self.child: Child | None = None
        self.capabilities = self._start()

    def open(self, messages: Sequence[Message] = ()) -> ProcessSession:
        """Begins a session; the child learns of it with the first call."""
        return ProcessSession(self, next(self._numbers), messages)

    def stats(self) -> Mapping[str, float]:
        """The engine's, over all its lives as of the last call; and `restarts`."""
        whole: Counter[str] = Counter(self._past)
        whole.update(self._present)
        return {**whole, "restarts": self._starts - 1}

    def close(self) -> None:
        """Ends the child. A call under way in another thread ends with `EngineError`."""
        self._closed = True
        with self._starting:
            if self.child is not None:
                self.child.close(self._close_timeout_s)

    # ── for sessions ─────────────────────────────────────────────────────────────────────────

    def begin(self) -> Call:
        """A new call, which can be cancelled from now on."""
        return Call(next(self._numbers))

    def living(self, call: Call) -> Child | None:
        """The child, started anew if need be; None if `call` was cancelled meanwhile."""
        if self.child is None or not self.child.alive:
            if self._failures > 1:
                wait_s = FIRST_WAIT_S * 2 ** min(self._failures - 2, 16)
                call.cancelled.wait(min(wait_s, LONGEST_WAIT_S))
            if not call.cancelled.is_set():
                self._start()
        return None if call.cancelled.is_set() else self.child

    def answers(self, child: Child, call: Call) -> Iterator[dict[str, Any]]:
        """The call's answers, the last of which has `done`. Raises what the engine raised."""
        while True:
            answer = self._read(child, call, self._silence)
            if "done" in answer:
                self._failures = 0
                self._present = answer.get("stats", self._present)
            yield answer
            if "done" in answer:
                return

    def _start(self) -> LlmCapabilities:
        with self._starting:
            if self._closed:
                raise EngineError("the engine is closed")
            self._failures += 1  # until a call succeeds
            past = {key: value for key, value in self._present.items() if key not in GAUGES}
            self._past.update(past)
            self._present = {}
            self.child = Child()
            self._starts += 1
        request = {
            "op": "load",
            "backend": self._engine,
            "files": {role: str(path) for role, path in self._options.files.items()},
            "settings": dict(self._options.settings),
        }
        call = self.begin()
        try:
            self.child.post(call, request)
            answer = self._read(self.child, call, self._start_silence)
        except VisavisError:
            self.child.kill()
            raise
        return LlmCapabilities(**answer["done"])

    def _read(self, child: Child, call: Call, silence: Silence) -> dict[str, Any]:
        while True:
            answer = child.read(call, silence)
            if answer.get("id") != call.number:
                continue  # the rest of a call that was abandoned
            if "error" in answer:
                raise _rebuilt(answer["error"])
            return answer


class ProcessSession:
    """A session's messages, and how many of them the child of that time is known to hold."""

    def __init__(self, engine: ProcessLlm, number: int, messages: Sequence[Message]) -> None:
        self._engine, self._number = engine, number
        self._turns = [Turn(message) for message in messages]
        self._known = 0
        self._child: Child | None = None
        self._call: Call | None = None
        self._usage = Usage(complete=False)

    def append(self, message: Message, media: Sequence[Media] = ()) -> None:
        self._turns.append(turn(message, media, self._engine.capabilities))

    def rewind(self, count: int) -> None:
        assert 0 <= count <= len(self._turns)
        del self._turns[count:]
        self._known = min(self._known, count)

    def prefill(self) -> Usage:
        for _ in self._run("prefill"):
            pass
        return self._usage

    def generate(self, sampling: Sampling) -> Iterator[str]:
        pieces = self._run("generate", sampling=asdict(sampling))
        next(pieces)  # the call is under way now, not when its first piece is asked for
        return pieces

    def usage(self) -> Usage:
        return self._usage

    def cancel(self) -> None:
        if (call := self._call) is not None:
            call.cancelled.set()  # first: whoever starts or posts looks at it afterwards
            if (child := self._child) is not None:
                child.cancel(call)

    def close(self) -> None:
        child, self._child = self._child, None
        if child is not None and child.alive:
            with suppress(EngineError):
                child.post(self._engine.begin(), {"op": "drop", "session": self._number})

    def _run(self, op: str, **fields: Any) -> Iterator[str]:
        """Yields "" once the call has been sent, then its pieces until it is over."""
        self._usage = Usage(complete=False, finish="cancelled")
        call = self._call = self._engine.begin()
        try:
            child = self._engine.living(call)
            if child is None:
                yield ""
                return
            yield from self._pieces(child, call, {"op": op, **fields})
        finally:
            self._call = None

    def _pieces(self, child: Child, call: Call, request: dict[str, Any]) -> Iterator[str]:
        known = self._known if child is self._child else 0
        added, count = self._turns[known:], len(self._turns)
        self._child, self._known = child, 0  # until it is known to have gone well
        pictures = [picture for each in added for picture in each.media]
        child.post(
            call,
            {
                **request,
                "session": self._number,
                "keep": known,
                "add": [_written(each) for each in added],
                "pictures": _unseen(pictures, child),
            },
        )
        child.album.add(pictures)
        answers = self._engine.answers(child, call)
        try:
            yield ""
            for answer in answers:
                if "piece" in answer and not call.cancelled.is_set():
                    yield answer["piece"]
                elif "done" in answer:
                    self._known = count
                    self._usage = Usage(**answer["done"])
        except GeneratorExit:
            child.cancel(call)
            raise


def _written(turn: Turn) -> tuple[str, str, list[str]]:
    """A turn on the wire, its pictures by name."""
    return turn.message.role, turn.message.content, [each.id for each in turn.media]


def _unseen(pictures: Sequence[Media], child: Child) -> dict[str, str]:
    """Those that the child's album lacks, in Base64."""
    lacking = {each.id: each.data for each in pictures if each.id not in child.album}
    return {name: base64.b64encode(data).decode() for name, data in lacking.items()}


def _rebuilt(described: dict[str, Any]) -> VisavisError:
    """The error that the child described."""
    kind = getattr(errors, described["kind"], EngineError)
    if not (isinstance(kind, type) and issubclass(kind, VisavisError)):
        kind = EngineError
    error: VisavisError = kind.__new__(kind)
    error.args = (described["text"],)
    vars(error).update(described["fields"])
    return error
