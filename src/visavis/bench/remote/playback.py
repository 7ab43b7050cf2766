"""The client's playback buffer, in time: what a listener would hear, and when.

Takes sound as it arrives, faster than it plays; gives grains of what was heard. What arrives lies
behind what is queued, or plays at once: no delay of a device is added. Invariant: in each moment
at most one sample sounds, and none twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from visavis.bench.remote.wire import FULL_SCALE, RATE_HZ, Malformed
from visavis.bench.result import Sounding
from visavis.flow.events import Samples

GRAIN_S = 0.005
LONGEST_S = 600.0
"""More than this is never queued."""
AUDIBLE = 0.003
"""Of full scale (-50 dB): what is fainter is not heard, and is no sounding."""
JOINED_S = 0.3
"""A silence within a reply that is shorter is part of its sounding."""


@dataclass(slots=True, eq=False)
class Item:
    """A part of a reply. `heard`: samples of it that were played; `odd`: half a sample."""

    reply: int
    id: str
    content_index: int = 0
    heard: int = 0
    waiting: int = 0
    odd: bytes = b""

    @property
    def heard_ms(self) -> int:
        """Whole milliseconds: never more than there is."""
        return self.heard * 1000 // RATE_HZ


@dataclass(frozen=True, slots=True)
class Grain:
    """5 ms or less that were played. `peak` of full scale 1."""

    reply: int
    start_s: float
    end_s: float
    peak: float

    @property
    def audible(self) -> bool:
        return self.peak > AUDIBLE


class Playback:
    """Plays as time passes; `played` and `push` are called in order of time."""

    def __init__(self) -> None:
        self._queue: deque[tuple[Item, Samples]] = deque()
        self._waiting = 0
        self._at_s = 0.0

    @property
    def waiting_s(self) -> float:
        """How much is queued."""
        return self._waiting / RATE_HZ

    def push(self, item: Item, pcm: bytes) -> None:
        """Queues 16-bit sound, split anywhere."""
        data = item.odd + pcm
        whole = len(data) - len(data) % 2
        item.odd = data[whole:]
        samples = np.frombuffer(data[:whole], "<i2").astype(np.float32) / np.float32(FULL_SCALE)
        if not len(samples):
            return
        if self.waiting_s + len(samples) / RATE_HZ > LONGEST_S:
            raise Malformed(f"more than {LONGEST_S:.0f} s of sound ahead of its time")
        self._queue.append((item, samples))
        item.waiting += len(samples)
        self._waiting += len(samples)

    def played(self, until_s: float) -> list[Grain]:
        """What sounded since the last call."""
        grains: list[Grain] = []
        while self._queue and (due := int((until_s - self._at_s) * RATE_HZ + 1e-6)) > 0:
            item, samples = self._queue.popleft()
            heard, left = samples[:due], samples[due:]
            if len(left):
                self._queue.appendleft((item, left))
            grains += self._grains(item.reply, heard)
            item.heard += len(heard)
            item.waiting -= len(heard)
            self._waiting -= len(heard)
            self._at_s += len(heard) / RATE_HZ
        if not self._queue:
            self._at_s = max(self._at_s, until_s)
        return grains

    def clear(self) -> None:
        """Drops what is queued."""
        for item, samples in self._queue:
            item.waiting -= len(samples)
        self._queue.clear()
        self._waiting = 0

    def _grains(self, reply: int, samples: Samples) -> Iterator[Grain]:
        grain = round(GRAIN_S * RATE_HZ)
        for at in range(0, len(samples), grain):
            part = samples[at : at + grain]
            begin_s = self._at_s + at / RATE_HZ
            peak = float(np.max(np.abs(part)))
            yield Grain(reply, begin_s, begin_s + len(part) / RATE_HZ, peak)


def soundings(grains: list[Grain]) -> list[Sounding]:
    """What was audible, joined where only a short silence lies between."""
    found: list[Sounding] = []
    for grain in grains:
        if not grain.audible:
            continue
        last = found[-1] if found else None
        if last and last.reply == grain.reply and grain.start_s - last.end_s <= JOINED_S:
            found[-1] = Sounding(last.reply, last.start_s, grain.end_s)
        else:
            found.append(Sounding(grain.reply, grain.start_s, grain.end_s))
    return found
