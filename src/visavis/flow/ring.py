"""Rings: bounded memory for sound and pictures, handed out without copying.

`AudioRing` keeps the last seconds of the input axis; `FrameRing` the last pictures of each stream
in preallocated slots, to be found by when they were taken. Invariant: what is handed out is the
ring's own memory (`np.shares_memory`), read-only, and a reader who comes too late gets an error,
never somebody else's data.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from visavis.flow.errors import InputError
from visavis.flow.events import CAMERA, INPUT_RATE_HZ, SCREEN, Samples

Pixels = NDArray[np.uint8]
"""A picture, shape (height, width, 3), RGB."""

MOST_REGAINED = 32
"""Stretches of sound that came too late, a tenth of a second each."""
STREAMS = (CAMERA, SCREEN)
MOST_RING_BYTES = 1 << 31
"""Of one stream."""
SPARE_SLOTS = 4
"""For those who look at a picture while the next ones come."""


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
        self._regained: tuple[tuple[int, Samples], ...] = ()

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

    def regain(self, start: int, samples: Samples) -> None:
        """What should have been written at [start, start + n), as is now known; see `whole`."""
        self._regained = (*self._regained[1 - MOST_REGAINED :], (start, samples))

    def whole(self, start: int, end: int) -> Samples:
        """[start, end) with what was regained. Raises `LookupError`.

        `slice` stays as the events told it: who decides by it decides the same in a replay.
        """
        samples = self.slice(start, end)
        late = [(at, more) for at, more in self._regained if at < end and start < at + len(more)]
        if not late:
            return samples
        samples = samples.copy()
        for at, more in late:
            first, last = max(start, at), min(end, at + len(more))
            samples[first - start : last - start] = more[first - at : last - at]
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


class Placed(NamedTuple):
    """Where the picture is that was taken at `captured_ns`."""

    slot: int
    generation: int
    captured_ns: int


class Room(NamedTuple):
    """What a stream has to itself: so many pictures of at most so many bytes."""

    slots: int
    max_bytes: int

    @classmethod
    def for_rate(cls, max_pixels: int, rate_hz: float, keep_s: float) -> Room:
        """For pictures of `max_pixels`, `rate_hz` a second, that are kept for `keep_s` seconds.

        Raises `InputError` when that is more than memory can be asked for.
        """
        slots, size = math.ceil(rate_hz * keep_s) + SPARE_SLOTS, 3 * max_pixels
        if slots * size > MOST_RING_BYTES:
            need = f"{slots} pictures of {max_pixels} pixels take {slots * size / 1e9:.1f} GB"
            raise InputError("sight", need, "lower sight.keep_s, sight.rate_hz or sight.max_pixels")
        return cls(slots, size)


class FrameRing:
    """`slots` preallocated pictures a stream, of at most `max_bytes` each.

    The oldest is overwritten first, a leased one never. Streams have slots of their own, so none
    takes another's; memory is touched only once a picture lies in it. `write` returns None, and
    counts a drop, when every slot of the stream is leased. Thread-safe; no lock is held while
    pixels are copied.
    """

    def __init__(self, slots: int, max_bytes: int, streams: Sequence[str] = STREAMS) -> None:
        self._make(dict.fromkeys(streams, Room(slots, max_bytes)))

    @classmethod
    def for_rate(cls, max_pixels: int, rate_hz: float, keep_s: float) -> FrameRing:
        """One with such a room for each stream. Raises `InputError`."""
        return cls(*Room.for_rate(max_pixels, rate_hz, keep_s))

    @classmethod
    def of(cls, rooms: Mapping[str, Room]) -> FrameRing:
        """One in which each stream has room of its own size."""
        ring = cls.__new__(cls)
        ring._make(rooms)
        return ring

    def _make(self, rooms: Mapping[str, Room]) -> None:
        stores = [np.zeros(room, np.uint8) for room in rooms.values()]
        self._slots = [slot for store in stores for slot in store]
        count = len(self._slots)
        self._shape: list[tuple[int, int, int]] = [(0, 0, 3)] * count
        self._generation = [0] * count
        self._leases = [0] * count
        self._written = [False] * count
        self._placed: list[tuple[str, int] | None] = [None] * count
        begins = accumulate((room.slots for room in rooms.values()), initial=0)
        self._rooms, self._first = dict(rooms), dict(zip(rooms, begins, strict=False))
        self._next = dict.fromkeys(rooms, 0)
        self._lock = threading.Lock()
        self.dropped = 0

    @property
    def streams(self) -> tuple[str, ...]:
        """Those that there is room for."""
        return tuple(self._rooms)

    def slots(self, stream: str = CAMERA) -> int:
        """How many pictures of the stream there is room for."""
        return self._rooms[stream].slots

    def max_pixels(self, stream: str = CAMERA) -> int:
        """Of one picture of the stream."""
        return self._rooms[stream].max_bytes // 3

    @property
    def leased(self) -> int:
        """How many leases are out."""
        return sum(self._leases)

    def write(self, pixels: Pixels, stream: str = "camera") -> tuple[int, int] | None:
        """Copies a picture in (the one copy it ever gets); returns (slot, generation).

        Raises `ValueError` when it is no picture of ours or larger than a slot.
        """
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
            raise ValueError(f"{pixels.dtype} {pixels.shape} is not uint8 (height, width, 3)")
        if pixels.nbytes > (size := self._rooms[stream].max_bytes):
            raise ValueError(f"picture of {pixels.nbytes} bytes in slots of {size}")
        with self._lock:
            slot = self._free_slot(stream)
            if slot is None:
                self.dropped += 1
                return None
            # From here on nobody is given the old picture, nor the new one before it is whole.
            self._generation[slot] += 1
            generation = self._generation[slot]
            self._written[slot], self._placed[slot] = False, None
            self._shape[slot] = (pixels.shape[0], pixels.shape[1], 3)
        try:
            self._view(slot)[...] = pixels
        finally:
            self._written[slot] = True
        return slot, generation

    def place(self, slot: int, generation: int, captured_ns: int, stream: str = "camera") -> bool:
        """Says when a picture was taken, on the session axis; False when it is overwritten."""
        with self._lock:
            if generation < 1 or self._generation[slot] != generation:
                return False
            self._placed[slot] = stream, captured_ns
            return True

    def nearest(self, stream: str, moment_ns: int) -> Placed | None:
        """The picture of the stream taken nearest to a moment; the newest for −1.

        None as long as none has been placed. It may be overwritten before it is leased.
        """
        with self._lock:
            placed = [
                Placed(slot, self._generation[slot], where[1])
                for slot, where in enumerate(self._placed)
                if where is not None and where[0] == stream
            ]
        if moment_ns == -1:
            return max(placed, key=lambda found: found.captured_ns, default=None)
        # Of two equally near, the later one: it shows more of what the speaker saw.
        return min(
            placed,
            key=lambda found: (abs(found.captured_ns - moment_ns), -found.captured_ns),
            default=None,
        )

    def newest(self, stream: str = "camera") -> Placed | None:
        """The latest picture of the stream, None as long as none has been placed."""
        return self.nearest(stream, -1)

    @contextmanager
    def lease(self, slot: int, generation: int) -> Iterator[Lease]:
        """Holds a picture for the length of a `with`. Raises `LookupError` when overwritten."""
        with self._lock:
            gone = generation < 1 or self._generation[slot] != generation
            if gone or not self._written[slot]:
                raise LookupError(f"picture {generation} is not in slot {slot} (any more)")
            self._leases[slot] += 1
        try:
            pixels = self._view(slot)
            pixels.flags.writeable = False
            yield Lease(slot, generation, pixels)
        finally:
            with self._lock:
                self._leases[slot] -= 1

    def _free_slot(self, stream: str) -> int | None:
        """The stream's next slot that is neither leased nor being written. Claims it."""
        first, begin, slots = self._first[stream], self._next[stream], self._rooms[stream].slots
        for offset in range(slots):
            place = (begin + offset) % slots
            slot = first + place
            busy = self._generation[slot] > 0 and not self._written[slot]
            if not self._leases[slot] and not busy:
                self._next[stream] = (place + 1) % slots
                return slot
        return None

    def _view(self, slot: int) -> Pixels:
        height, width, depth = self._shape[slot]
        return self._slots[slot][: height * width * depth].reshape(height, width, depth)
