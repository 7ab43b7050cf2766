"""The table on the terminal."""

from __future__ import annotations

import pytest
from rich.console import Console

from visavis.bench.metrics import METRICS
from visavis.bench.result import Episode, Metric, Result
from visavis.bench.table import cells, table

SPEED = Metric("m", "speed", "lower", reach=(500, 900))
PARTS = [metric for metric in METRICS if metric.is_part]
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


def shown(*names: str, width: int = 80) -> list[str]:
    console = Console(width=width)
    episode = Episode("s", "n", 1, values={name: [12_345.0] for name in names})
    with console.capture() as said:
        console.print(table(Result(episodes=[episode])))
    return said.get().splitlines()[1:]


def test_a_part_stands_indented_below_its_whole() -> None:
    whole, part = shown("silent", "silent_echo")
    assert whole.startswith("voice over ours: silent ")
    assert part.startswith("  through the canceller ")


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_a_part_without_its_whole_has_a_full_title_that_fits(part: Metric) -> None:
    (row,) = shown(part.name)
    assert row.startswith(f"{part.full_title} ")
    assert not row.startswith(" ")


def test_what_stands_above_is_no_whole_unless_it_is_its_own() -> None:
    assert shown("voice_to_voice", "silent_echo")[1].startswith("silent, through the canceller")
    assert shown("false_cut_off", "cut_off_at_budget")[1].startswith("  cut off, endpoint within")
