"""The table on the terminal: each metric with its p50 and p95, what is aimed at, and whether it is
met.

Takes a `Result`; gives a rich table. Invariant: what was not measured is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from visavis.bench.metrics import METRICS, as_rows
from visavis.bench.result import Metric, Result
from visavis.bench.score import figures, finite, met

MET = {None: "", True: "[green]✓[/]", False: "[red]✗[/]"}


def table(result: Result) -> Table:
    """A row for each metric of which there are samples."""
    made = Table(box=None, pad_edge=False)
    made.add_column("metric")
    for name in ("p50", "p95", "n", "reach"):
        made.add_column(name, justify="right", no_wrap=True)
    made.add_column("met")
    measured = {metric.name: values for metric in METRICS if (values := finite(result, metric))}
    for metric in as_rows(metric for metric in METRICS if metric.name in measured):
        made.add_row(*cells(metric, measured[metric.name]))
    return made


def cells(metric: Metric, values: Sequence[float]) -> list[str]:
    """A row as it is shown."""
    shown = [
        f"{each.value:.1f} %" if metric.rate else f"{each.value:.0f} {metric.unit}"
        for each in figures(metric, values)
    ]
    p50, p95 = (*shown, "")[:2]
    verdict = MET[met(metric, values)]
    return [metric.title, p50, p95, str(len(values)), _reach(metric), verdict]


def _reach(metric: Metric) -> str:
    aims = " / ".join(f"{aim:.0f}" for aim in metric.reach if aim is not None)
    sign, unit = "≤" if metric.better == "lower" else "≥", "%" if metric.rate else metric.unit
    return f"{sign} {aims} {unit}" if aims else ""
