"""The bars of a pull: one a bundle, and silence without a terminal."""

from __future__ import annotations

import pytest
from rich.progress import Progress as Bars

from visavis.bundle.fetch import Progress
from visavis.verbs.progress import _Rows, shown


def test_a_bundle_has_one_bar_that_starts_anew_with_each_step() -> None:
    bars = Bars(disable=True)
    rows = _Rows(bars)
    rows.show(Progress("toy", "a.bin", "downloading", 50, 100))
    rows.show(Progress("toy", "a.bin", "verifying", 100, 100))
    rows.show(Progress("toy", "b.bin", "downloading", 0, 0))
    (task,) = bars.tasks
    assert (task.description, task.fields["what"]) == ("toy", "downloading")
    assert (task.completed, task.total) == (0, None)
    rows.show(Progress("other", "", "waiting for another pull", 0, 0))
    assert [task.description for task in bars.tasks] == ["toy", "other"]


def test_without_a_terminal_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with shown() as report:
        report(Progress("toy", "a.bin", "downloading", 50, 100))
    assert capsys.readouterr() == ("", "")
