"""The table of scenarios: scripts that are data, the same for the same seed."""

from __future__ import annotations

import msgspec
import pytest

from visavis.bench.measure import MEASURES
from visavis.bench.metrics import BY_NAME as METRICS
from visavis.bench.scenario import SCENARIOS, Scenario, scripts
from visavis.bench.script import Script

INTERNAL = {"pause_left"}
each = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)


@each
def test_a_script_is_json(scenario: Scenario) -> None:
    for script in scripts(scenario, 1, 4):
        assert msgspec.json.decode(msgspec.json.encode(script), type=Script) == script


@each
def test_a_quick_run_is_the_beginning_of_a_full_one(scenario: Scenario) -> None:
    quick, full = (list(scripts(scenario, 5, count)) for count in (2, 6))
    assert full[:2] == quick
    assert quick != list(scripts(scenario, 6, 2))
    assert len({(script.name, script.seed) for script in full}) == len(full)


@each
def test_its_metrics_can_be_measured_and_shown(scenario: Scenario) -> None:
    assert set(scenario.metrics) <= set(MEASURES)
    assert set(scenario.metrics) - INTERNAL <= set(METRICS)


@each
def test_the_voice_varies_as_promised(scenario: Scenario) -> None:
    for script in scripts(scenario, 1, 12):
        assert 1.05 <= script.timbre.ratio <= 1.2
        assert -30 <= script.timbre.level_db <= -16


@each
def test_lines_follow_their_cues(scenario: Scenario) -> None:
    for script in scripts(scenario, 1, 12):
        assert script.lines[0].cue.after == "start"
        assert all(line.cue.after != "start" for line in script.lines[1:])
        for line in script.lines:
            assert len(line.gaps_s) == len(line.pieces) - 1
            if script.scenario == "pauses":
                assert all(0.4 <= gap_s <= 1.2 for gap_s in line.gaps_s)


def test_interruptions_come_early_in_the_middle_late_and_twice() -> None:
    interruption = next(row for row in SCENARIOS if row.name == "interruption")
    early, middle, late, twice = scripts(interruption, 1, 4)
    waits = [script.lines[1].cue.wait_s for script in (early, middle, late)]
    assert waits == sorted(waits)
    assert waits[0] < 0.5 < waits[1] < 2 < waits[2]
    assert [line.kind for line in twice.lines] == ["question", "interruption", "interruption"]


def test_an_aside_is_weaker_and_turned_away() -> None:
    aside = next(row for row in SCENARIOS if row.name == "aside")
    for script in scripts(aside, 1, 3):
        said = script.lines[1]
        assert (said.kind, said.gain_db, said.away) == ("aside", -12, True)
