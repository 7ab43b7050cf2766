"""One child process that hosts an engine, as its parent sees it: lines of JSON over two pipes.

Takes requests, gives answers in order. Only one call is under way at a time; `cancel` alone may
come from another thread. Invariant: neither a dead, stuck nor stopped child ever blocks `cancel`,
and no child outlives `close`. Does not know what the requests mean (see process.py, child.py).
"""

from __future__ import annotations

import json
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any

from visavis.backends.llm.pictures import Album
from visavis.flow.errors import EngineError

log = logging.getLogger(__name__)
MAX_LINE_BYTES = 16 << 20
# An answer is one token; whoever does not read slows the child down instead of filling memory.
MAX_WAITING = 1024
ENTRY = "visavis.backends.llm.child"


class Call:
    """A request under way. `cancelled` may be set before it was sent."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.cancelled = threading.Event()
        self.posted = False
        self.told = False


@dataclass(frozen=True, slots=True)
class Silence:
    """How long a child may say nothing before it counts as hung: at work, and told to stop."""

    working_s: float
    cancelled_s: float


class Child:
    """A running child process."""

    def __init__(self) -> None:
        # In a group of its own, so that Ctrl-C in the terminal reaches the parent alone.
        apart: dict[str, Any] = {"start_new_session": True}
        if os.name == "nt":
            apart = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", ENTRY],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **apart,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._stdin = self._process.stdin
        self._writing = threading.Lock()
        self._answers: queue.Queue[bytes | None] = queue.Queue(MAX_WAITING)
        self._said: deque[str] = deque(maxlen=8)
        self.album = Album()  # what it has seen
        self._pumps = [
            _thread(self._pump_answers, self._process.stdout),
            _thread(self._pump_log, self._process.stderr),
        ]
        self.alive = True

    @property
    def pid(self) -> int:
        return self._process.pid

    def post(self, call: Call, request: dict[str, Any]) -> None:
        """Sends a request. Raises `EngineError` when the child is gone."""
        line = json.dumps({"id": call.number, **request}).encode() + b"\n"
        if len(line) > MAX_LINE_BYTES:
            raise EngineError(f"a request of {len(line)} bytes is too long")
        try:
            with self._writing:
                self._write(line)
                call.posted = True
        except (OSError, ValueError):
            raise self._gone() from None
        if call.cancelled.is_set():
            self.cancel(call)

    def cancel(self, call: Call) -> None:
        """Tells the child to stop `call`. From any thread; never waits."""
        call.cancelled.set()
        # If someone is writing just now, it is the call itself, and `post` will look again.
        if self._writing.acquire(blocking=False):
            try:
                if call.posted and not call.told:
                    call.told = True
                    with suppress(OSError, ValueError):
                        self._write(b'{"op":"cancel","id":%d}\n' % call.number)
            finally:
                self._writing.release()

    def read(self, call: Call, silence: Silence) -> dict[str, Any]:
        """The next answer. Raises `EngineError` when the child dies or has hung."""
        line = self._wait(call, silence)
        if line is None:
            raise self._gone()
        try:
            answer = json.loads(line)
            assert isinstance(answer, dict)
        except (ValueError, AssertionError):
            self.kill()
            raise EngineError("the engine broke its protocol") from None
        return answer

    def close(self, timeout_s: float) -> None:
        """Lets the child end by itself, or kills it after `timeout_s`."""
        if self._writing.acquire(timeout=timeout_s):
            try:
                with suppress(OSError, ValueError):
                    self._stdin.close()
            finally:
                self._writing.release()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout_s)
        self.kill()

    def kill(self) -> None:
        """Ends the child at once and takes back what it held. May be called twice."""
        self.alive = False
        self._process.kill()
        self._process.wait()
        for pump in self._pumps:
            while pump.is_alive():
                with suppress(queue.Empty):
                    self._answers.get(timeout=0.01)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with suppress(OSError, ValueError):
                    pipe.close()
        # Whoever still waits in `read`, in another thread, learns of it.
        with suppress(queue.Full):
            self._answers.put_nowait(None)

    def _wait(self, call: Call, silence: Silence) -> bytes | None:
        cancelled, limit_s, silent_s = False, silence.working_s, 0.0
        while silent_s < limit_s:
            if call.cancelled.is_set() and not cancelled:
                cancelled, limit_s, silent_s = True, silence.cancelled_s, 0.0
            step_s = min(1.0, limit_s - silent_s)
            try:
                return self._answers.get(timeout=step_s)
            except queue.Empty:
                silent_s += step_s
        self.kill()
        raise EngineError(f"the engine gave no answer for {limit_s:g} s")

    def _write(self, line: bytes) -> None:
        self._stdin.write(line)
        self._stdin.flush()

    def _gone(self) -> EngineError:
        self.kill()
        code = self._process.returncode
        how = f"exit code {code}"
        if code < 0:
            with suppress(ValueError):
                how = signal.Signals(-code).name
        last = self._said[-1] if self._said else ""
        return EngineError(f"the engine died ({how})" + (f": {last}" if last else ""))

    def _pump_answers(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while (line := pipe.readline(MAX_LINE_BYTES)).endswith(b"\n"):
                self._answers.put(line)
        self._answers.put(None)

    def _pump_log(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while line := pipe.readline(4096):
                if text := line.decode("utf-8", "replace").strip():
                    self._said.append(text)
                    log.debug("%s", text)


def _thread(work: Any, pipe: IO[bytes]) -> threading.Thread:
    thread = threading.Thread(target=work, args=(pipe,), name="llm-pipe", daemon=True)
    thread.start()
    return thread
