from __future__ import annotations

import time

import pytest

from visavis.flow.clock import NS_PER_S, SimulatedClock, SystemClock, wall_time_ns


def test_the_session_begins_at_zero_and_time_goes_on() -> None:
    clock = SystemClock()
    readings = [clock.now_ns() for _ in range(100)]
    assert 0 <= readings[0] < NS_PER_S
    assert readings == sorted(readings)


def test_spending_takes_real_time_under_the_system_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    SystemClock().spend(250_000_000)
    assert slept == [0.25]


def test_simulated_time_moves_only_when_moved() -> None:
    clock = SimulatedClock()
    assert clock.now_ns() == clock.now_ns() == 0
    clock.move_to(5)
    clock.move_to(5)
    assert clock.now_ns() == 5
    with pytest.raises(AssertionError, match="backwards"):
        clock.move_to(4)


def test_a_job_is_billed_what_it_spends() -> None:
    clock = SimulatedClock()

    def job() -> str:
        clock.spend(3)
        clock.spend(4)
        return "made"

    assert clock.measure(job) == ("made", 7)
    assert clock.measure(lambda: None) == (None, 0), "the bill does not carry over"
    assert clock.now_ns() == 0, "the loop moves the clock, not the job"


def test_a_job_that_raises_leaves_no_bill() -> None:
    clock = SimulatedClock()

    def job() -> None:
        clock.spend(3)
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - ours, a line above
        clock.measure(job)
    assert clock.measure(lambda: None) == (None, 0)


def test_real_work_is_billed_by_the_time_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter([100, 150])
    monkeypatch.setattr(time, "perf_counter_ns", lambda: next(readings))
    clock = SimulatedClock(bill_work=True)
    _, bill_ns = clock.measure(lambda: clock.spend(7))
    assert bill_ns == 57


def test_spending_a_negative_time_is_a_bug() -> None:
    with pytest.raises(AssertionError):
        SimulatedClock().spend(-1)


def test_wall_time_is_unix_time() -> None:
    assert wall_time_ns() > 1_700_000_000 * NS_PER_S
