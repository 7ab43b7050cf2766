"""The reference: what was really played, on the input axis.

Takes `sound.played`; gives its sound at 16 kHz by sample index of the input axis, with silence
where nothing was played. Invariant: sample k is what began to sound at session time k / 16 000,
read once or many times, as long as it is kept. Sound that is told after its place was read, and
found silent, is late: it is dropped and counted. Knows no room.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from visavis.backends.contract import Resampler
from visavis.flow.events import INPUT_RATE_HZ, Samples, SoundPlayed
from visavis.flow.ring import AudioRing

KEPT_S = 4.0
TAPS = 16
"""Half the length of the filter between two samples: flat up to 7 kHz."""


class Reference:
    """Of a playback of `rate_hz`. `began`: the index at which the first sound began, ever."""

    def __init__(self, rate_hz: int, make_resampler: Callable[[int, int], Resampler]) -> None:
        self.began: int | None = None
        self.late = 0
        common = math.gcd(rate_hz, INPUT_RATE_HZ)
        self._out_step, self._in_step = rate_hz // common, INPUT_RATE_HZ // common
        self._resampler = make_resampler(rate_hz, INPUT_RATE_HZ)
        self._rate_hz = rate_hz
        self._ring = AudioRing(KEPT_S)
        self._base = 0  # the index of the ring's sample 0
        self._next: int | None = None  # of the output axis, while a stretch of sound goes on
        self._skip = 0  # samples that the resampler will give for places already passed

    @property
    def end(self) -> int:
        """The index after the last sample that is settled."""
        return self._base + self._ring.end

    def hear(self, played: SoundPlayed) -> None:
        """Takes the sound of one output period."""
        if not len(played.samples):
            return
        start, samples = played.start, played.samples
        if self._next is None or start != self._next:
            samples = self._begin(start, samples)
        self._next = start + len(played.samples)
        self._give(self._resampler.feed(samples))

    def read(self, start: int, end: int) -> Samples:
        """Samples [start, end); silence for what is no longer kept, or was never played."""
        self._settle(end)
        begin = min(max(start, self._base + self._ring.begin), end)
        kept = self._ring.copy(begin - self._base, end - self._base) if begin < end else ()
        return np.concatenate([np.zeros(begin - start, np.float32), kept]).astype(np.float32)

    def read_at(self, place: float, count: int) -> Samples:
        """`count` samples from a place between two samples on; of a whole one as `read`."""
        whole = math.floor(place)
        if place == whole:
            return self.read(whole, whole + count)
        sound = self.read(whole - TAPS + 1, whole + count + TAPS)
        away = np.arange(1 - TAPS, TAPS + 1) - (place - whole)
        kernel = np.sinc(away) * np.cos(np.pi * away / (2 * TAPS + 2)) ** 2
        return np.correlate(sound, kernel.astype(np.float32))

    def _begin(self, start: int, samples: Samples) -> Samples:
        """A stretch of sound begins at a place that both axes have in common."""
        self._finish()
        places, lead = divmod(start, self._out_step)
        index = places * self._in_step
        if self.began is None:
            self.began = self._base = index
        self._silence_until(index)
        self._skip = self.end - index
        self.late += self._skip
        return np.concatenate([np.zeros(lead, np.float32), samples])

    def _settle(self, end: int) -> None:
        """What is not known up to `end` by now was not played."""
        if self.end < end:
            self._finish()
            self._silence_until(end)

    def _finish(self) -> None:
        if self._next is not None:
            self._next = None
            self._give(self._resampler.feed(np.zeros(0, np.float32), last=True))

    def _give(self, samples: Samples) -> None:
        passed = min(self._skip, len(samples))
        self._skip -= passed
        for at in range(passed, len(samples), self._ring.capacity):
            self._ring.write(samples[at : at + self._ring.capacity])

    def _silence_until(self, end: int) -> None:
        if end - self.end > self._ring.capacity:
            # Nothing of before is kept anyway: the ring begins anew.
            self._base, self._ring = end - self._ring.capacity, AudioRing(KEPT_S)
        while self.end < end:
            self._ring.write(np.zeros(min(end - self.end, self._ring.capacity), np.float32))
