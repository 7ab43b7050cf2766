"""The page about the bench names all there is."""

from __future__ import annotations

from pathlib import Path

from visavis.bench.metrics import METRICS
from visavis.bench.scenario import SCENARIOS

PAGE = (Path(__file__).parents[2] / "docs" / "bench.md").read_text("utf-8")


def test_every_scenario_and_every_metric_is_explained() -> None:
    for scenario in SCENARIOS:
        assert f"| {scenario.name} |" in PAGE
    firsts = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| ")]
    explained = {name for first in firsts for name in first.replace(",", " ").split()}
    assert {metric.name for metric in METRICS} <= explained
