"""A run: plays the episodes that were chosen, measures each, keeps what there is when broken off.

Takes a runner and scenarios; gives a `Result`. Invariant: whatever ends the run, the result holds
every episode that was played to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from visavis.bench import budget
from visavis.bench.measure import measure
from visavis.bench.result import Episode, Result
from visavis.bench.runner import Runner
from visavis.bench.scenario import BY_NAME, Scenario, scripts
from visavis.bench.script import Script
from visavis.flow.errors import InputError

Told = Callable[[Script, Episode | None], None]
"""Told of each episode: before it is played (None), and after."""


def choose(names: Iterable[str]) -> list[Scenario]:
    """The scenarios of these names, in the order of the table; all if there are none."""
    wanted = set(names)
    if unknown := sorted(wanted - set(BY_NAME)):
        raise InputError(unknown[0], "no such scenario", f"there are {', '.join(BY_NAME)}")
    return [scenario for name, scenario in BY_NAME.items() if not wanted or name in wanted]


def plan(chosen: Iterable[Scenario], seed: int, *, quick: bool, least: int = 0) -> list[Script]:
    """All episodes, a scenario at a time; `least` of each, also in a quick run."""
    return [
        script
        for scenario in chosen
        for script in scripts(
            scenario, seed, max(scenario.quick, least) if quick else scenario.full
        )
    ]


def perform(runner: Runner, planned: Iterable[Script], result: Result, told: Told) -> None:
    """Plays them, adding each to the result. Ctrl-C passes through."""
    try:
        for script in planned:
            told(script, None)
            episode = runner.play(script)
            measure(episode, BY_NAME[script.scenario].metrics)
            result.episodes.append(episode)
            told(script, episode)
    finally:
        budget.settle(result)
