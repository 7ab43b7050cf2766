"""Whole conversations under the simulated clock: the six invariants, over many seeds."""

from __future__ import annotations

import pytest

from tests.sim.line import Weather, run

SEEDS = 200
WEATHERS = {
    "fair": Weather(),
    "calm": Weather(interrupt=0, backchannel=0, noise=0, go_on=0),
    "rude": Weather(interrupt=0.7, go_on=0.3),
    "slow": Weather(slowness=8.0),
    "broken": Weather(engine_failures=0.2, voice_failures=0.2),
    "ruinous": Weather(interrupt=0.6, go_on=0.4, engine_failures=0.6, voice_failures=0.6),
}


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_invariants_hold(seed: int) -> None:
    weather = list(WEATHERS.values())[seed % len(WEATHERS)]
    try:
        run(seed, weather)
    except AssertionError as breach:
        raise AssertionError(f"seed {seed}: {breach}") from breach


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_the_same_seed_gives_the_same_digest(seed: int) -> None:
    first, second = run(seed), run(seed)
    assert first.digest == second.digest
    assert first.invariants.events == second.invariants.events > 100


def test_different_seeds_give_different_conversations() -> None:
    assert len({run(seed).digest for seed in range(4)}) == 4


def test_the_seeds_exercise_what_they_are_meant_to() -> None:
    """Over some seeds there are answers, cuts and withdrawals, or nothing would be shown."""
    runs = [run(seed, WEATHERS["rude"]) for seed in range(12)]
    kept = [item for outcome in runs for item in outcome.invariants.kept]
    assert any(item.role == "assistant" and not item.cut for item in kept)
    assert any(item.role == "assistant" and item.cut for item in kept)
    withdrawn = [
        epoch
        for outcome in runs
        for epoch in outcome.invariants.cancelled
        if epoch not in {item.epoch for item in outcome.invariants.kept}
    ]
    assert withdrawn
