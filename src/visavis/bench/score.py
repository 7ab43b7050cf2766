"""Whether a metric reaches what is aimed at.

Takes samples; gives its figures (p50 and p95, or the rate in %) beside the aims.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from visavis.bench.bootstrap import statistic
from visavis.bench.result import Metric, Result


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a metric. `aim`: what it should be at most, or at least; None = no matter."""

    name: Literal["p50", "p95", "rate"]
    value: float
    aim: float | None
    reached: bool | None


def finite(result: Result, metric: Metric) -> list[float]:
    """The samples of a metric that are numbers."""
    return [value for value in result.values(metric.name) if math.isfinite(value)]


def figures(metric: Metric, values: Sequence[float]) -> list[Figure]:
    """What a metric's samples come to; of none, NaN."""
    first, second = metric.reach
    if metric.rate:
        return [_figure(metric, "rate", 100 * statistic(values, None), first)]
    return [
        _figure(metric, "p50", statistic(values, 0.5), first),
        _figure(metric, "p95", statistic(values, 0.95), second),
    ]


def met(metric: Metric, values: Sequence[float]) -> bool | None:
    """Whether all that is aimed at is reached; None: nothing measured, or nothing aimed at."""
    judged = [each.reached for each in figures(metric, values) if each.reached is not None]
    return all(judged) if judged else None


def _figure(
    metric: Metric, name: Literal["p50", "p95", "rate"], value: float, aim: float | None
) -> Figure:
    reached = None
    if aim is not None and not math.isnan(value):
        reached = value <= aim if metric.better == "lower" else value >= aim
    return Figure(name, value, aim, reached)
