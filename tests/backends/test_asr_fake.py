"""The fake recogniser: its time, its slips and its failures come from the seed."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.backends.asr.fake import FakeAsr
from visavis.backends.contract import Hypothesis
from visavis.backends.symbols import encode, silence
from visavis.flow.clock import NS_PER_MS, SimulatedClock
from visavis.flow.errors import EngineError


def spent_ms(clock: SimulatedClock, asr: FakeAsr) -> float:
    asr.open()
    asr.feed(encode("yes"))
    _, bill_ns = clock.measure(asr.flush)
    return bill_ns / NS_PER_MS


def test_it_takes_the_time_of_its_seed() -> None:
    clock = SimulatedClock()
    asr = FakeAsr(clock, seed=3, latency_ms=(50, 90))
    first = [spent_ms(clock, asr) for _ in range(5)]
    assert all(50 <= ms <= 90 for ms in first)
    assert len(set(first)) == 5
    again = FakeAsr(clock, seed=3, latency_ms=(50, 90))
    assert [spent_ms(clock, again) for _ in range(5)] == first


def test_a_second_flush_costs_nothing() -> None:
    clock = SimulatedClock()
    asr = FakeAsr(clock)
    spent_ms(clock, asr)
    assert clock.measure(asr.flush)[1] == 0


def test_it_fails_as_often_as_it_is_told() -> None:
    asr, failures = FakeAsr(fail_rate=0.3, seed=1), 0
    for _ in range(200):
        asr.open()
        asr.feed(encode("yes"))
        try:
            asr.flush()
        except EngineError:
            failures += 1
    assert 40 <= failures <= 80


def test_a_failed_recognition_forgets_nothing() -> None:
    asr = FakeAsr(fail_rate=0.5, seed=1)
    asr.feed(encode("yes no"))
    for _ in range(20):
        try:
            assert asr.flush() == Hypothesis("yes no", 0.9, "en")
            return
        except EngineError:
            continue
    pytest.fail("always fails")


def test_partial_words_slip_but_final_ones_do_not() -> None:
    asr, slips = FakeAsr(slip_rate=0.5, seed=2), 0
    for _ in range(40):
        asr.open()
        partial = asr.feed(encode("what is the time"))
        assert partial is not None
        assert partial.text.startswith("what is the")
        slips += partial.text != "what is the time"
        assert asr.flush().text == "what is the time"
    assert 10 <= slips <= 30


def test_words_are_where_they_were_spoken() -> None:
    clock = SimulatedClock()
    asr = FakeAsr(clock)
    asr.feed(np.concatenate([silence(500), encode("what is this"), silence(300), encode("这 是")]))
    text = asr.flush().text
    assert text == "what is this这是"

    def located(word: str) -> tuple[int, int] | None:
        at = text.index(word)
        place, bill_ns = clock.measure(lambda: asr.locate(at, at + len(word)))
        assert bill_ns == 10 * NS_PER_MS
        return place

    assert located("what") == (8_000, 11_200)
    assert located("is") == (11_200, 14_400)
    assert located("this") == (14_400, 17_600)
    assert located("is this") == (11_200, 17_600)
    assert located("这") == (22_400, 25_600)
    assert located("是") == (25_600, 28_800)
