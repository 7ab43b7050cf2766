"""What is known of the machine: how much of it is in use now, and nothing where none can tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from visavis.bench import about

OTHERS = "cpu0 1 1 1 1 1 1 1 1 0 0\n"


def stat(user: int, idle: int, iowait: int = 0, steal: int = 0) -> str:
    return f"cpu  {user} 0 0 {idle} {iowait} 0 0 {steal} 0 0\n{OTHERS}"


@pytest.mark.parametrize(
    ("later", "in_use"),
    [
        (stat(90_000, 1_100), 0.0),
        (stat(90_000, 1_050, iowait=50), 0.0),
        (stat(90_050, 1_050), 1.0),
        (stat(90_025, 1_050, steal=25), 1.0),
        (stat(90_100, 1_000), 2.0),
        (stat(90_000, 1_000), None),
        ("", None),
    ],
)
def test_what_is_in_use_now_counts_and_not_what_was_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, later: str, in_use: float | None
) -> None:
    monkeypatch.setattr(about, "cores", lambda: 2)
    file = tmp_path / "stat"
    file.write_text(stat(90_000, 1_000))
    assert about.cores_in_use(lambda: void(file.write_text(later)), file) == in_use


def void(_: object) -> None:
    pass


def test_where_the_system_does_not_tell_it_does_not_even_wait(tmp_path: Path) -> None:
    assert about.cores_in_use(lambda: pytest.fail("waited"), tmp_path / "none") is None
    (tmp_path / "odd").write_text("intr 1 2 3 4 5 6 7 8\n")
    assert about.cores_in_use(lambda: pytest.fail("waited"), tmp_path / "odd") is None
