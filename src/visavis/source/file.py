"""Sound from a file: anything FFmpeg reads, as it would have come from a microphone.

Takes a path. Gives `audio.captured` in chunks of about 20 ms at the file's own rate and channel
count, stamped in media time from zero, then `source.ended`. Invariant: a sample's place is its
time, whatever is missing from the file before it. Pacing is the runner's: this is an iterator.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import cast

import numpy as np
from av.audio.frame import AudioFrame

from visavis.flow.clock import NS_PER_S
from visavis.flow.errors import InputError
from visavis.flow.events import Event, SourceEnded
from visavis.source.chunks import Chunker, Form
from visavis.source.claim import claimed_s
from visavis.source.container import audio_stream, opened
from visavis.source.track import JITTER_NS, Axis, TimeJump, Track

# FFmpeg's sample formats (without the p of "planar"): encoding, dtype and bytes of a sample.
_FORMATS = {
    "u8": ("u8", "u1", 1),
    "s16": ("s16", "<i2", 2),
    "s32": ("s32", "<i4", 4),
    "s64": ("s32", "<i8", 4),
    "flt": ("f32", "<f4", 4),
    "dbl": ("f64", "<f8", 8),
}
# Shorter than claimed by less than this is rounding (encoder padding, one last frame).
_CUT_OFF_S = 0.25


class AudioFile:
    """A file's first audio track. Raises `InputError` when it has none that can be played.

    `lead_silence_s` comes before it, `tail_silence_s` after it (so that the last turn can end;
    infinity: until the reader has had enough). What is found broken on the way is skipped, or
    ends it early, and is reported in `SourceEnded.error`.
    """

    def __init__(
        self, path: str | Path, *, lead_silence_s: float = 0.0, tail_silence_s: float = 0.0
    ) -> None:
        self.path = Path(path)
        self._lead_s, self._tail_s = lead_silence_s, tail_silence_s
        with opened(self.path) as container:
            stream = audio_stream(container, self.path)
            first = next(Track(container, stream).frames(), None)
            if first is None:
                raise InputError(self.path, "holds no sound", "record or copy it again")
            assert isinstance(first, AudioFrame)
            self.form = _form(first)
            self._claimed_s = claimed_s(self.path, container, stream)

    def events(self) -> Iterator[Event]:
        """All of it, ordered by time. May be called again, for a new run."""
        chunker = Chunker(self.form)
        yield from chunker.add_silence(round(self._lead_s * self.form.rate_hz))
        error = yield from self._sound(chunker)
        tail = self._tail_s * chunker.form.rate_hz
        yield from chunker.add_silence(tail if tail == float("inf") else round(tail))
        yield from chunker.flush()
        yield SourceEnded(t_ns=chunker.end_ns, source="audio", error=error)

    def _sound(self, chunker: Chunker) -> Generator[Event, None, str]:
        """The file's own sound; returns what was wrong with it."""
        begin_ns = None
        try:
            with opened(self.path) as container:
                track = Track(container, audio_stream(container, self.path))
                axis = Axis(container, chunker.end_ns)
                for frame in track.frames():
                    assert isinstance(frame, AudioFrame)
                    start_ns = axis.place(frame, chunker.end_ns)
                    yield from _fill(chunker, start_ns, 0 if begin_ns is None else JITTER_NS)
                    begin_ns = chunker.end_ns if begin_ns is None else begin_ns
                    yield from chunker.add(_form(frame), _bytes(frame))
        except InputError as error:
            return f"{self.path.name}: {error.problem}"
        except (OSError, TimeJump) as error:
            return f"{self.path.name}: {error}"
        read_s = (chunker.end_ns - (begin_ns or 0)) / NS_PER_S
        return self._complaint(track, read_s)

    def _complaint(self, track: Track, read_s: float) -> str:
        claimed_s, text = self._claimed_s, track.complaint()
        if claimed_s is not None and claimed_s - read_s > _CUT_OFF_S:
            text = f"is cut off, {read_s:.1f} of {claimed_s:.1f} s are there; copy it again"
        return text and f"{self.path.name}: {text}"


def merged(*sources: Iterable[Event]) -> Iterator[Event]:
    """Several sources' events as one stream, ordered by time; holds one event of each."""
    return heapq.merge(*sources, key=lambda event: event.t_ns)


def _fill(chunker: Chunker, start_ns: int, jitter_ns: int) -> Iterator[Event]:
    gap_ns = start_ns - chunker.end_ns
    if gap_ns > jitter_ns:
        yield from chunker.add_silence(round(gap_ns * chunker.form.rate_hz / NS_PER_S))


def _form(frame: AudioFrame) -> Form:
    encoding, _, size = _FORMATS[frame.format.name.removesuffix("p")]
    return Form(encoding, frame.sample_rate, frame.layout.nb_channels, size)


def _bytes(frame: AudioFrame) -> bytes:
    """The frame's samples, interleaved."""
    name, planar = frame.format.name.removesuffix("p"), frame.format.is_planar
    dtype = _FORMATS[name][1]
    count = frame.samples * (1 if planar else frame.layout.nb_channels)
    # A plane is a buffer, padded at its end; numpy's types do not know that yet.
    planes = [np.frombuffer(cast("memoryview", plane), dtype, count) for plane in frame.planes]
    samples = np.stack(planes, axis=1) if planar else planes[0]
    return (samples >> 32).astype("<i4").tobytes() if name == "s64" else samples.tobytes()
