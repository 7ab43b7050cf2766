"""Whether a metric reaches what is aimed at."""

from __future__ import annotations

import math

import pytest

from visavis.bench.result import Episode, Metric, Result
from visavis.bench.score import figures, finite, met

LATENCY = Metric("latency", "latency", "lower", reach=(500, 900))
RATE = Metric("rate", "rate", "higher", rate=True, reach=(90, None))


def test_percentiles_are_held_against_their_aims():
    p50, p95 = figures(LATENCY, [400.0] * 9 + [2000.0])
    assert (p50.value, p50.reached) == (400, True)
    assert p95.value == pytest.approx(1280)
    assert p95.reached is False
    assert met(LATENCY, [400.0] * 9 + [2000.0]) is False
    assert met(LATENCY, [400.0]) is True


def test_what_is_just_reached_is_reached():
    assert met(LATENCY, [500.0]) is True
    assert met(RATE, [1.0] * 9 + [0.0]) is True
    assert met(RATE, [1.0] * 8 + [0.0]) is False


def test_nothing_measured_or_nothing_aimed_at_is_neither():
    assert met(LATENCY, []) is None
    assert met(Metric("free", "free", "lower"), [1.0]) is None
    assert math.isnan(figures(LATENCY, [])[0].value)


def test_what_is_not_a_number_is_left_out():
    result = Result({}, [Episode("s", "n", 0, values={"rate": [1.0, math.nan, math.inf, 0.0]})])
    assert finite(result, RATE) == [1.0, 0.0]
