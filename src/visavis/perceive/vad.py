"""Voice activity: when does the user's voice begin, when does it pause.

Takes `audio.aligned`, `clock.ticked`; gives `speech.started`, `speech.paused`, in turns. Runs
inline: 0.12 ms for each 32 ms of sound. Invariants: where a stretch begins and ends depends on
the samples alone, never on how they were cut into chunks; each stretch has a number of its own,
its `trace`; what has started pauses once, also when no more sound arrives or it never ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from visavis.backends.contract import Vad
from visavis.flow.clock import NS_PER_MS
from visavis.flow.events import (
    INPUT_RATE_HZ,
    AudioAligned,
    ClockTicked,
    Event,
    Samples,
    Span,
    SpeechPaused,
    SpeechStarted,
)
from visavis.perceive.envelope import Envelope

# How much longer than the voice a detector may say "voice".
MAX_RINGING = INPUT_RATE_HZ * 130 // 1_000
# What lies around an onset: so long before it, up to where it was detected.
AROUND = INPUT_RATE_HZ * 100 // 1_000
REMEMBERED = INPUT_RATE_HZ


class VoiceActivity:
    """Two thresholds on the backend's probability, a least length, and a watchdog.

    Voice begins when it was above `onset` for `voiced_ms`, at the first window of that run above
    `offset`. It pauses when it is below `offset` and has not been loud for `pause_ms`, at the
    latest when it was below for `pause_ms`. After `longest_ms` a voice is broken in two; after
    `stall_ms` without sound it is over.
    """

    name = "perceive.vad"

    def __init__(
        self,
        vad: Vad,
        *,
        onset: float = 0.5,
        offset: float = 0.35,
        voiced_ms: float = 32,
        pause_ms: float = 100,
        longest_ms: float = 30_000,
        stall_ms: float = 500,
    ) -> None:
        assert 0 < offset <= onset <= 1
        self._vad = vad
        self._onset, self._offset = onset, offset
        self._least, self._longest = self._whole(voiced_ms), self._whole(longest_ms)
        self._pause = round(pause_ms * INPUT_RATE_HZ / 1_000)
        self._stall_ns = round(stall_ms * NS_PER_MS)
        self._window = np.zeros(vad.window, np.float32)
        self._filled = self._sure = self._trace = 0
        self._speaking = False
        self._begun: int | None = None
        self._doubted: deque[Span] = deque()  # of the last second
        self._begin_stream(0)
        self._heard_ns = 0

    def on(self, event: Event) -> Iterator[Event]:
        match event:
            case AudioAligned():
                yield from self._on_chunk(event)
            case ClockTicked() if event.t_ns - self._heard_ns >= self._stall_ns:
                yield from self._end_stream(event)

    def close(self) -> None:
        self._vad.close()

    def _on_chunk(self, event: AudioAligned) -> Iterator[Event]:
        self._heard_ns = event.t_ns
        if event.start != self._next:
            yield from self._end_stream(event)
            self._begin_stream(event.start)
        self._doubted += event.doubted
        while self._doubted and self._doubted[0].end <= event.start - REMEMBERED:
            self._doubted.popleft()
        for window in self._windows(event.samples):
            yield from self._judge(self._vad.score(window), event)

    def _windows(self, samples: Samples) -> Iterator[Samples]:
        size = len(self._window)
        while len(samples):
            filled = self._filled
            taken = min(size - filled, len(samples))
            self._window[filled : filled + taken] = samples[:taken]
            samples = samples[taken:]
            self._filled += taken
            self._next += taken
            if self._filled == size:
                self._filled = 0
                self._envelope.feed(self._window)
                yield self._window

    def _judge(self, score: float, event: Event) -> Iterator[Event]:
        """One window, which ends at sample `self._next`."""
        end, start = self._next, self._next - len(self._window)
        if score >= self._offset:
            self._voiced_end = end
            self._begun = start if self._begun is None else self._begun
        if self._speaking:
            yield from self._judge_end(end, event)
        elif score < self._offset:
            self._begun, self._sure = None, 0
        else:
            self._sure += len(self._window) if score >= self._onset else 0
            if self._sure >= self._least:
                yield self._start(event)

    def _judge_end(self, end: int, event: Event) -> Iterator[Event]:
        assert self._begun is not None
        if end > self._voiced_end:
            # The backend's probability rings on; the voice itself ended where it was last loud.
            earliest = max(self._begun + len(self._window), self._voiced_end - MAX_RINGING)
            loud_until = min(self._envelope.loud_until(earliest), self._voiced_end)
            if end - loud_until >= self._pause:
                self._voiced_end = loud_until
                yield self._stop(event)
        elif end - self._begun >= self._longest:
            yield self._stop(event)

    def _start(self, event: Event) -> SpeechStarted:
        assert self._begun is not None
        self._speaking = True
        self._trace += 1
        around = self._begun - AROUND
        doubted = any(span.within(around, self._next) for span in self._doubted)
        return SpeechStarted(t_ns=event.t_ns, trace=self._trace, start=self._begun, doubted=doubted)

    def _stop(self, event: Event) -> SpeechPaused:
        assert self._begun is not None
        paused = SpeechPaused(
            t_ns=event.t_ns, trace=self._trace, start=self._begun, end=self._voiced_end
        )
        self._speaking, self._begun, self._sure = False, None, 0
        return paused

    def _end_stream(self, event: Event) -> Iterator[Event]:
        """No more of this sound: what comes next stands alone."""
        if self._speaking:
            yield self._stop(event)
        if self._filled or self._begun is not None:
            self._begin_stream(self._next)

    def _begin_stream(self, start: int) -> None:
        self._vad.reset()
        self._envelope = Envelope(start)
        self._next, self._filled = start, 0
        self._voiced_end = start
        self._begun, self._sure, self._speaking = None, 0, False

    def _whole(self, ms: float) -> int:
        """Samples in the nearest number of whole windows, at least one."""
        window = self._vad.window
        return max(1, round(ms * INPUT_RATE_HZ / 1_000 / window)) * window
