"""The table on the terminal: each metric with its p50 and p95, what is aimed at, and whether it is
met.

Takes a `Result`; gives a rich table. Invariant: a metric without samples is not shown as met.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.table import Table

from visavis.bench.metrics import METRICS
from visavis.bench.result import Metric, Result


@dataclass(frozen=True, slots=True)
class Row:
    """A metric's figures. `p50` of a rate is its mean in %. `met` None: nothing is aimed at."""

    metric: Metric
    count: int
    p50: float
    p95: float | None
    met: bool | None


def rows(result: Result) -> list[Row]:
    """Those metrics of which there are samples, in the order of the table of metrics."""
    found = ((metric, result.values(metric.name)) for metric in METRICS)
    return [row(metric, values) for metric, values in found if values]


def row(metric: Metric, values: Sequence[float]) -> Row:
    """The figures of at least one sample."""
    if metric.rate:
        p50, p95 = float(np.mean(values)) * 100, None
    else:
        p50, p95 = (float(share) for share in np.percentile(values, (50, 95)))
    pairs = zip((p50, p95), metric.reach, strict=True)
    verdicts = [
        value <= reach if metric.better == "lower" else value >= reach
        for value, reach in pairs
        if value is not None and reach is not None
    ]
    return Row(metric, len(values), p50, p95, all(verdicts) if verdicts else None)


def table(result: Result) -> Table:
    """All rows, ready to be printed."""
    made = Table(title=result.about.get("command", ""), title_justify="left", box=None)
    made.add_column("metric", no_wrap=True)
    for name in ("p50", "p95", "n", "reach"):
        made.add_column(name, justify="right")
    made.add_column("met")
    for each in rows(result):
        unit = "%" if each.metric.rate else each.metric.unit
        made.add_row(
            each.metric.title,
            f"{each.p50:.{1 if each.metric.rate else 0}f} {unit}",
            "" if each.p95 is None else f"{each.p95:.0f} {unit}",
            str(each.count),
            _reach(each.metric, unit),
            {None: "", True: "[green]✓[/]", False: "[red]✗[/]"}[each.met],
        )
    return made


def _reach(metric: Metric, unit: str) -> str:
    wanted = [f"{reach:.0f}" if reach is not None else "" for reach in metric.reach]
    if not any(wanted):
        return ""
    sign = "≤" if metric.better == "lower" else "≥"
    return f"{sign} {' / '.join(filter(None, wanted))} {unit}"
