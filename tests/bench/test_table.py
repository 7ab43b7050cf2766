"""The table on the terminal."""

from __future__ import annotations

from rich.console import Console

from visavis.bench.metrics import METRICS
from visavis.bench.result import Episode, Metric, Result
from visavis.bench.table import cells, table

SPEED = Metric("m", "speed", "lower", reach=(500, 900))
RATE = Metric("r", "rate", "higher", rate=True, reach=(95, None))


def test_a_row_says_figures_count_and_aim() -> None:
    assert cells(SPEED, [400, 500])[:5] == ["speed", "450 ms", "495 ms", "2", "≤ 500 / 900 ms"]
    assert cells(RATE, [1, 0])[:5] == ["rate", "50.0 %", "", "2", "≥ 95 %"]


def test_it_shows_what_was_measured_and_fits_a_terminal() -> None:
    values = {
        metric.name: [1.0] if metric.rate else [12_345.0]
        for metric in METRICS
        if metric.name != "duck"
    }
    values["endpoint"] = [float("nan")]
    console = Console(width=80)
    with console.capture() as said:
        console.print(table(Result(episodes=[Episode("s", "n", 1, values=values)])))
    lines = said.get().splitlines()
    assert len(lines) == 1 + len(METRICS) - 2, "a line each, none folded"
