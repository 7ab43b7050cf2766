"""The trade-off of cutting off and waiting, from one run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.bench.budget import CUT_OFF_BUDGET, settle, wait_for
from visavis.bench.result import Episode, Result


def run(endpoints: list[float], left: list[float]) -> Result:
    values = {"endpoint": endpoints, "pause_left": left}
    result = Result(episodes=[Episode("pauses", "1", 1, values=values), Episode("echo", "1", 1)])
    settle(result)
    return result


def test_what_is_within_both_budgets_is_shown_as_it_ran() -> None:
    result = run([300, 500], [0, 0, 0])
    assert result.values("latency_at_budget") == [300, 500]
    assert result.values("cut_off_at_budget") == [0, 0, 0]


def test_waiting_longer_would_cut_off_fewer_and_answer_later() -> None:
    result = run([300, 300], [0, 150, 400])
    assert result.values("latency_at_budget") == [700, 700]
    assert result.values("cut_off_at_budget") == [0, 0, 1]


def test_a_run_that_is_too_slow_has_no_rate_at_the_budget() -> None:
    assert run([900], [0, 100]).values("cut_off_at_budget") == []


def test_what_the_episodes_do_not_have_is_not_invented() -> None:
    assert run([300], []).values("latency_at_budget") == []
    assert run([], [10.0]).values("cut_off_at_budget") == []


def test_settling_twice_is_settling_once() -> None:
    result = run([300], [0, 150])
    before = [dict(episode.values) for episode in result.episodes]
    settle(result)
    assert [episode.values for episode in result.episodes] == before


@given(st.lists(st.floats(0, 2000), min_size=1, max_size=50))
def test_the_wait_is_enough_and_no_longer_than_needed(left: list[float]) -> None:
    wait = wait_for(left, CUT_OFF_BUDGET)
    most = CUT_OFF_BUDGET * len(left)
    assert sum(rest > wait for rest in left) <= most
    shorter = [each for each in (0.0, *left) if each < wait]
    assert all(sum(rest > each for rest in left) > most for each in shorter)


@pytest.mark.parametrize(("count", "wait"), [(19, 500.0), (20, 0.0)])
def test_one_of_twenty_may_be_cut_off(count: int, wait: float) -> None:
    assert wait_for([500.0, *[0.0] * (count - 1)], CUT_OFF_BUDGET) == wait
