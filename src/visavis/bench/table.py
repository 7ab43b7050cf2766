"""The table on the terminal: each metric with its p50 and p95, what is aimed at, and whether it is
met.

Takes a `Result`; gives a rich table. Invariant: what was not measured is not shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from rich.table import Table

from visavis.bench.metrics import METRICS
from visavis.bench.result import Metric, Result

MET = {None: "", True: "[green]✓[/]", False: "[red]✗[/]"}


def table(result: Result) -> Table:
    """A row for each metric of which there are samples."""
    made = Table(box=None, pad_edge=False)
    made.add_column("metric")
    for name in ("p50", "p95", "n", "reach"):
        made.add_column(name, justify="right", no_wrap=True)
    made.add_column("met")
    for metric in METRICS:
        values = [value for value in result.values(metric.name) if math.isfinite(value)]
        if values:
            made.add_row(*cells(metric, values))
    return made


def figures(metric: Metric, values: Sequence[float]) -> tuple[float, ...]:
    """p50 and p95 of at least one sample; of a rate the mean, in %."""
    if metric.rate:
        return (float(np.mean(values)) * 100,)
    return tuple(float(value) for value in np.percentile(values, (50, 95)))


def met(metric: Metric, values: Sequence[float]) -> bool | None:
    """Whether all that is aimed at is reached; None: nothing is."""
    pairs = zip(figures(metric, values), metric.reach, strict=False)
    aimed = [(value, aim) for value, aim in pairs if aim is not None]
    if not aimed:
        return None
    return all(value <= aim if metric.better == "lower" else value >= aim for value, aim in aimed)


def cells(metric: Metric, values: Sequence[float]) -> list[str]:
    """A row as it is shown."""
    shown = [
        f"{value:.1f} %" if metric.rate else f"{value:.0f} {metric.unit}"
        for value in figures(metric, values)
    ]
    p50, p95 = (*shown, "")[:2]
    verdict = MET[met(metric, values)]
    return [metric.title, p50, p95, str(len(values)), _reach(metric), verdict]


def _reach(metric: Metric) -> str:
    aims = " / ".join(f"{aim:.0f}" for aim in metric.reach if aim is not None)
    sign, unit = "≤" if metric.better == "lower" else "≥", "%" if metric.rate else metric.unit
    return f"{sign} {aims} {unit}" if aims else ""
