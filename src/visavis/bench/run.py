"""A run: plays the episodes that were chosen, measures each, keeps what there is when broken off.

Takes a runner and scenarios; gives a `Result`. Invariant: whatever ends the run, the result holds
every episode that was played to its end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from visavis.bench import budget
from visavis.bench.measure import measure
from visavis.bench.result import Episode, Result
from visavis.bench.runner import Runner
from visavis.bench.scenario import BY_NAME, Scenario, scripts
from visavis.bench.script import Script
from visavis.flow.clock import NS_PER_S, Clock, SystemClock
from visavis.flow.errors import InputError

Told = Callable[[Episode], None]
"""Told of each episode when it was played and measured."""
QUICK_S = 210.0
"""The last episode of a quick run begins by then, so that all takes 4 minutes."""


def choose(names: Iterable[str]) -> list[Scenario]:
    """The scenarios of these names, in the order of the table; all if there are none."""
    wanted = set(names)
    if unknown := sorted(wanted - set(BY_NAME)):
        raise InputError(unknown[0], "no such scenario", f"there are {', '.join(BY_NAME)}")
    return [scenario for name, scenario in BY_NAME.items() if not wanted or name in wanted]


def plan(chosen: Iterable[Scenario], seed: int, *, quick: bool, least: int = 0) -> list[Script]:
    """All episodes, those of the scenarios in turn, so that half a run is half of each.

    `least` of each are played, also in a quick run.
    """
    placed: list[tuple[float, int, Script]] = []
    for order, scenario in enumerate(chosen):
        count = max(scenario.quick, least) if quick else scenario.full
        for number, script in enumerate(scripts(scenario, seed, count)):
            placed.append(((number + 0.5) / count, order, script))
    return [script for _, _, script in sorted(placed, key=lambda place: place[:2])]


def perform(
    runner: Runner,
    planned: Sequence[Script],
    result: Result,
    told: Told,
    *,
    most_s: float = math.inf,
    clock: Clock | None = None,
) -> int:
    """Plays them, adding each to the result; begins none later than `most_s` by the clock.

    Returns how many were left out. Ctrl-C passes through.
    """
    clock = clock or SystemClock()
    try:
        for number, script in enumerate(planned):
            if clock.now_ns() > most_s * NS_PER_S:
                return len(planned) - number
            episode = runner.play(script)
            measure(episode, BY_NAME[script.scenario].metrics)
            result.episodes.append(episode)
            told(episode)
    finally:
        budget.settle(result)
    return 0
