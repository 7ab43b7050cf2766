"""The bootstrap draws whole groups, and its statistics are those of the samples drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.bench import bootstrap

VALUES = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=4)
GROUPS = st.lists(VALUES, min_size=1, max_size=6)


@given(GROUPS, st.sampled_from([None, 0.0, 0.5, 0.95, 1.0]), st.integers(0, 1000))
def test_the_statistic_of_a_draw_is_that_of_its_samples(groups, quantile, seed):
    counts = np.random.default_rng(seed).integers(0, 3, size=(5, len(groups)))
    counts[:, 0] += 1  # nothing drawn has no statistic
    got = bootstrap._of_draws(groups, counts, quantile)
    for row, value in zip(counts, got, strict=True):
        drawn = [v for group, times in zip(groups, row, strict=True) for v in list(group) * times]
        assert value == pytest.approx(bootstrap.statistic(drawn, quantile), abs=1e-6)


def test_many_samples_are_drawn_in_blocks_and_give_what_one_block_gives(monkeypatch):
    groups = [[float(k)] for k in range(20)]
    kwargs = {"paired": True, "seed": 3, "resamples": 50}
    whole = bootstrap.differences(groups, groups[::-1], 0.5, **kwargs)
    monkeypatch.setattr(bootstrap, "AT_ONCE", 300)
    assert np.array_equal(bootstrap.differences(groups, groups[::-1], 0.5, **kwargs), whole)


def test_pairing_takes_the_difficulty_of_an_episode_out_of_the_interval():
    rng = np.random.default_rng(0)
    hardness = rng.uniform(0, 1000, 30)
    old = [[h] for h in hardness]
    new = [[h + 20 + rng.normal(0, 2)] for h in hardness]
    widths = {}
    for paired in (True, False):
        draws = bootstrap.differences(old, new, None, paired=paired, seed=0, resamples=1000)
        low, high = bootstrap.interval(draws, 0.05)
        widths[paired] = high - low
        assert low < 20 < high
    assert widths[True] < widths[False] / 20


def test_the_interval_covers_the_true_difference_about_as_often_as_it_says():
    rng = np.random.default_rng(4)
    covered = 0
    for k in range(100):
        old, new = rng.normal(500, 50, 40), rng.normal(530, 50, 40)
        draws = bootstrap.differences(
            old[:, None].tolist(), new[:, None].tolist(), 0.5, paired=False, seed=k, resamples=400
        )
        low, high = bootstrap.interval(draws, 0.05)
        covered += low <= 30 <= high
    assert 88 <= covered <= 100
