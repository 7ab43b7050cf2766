"""The child process that hosts an engine: `python -m visavis.backends.llm.child`.

Takes requests on stdin, gives answers on stdout, both one JSON object a line (see process.py).
Calls run one after the other on the main thread; a second thread reads, so that a cancel arrives
while a call runs. Invariants: whatever native code prints cannot reach the answers; the process
ends as soon as its parent closes the pipe or dies.
"""

from __future__ import annotations

import base64
import importlib
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, Any

from visavis.backends.contract import Llm, LlmSession, Media, Options, Sampling, Usage
from visavis.backends.llm.pictures import Album
from visavis.flow.errors import VisavisError
from visavis.flow.events import Message

Request = dict[str, Any]
REPEAT_CANCEL_S = 0.02
WATCH_PARENT_S = 2.0
CANCELLED = Usage(complete=False, finish="cancelled")


class Host:
    """Serves one engine."""

    def __init__(self, wire: IO[bytes]) -> None:
        self._wire = wire
        self._engine: Llm | None = None
        self._sessions: dict[int, LlmSession] = {}
        self._album = Album()
        self._requests: queue.Queue[Request] = queue.Queue(16)
        self._lock = threading.Lock()
        self._cancelled = 0  # calls up to this number are to end
        self._running = 0
        self._session: LlmSession | None = None
        self._idle = threading.Event()

    def listen(self, lines: Iterator[bytes]) -> None:
        """Takes requests until the parent is gone. On a thread of its own."""
        for line in lines:
            request = json.loads(line)
            if request["op"] == "cancel":
                self._cancel(request["id"])
            else:
                self._requests.put(request)

    def work(self) -> None:
        """Serves requests for ever, on the calling thread."""
        while True:
            request = self._requests.get()
            number = request["id"]
            try:
                for answer in getattr(self, f"_{request['op']}")(request):
                    self._send({"id": number, **answer})
            except Exception as error:  # noqa: BLE001 - handed to the parent
                self._send({"id": number, "error": _described(error)})
            finally:
                self._end()

    def _load(self, request: Request) -> Iterator[Request]:
        module, _, name = request["backend"].partition(":")
        files = {role: Path(path) for role, path in request["files"].items()}
        make = getattr(importlib.import_module(module), name)
        engine: Llm = make(Options(files, request["settings"]))
        self._engine = engine
        yield {"done": asdict(engine.capabilities)}

    def _prefill(self, request: Request) -> Iterator[Request]:
        session = self._synced(request)
        wanted = self._begin(request, session)
        yield self._done(session.prefill() if wanted else CANCELLED)

    def _generate(self, request: Request) -> Iterator[Request]:
        session = self._synced(request)
        sampling = Sampling(**request["sampling"])
        if not self._begin(request, session):
            yield self._done(CANCELLED)
            return
        for piece in session.generate(replace(sampling, stop=tuple(sampling.stop))):
            yield {"piece": piece}
        yield self._done(session.usage())

    def _drop(self, request: Request) -> Iterator[Request]:
        if session := self._sessions.pop(request["session"], None):
            session.close()
        yield {"done": {}}

    def _synced(self, request: Request) -> LlmSession:
        """The session, holding the messages that the parent's has."""
        assert self._engine is not None, "not loaded"
        seen = self._seen(request)
        session = self._sessions.get(request["session"])
        if session is None:
            session = self._sessions[request["session"]] = self._engine.open()
        session.rewind(request["keep"])
        for role, content, names in request["add"]:
            session.append(Message(role, content), [seen[name] for name in names])
        return session

    def _seen(self, request: Request) -> dict[str, Media]:
        """The pictures of the turns to add: the new ones, and those that the album holds."""
        came = {
            name: Media(name, base64.b64decode(data)) for name, data in request["pictures"].items()
        }
        named = [name for _, _, names in request["add"] for name in names]
        seen = {name: came[name] if name in came else self._album[name] for name in named}
        self._album.add([seen[name] for name in named])
        return seen

    def _begin(self, request: Request, session: LlmSession) -> bool:
        """Makes the call one that can be cancelled; False if it has been already."""
        with self._lock:
            self._running, self._session = request["id"], session
            self._idle.clear()
            return bool(request["id"] > self._cancelled)

    def _end(self) -> None:
        with self._lock:
            self._running, self._session = 0, None
            self._idle.set()

    def _cancel(self, number: int) -> None:
        with self._lock:
            self._cancelled = max(self._cancelled, number)
        # Repeated: a cancel between our begin and the backend's own would be lost.
        while True:
            with self._lock:
                if self._session is None or self._running != number:
                    return
                self._session.cancel()
            self._idle.wait(REPEAT_CANCEL_S)

    def _done(self, usage: Usage) -> Request:
        assert self._engine is not None
        return {"done": asdict(usage), "stats": dict(self._engine.stats())}

    def _send(self, answer: Request) -> None:
        self._wire.write(json.dumps(answer).encode() + b"\n")
        self._wire.flush()


def _described(error: Exception) -> Request:
    """An error as JSON; of those that the parent knows, with their fields."""
    if not isinstance(error, VisavisError):
        return {"kind": "EngineError", "text": f"{type(error).__name__}: {error}", "fields": {}}
    return {"kind": type(error).__name__, "text": str(error), "fields": vars(error)}


def _apart(fd: int, flags: int) -> int:
    """Moves a standard stream out of native code's reach; what it had is at the fd returned."""
    kept = os.dup(fd)
    substitute = os.open(os.devnull, flags)
    os.dup2(substitute, fd)
    os.close(substitute)
    return kept


def _watch_parent(parent: int) -> None:
    """Ends the process when the parent is gone although someone else holds its end of the pipe.

    Not PR_SET_PDEATHSIG: that fires when the *thread* that started us ends, and engines are
    loaded on threads of a pool.
    """
    while os.getppid() == parent:
        threading.Event().wait(WATCH_PARENT_S)
    os._exit(1)


NICE = 5
"""The next words can wait for the sound of the last ones: hearing and speech go first."""


def main() -> None:
    """Serves until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICE)
    requests = os.fdopen(_apart(0, os.O_RDONLY), "rb")
    wire = os.fdopen(_apart(1, os.O_WRONLY), "wb")
    sys.stdout = sys.stderr
    host = Host(wire)

    def listen() -> None:
        try:
            host.listen(requests)
        finally:
            os._exit(0)  # whatever native call is under way

    threading.Thread(target=_watch_parent, args=(os.getppid(),), daemon=True).start()
    threading.Thread(target=listen, daemon=True).start()
    host.work()


if __name__ == "__main__":
    main()
