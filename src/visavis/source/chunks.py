"""Chunks: sound of any length cut into pieces of 20 ms, each stamped with the time of its end.

Takes raw bytes and silences in order; gives `AudioCaptured`. Invariant: the stamps follow from
the count of samples alone, so no rounding ever adds up. Knows nothing of where the bytes are from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from visavis.flow.clock import NS_PER_S
from visavis.flow.events import AudioCaptured

CHUNKS_PER_S = 50


@dataclass(frozen=True, slots=True)
class Form:
    """How the bytes are to be read; the fields of `AudioCaptured`, and a sample's size."""

    encoding: str
    rate_hz: int
    channels: int
    sample_bytes: int

    @property
    def frame_bytes(self) -> int:
        """Bytes of one sample of every channel."""
        return self.sample_bytes * self.channels

    @property
    def silence(self) -> bytes:
        """One silent frame."""
        return (b"\x80" if self.encoding == "u8" else b"\0") * self.frame_bytes


class Chunker:
    """Cuts what is added, from `start_ns` on."""

    def __init__(self, form: Form, start_ns: int = 0) -> None:
        self.form = form
        self._origin_ns = start_ns
        self._given = 0
        self._pending = bytearray()

    @property
    def end_ns(self) -> int:
        """The time after everything added so far."""
        return self._time_ns(self._given + len(self._pending) // self.form.frame_bytes)

    def add(self, form: Form, data: bytes) -> Iterator[AudioCaptured]:
        """Adds whole frames; a new form begins a new chunk."""
        if form != self.form:
            yield from self.flush()
            self._origin_ns, self._given, self.form = self.end_ns, 0, form
        self._pending += data
        size = self._chunk_frames * form.frame_bytes
        while len(self._pending) >= size:
            yield self._give(size)

    def add_silence(self, frames: float) -> Iterator[AudioCaptured]:
        """Adds so many silent frames, in bounded pieces; infinity never ends."""
        while frames > 0:
            count = int(min(frames, self._chunk_frames))
            yield from self.add(self.form, self.form.silence * count)
            frames -= count

    def flush(self) -> Iterator[AudioCaptured]:
        """Gives what is left, as a shorter chunk."""
        if self._pending:
            yield self._give(len(self._pending))

    @property
    def _chunk_frames(self) -> int:
        return max(1, self.form.rate_hz // CHUNKS_PER_S)

    def _time_ns(self, frames: int) -> int:
        return self._origin_ns + frames * NS_PER_S // self.form.rate_hz

    def _give(self, size: int) -> AudioCaptured:
        data = bytes(self._pending[:size])
        del self._pending[:size]
        self._given += size // self.form.frame_bytes
        end_ns = self._time_ns(self._given)
        return AudioCaptured(
            t_ns=end_ns,
            captured_ns=end_ns,
            data=data,
            encoding=self.form.encoding,
            rate_hz=self.form.rate_hz,
            channels=self.form.channels,
        )
