"""Stamps: what can be believed is, what cannot is found out, and nothing blinds for good."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.align.stamps import Stamps
from visavis.flow.clock import NS_PER_MS, NS_PER_S

MS = NS_PER_MS
FRAME = 40 * MS
"""25 frames a second, so that all numbers are whole."""
WALL = 1_700_000_000 * NS_PER_S


def placed(pairs: Iterable[tuple[int, int]], hz: int = NS_PER_S, bits: int = 0) -> list[int | str]:
    stamps = Stamps(hz, bits)
    return [stamps.place(stamp, arrival_ns) for stamp, arrival_ns in pairs]


def steady(count: int, delay_ns: int = 0) -> list[tuple[int, int]]:
    """Frames stamped by the wall clock, each arriving `delay_ns` after it was taken."""
    return [(WALL + at * FRAME, at * FRAME + delay_ns) for at in range(count)]


def test_frames_that_do_not_jitter_are_where_they_arrive() -> None:
    assert placed(steady(200)) == [at * FRAME for at in range(200)]


def test_a_late_frame_is_put_where_its_stamp_says() -> None:
    pairs = steady(50)
    pairs[30] = pairs[30][0], pairs[30][1] + 35 * MS
    assert placed(pairs)[30] == 30 * FRAME


@pytest.mark.parametrize(
    ("hz", "bits"), [(90_000, 32), (90_000, 33), (1_000, 16), (1_000_000, 0), (25, 4)]
)
def test_stamps_that_begin_anew_go_on(hz: int, bits: int) -> None:
    first = (1 << bits) - 3 if bits else 5
    pairs = []
    for at in range(500):
        stamp = first + at * FRAME * hz // NS_PER_S
        pairs.append((stamp % (1 << bits) if bits else stamp, at * FRAME))
    assert placed(pairs, hz, bits) == [at * FRAME for at in range(500)]


def test_a_gap_longer_than_a_period_of_the_stamps_is_none_the_worse() -> None:
    # Of 16 bits at 1 kHz, which begin anew after 65.5 s.
    times = [*range(50), 2_000, 2_001, 10_000, 10_001]
    pairs = [(at * 40 % (1 << 16), at * FRAME) for at in times]
    assert placed(pairs, 1_000, 16) == [at * FRAME for at in times]


def test_what_was_overtaken_or_comes_twice_is_dropped() -> None:
    pairs = steady(12)
    order = [0, 1, 2, 5, 3, 4, 6, 6, 7, 8, 8, 9, 10, 11]
    shuffled = [(pairs[at][0], place * FRAME) for place, at in enumerate(order)]
    dropped = [
        order[place] for place, found in enumerate(placed(shuffled)) if found == "disordered"
    ]
    assert dropped == [3, 4, 6, 8]


@pytest.mark.parametrize("step_s", [0.06, 0.3, 0.8, 3600, -0.1, -0.3, -0.8, -3600])
def test_a_clock_that_is_set_is_followed(step_s: float) -> None:
    step_ns = round(step_s * NS_PER_S)
    pairs = steady(100)
    pairs[50:] = [(stamp + step_ns, arrival) for stamp, arrival in pairs[50:]]
    found = placed(pairs)
    for at, captured_ns in enumerate(found):
        assert captured_ns == at * FRAME or 50 <= at < 58, "it takes no more than 0.3 s"
    if step_s > 0 or step_s < -1:
        assert found[50:58] == [at * FRAME for at in range(50, 58)], "nor is any of them lost"


def test_one_absurd_stamp_costs_nothing() -> None:
    for absurd in (0, WALL + 3600 * NS_PER_S, 2**63):
        pairs = steady(60)
        pairs[30] = absurd, pairs[30][1]
        assert placed(pairs) == [at * FRAME for at in range(60)]


def test_what_comes_far_too_late_is_stale() -> None:
    # Half a second of the network standing still, then all at once.
    pairs = steady(60)
    for at in range(20, 40):
        pairs[at] = pairs[at][0], 40 * FRAME
    found = placed(pairs)
    assert found[20:28] == ["stale"] * 8
    assert found[28:] == [at * FRAME for at in range(28, 60)]


def test_a_way_that_has_become_longer_for_good_does_not_blind() -> None:
    pairs = steady(100)
    pairs[50:] = [(stamp, arrival + 800 * MS) for stamp, arrival in pairs[50:]]
    found = placed(pairs)
    assert found[50:58] == ["stale"] * 8
    assert found[58:] == [at * FRAME + 800 * MS for at in range(58, 100)]


def test_stamps_that_stand_still_give_way_to_the_time_of_arrival() -> None:
    found = placed([(0, at * FRAME) for at in range(100)])
    assert found[1:26] == ["disordered"] * 25
    assert found[26:] == [at * FRAME for at in range(26, 100)]


@given(
    st.lists(st.tuples(st.integers(-(2**40), 2**40), st.integers(0, 2 * NS_PER_S)), max_size=60),
    st.sampled_from([(NS_PER_S, 0), (90_000, 32), (1_000, 16), (1, 0), (7, 3)]),
)
def test_whatever_a_source_writes_nothing_is_later_than_it_came(
    frames: list[tuple[int, int]], form: tuple[int, int]
) -> None:
    hz, bits = form
    stamps, arrival_ns = Stamps(hz, bits), 0
    for stamp, wait_ns in frames:
        arrival_ns += wait_ns
        found = stamps.place(stamp % (1 << bits) if bits else stamp, arrival_ns)
        assert found in ("stale", "disordered") or int(found) <= arrival_ns


@given(st.lists(st.integers(0, 39), min_size=120, max_size=250), st.integers(-1000, 1000))
def test_jittered_frames_lie_within_the_jitter_and_soon_far_closer(
    jitter_ms: list[int], ppm: int
) -> None:
    stamps = Stamps(NS_PER_S, 0)
    arrival_ns = 0
    for at, jitter in enumerate(jitter_ms):
        taken_ns = at * FRAME
        arrival_ns = max(arrival_ns, taken_ns + jitter * MS)
        found = stamps.place(WALL + taken_ns + taken_ns * ppm // 1_000_000, arrival_ns)
        assert isinstance(found, int)
        # By as much as the quickest frame was held up, no more; but for the drift.
        least_ms = min(jitter_ms[: at + 1])
        assert -8 * MS <= found - taken_ns <= (least_ms + 8) * MS


def test_a_clock_that_falls_behind_by_fits_and_starts_does_not_blind() -> None:
    # A computer that has too much to do makes its pictures ever later, and stamps them as planned.
    random, arrival_ns, given_ns = Random(1), 0, [0]
    stamps = Stamps(NS_PER_S, 0)
    for at in range(3_000):
        arrival_ns += FRAME * 115 // 100
        arrival_ns += random.randrange(400, 900) * MS if random.random() < 0.1 else 0
        if isinstance(stamps.place(at * FRAME, arrival_ns), int):
            given_ns.append(arrival_ns)
    gaps = [after - before for before, after in itertools.pairwise(given_ns)]
    assert max(gaps) <= 3 * NS_PER_S


@given(
    st.lists(st.tuples(st.integers(0, 2**40), st.integers(0, NS_PER_S // 4)), max_size=60),
    st.sampled_from([(NS_PER_S, 0), (90_000, 32), (1_000, 16), (1, 0), (7, 3)]),
)
def test_whatever_a_source_writes_it_is_never_blind_for_long(
    frames: list[tuple[int, int]], form: tuple[int, int]
) -> None:
    stamps, arrival_ns, given_ns = Stamps(*form), 0, 0
    for stamp, wait_ns in frames:
        arrival_ns += wait_ns
        if isinstance(stamps.place(stamp % (1 << form[1]) if form[1] else stamp, arrival_ns), int):
            given_ns = arrival_ns
        # A second from the first that is dropped, and the waits before it and after.
        assert arrival_ns - given_ns < 1.5 * NS_PER_S
