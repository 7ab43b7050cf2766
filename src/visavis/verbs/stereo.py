"""Both sides of a conversation in one file: left the user, right the system, on one time axis.

A tap on the bus. Kept in memory until closed (about 4 MB a minute), so for demonstrations and
tests, not for endless sessions: it stops listening after `MAX_S`.
"""

from __future__ import annotations

import os
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S
from visavis.flow.errors import InputError

MAX_S = 1800


class Stereo:
    """Collects; `close` writes `path` at the rate of the output axis."""

    def __init__(self, path: Path, rate_hz: int, make_resampler: Callable[[int, int], Any]) -> None:
        self._path = path
        self._rate_hz = rate_hz
        self._resampler = make_resampler(e.INPUT_RATE_HZ, rate_hz)
        self._user: list[tuple[int, e.Samples]] = []
        self._system: list[tuple[int, e.Samples]] = []

    def watch(self, event: e.Event) -> None:
        """Takes one event."""
        if event.t_ns > MAX_S * NS_PER_S:
            return
        if isinstance(event, e.AudioAligned):
            self._user.append((event.start, event.samples.copy()))
        elif isinstance(event, e.SoundPlayed) and len(event.samples):
            self._system.append((event.start, event.samples))

    def close(self) -> None:
        """Writes the file, whole or not at all. Raises `InputError` when it cannot be written."""
        user = self._resampler.feed(_laid_out(self._user), last=True)
        system = _laid_out(self._system)
        both = np.zeros((max(len(user), len(system)), 2), np.float32)
        both[: len(user), 0], both[: len(system), 1] = user, system
        part = self._path.with_name(f".{self._path.name}.part")
        try:
            with wave.open(str(part), "wb") as file:
                file.setparams((2, 2, self._rate_hz, 0, "NONE", ""))
                file.writeframes((np.clip(both, -1, 1) * 32_767).astype("<i2").tobytes())
            os.replace(part, self._path)
        except OSError as error:
            part.unlink(missing_ok=True)
            problem = f"cannot be written ({error.strerror})"
            raise InputError(self._path, problem, "choose another place with --out") from error


def _laid_out(blocks: list[tuple[int, e.Samples]]) -> e.Samples:
    """The blocks at their places, with silence between."""
    start, last = blocks[-1] if blocks else (0, np.zeros(0, np.float32))
    whole = np.zeros(start + len(last), np.float32)
    for start, samples in blocks:
        whole[start : start + len(samples)] = samples
    return whole
