"""The envelope lies beneath all pairs, and as close to them as a line can."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.align.envelope import WINDOW_NS, Envelope
from visavis.flow.clock import NS_PER_MS, NS_PER_S

MS = NS_PER_MS


def seen(pairs: list[tuple[int, int]]) -> Envelope:
    envelope = Envelope()
    for stamp_ns, later_ns in pairs:
        envelope.see(stamp_ns, later_ns)
    return envelope


def test_the_quickest_tells_the_offset() -> None:
    envelope = seen([(0, 30 * MS), (100 * MS, 12 * MS), (200 * MS, 40 * MS), (900 * MS, 25 * MS)])
    assert envelope.at(0) == envelope.at(900 * MS) == 12 * MS
    assert envelope.drift == 0


@pytest.mark.parametrize("ppm", [-1000, -200, 0, 200, 1000])
def test_drift_is_told_exactly_where_nothing_jitters(ppm: int) -> None:
    pairs = [(at, 7 * MS + at * ppm // 1_000_000) for at in range(0, 10 * NS_PER_S, 40 * MS)]
    envelope = seen(pairs)
    assert envelope.drift == pytest.approx(ppm * 1e-6, abs=1e-9)
    # A pair that lies in the bin of a lower one says nothing.
    assert envelope.at(60 * NS_PER_S) == pytest.approx(7 * MS + 60_000 * ppm, abs=0.3 * MS)


@pytest.mark.parametrize("ppm", [-300, 0, 300])
def test_jitter_hides_no_drift(ppm: int) -> None:
    random = Random(ppm)
    pairs = [
        (at, at * ppm // 1_000_000 + random.randrange(40 * MS))
        for at in range(0, 60 * NS_PER_S, 33 * MS)
    ]
    envelope = seen(pairs)
    assert envelope.drift == pytest.approx(ppm * 1e-6, abs=60e-6)
    assert envelope.at(pairs[-1][0]) == pytest.approx(60_000 * ppm, abs=1.5 * MS)


def test_what_is_no_drift_of_a_clock_is_not_taken_for_one() -> None:
    envelope = seen([(at, at // 10) for at in range(0, 10 * NS_PER_S, 100 * MS)])
    assert envelope.drift == 1.5e-3


def test_one_far_below_ends_what_was_held_up_before() -> None:
    envelope = seen([(at * 100 * MS, 80 * MS) for at in range(60)])
    envelope.see(6_000 * MS, 0)
    assert envelope.at(6_000 * MS) == 0
    assert abs(envelope.drift) < 1e-9, "it is no slope"


def test_the_offset_is_forgotten_and_the_drift_is_not() -> None:
    envelope = seen([(at, at // 5_000) for at in range(0, 10 * NS_PER_S, 100 * MS)])
    envelope.reset()
    envelope.see(0, 500 * MS)
    assert envelope.drift == pytest.approx(200e-6)
    assert envelope.at(NS_PER_S) == pytest.approx(500 * MS + 200_000)


@given(
    st.lists(
        st.tuples(st.integers(1, 2 * NS_PER_S), st.integers(0, 60 * MS)), min_size=1, max_size=80
    ),
    st.integers(-1000, 1000),
)
def test_no_pair_of_the_window_lies_below(steps: list[tuple[int, int]], ppm: int) -> None:
    pairs: list[tuple[int, int]] = []
    at = 0
    for step, jitter in steps:
        at += step
        pairs.append((at, jitter + at * ppm // 1_000_000))
    envelope, since = Envelope(), 0
    for index, (stamp_ns, later_ns) in enumerate(pairs):
        if index and later_ns < envelope.at(stamp_ns) - 20 * MS:
            since = index
        envelope.see(stamp_ns, later_ns)
    for stamp_ns, later_ns in pairs[since:]:
        if stamp_ns >= at - WINDOW_NS:
            assert later_ns >= envelope.at(stamp_ns) - MS
