"""A run: what is chosen, and what is kept when it is broken off."""

from __future__ import annotations

from collections import Counter

import pytest

from visavis.bench import run
from visavis.bench.result import Episode, Mark, Result, Stretch
from visavis.bench.scenario import BY_NAME, SCENARIOS, Scenario
from visavis.bench.script import Script
from visavis.flow.clock import NS_PER_S, SimulatedClock
from visavis.flow.errors import InputError


class Player:
    """Gives an episode of one paused question; breaks off at the third."""

    def __init__(self, breaks_at: int = 100) -> None:
        self.played: list[Script] = []
        self._breaks_at = breaks_at

    def play(self, script: Script) -> Episode:
        if len(self.played) == self._breaks_at:
            raise KeyboardInterrupt
        self.played.append(script)
        truth = [Stretch("question", 1, 2), Stretch("continuation", 3, 4)]
        marks = [Mark(4.25, "turn.ended")]
        return Episode(script.scenario, script.name, script.seed, 9.0, truth, marks=marks)

    def why_not(self, scenario: Scenario) -> str:
        return ""

    def close(self) -> None: ...


def told(episode: Episode) -> None: ...


def test_all_scenarios_are_chosen_unless_named() -> None:
    assert run.choose(()) == list(SCENARIOS)
    names = [scenario.name for scenario in run.choose(["noise", "pauses", "noise"])]
    assert names == ["pauses", "noise"]


def test_an_unknown_scenario_is_refused_and_all_are_named() -> None:
    with pytest.raises(InputError, match=r"nois: no such scenario.* noise"):
        run.choose(["nois"])


def test_a_quick_run_plays_fewer() -> None:
    quick, full = (run.plan(SCENARIOS, 1, quick=quick) for quick in (True, False))
    assert 15 < len(quick) < 30 < len(full)
    assert {script.scenario for script in full} == set(BY_NAME)
    assert all(script in full for script in quick)


def test_what_is_named_is_played_at_least_once() -> None:
    thirty = run.choose(["thirty"])
    assert not run.plan(thirty, 1, quick=True)
    assert len(run.plan(thirty, 1, quick=True, least=1)) == 1


def test_every_episode_is_measured() -> None:
    result, player = Result(), Player()
    run.perform(player, run.plan(run.choose(["pauses"]), 1, quick=True), result, told)
    assert len(result.episodes) == len(player.played) == BY_NAME["pauses"].quick
    assert set(result.values("endpoint")) == {250.0}
    assert set(result.values("false_cut_off")) == {0.0}
    assert set(result.values("latency_at_budget")) == {250.0}


def test_what_was_played_is_kept_when_it_is_broken_off() -> None:
    result = Result()
    planned = run.plan(run.choose(["pauses"]), 1, quick=True)
    with pytest.raises(KeyboardInterrupt):
        run.perform(Player(breaks_at=2), planned, result, told)
    assert len(result.episodes) == 2
    assert set(result.values("latency_at_budget")) == {250.0}


def test_half_a_run_is_half_of_each_scenario() -> None:
    planned = run.plan(SCENARIOS, 1, quick=False)
    half = Counter(script.scenario for script in planned[: len(planned) // 2])
    for scenario in SCENARIOS:
        assert abs(half[scenario.name] - scenario.full / 2) <= 1


def test_it_begins_no_episode_when_its_time_is_over() -> None:
    clock = SimulatedClock()

    class Slow(Player):
        def play(self, script: Script) -> Episode:
            clock.move_to(clock.now_ns() + 10 * NS_PER_S)
            return super().play(script)

    result = Result()
    planned = run.plan(run.choose(["pauses"]), 1, quick=True)
    assert run.perform(Slow(), planned, result, told, most_s=15, clock=clock) == len(planned) - 2
    assert len(result.episodes) == 2
