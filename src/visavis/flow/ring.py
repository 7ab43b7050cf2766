"""Rings: bounded memory for sound and pictures, handed out without copying.

`AudioRing` keeps the last seconds of the input axis; `FrameRing` a few pictures in preallocated
slots. Invariant: what is handed out is the ring's own memory (`np.shares_memory`), read-only, and
a reader who comes too late gets an error, never somebody else's data.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visavis.flow.events import INPUT_RATE_HZ, Samples

Pixels = NDArray[np.uint8]
"""A picture, shape (height, width, 3), RGB."""


class AudioRing:
    """The last `seconds` of a mono stream, addressed by absolute sample index.

    Each sample is stored twice, one capacity apart, so that every window up to the capacity is
    contiguous: a slice never wraps and never copies. One writer; a reader that works longer than
    the ring lasts must `copy`.
    """

    def __init__(self, seconds: float, rate_hz: int = INPUT_RATE_HZ) -> None:
        self.capacity = max(1, round(seconds * rate_hz))
        self.rate_hz = rate_hz
        self._store = np.zeros(2 * self.capacity, np.float32)
        self._begin = 0
        self._end = 0

    @property
    def begin(self) -> int:
        """Index of the oldest sample still here."""
        return self._begin

    @property
    def end(self) -> int:
        """Index after the newest sample."""
        return self._end

    def write(self, samples: Samples) -> Samples:
        """Appends samples, shape (n,), n ≤ capacity; returns the view of them in the ring."""
        count = len(samples)
        assert count <= self.capacity, f"{count} samples in a ring of {self.capacity}"
        at = self._end % self.capacity
        head = min(count, self.capacity - at)
        # First, so that a reader on another thread is refused what is being overwritten.
        self._begin = max(0, self._end + count - self.capacity)
        for base in (0, self.capacity):
            self._store[base + at : base + at + head] = samples[:head]
            self._store[base : base + count - head] = samples[head:]
        self._end += count
        return self._view(at, count)

    def slice(self, start: int, end: int) -> Samples:
        """The view of samples [start, end). Raises `LookupError` when not (any more) here."""
        self._check(start, end)
        return self._view(start % self.capacity, end - start)

    def copy(self, start: int, end: int) -> Samples:
        """A copy of [start, end), whole even while another thread writes. Raises `LookupError`."""
        samples = self.slice(start, end).copy()
        self._check(start, end)
        return samples

    def _check(self, start: int, end: int) -> None:
        begin = self._begin
        if not begin <= start <= end <= self._end:
            raise LookupError(f"samples {start}…{end} are not in {begin}…{self._end}")

    def _view(self, at: int, count: int) -> Samples:
        view = self._store[at : at + count]
        view.flags.writeable = False
        return view


@dataclass(frozen=True, slots=True)
class Lease:
    """A claim on one picture: its pixels stay as they are until the lease is released."""

    slot: int
    generation: int
    pixels: Pixels


class FrameRing:
    """`slots` preallocated pictures of at most `max_bytes` each, overwritten oldest first.

    A leased slot is never overwritten. `write` returns None, and counts a drop, when every slot
    is leased. Thread-safe.
    """

    def __init__(self, slots: int, max_bytes: int) -> None:
        self._store = np.zeros((slots, max_bytes), np.uint8)
        self._shape: list[tuple[int, int, int]] = [(0, 0, 3)] * slots
        self._generation = [0] * slots
        self._leases = [0] * slots
        self._next = 0
        self._lock = threading.Lock()
        self.dropped = 0

    @property
    def leased(self) -> int:
        """How many leases are out."""
        return sum(self._leases)

    def write(self, pixels: Pixels) -> tuple[int, int] | None:
        """Copies a picture in (the one copy it ever gets); returns (slot, generation).

        Raises `ValueError` when it is no picture of ours or larger than a slot.
        """
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
            raise ValueError(f"{pixels.dtype} {pixels.shape} is not uint8 (height, width, 3)")
        if pixels.nbytes > self._store.shape[1]:
            raise ValueError(f"picture of {pixels.nbytes} bytes in slots of {self._store.shape[1]}")
        with self._lock:
            slot = self._free_slot()
            if slot is None:
                self.dropped += 1
                return None
            self._generation[slot] += 1
            self._shape[slot] = (pixels.shape[0], pixels.shape[1], 3)
            self._view(slot)[...] = pixels
            self._next = (slot + 1) % len(self._leases)
            return slot, self._generation[slot]

    @contextmanager
    def lease(self, slot: int, generation: int) -> Iterator[Lease]:
        """Holds a picture for the length of a `with`. Raises `LookupError` when overwritten."""
        with self._lock:
            if generation < 1 or self._generation[slot] != generation:
                raise LookupError(f"picture {generation} is not in slot {slot} (any more)")
            self._leases[slot] += 1
        try:
            pixels = self._view(slot)
            pixels.flags.writeable = False
            yield Lease(slot, generation, pixels)
        finally:
            with self._lock:
                self._leases[slot] -= 1

    def _free_slot(self) -> int | None:
        count = len(self._leases)
        order = ((self._next + offset) % count for offset in range(count))
        return next((slot for slot in order if not self._leases[slot]), None)

    def _view(self, slot: int) -> Pixels:
        height, width, depth = self._shape[slot]
        return self._store[slot, : height * width * depth].reshape(height, width, depth)
