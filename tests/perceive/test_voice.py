"""How each voice is measured: when, on which samples, against which usual level."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.perceive.test_hum import spoken, tone
from visavis.flow.events import (
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
from visavis.perceive.voice import TURNS_LEARNT, VoiceMeter

MS = 16
QUIET = np.zeros(6_400, np.float32)
START = len(QUIET)


class Heard:
    """A meter, its ring and the sample that was reached."""

    def __init__(self, ring_s: float = 30) -> None:
        self.ring = AudioRing(ring_s)
        self.meter = VoiceMeter(self.ring)
        self.trace = 0

    def sound(self, samples: Samples, chunk: int = 320) -> Iterator[VoiceMeasured]:
        for at in range(0, len(samples), chunk):
            start = self.ring.end
            view = self.ring.write(samples[at : at + chunk])
            yield from self.on(AudioAligned(t_ns=self.now_ns, start=start, samples=view))

    def on(self, event: Event) -> Iterator[VoiceMeasured]:
        for measured in self.meter.on(event):
            assert isinstance(measured, VoiceMeasured)
            assert measured.t_ns == event.t_ns
            yield measured

    def begin(self, start: int) -> list[VoiceMeasured]:
        self.trace += 1
        return list(self.on(SpeechStarted(t_ns=self.now_ns, trace=self.trace, start=start)))

    def pause(self, start: int, end: int) -> list[VoiceMeasured]:
        event = SpeechPaused(t_ns=self.now_ns, trace=self.trace, start=start, end=end)
        return list(self.on(event))

    def turn(self, samples: Samples, *, accepted: bool = True) -> VoiceMeasured:
        """A voice, a pause and the end of the turn; its last measurement."""
        list(self.sound(QUIET))
        start = self.ring.end
        self.begin(start)
        list(self.sound(samples))
        end = self.ring.end
        list(self.sound(QUIET))
        (last,) = self.pause(start, end)
        kind = TurnEnded if accepted else TurnDropped
        more = {"text": "x", "probability": 1.0, "reasons": ()} if accepted else {"reason": "x"}
        list(self.on(kind(t_ns=self.now_ns, trace=self.trace, start=start, end=end, **more)))
        return last

    @property
    def now_ns(self) -> int:
        return self.ring.end * 62_500


def test_a_voice_is_measured_six_times_and_at_its_pause() -> None:
    heard = Heard()
    list(heard.sound(QUIET))
    found = heard.begin(START)
    found += heard.sound(tone(120, (700, 1_200), 600))
    times_ms = [(measured.t_ns // 62_500 - START) / MS for measured in found]
    assert times_ms == [100, 120, 140, 200, 300, 460]
    assert [(m.end - START) / MS for m in found] == pytest.approx(
        [100, 120, 140, 200, 300, 450], abs=8
    )
    end = heard.ring.end
    list(heard.sound(QUIET[:1_600]))
    (last,) = heard.pause(START, end)
    assert (last.start, last.end, last.trace) == (START, end, 1)
    assert not list(heard.sound(QUIET))


def test_an_onset_that_comes_late_is_measured_at_once_and_once() -> None:
    heard = Heard()
    list(heard.sound(QUIET))
    assert not list(heard.sound(spoken(220)))
    (measured,) = heard.begin(START)
    assert 192 * MS <= measured.end - START <= 200 * MS
    assert len(list(heard.sound(spoken(100)))) == 1


def test_a_click_ends_where_it_ends() -> None:
    """However long the detector says "voice"."""
    heard = Heard()
    list(heard.sound(QUIET))
    heard.begin(START)
    sound = np.concatenate([spoken(80), np.zeros(4_800, np.float32)])
    found = list(heard.sound(sound))
    assert max(measured.end for measured in found) <= START + 88 * MS


def test_what_hums_and_what_speaks() -> None:
    hum = [m.hum for m in heard_of(tone(120, (260,), 500))]
    speech = [m.hum for m in heard_of(spoken(500))]
    assert min(hum) > 0.75
    assert max(speech) < 0.5


@given(st.lists(st.integers(1, 2_000), min_size=1, max_size=30))
def test_chunks_do_not_matter(sizes: list[int]) -> None:
    voice = np.concatenate([QUIET, spoken(450), QUIET])
    whole = Heard()
    whole.ring.write(voice)
    expected = [
        m for at in (100, 120, 140, 200, 300, 450) for m in _measured_at(whole, START + at * MS)
    ]
    pieces, at = Heard(), 0
    found: list[VoiceMeasured] = []
    begun = False
    for size in [*sizes, len(voice)]:
        found += pieces.sound(voice[at : at + size], size)
        at = pieces.ring.end
        if not begun and at >= START:
            begun, found = True, [*found, *pieces.begin(START)]
    seen = {(m.start, m.end, m.level_db, m.hum) for m in found}
    assert seen <= {(m.start, m.end, m.level_db, m.hum) for m in expected}
    assert len(found) >= 1


def test_it_looks_no_further_than_the_events() -> None:
    """The ring may be ahead of what has been delivered."""
    heard = Heard()
    list(heard.sound(QUIET))
    heard.ring.write(spoken(450))
    assert not heard.begin(START)


# ── the usual level ──────────────────────────────────────────────────────────────────────────


def test_the_usual_level_is_learnt_from_turns() -> None:
    heard = Heard()
    loud = spoken(400)
    first = heard.turn(loud)
    assert math.isnan(first.usual_db)
    assert heard.turn(loud).usual_db == pytest.approx(first.level_db)
    assert heard.turn(loud * np.float32(0.1)).usual_db == pytest.approx(first.level_db)


def test_a_turn_that_was_dropped_teaches_nothing() -> None:
    heard = Heard()
    heard.turn(spoken(400) * np.float32(0.01), accepted=False)
    assert math.isnan(heard.turn(spoken(400)).usual_db)


def test_one_strange_turn_changes_little_and_many_change_it() -> None:
    heard = Heard()
    near, far = spoken(400), spoken(400) * np.float32(0.1)
    for _ in range(TURNS_LEARNT):
        usual_db = heard.turn(near).level_db
    for _ in range(2):
        assert heard.turn(far).usual_db == pytest.approx(usual_db, abs=0.5)
    for _ in range(TURNS_LEARNT):
        last = heard.turn(far)
    assert last.usual_db == pytest.approx(usual_db - 20, abs=0.5)


def test_a_voice_longer_than_the_ring_does_no_harm() -> None:
    heard = Heard(ring_s=2)
    list(heard.sound(QUIET))
    heard.begin(START)
    for _ in range(8):
        list(heard.sound(spoken(400)))
    assert len(heard.pause(START, heard.ring.end)) <= 1


def heard_of(voice: Samples) -> list[VoiceMeasured]:
    heard = Heard()
    list(heard.sound(QUIET))
    return [*heard.begin(START), *heard.sound(voice)]


def _measured_at(heard: Heard, reached: int) -> list[VoiceMeasured]:
    meter = VoiceMeter(heard.ring)
    event = AudioAligned(t_ns=0, start=0, samples=heard.ring.slice(0, reached))
    list(meter.on(event))
    return [m for m in meter.on(SpeechStarted(t_ns=0, start=START)) if isinstance(m, VoiceMeasured)]


def test_a_neighbour_whose_words_were_taken_for_a_turn_is_not_the_user() -> None:
    heard = Heard()
    near, far = spoken(400), spoken(400) * np.float32(0.1)
    usual_db = heard.turn(near).level_db
    heard.turn(far)
    assert heard.turn(far).usual_db == pytest.approx(usual_db, abs=0.5)


@pytest.mark.parametrize("chunk_ms", [10, 20, 50])
def test_of_a_measurement_it_is_told_how_much_may_be_our_own_echo(chunk_ms: int) -> None:
    """30 ms before the onset, 40 ms behind it, and some long after."""
    doubted = [(START - 30 * MS, START + 40 * MS), (START + 800 * MS, START + 900 * MS)]
    heard = Heard()
    list(heard.sound(QUIET))
    found = heard.begin(START)
    sound = spoken(1_000)
    for at in range(0, len(sound), chunk_ms * MS):
        start = heard.ring.end
        view = heard.ring.write(sound[at : at + chunk_ms * MS])
        end = start + len(view)
        within = [Span(max(i, start), min(j, end)) for i, j in doubted if i < end and start < j]
        event = AudioAligned(t_ns=heard.now_ns, start=start, samples=view, doubted=tuple(within))
        found += heard.on(event)
    found += heard.pause(START, heard.ring.end)
    assert len(found) > 3
    assert {measured.doubted for measured in found} == {40 * MS}


def test_what_was_doubted_long_ago_is_forgotten() -> None:
    heard = Heard(ring_s=2)
    list(heard.sound(QUIET))
    heard.begin(START)
    for _ in range(500):
        start = heard.ring.end
        view = heard.ring.write(QUIET[:320])
        spans = (Span(start, start + 320),)
        list(heard.on(AudioAligned(t_ns=0, start=start, samples=view, doubted=spans)))
    assert len(heard.meter._doubted) < 100
