"""How sure a difference between two runs is: the bootstrap of percentiles and means.

Takes samples in groups (an episode's samples are one group); gives draws of new minus old, and
intervals of them. Invariant: the same samples and seed give the same draws.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993): the percentile interval
(ch. 13), resampling whole units where samples within a unit hang together (ch. 8).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Group = Sequence[float]

AT_ONCE = 2_000_000  # cells of a block of resamples: bounds the memory, not the result


def statistic(values: Sequence[float], quantile: float | None) -> float:
    """The quantile (0 to 1, linear between neighbours), or the mean; NaN of nothing."""
    if not values:
        return math.nan
    array = np.asarray(values, np.float64)
    return float(array.mean() if quantile is None else np.quantile(array, quantile))


def differences(
    old: Sequence[Group],
    new: Sequence[Group],
    quantile: float | None,
    *,
    paired: bool,
    seed: int,
    resamples: int,
) -> Floats:
    """Draws of the difference new minus old of `statistic`, shape (resamples,).

    Groups are drawn with replacement; no group is empty. `paired`: group k is the same episode in
    both runs, and one draw serves both, so that what is hard about an episode cancels out.
    """
    assert not paired or len(old) == len(new)
    rng = np.random.default_rng(seed)
    size = sum(map(len, old)) + sum(map(len, new))
    block = max(1, AT_ONCE // size)
    found = []
    for start in range(0, resamples, block):
        draws = min(block, resamples - start)
        of_old = _draw(rng, len(old), draws)
        of_new = of_old if paired else _draw(rng, len(new), draws)
        found.append(_of_draws(new, of_new, quantile) - _of_draws(old, of_old, quantile))
    return np.concatenate(found)


def interval(draws: Floats, chance: float) -> tuple[float, float]:
    """Bounds outside of which lies a share `chance` of the draws, half on each side."""
    low, high = np.quantile(draws, [chance / 2, 1 - chance / 2])
    return float(low), float(high)


def _draw(rng: np.random.Generator, groups: int, draws: int) -> Counts:
    """How often each group was drawn, shape (draws, groups)."""
    return rng.multinomial(groups, np.full(groups, 1 / groups), size=draws)


def _of_draws(groups: Sequence[Group], counts: Counts, quantile: float | None) -> Floats:
    """The statistic of each draw, shape (draws,), without building the drawn samples."""
    values = np.concatenate([np.asarray(group, np.float64) for group in groups])
    times = np.repeat(counts, [len(group) for group in groups], axis=1)  # each sample was drawn
    if quantile is None:
        means: Floats = times @ values / times.sum(axis=1)
        return means
    order = np.argsort(values, kind="stable")
    values, up_to = values[order], np.cumsum(times[:, order], axis=1)
    place = quantile * (up_to[:, -1] - 1)
    below, above = (_ranked(values, up_to, rank) for rank in (np.floor(place), np.ceil(place)))
    between: Floats = below + (above - below) * (place - np.floor(place))
    return between


def _ranked(values: Floats, up_to: Counts, rank: Floats) -> Floats:
    """The drawn sample at each rank (from 0); `up_to`: drawn samples up to each sorted value."""
    picked: Floats = values[(up_to <= rank[:, np.newaxis]).sum(axis=1)]
    return picked
