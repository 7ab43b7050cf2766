"""Whole conversations under the simulated clock: the invariants, over many seeds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.sim.eyes import JITTER_MS, RATE_HZ
from tests.sim.line import Weather, run

SEEDS = 200
WEATHERS = {
    "fair": Weather(),
    "calm": Weather(interrupt=0, backchannel=0, noise=0, go_on=0),
    "rude": Weather(interrupt=0.7, go_on=0.3),
    "slow": Weather(slowness=8.0),
    "broken": Weather(engine_failures=0.2, voice_failures=0.2),
    "ruinous": Weather(interrupt=0.6, go_on=0.4, engine_failures=0.6, voice_failures=0.6),
    "hesitant": Weather(hesitate=1.0, go_on=0.4, interrupt=0.1),
    "eventful": Weather(warnings=0.4, notices=0.3, initiative="lively"),
    "polite": Weather(hesitate=0.8, notices=0.5, initiative="polite", engine_failures=0.1),
    "seeing": Weather(eyes=True, hesitate=0.5, go_on=0.3),
    "blinking": Weather(eyes=True, gaps=True, engine_failures=0.1, warnings=0.2, notices=0.2),
}


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_invariants_hold(seed: int) -> None:
    weather = list(WEATHERS.values())[seed % len(WEATHERS)]
    try:
        run(seed, weather)
    except AssertionError as breach:
        raise AssertionError(f"seed {seed}: {breach}") from breach


SWEEP_MS = range(0, 3_000, 50)


@pytest.mark.parametrize("after_ms", SWEEP_MS)
def test_an_interruption_at_any_instant_is_one(after_ms: int) -> None:
    """In prefill, before the first token, between two phrases, just as the reply ends."""
    calm = WEATHERS["calm"]
    outcome = run(5, replace(calm, hesitate=0, jitter_ms=0, cut_at_s=after_ms / 1_000))
    assert any("stop" in text for text in outcome.invariants.turns)


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


def test_drafts_and_warnings_are_exercised_too() -> None:
    runs = [run(seed, WEATHERS["eventful"]) for seed in range(12)]
    assert sum(len(outcome.invariants.adopted) for outcome in runs) > 10
    assert sum(len(outcome.invariants.warned) for outcome in runs) > 3


def test_the_eyes_are_exercised_too_and_stay_near_the_moment() -> None:
    runs = [run(seed, Weather(eyes=True)) for seed in range(6)]
    found = [outcome.seeing for outcome in runs if outcome.seeing is not None]
    assert sum(seeing.answers for seeing in found) > 20
    assert sum(len(seeing.shown) for seeing in found) > 20, "different views"
    offsets = [abs(ms) for seeing in found for ms in seeing.offsets_ms]
    assert max(offsets) < 1000 / RATE_HZ / 2 + JITTER_MS


def test_a_camera_that_is_gone_keeps_no_one_waiting() -> None:
    runs = [run(seed, Weather(eyes=True, gaps=True)) for seed in range(6)]
    assert all(len(outcome.invariants.kept) > 1 for outcome in runs)
    assert all(outcome.seeing is not None and outcome.seeing.taken for outcome in runs)
