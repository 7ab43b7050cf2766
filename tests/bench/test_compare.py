"""Two runs compared: what changed is found, what did not is left in peace."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from rich.console import Console

from visavis.bench.compare import Comparison, compare
from visavis.bench.metrics import METRICS
from visavis.bench.result import Episode, Metric, Result


def run(metric: str, samples: list[list[float]], name: str = "turn", **about: str) -> Result:
    episodes = [
        Episode("smooth", f"{name} {k}", k, values={metric: values})
        for k, values in enumerate(samples)
    ]
    return Result(about, episodes)


def latencies(seed: int, *, slower_ms: float = 0.0, episodes: int = 30) -> list[list[float]]:
    """Two turns an episode; how hard an episode is does not depend on the seed."""
    hardness = np.random.default_rng(99).uniform(400, 600, episodes)
    noise = np.random.default_rng(seed).lognormal(3, 0.5, (episodes, 2))
    return (hardness[:, None] + noise + slower_ms).tolist()


def verdicts(comparison: Comparison, metric: str) -> dict[str, str]:
    return {c.statistic: c.verdict for c in comparison.changes if c.metric.name == metric}


def test_the_same_run_is_the_same():
    one = run("voice_to_voice", latencies(1))
    comparison = compare(one, one)
    assert verdicts(comparison, "voice_to_voice") == {"p50": "same", "p95": "same"}
    assert all(c.low == c.high == c.difference == 0 for c in comparison.changes)
    assert not comparison.regressed


def test_a_planted_regression_is_found_and_the_way_back_is_better():
    before = run("voice_to_voice", latencies(1))
    after = run("voice_to_voice", latencies(2, slower_ms=80))
    comparison = compare(before, after)
    assert verdicts(comparison, "voice_to_voice")["p50"] == "worse"
    assert comparison.regressed
    change = next(c for c in comparison.changes if c.statistic == "p50")
    assert change.low < 80 < change.high
    assert change.paired
    back = compare(after, before)
    assert verdicts(back, "voice_to_voice")["p50"] == "better"
    assert not back.regressed


def test_noise_alone_is_rarely_a_regression():
    alarms = sum(
        compare(
            run("voice_to_voice", latencies(2 * k)),
            run("voice_to_voice", latencies(2 * k + 1)),
            resamples=500,
        ).regressed
        for k in range(40)
    )
    assert alarms <= 4


def test_a_sure_difference_that_nobody_would_notice_is_the_same():
    before, after = latencies(1), latencies(1, slower_ms=9)
    comparison = compare(run("voice_to_voice", before), run("voice_to_voice", after))
    change = next(c for c in comparison.changes if c.statistic == "p50")
    assert change.low > 0
    assert change.verdict == "same"


def test_where_higher_is_better_less_is_worse():
    before, after = run("takeover", [[1.0]] * 20), run("takeover", [[1.0]] * 8 + [[0.0]] * 12)
    comparison = compare(before, after)
    change = next(c for c in comparison.changes if c.metric.name == "takeover")
    assert (change.old, change.new, change.unit) == (100, 40, "%")
    assert change.verdict == "worse"
    assert verdicts(compare(after, before), "takeover") == {"rate": "better"}


def test_a_rate_that_slips_once_is_not_sure():
    before, after = run("takeover", [[1.0]] * 20), run("takeover", [[1.0]] * 19 + [[0.0]])
    assert not compare(before, after).regressed


@pytest.mark.parametrize(("old", "new"), [(4, 30), (30, 4), (0, 30), (30, 0)])
def test_few_samples_are_not_compared(old, new):
    samples = [[500.0]] * 30
    slow = [[900.0]] * 30
    none: list[list[float]] = [[]] * 30
    before, after = samples[:old] + none[old:], slow[:new] + none[new:]
    comparison = compare(run("duck", before), run("duck", after))
    assert set(verdicts(comparison, "duck").values()) == {"too few"}
    change = next(c for c in comparison.changes if c.metric.name == "duck")
    assert change.samples == (old, new)
    assert math.isnan(change.low)
    assert math.isnan(change.old) == (old == 0)


def test_a_p95_wants_more_samples_than_a_p50():
    comparison = compare(run("duck", [[100.0]] * 10), run("duck", [[300.0]] * 10))
    assert verdicts(comparison, "duck") == {"p50": "worse", "p95": "too few"}


def test_episodes_of_other_names_are_compared_unpaired():
    before = run("voice_to_voice", latencies(1), name="old")
    after = run("voice_to_voice", latencies(2, slower_ms=150), name="new")
    comparison = compare(before, after)
    change = next(c for c in comparison.changes if c.statistic == "p50")
    assert not change.paired
    assert change.verdict == "worse"


def test_paired_episodes_alone_count_where_there_are_enough():
    before = run("duck", [[100.0]] * 10)
    after = run("duck", [[100.0]] * 20)
    for episode in after.episodes[10:]:
        episode.values["duck"] = [5000.0]
    change = next(c for c in compare(before, after).changes if c.metric.name == "duck")
    assert (change.samples, change.new) == ((10, 10), 100)


def test_a_run_that_broke_off_is_no_progress():
    before, after = run("duck", [[100.0]] * 12), run("duck", [[100.0]] * 12)
    for episode in after.episodes[2:]:
        episode.error, episode.values = "the engine died", {}
    comparison = compare(before, after)
    assert comparison.regressed
    assert verdicts(comparison, "failed") == {"rate": "worse"}


def test_what_is_not_a_number_is_left_out():
    before = run("duck", [[100.0, math.nan]] * 6)
    after = run("duck", [[100.0, math.inf]] * 6)
    change = next(c for c in compare(before, after).changes if c.metric.name == "duck")
    assert (change.samples, change.verdict) == ((6, 6), "same")


def test_the_same_seed_gives_the_same_intervals():
    runs = run("duck", latencies(1)), run("duck", latencies(2))
    assert compare(*runs, seed=5).changes[1:] == compare(*runs, seed=5).changes[1:]
    assert compare(*runs, seed=5).changes[1].low != compare(*runs, seed=6).changes[1].low


def test_empty_runs_have_nothing_to_compare():
    comparison = compare(Result(), Result())
    assert comparison.changes == ()
    assert not comparison.regressed


def test_the_table_says_what_changed_and_in_what_the_runs_differ():
    before = run("voice_to_voice", latencies(1), tier="tiny", machine="[old] box")
    after = run("voice_to_voice", latencies(2, slower_ms=80), tier="tiny", machine="new box")
    console = Console(file=io.StringIO(), width=140)
    console.print(compare(before, after).table())
    text = console.file.getvalue()
    assert "voice to voice, smooth turns" in text
    assert "worse" in text
    assert "the runs differ in machine: [old] box, then new box" in text


def test_scenarios_that_only_one_run_has_are_named_and_do_not_count():
    before, after = run("duck", [[100.0]] * 4), run("duck", [[100.0]] * 4)
    after.episodes += [Episode("echo", f"e {k}", k, values={"duck": [900.0]}) for k in range(9)]
    comparison = compare(before, after)
    change = next(c for c in comparison.changes if c.metric.name == "duck")
    assert (change.samples, change.new) == ((4, 4), 100)
    assert comparison.notes == ("only in the new run, and not compared: echo",)
    assert compare(after, before).notes == ("only in the old run, and not compared: echo",)


def test_runs_without_a_scenario_in_common_are_not_compared():
    before, after = run("duck", [[100.0]] * 9), run("duck", [[900.0]] * 9)
    for episode in after.episodes:
        episode.scenario = "echo"
    comparison = compare(before, after)
    assert comparison.changes == ()
    assert len(comparison.notes) == 2


@pytest.mark.parametrize("paired", [True, False])
def test_every_row_fits_a_terminal_of_80_columns(paired):
    values = {m.name: [[1.0], [0.0]] if m.rate else [[4321.0], [1234.0]] for m in METRICS}
    before, after = (
        Result(
            {},
            [
                Episode(
                    "smooth",
                    f"{'' if paired else which}{k}",
                    k,
                    values={name: pair[k % 2 ^ which] for name, pair in values.items()},
                )
                for k in range(120 + which)
            ],
        )
        for which in (0, 1)
    )
    comparison = compare(before, after, resamples=50)
    console = Console(file=io.StringIO(), width=80)
    console.print(comparison.table())
    lines = console.file.getvalue().splitlines()
    assert len(lines) == 1 + len(comparison.changes) + 1, "a heading, a line each, a caption"
    assert all(m.title in console.file.getvalue() for m in METRICS)
    assert "…\n" not in console.file.getvalue()


def test_metrics_of_ones_own_can_be_compared():
    mine = Metric("mine", "my metric", "lower", unit="words")
    comparison = compare(run("mine", [[1.0]] * 9), run("mine", [[90.0]] * 9), metrics=[mine])
    assert [c.unit for c in comparison.changes] == ["%", "words", "words"]
