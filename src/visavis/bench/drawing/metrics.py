"""A metric as a row of the report's table: its picture, its figures, and whether they will do."""

from __future__ import annotations

from collections.abc import Sequence

from visavis.bench.drawing.markup import element, figure, joined, text
from visavis.bench.drawing.strip import strip
from visavis.bench.result import Metric
from visavis.bench.score import Figure, figures, met


def row(metric: Metric, values: Sequence[float]) -> str:
    """The row; `values` are at least one, and numbers."""
    reached = met(metric, values)
    sub = "sub" if metric.is_part else None
    cells = [
        element("th", text(metric.title.strip()), scope="row", class_=sub),
        element("td", strip(metric, values), class_="picture"),
        *(_cell(metric, each) for each in figures(metric, values)),
        element("td", class_="none") if metric.rate else "",  # below p95
        element("td", str(len(values)), class_="n", data_label="n"),
        element("td", _reach(metric), class_="reach", data_label="aim"),
        element("td", {True: "✓ reached", False: "✗ missed", None: ""}[reached], class_="verdict"),
    ]
    state = {True: "met", False: "missed", None: "open"}[reached]
    return element("tr", joined(cells), class_=state)


def _cell(metric: Metric, shown: Figure) -> str:
    content = figure(shown.value, _unit(metric)) + element("small", f" {text(_unit(metric))}")
    missed = "figure missed" if shown.reached is False else "figure"
    return element("td", content, class_=missed, data_label=shown.name)


def _reach(metric: Metric) -> str:
    sign = "≤" if metric.better == "lower" else "≥"
    aims = [f"{sign} {figure(aim, _unit(metric))}" for aim in metric.reach if aim is not None]
    return text(" / ".join(aims) + f" {_unit(metric)}") if aims else ""


def _unit(metric: Metric) -> str:
    return "%" if metric.rate else metric.unit
