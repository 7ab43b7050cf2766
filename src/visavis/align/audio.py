"""Audio alignment: whatever was captured → 16 kHz mono float32 on one absolute sample index.

Takes `audio.captured` (any encoding, rate, channel count and chunk size), `source.ended`, and
`sound.played`, whose echo it takes out when it is told how.
Gives `audio.aligned`: views into the audio ring, each beginning where the last one ended.
Invariant: sample k is the sound of session time k / 16 000, within `gap_ms`. Lost chunks become
silence, so the index stays true; sound that comes early is kept and only shifts it.
Its own time is what counts for the echo, never that of its delivery.
Knows nothing of who speaks, or whether anybody does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from visavis.align.echo import Cancelling
from visavis.align.encoding import to_grid
from visavis.align.part import Form, Part
from visavis.align.shutter import HalfDuplex
from visavis.backends.contract import Resampler
from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.flow.events import (
    INPUT_RATE_HZ,
    AudioAligned,
    AudioCaptured,
    Event,
    Samples,
    SoundPlayed,
    SourceEnded,
    Span,
)
from visavis.flow.ring import AudioRing

MakeResampler = Callable[[int, int], Resampler]
"""(in_rate_hz, out_rate_hz) → a resampler."""

SOURCE = "audio"


class AudioAligner:
    """The node. `silenced` counts NaNs and infinities, `inserted` the samples of filled gaps.

    Runs inline: about 5 ms of work for a second of 48 kHz stereo. `gap_ms`: how far the time
    stamps may run ahead of the samples before that is a gap and no longer jitter. `shutter` and
    `echo`: what is done about our own voice, at the cost of up to 10 ms of waiting.
    """

    name = "align.audio"

    def __init__(
        self,
        ring: AudioRing,
        make_resampler: MakeResampler,
        *,
        shutter: HalfDuplex | None = None,
        echo: Cancelling | None = None,
        gap_ms: float = 40,
        piece_ms: float = 1000,
    ) -> None:
        self._ring = ring
        self._make_resampler = make_resampler
        self._shutter, self._echo = shutter, echo
        self._gap_ns = int(gap_ms * NS_PER_MS)
        self._piece = min(int(piece_ms * INPUT_RATE_HZ / 1000), max(1, ring.capacity // 2))
        self._part: Part | None = None
        self._resampler: tuple[int, Resampler] | None = None
        self._silenced = 0
        self.inserted = 0

    @property
    def silenced(self) -> int:
        return self._silenced + (self._part.silenced if self._part else 0)

    def on(self, event: Event) -> Iterator[Event]:
        if isinstance(event, AudioCaptured):
            yield from self._take(event)
        elif isinstance(event, SoundPlayed):
            self._hear(event)
        elif isinstance(event, SourceEnded) and event.source == SOURCE:
            yield from self._end_part(event)
            if self._echo is not None:
                yield from self._give(event, self._echo.flush())

    def close(self) -> None:
        if self._echo is not None:
            self._echo.close()

    @property
    def _end(self) -> int:
        """The index after the last sample taken; some may wait for the rest of their block."""
        return self._ring.end + (self._echo.waiting if self._echo is not None else 0)

    def _hear(self, played: SoundPlayed) -> None:
        if self._shutter is not None:
            self._shutter.hear(played)
        if self._echo is not None:
            self._echo.hear(played)

    def _take(self, event: AudioCaptured) -> Iterator[Event]:
        form = Form.of(event)
        end_ns = event.t_ns if event.captured_ns < 0 else event.captured_ns
        start_ns = end_ns - form.duration_ns(len(event.data))
        part = self._part
        if part is None or part.form != form or start_ns - part.end_ns > self._gap_ns:
            yield from self._end_part(event)
            yield from self._fill(event, start_ns)
            part = self._part = self._begin_part(form)
        for samples in part.feed(event.data):
            yield from self._write(event, samples)

    def _begin_part(self, form: Form) -> Part:
        if self._resampler is None or self._resampler[0] != form.rate_hz:
            self._resampler = form.rate_hz, self._make_resampler(form.rate_hz, INPUT_RATE_HZ)
        start_ns = self._end * NS_PER_S // INPUT_RATE_HZ
        return Part(form, start_ns, self._resampler[1], self._piece / INPUT_RATE_HZ)

    def _end_part(self, cause: Event) -> Iterator[Event]:
        if self._part is None:
            return
        part, self._part = self._part, None
        self._silenced += part.silenced
        yield from self._write(cause, part.flush())

    def _fill(self, cause: Event, start_ns: int) -> Iterator[Event]:
        missing = round(start_ns * INPUT_RATE_HZ / NS_PER_S) - self._end
        jitter = self._gap_ns * INPUT_RATE_HZ // NS_PER_S if self._end else 0
        if missing <= jitter:
            return
        self.inserted += missing
        while missing:
            count = min(missing, self._piece)
            yield from self._write(cause, np.zeros(count, np.float32))
            missing -= count

    def _write(self, cause: Event, samples: Samples) -> Iterator[Event]:
        if self._shutter is not None:
            samples = self._shutter.feed(self._end, samples)
        if self._echo is not None:
            samples = self._echo.feed(self._end, samples)
        yield from self._give(cause, samples)

    def _give(self, cause: Event, samples: Samples) -> Iterator[Event]:
        samples = to_grid(samples)
        doubted: tuple[Span, ...] = ()
        if self._echo is not None:
            doubted = self._echo.doubted()
            for at, late in self._echo.regained():
                self._ring.regain(at, late)
        for at in range(0, len(samples), self._piece):
            start = self._ring.end
            piece = samples[at : at + self._piece]
            yield AudioAligned(
                t_ns=cause.t_ns,
                trace=cause.trace,
                epoch=cause.epoch,
                start=start,
                samples=self._ring.write(piece),
                doubted=_within(doubted, start, start + len(piece)),
            )


def _within(spans: Sequence[Span], start: int, end: int) -> tuple[Span, ...]:
    """What of the spans lies in [start, end)."""
    cut = (Span(max(span.begin, start), min(span.end, end)) for span in spans)
    return tuple(span for span in cut if span.begin < span.end)
