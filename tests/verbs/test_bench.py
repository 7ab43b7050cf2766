"""`visavis bench`: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from visavis.bench import store
from visavis.bench.result import Episode, Result, Sounding, Stretch
from visavis.bench.scenario import SCENARIOS, Scenario
from visavis.bench.script import Script
from visavis.flow.errors import EngineError
from visavis.verbs import bench
from visavis.verbs.run import check_writable

from .conftest import RunVerb


class Player:
    """Answers each question `late_s` after it; `fails` at the episode of that number."""

    error = ""  # of every episode

    def __init__(self, late_s: float = 0.5, fails: dict[int, BaseException] | None = None) -> None:
        self.closed = False
        self._late_s, self._fails = late_s, fails or {}
        self._count = 0

    def play(self, script: Script) -> Episode:
        self._count += 1
        if self._count in self._fails:
            raise self._fails[self._count]
        truth = [Stretch("question", 1.0, 2.0, "hello")]
        sounding = [Sounding(1, 2.0 + self._late_s, 6.0)]
        played = Episode(script.scenario, script.name, script.seed, 9.0, truth, sounding)
        played.error = self.error
        return played

    def why_not(self, scenario: Scenario) -> str:
        return ""

    def close(self) -> None:
        self.closed = True


@pytest.fixture(autouse=True)
def _on_a_quiet_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("visavis.bench.about.cores_in_use", lambda: 0.0)


@pytest.fixture
def with_player(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`with_player(player)`: the verb talks to it."""

    def put(player: Player) -> Player:
        monkeypatch.setattr(bench, "_open", lambda chosen, *_: (player, chosen))
        return player

    return put


def test_the_scenarios_are_listed(run_verb: RunVerb) -> None:
    ended = run_verb("bench", "--list")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert [line.split()[0] for line in lines] == [scenario.name for scenario in SCENARIOS]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scenario", "nois"], "nois: no such scenario; there are smooth, pauses"),
        (["--compare", "none.json"], "none.json: cannot be read"),
        (["--json", "no/such/folder.json"], "its folder does not exist"),
        (["--json", ""], "--json: the name is empty"),
        (["--report", ""], "--report: the name is empty"),
        (["--json", "."], ".: is a folder"),
        (["--json", "n" * 250 + ".json"], ".json: cannot be written (File name too long)"),
        (["--json", "n" * 300], "cannot be written (File name too long)"),
        (["--report", "名" * 85], "cannot be written (File name too long)"),
        (["--url", "http://localhost:8000"], "http://localhost:8000: is no address of a WebSocket"),
        (["--url", "ws://127.0.0.1:99999/x"], "ws://127.0.0.1:99999/x: has no port that there is"),
        (["--url", "ws://[::1"], "ws://[::1: is no URL"),
        (["--url", "ws://a..b/"], "ws://a..b/: has no host"),
        (["--url", ""], "'': is no address of a WebSocket"),
        (["--seed", "-1"], "-1 is not in the range"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_loaded(
    run_verb: RunVerb, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.setattr(bench, "_open", lambda *_: pytest.fail("loaded"))
    ended = run_verb("bench", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err


def test_a_link_is_judged_by_what_it_names(
    run_verb: RunVerb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench, "_open", lambda *_: pytest.fail("loaded"))
    for name, to in (("gone", "nowhere/a.json"), ("a", "b"), ("b", "a"), ("dir", ".")):
        (tmp_path / name).symlink_to(to)
    for name, words in (
        ("gone", "its folder does not exist; mkdir -p " + str(tmp_path / "nowhere")),
        ("a", "cannot be written (Too many levels of symbolic links)"),
        ("dir", "is a folder"),
    ):
        ended = run_verb("bench", "--json", str(tmp_path / name))
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert f"{tmp_path / name}: {words}" in ended.err
    (tmp_path / "report").symlink_to("real.json")
    both = ("--json", str(tmp_path / "real.json"), "--report", str(tmp_path / "report"))
    assert "would be written over" in run_verb("bench", *both).err


def test_a_pipe_is_no_file_beside_which_another_is_put(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    check_writable(tmp_path / "pipe", "--json", stream=True)


def test_a_run_prints_the_table_and_writes_result_and_report(
    run_verb: RunVerb, with_player: Any, tmp_path: Path
) -> None:
    player = with_player(Player())
    out, page = tmp_path / "out.json", tmp_path / "out.html"
    arguments = ["--quick", "--scenario", "smooth", "--json", str(out), "--report", str(page)]
    ended = run_verb("bench", *arguments)
    assert ended.code == 0
    assert player.closed
    (row,) = [line for line in ended.out.splitlines() if line.startswith("voice to voice, ")]
    told = row.removeprefix("voice to voice, smooth turns").split()
    assert told == ["500", "ms", "500", "ms", "4", "≤", "550", "/", "900", "ms", "✓"]
    assert "smooth 1" in ended.err
    written = json.loads(out.read_text())
    assert written["about"]["command"] == "visavis bench --quick --scenario smooth --seed 1"
    assert written["episodes"][0]["truth"][0]["text"] == "hello"
    assert "<html" in page.read_text()


def test_what_got_worse_ends_with_1(run_verb: RunVerb, with_player: Any, tmp_path: Path) -> None:
    old, again = tmp_path / "old.json", tmp_path / "again.json"
    with_player(Player(late_s=0.5))
    assert run_verb("bench", "--scenario", "smooth", "--json", str(old)).code == 0
    with_player(Player(late_s=0.5))
    same = run_verb("bench", "--scenario", "smooth", "--compare", str(old))
    assert (same.code, "same" in same.out) == (0, True)
    with_player(Player(late_s=1.5))
    arguments = ["--scenario", "smooth", "--compare", str(old), "--json", str(again)]
    worse = run_verb("bench", *arguments)
    assert (worse.code, "worse" in worse.out) == (1, True)
    assert again.is_file()


def test_ctrl_c_shows_and_keeps_what_was_measured(
    run_verb: RunVerb, with_player: Any, tmp_path: Path
) -> None:
    player = with_player(Player(fails={3: KeyboardInterrupt()}))
    out = tmp_path / "out.json"
    ended = run_verb("bench", "--scenario", "smooth", "--json", str(out))
    assert ended.code == 130
    assert player.closed
    assert "voice to voice, smooth turns" in ended.out
    assert len(store.load(out).episodes) == 2


def test_an_engine_that_dies_ends_it_in_one_line_and_keeps_the_rest(
    run_verb: RunVerb, with_player: Any, tmp_path: Path
) -> None:
    player = with_player(Player(fails={3: EngineError("the engine died")}))
    out = tmp_path / "out.json"
    ended = run_verb("bench", "--scenario", "smooth", "--json", str(out))
    assert ended.code == 1
    assert ended.err.splitlines()[-1] == "visavis: the engine died"
    assert player.closed
    assert len(store.load(out).episodes) == 2


def test_a_busy_machine_is_warned_about(
    run_verb: RunVerb, with_player: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_player(Player())
    monkeypatch.setattr("visavis.bench.about.cores", lambda: 4)
    for in_use, warned in ((1.4, True), (0.9, False), (None, False)):
        monkeypatch.setattr("visavis.bench.about.cores_in_use", lambda used=in_use: used)
        said = run_verb("bench", "--scenario", "thirty").err
        assert ("the machine is busy (1.4 of 4 cores in use)" in said) == warned
        assert ("busy" in said) == warned


def test_a_result_says_what_it_was_made_with_and_nothing_private(
    run_verb: RunVerb, with_player: Any, tmp_path: Path
) -> None:
    import getpass
    import platform

    with_player(Player())
    out = tmp_path / "out.json"
    run_verb("bench", "--scenario", "thirty", "--json", str(out))
    about = store.load(out).about
    assert {"version", "date", "machine", "tier", "target", "seed", "command"} <= set(about)
    told = " ".join(about.values())
    assert str(tmp_path) not in told
    for private in (platform.node(), getpass.getuser()):
        assert private not in told.split()


def test_nothing_measured_is_no_table(run_verb: RunVerb, with_player: Any) -> None:
    with_player(Player(fails={1: KeyboardInterrupt()}))
    ended = run_verb("bench", "--scenario", "smooth")
    assert ended.code == 130
    assert "metric" not in ended.out


def test_a_run_of_which_no_episode_was_played_has_failed(
    run_verb: RunVerb, with_player: Any, tmp_path: Path
) -> None:
    player = with_player(Player())
    player.error = "the server hung up"
    ended = run_verb("bench", "--scenario", "smooth")
    assert ended.code == 1
    assert "not played as scripted: smooth 1" in ended.err


def test_results_of_two_runs_can_be_compared_though_their_machines_differ(
    run_verb: RunVerb, with_player: Any, tmp_path: Path
) -> None:
    old = tmp_path / "old.json"
    store.save(Result(about={"machine": "another"}, episodes=[Episode("smooth", "n", 1)]), old)
    with_player(Player())
    ended = run_verb("bench", "--scenario", "smooth", "--compare", str(old))
    assert ended.code == 0
    assert "machine" in ended.out


def test_a_result_without_a_scenario_in_common_is_refused_before_anything_is_loaded(
    run_verb: RunVerb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench, "_open", lambda *_: pytest.fail("loaded"))
    old = tmp_path / "old.json"
    store.save(Result(episodes=[Episode(name, "n", 1) for name in ("echo", "noise")]), old)
    ended = run_verb("bench", "--scenario", "smooth", "--compare", str(old))
    assert (ended.code, ended.out) == (2, "")
    assert "old.json: has no scenario in common with this run; it has echo, noise: " in ended.err


def test_a_run_that_came_to_no_scenario_in_common_says_so(
    run_verb: RunVerb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    smooth = [scenario for scenario in SCENARIOS if scenario.name == "smooth"]
    monkeypatch.setattr(bench, "_open", lambda *_: (Player(), smooth))  # echo was skipped
    old = tmp_path / "old.json"
    store.save(Result(episodes=[Episode("echo", "n", 1)]), old)
    names = ["--scenario", "smooth", "--scenario", "echo"]
    ended = run_verb("bench", *names, "--compare", str(old))
    assert ended.code == 2
    assert "nothing to compare: the runs have no scenario in common" in ended.err
    assert "too few" not in ended.out
