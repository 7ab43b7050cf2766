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

MAX_S = 1800


class Stereo:
    """Collects; `close` writes `path` at the rate of the output axis."""

    def __init__(self, path: Path, rate_hz: int, make_resampler: Callable[[int, int], Any]) -> None:
        self._path = path
        self._rate_hz = rate_hz
        self._resampler = make_resampler(e.INPUT_RATE_HZ, rate_hz)
        self._user: list[e.Samples] = []
        self._system: list[tuple[int, e.Samples]] = []

    def watch(self, event: e.Event) -> None:
        """Takes one event."""
        if event.t_ns > MAX_S * 1_000_000_000:
            return
        if isinstance(event, e.AudioAligned):
            self._user.append(event.samples.copy())
        elif isinstance(event, e.SoundPlayed) and len(event.samples):
            self._system.append((event.start, event.samples))

    def close(self) -> None:
        """Writes the file, whole or not at all."""
        heard = np.concatenate([*self._user, np.zeros(0, np.float32)])
        user = self._resampler.feed(heard, last=True)
        last = self._system[-1] if self._system else (0, user[:0])
        both = np.zeros((max(len(user), last[0] + len(last[1])), 2), np.float32)
        both[: len(user), 0] = user
        for start, samples in self._system:
            both[start : start + len(samples), 1] = samples
        part = self._path.with_name(f".{self._path.name}.part")
        with wave.open(str(part), "wb") as file:
            file.setparams((2, 2, self._rate_hz, 0, "NONE", ""))
            file.writeframes((np.clip(both, -1, 1) * 32_767).astype("<i2").tobytes())
        os.replace(part, self._path)
