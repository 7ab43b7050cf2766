"""How each voice sounds, in its first half second: how loud, and whether it hums or speaks.

Takes `speech.started`, `audio.aligned`, `speech.paused`, and `turn.ended`, `turn.dropped` to learn
how loud this user usually is; gives `voice.measured`. Runs inline: 0.3 ms each. Invariant: a
measurement depends on the samples alone, never on how they were cut into chunks, and never on
sound that no event has brought yet.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from visavis.flow.events import (
    INPUT_RATE_HZ,
    SAMPLES_PER_MS,
    AudioAligned,
    Event,
    Samples,
    Span,
    SpeechPaused,
    SpeechStarted,
    TurnDropped,
    TurnEnded,
    VoiceMeasured,
)
from visavis.flow.ring import AudioRing
from visavis.perceive.hum import FRAME, hum
from visavis.perceive.loudness import loudness

# The room is what was heard from 300 ms until 50 ms before the onset, which may come late.
ROOM_FROM, ROOM_TO = 300 * SAMPLES_PER_MS, 50 * SAMPLES_PER_MS
# What follows the first half second tells little that is new, and takes long.
LONGEST = INPUT_RATE_HZ // 2
# What is usual is as loud as the loudest quarter of so many turns: other people in the background,
# whose words were taken for turns, do not become the user.
TURNS_LEARNT = 9
STRETCHES = 64


@dataclass(slots=True)
class Stretch:
    """A voice that goes on since sample `start`; `due`: which measurement comes next."""

    trace: int
    start: int
    due: int = 0


class VoiceMeter:
    """Measures each stretch `at_ms` after its onset, and once more when it pauses."""

    name = "perceive.voice"

    def __init__(
        self, ring: AudioRing, *, at_ms: tuple[int, ...] = (100, 120, 140, 200, 300, 450)
    ) -> None:
        self._ring = ring
        self._due = [at * SAMPLES_PER_MS for at in at_ms]
        self._heard = 0  # samples received; not the ring's end, which may be ahead of the events
        self._stretch: Stretch | None = None
        self._levels: deque[tuple[int, float]] = deque(maxlen=STRETCHES)  # end, dB; of this turn
        self._usual_db: deque[float] = deque(maxlen=TURNS_LEARNT)
        self._doubted: deque[Span] = deque()  # lately; in a stretch, of its first LONGEST

    def on(self, event: Event) -> Iterator[Event]:
        match event:
            case AudioAligned():
                self._heard = event.start + len(event.samples)
                self._doubt(event)
                yield from self._measure_due(event)
            case SpeechStarted():
                self._stretch = Stretch(event.trace, event.start)
                yield from self._measure_due(event)
            case SpeechPaused():
                yield from self._measure_last(event)
            case TurnEnded():
                self._learn(event)
            case TurnDropped():
                self._forget(event.end)

    def _measure_due(self, event: Event) -> Iterator[VoiceMeasured]:
        """The newest measurement whose sound is all there; older ones are left out."""
        if (stretch := self._stretch) is None:
            return
        reached = sum(stretch.start + after <= self._heard for after in self._due)
        if reached > stretch.due:
            stretch.due = reached
            yield from self._measure(stretch, stretch.start + self._due[reached - 1], event)

    def _measure_last(self, event: SpeechPaused) -> Iterator[VoiceMeasured]:
        stretch, self._stretch = self._stretch, None
        if stretch is None:
            return
        for measured in self._measure(stretch, event.end, event):
            self._levels.append((event.end, measured.level_db))
            yield measured

    def _measure(self, stretch: Stretch, end: int, event: Event) -> Iterator[VoiceMeasured]:
        voice = self._slice(stretch.start, min(end, stretch.start + LONGEST))
        if len(voice) < FRAME:
            return
        level_db, voiced = loudness(voice)
        room = self._slice(stretch.start - ROOM_FROM, stretch.start - ROOM_TO)
        last = isinstance(event, SpeechPaused)
        end = end if last else stretch.start + voiced
        yield VoiceMeasured(
            t_ns=event.t_ns,
            trace=stretch.trace,
            start=stretch.start,
            end=end,
            level_db=level_db,
            usual_db=self._usual(),
            hum=hum(voice, room),
            doubted=self._doubted_within(stretch.start, end),
        )

    def _doubt(self, event: AudioAligned) -> None:
        kept = self._heard - LONGEST if self._stretch is None else self._stretch.start
        if event.start < kept + LONGEST:
            self._doubted += event.doubted
        while self._doubted and self._doubted[0].end <= kept:
            self._doubted.popleft()

    def _doubted_within(self, start: int, end: int) -> int:
        return sum(span.within(start, end) for span in self._doubted)

    def _usual(self) -> float:
        levels = sorted(self._usual_db)
        return levels[-1 - len(levels) // 4] if levels else math.nan

    def _slice(self, start: int, end: int) -> Samples:
        """What is left of [start, end)."""
        start = max(start, self._ring.begin)
        return self._ring.slice(start, max(start, end))

    def _learn(self, turn: TurnEnded) -> None:
        """A turn is as loud as its stretches are on average; what came before it was none."""
        self._forget(turn.start)
        levels = [level_db for end, level_db in self._levels if end <= turn.end]
        if levels:
            self._usual_db.append(sum(levels) / len(levels))
        self._forget(turn.end)

    def _forget(self, end: int) -> None:
        while self._levels and self._levels[0][0] <= end:
            self._levels.popleft()
