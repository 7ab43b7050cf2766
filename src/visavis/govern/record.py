"""The recorder: writes every event that passes the bus, and the sound, to one MCAP file.

A tap on the bus: `bus.tap(recorder.write)`. Invariant: the session never waits for the disk, and
nothing is lost in silence. Events are numbered on the loop's thread and written on another; one
that finds the queue full is counted, and leaves a gap in the numbers. The file's layout is in
govern/tape.py; its name is `<path>.part` until `close`, with a number if there is one already.
"""

from __future__ import annotations

import itertools
import logging
import os
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import msgspec

from visavis.flow.clock import wall_time_ns
from visavis.flow.errors import InputError, VisavisError
from visavis.flow.events import Event, Samples
from visavis.flow.files import place
from visavis.flow.topics import TOPICS, Topic
from visavis.govern.table import Row
from visavis.govern.tape import FORMAT, STREAM_HZ, Tape

log = logging.getLogger(__name__)
QUEUE_DEPTH = 8192
# Rarely enough not to steal the loop's time, often enough that each spell of writing is short.
WAKE_S = 0.05


class Recorder:
    """Records to `path`.

    `rows`: the wiring table. `settings`: all that is needed to build the same line again, as JSON
    types. `output_rate_hz`: of the output axis. `threaded`: write on a thread of its own; off, in
    the caller's, which loses nothing and suits simulated time. Raises `InputError` when the file
    cannot be made.
    """

    name = "govern.record"

    def __init__(
        self,
        path: Path | str,
        *,
        rows: Iterable[Row] = (),
        settings: Mapping[str, Any] | None = None,
        seed: int = 0,
        output_rate_hz: int = 22_050,
        wall_ns: int | None = None,
        threaded: bool = True,
        topics: Iterable[Topic] = TOPICS,
    ) -> None:
        self.path = Path(path)
        self._place = place(self.path, "name a file to record to, such as run.mcap")
        self._part, file = _opened(self._place, self.path)
        topics = tuple(topics)
        about = {
            "format": str(FORMAT),
            "version": version("visavis"),
            "wall_time_ns": str(wall_time_ns() if wall_ns is None else wall_ns),
            "seed": str(seed),
            "settings": _json(settings or {}),
            "wiring": _json([_row(row) for row in rows]),
        }
        self._tape = Tape(file, about, topics, output_rate_hz)
        # Frequent sound lies in memory that will be used again: it is copied at once.
        self._copied = {t.event: t.rate_hz >= STREAM_HZ for t in topics if t.record != "no"}
        self._queue: deque[tuple[int, Event, Samples | None]] = deque()
        self._taken = self._refused = self._lost = 0
        self._failure: Exception | None = None
        self._closing = threading.Event()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        if threaded:
            self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)
            self._thread.start()

    @property
    def dropped(self) -> int:
        """Events that are not in the recording."""
        return self._refused + self._lost

    @property
    def off_grid(self) -> int:
        """Samples written that 16-bit FLAC could not keep exactly."""
        return self._tape.off_grid

    def write(self, event: Event) -> None:
        """Takes one event, on the loop's thread. Never waits, never raises."""
        copied = self._copied.get(type(event))
        if copied is None:
            return
        number = self._taken
        self._taken += 1
        if len(self._queue) >= QUEUE_DEPTH:
            self._refused += 1
            return
        samples: Samples | None = getattr(event, "samples", None)
        if samples is not None and copied:
            samples = samples.copy()
        self._queue.append((number, event, samples))
        if self._thread is None:
            self._drain()
        elif len(self._queue) > QUEUE_DEPTH // 2:
            self._wake.set()

    def close(self, *, cut: bool = False) -> None:
        """Writes what waits, completes the file and gives it its name. May be called twice.

        `cut`: the session was broken off, perhaps between an event and what follows from it.
        Raises `VisavisError` when writing failed; what came before is in the `.part` file.
        """
        if self._closing.is_set():
            return
        self._closing.set()
        self._wake.set()
        if self._thread:
            self._thread.join()
        self._drain()
        self._finish(cut)
        if self.dropped:
            log.warning("%s: %d events could not be recorded", self.path, self.dropped)
        if self._failure is not None:
            raise VisavisError(
                f"{self.path}: recording failed: {self._failure};"
                f" what came before is in {self._part}"
            )

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        try:
            self.close(cut=kind is not None)
        except VisavisError as failure:
            if kind is None:
                raise
            log.error("%s", failure)  # what broke the session off is more interesting

    def _work(self) -> None:
        while not self._closing.is_set():
            self._wake.wait(WAKE_S)
            self._wake.clear()
            self._drain()

    def _drain(self) -> None:
        while self._queue:
            number, event, samples = self._queue.popleft()
            if self._failure is None:
                self._keep(number, event, samples)
            else:
                self._lost += 1

    def _keep(self, number: int, event: Event, samples: Samples | None) -> None:
        try:
            data = self._tape.encode(event, samples)
        except (TypeError, ValueError, msgspec.MsgspecError) as error:
            self._lost += 1
            log.error("an event of %s cannot be recorded: %s", event.topic, error)
            return
        try:
            self._tape.add(number, event, data, samples)
        except Exception as error:  # noqa: BLE001 - the session must outlive its recording
            self._lost += 1
            self._failure = error
            log.error("%s: recording stopped: %s", self.path, error)

    def _finish(self, cut: bool) -> None:
        try:
            if self._failure is None:
                self._tape.end({"dropped": str(self.dropped), "cut": str(int(cut))})
                os.replace(self._part, self._place)
        except OSError as error:
            self._failure = error
        if self._failure is not None:
            self._tape.abandon()


def _row(row: Row) -> Mapping[str, Any]:
    return {"name": row.name, "takes": [*row.takes], "gives": [*row.gives], "lane": row.lane}


def _json(value: object) -> str:
    return msgspec.json.encode(value, enc_hook=str).decode()


def _opened(at: Path, path: Path) -> tuple[Path, IO[bytes]]:
    """A new file beside `at`: what a session left there that was broken off is not touched."""
    for number in itertools.count(1):
        part = at.with_name(f"{at.name}.part" if number == 1 else f"{at.name}.{number}.part")
        try:
            return part, part.open("xb")
        except FileExistsError:
            continue
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(path, f"cannot be written ({reason})", "name another file") from error
    raise AssertionError("numbers do not end")
