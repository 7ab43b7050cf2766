"""The fake voice spells out what was played, takes simulated time, and fails on demand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.voice import said
from visavis.backends.contract import Options
from visavis.backends.tts.fake import FakeTts, decode, level, load
from visavis.flow.clock import NS_PER_MS, SimulatedClock
from visavis.flow.errors import EngineError


def bill_ms(clock: SimulatedClock, tts: FakeTts, text: str) -> float:
    return clock.measure(lambda: said(tts, text))[1] / NS_PER_MS


def test_its_sound_tells_the_words_and_their_samples() -> None:
    tts = FakeTts(SimulatedClock(), rate_hz=1000, letter_ms=10)
    sound = np.concatenate([said(tts, text).samples for text in ("ab c", "def")])
    assert decode(sound) == [(0, 20), (1, 10), (2, 30)]
    assert decode(sound[25:45]) == [(1, 5), (2, 15)]
    assert tts.words == ["ab", "c", "def"]


def test_levels_are_distinct_and_on_the_16_bit_grid() -> None:
    levels = [level(word) * 32_768 for word in range(200)]
    assert len(set(levels)) == 200
    assert levels == [round(step) for step in levels]
    assert max(levels) < 32_768


def test_it_takes_time_by_the_length_of_its_sound() -> None:
    clock = SimulatedClock()
    tts = FakeTts(clock, latency_ms=40, factor=0.5, letter_ms=100)
    assert bill_ms(clock, tts, "ab") == pytest.approx(40 + 0.5 * 200)


def test_the_same_seed_takes_the_same_time() -> None:
    def times(seed: int) -> list[float]:
        clock = SimulatedClock()
        tts = FakeTts(clock, seed=seed, jitter=0.5)
        return [bill_ms(clock, tts, "ab") for _ in range(5)]

    assert times(1) == times(1) != times(2)
    assert len(set(times(1))) == 5


def test_it_fails_on_demand() -> None:
    settings = {"clock": SimulatedClock(), "fail": [0], "broken": [1], "mute": [2]}
    tts = load(Options(settings=settings))
    with pytest.raises(EngineError):
        said(tts, "a")
    assert np.isnan(said(tts, "a").samples).all()
    assert not len(said(tts, "a").samples)
    assert len(said(tts, "a").samples)


def test_words_that_repeat_have_their_own_places() -> None:
    words = said(FakeTts(SimulatedClock()), "a  ab a ").words
    assert [word.char_end for word in words] == [1, 5, 7]


def test_it_speaks_in_pieces_and_takes_time_for_each() -> None:
    clock = SimulatedClock()
    tts = FakeTts(clock, rate_hz=1000, latency_ms=40, factor=0.5, letter_ms=100, piece_ms=150)
    pieces = iter(tts.synthesise("ab cd"))
    found = [clock.measure(lambda: next(pieces)) for _ in range(3)]
    assert [(len(piece.samples), piece.total) for piece, _ in found] == [
        (150, 400),
        (150, 0),
        (100, 0),
    ]
    assert [bill_ns / NS_PER_MS for _, bill_ns in found] == [115, 75, 50]
    assert [word.end for word in found[0][0].words] == [200, 400]
    assert next(pieces, None) is None


def test_it_breaks_off_on_demand() -> None:
    pieces = iter(FakeTts(SimulatedClock(), piece_ms=30, snap=[0]).synthesise("ab"))
    assert len(next(pieces).samples)
    with pytest.raises(EngineError):
        next(pieces)
