"""Where the sound goes when there is no device: into a WAV file, or nowhere.

Takes blocks of samples at absolute places of the output axis. Invariant: in the file each block
lies at its place, with silence between; the file appears whole, when it is closed, or not at all.
"""

from __future__ import annotations

import contextlib
import os
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import numpy as np

from visavis.flow.errors import InputError
from visavis.flow.events import Samples
from visavis.flow.files import place, unfinished
from visavis.speak.sound import FULL_SCALE, on_grid


class Sink(Protocol):
    """An ear."""

    def write(self, start: int, samples: Samples) -> None:
        """Plays `samples` at place `start` of the output axis; starts never run backwards."""

    def clear(self) -> None:
        """Drops what was written and has not sounded yet."""

    def close(self) -> None:
        """Ends. May be called twice."""


class NullSink:
    """Nobody listens."""

    def write(self, start: int, samples: Samples) -> None:
        pass

    def clear(self) -> None:
        pass

    def close(self) -> None:
        pass


class FileSink:
    """A mono 16-bit WAV file of the output axis, from its sample 0.

    It is written under a temporary name beside `path` and gets its own when closed; `discard`
    closes without leaving a file. Raises `InputError` when the file cannot be written: once, for
    all that comes after a failure is ignored, and closing then leaves no file.
    """

    def __init__(self, path: Path, rate_hz: int) -> None:
        self._path = path
        self._place = place(path, "name a file")
        self._part = unfinished(self._place)
        self._rate_hz = rate_hz
        self._end = 0
        self._failed = False
        with self._explained():
            self._file = self._part.open("wb")
        self._wav: wave.Wave_write = wave.open(self._file, "wb")  # noqa: SIM115 - lives on
        self._wav.setparams((1, 2, rate_hz, 0, "NONE", ""))

    def write(self, start: int, samples: Samples) -> None:
        assert start >= self._end, f"blocks overlap: {start} < {self._end}"
        self.extend(start)
        if self._failed:
            return
        with self._explained():
            self._wav.writeframesraw((on_grid(samples) * FULL_SCALE).astype("<i2").tobytes())
        self._end += len(samples)

    def extend(self, end: int) -> None:
        """Silence up to place `end`."""
        with self._explained():
            while self._end < end and not self._failed:
                count = min(end - self._end, self._rate_hz)
                self._wav.writeframesraw(np.zeros(count, "<i2").tobytes())
                self._end += count

    def clear(self) -> None:
        """Nothing to drop: what was written has sounded, a period at a time."""

    def close(self) -> None:
        if self._file.closed:
            return
        try:
            if not self._failed:
                with self._explained():
                    self._wav.close()
                    self._file.close()
                    os.replace(self._part, self._place)
        finally:
            self.discard()

    def discard(self) -> None:
        """Closes and leaves nothing that was not complete before."""
        for end in (self._wav.close, self._file.close, self._part.unlink):
            with contextlib.suppress(OSError):  # what cannot be written is not wanted any more
                end()

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._failed = True
            remedy = "choose another place with --out"
            raise InputError(self._path, f"cannot be written ({error.strerror})", remedy) from error
