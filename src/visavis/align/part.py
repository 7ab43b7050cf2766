"""A part: a stretch of captured sound in one encoding, rate and channel count, without a gap.

Takes its bytes in chunks of any size; gives mono float32 at the input axis' rate. Invariant: the
samples depend on the bytes alone, never on how they were split; an odd byte waits for the rest
of its frame. Knows nothing of events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visavis.align.encoding import DECODE, SAMPLE_BYTES
from visavis.align.mix import mono
from visavis.backends.contract import Resampler
from visavis.flow.clock import NS_PER_S
from visavis.flow.errors import InputError
from visavis.flow.events import AudioCaptured, Samples

RATES_HZ = (1_000, 768_000)
"""Lowest and highest rate that can be sound."""


@dataclass(frozen=True, slots=True)
class Form:
    """How captured bytes are to be read."""

    encoding: str
    rate_hz: int
    channels: int

    @classmethod
    def of(cls, event: AudioCaptured) -> Form:
        """Raises `InputError` when nothing can be read that way."""
        if event.encoding not in DECODE:
            problem = f"unknown encoding {event.encoding!r}"
            raise InputError("audio input", problem, f"use one of {', '.join(DECODE)}")
        if not (RATES_HZ[0] <= event.rate_hz <= RATES_HZ[1] and event.channels >= 1):
            problem = f"{event.channels} channels at {event.rate_hz} Hz"
            raise InputError("audio input", problem, "use 1 000 to 768 000 Hz")
        return cls(event.encoding, event.rate_hz, event.channels)

    @property
    def frame_bytes(self) -> int:
        """Bytes of one sample of every channel."""
        return SAMPLE_BYTES[self.encoding] * self.channels

    def duration_ns(self, count: int) -> int:
        """How long `count` bytes last."""
        return count * NS_PER_S // (self.frame_bytes * self.rate_hz)


class Part:
    """The sound from `start_ns` on the session axis. `piece_s` bounds the work of one step."""

    def __init__(self, form: Form, start_ns: int, resampler: Resampler, piece_s: float) -> None:
        self.form = form
        self.silenced = 0
        self._start_ns = start_ns
        self._resampler = resampler
        self._piece_bytes = max(1, int(piece_s * form.rate_hz)) * form.frame_bytes
        self._taken = 0
        self._odd = b""

    @property
    def end_ns(self) -> int:
        """The session time after the last byte taken."""
        return self._start_ns + self.form.duration_ns(self._taken)

    def feed(self, data: bytes) -> Iterator[Samples]:
        """Converts bytes, in bounded pieces; a piece may be empty while the filter fills."""
        self._taken += len(data)
        data = self._odd + data
        whole = len(data) - len(data) % self.form.frame_bytes
        self._odd = data[whole:]
        view = memoryview(data)[:whole]
        for at in range(0, whole, self._piece_bytes):
            yield self._resampler.feed(self._mono(view[at : at + self._piece_bytes]))

    def flush(self) -> Samples:
        """What the filter still holds. The part is over; half a frame at its end is no sound."""
        return self._resampler.feed(np.zeros(0, np.float32), last=True)

    def _mono(self, data: memoryview) -> Samples:
        samples = DECODE[self.form.encoding](data)
        if self.form.encoding in {"f32", "f64"}:
            samples = self._finite(samples)
        # Saturated before the filter too: one absurd value would ring through its whole length.
        return np.clip(mono(samples.reshape(-1, self.form.channels)), -1, 1)

    def _finite(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        finite = np.isfinite(samples)
        count = samples.size - int(np.count_nonzero(finite))
        self.silenced += count
        return np.where(finite, samples, np.float32(0)) if count else samples
