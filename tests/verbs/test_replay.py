"""`visavis replay` as a user sees it: what it prints, and how it exits."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.govern import toys
from visavis.__main__ import main


class Shell:
    """Runs the command line in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def run(self, *words: object) -> tuple[int, str, str]:
        """Exit code, stdout, stderr."""
        self._monkeypatch.setattr(sys, "argv", ["visavis", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = self._capsys.readouterr()
        return int(end.value.code or 0), out, err


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    wire(monkeypatch)
    return Shell(monkeypatch, capsys)


def wire(monkeypatch: pytest.MonkeyPatch, **nodes: Any) -> None:
    """Puts the toy line where the real one's builder is."""
    engines = ModuleType("visavis.engines")
    engines.replay_line = toys.builder(  # type: ignore[attr-defined]
        lambda ring: toys.inline_nodes(ring) | nodes
    )
    monkeypatch.setitem(sys.modules, "visavis.engines", engines)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    toys.record(tmp_path / "run.mcap", 3)
    return tmp_path / "run.mcap"


def test_the_same_program_is_called_identical_in_one_line(shell: Shell, run: Path) -> None:
    code, out, err = shell.run("replay", run)
    assert (code, err) == (0, "")
    report = json.loads(shell.run("replay", run, "--json")[1])
    compared, events = report["compared"], report["events"]
    assert 0 < compared < events
    assert out == f"identical: {compared:,} decisions in {events:,} events\n"


def test_a_difference_is_shown_with_what_led_there(
    shell: Shell, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire(monkeypatch, **{"toy.decide": toys.Decide(reason="a cough or so")})
    code, out, err = shell.run("replay", run)
    assert (code, err) == (1, "")
    first, *rest = out.splitlines()
    assert first.startswith("different: reply.cancel of toy.decide at event ")
    assert rest[:3] == ["  reason", '    was  "voice"', '    is   "a cough or so"']
    assert sum(line.startswith("    #") for line in rest) == 5
    assert max(map(len, out.splitlines())) <= 160


def test_an_event_that_is_missing_is_shown(
    shell: Shell, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent:
        name = "toy.segment"

        def on(self, event: object) -> tuple[()]:
            return ()

    wire(monkeypatch, **{"toy.segment": Silent()})
    code, out, _ = shell.run("replay", run, "--verbose")
    assert code == 1
    assert "phrase.released" in out
    assert "  is   nothing\n" in out


def test_json_tells_all_of_it(shell: Shell, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = shell.run("replay", run, "--json")
    told = json.loads(out)
    assert code == 0
    assert told["identical"] is True
    assert told["events"] > told["compared"] > 0
    assert told["difference"] is None
    wire(monkeypatch, **{"toy.decide": toys.Decide(reason="cough")})
    code, out, _ = shell.run("replay", run, "--json")
    assert code == 1
    assert json.loads(out)["difference"]["fields"] == ["reason"]


def test_verbose_says_where_the_recording_comes_from(shell: Shell, run: Path) -> None:
    code, out, _ = shell.run("replay", run, "--verbose")
    assert code == 0
    assert "2023-11-14 22:13:20 UTC" in out
    assert '{"toy": 3}' in out
    assert "toy.vad, toy.decide, toy.segment, toy.player" in out


def test_a_recording_that_breaks_off_says_so(shell: Shell, run: Path) -> None:
    data = run.read_bytes()
    run.write_bytes(data[: len(data) // 2])
    code, out, _ = shell.run("replay", run)
    assert code == 0
    assert out.startswith("identical: ")
    assert re.search(r"The recording breaks off at [12]\.\d\d s: it ends in the middle\.", out)


@pytest.mark.parametrize("where", [0.3, 0.6, 0.9])
def test_a_recording_that_is_damaged_is_not_called_identical(
    shell: Shell, run: Path, where: float
) -> None:
    data = bytearray(run.read_bytes())
    at = data.index(b"\x06", round(len(data) * where))
    data[at : at + 64] = bytes(byte ^ 0xFF for byte in data[at : at + 64])
    run.write_bytes(data)
    code, out, _ = shell.run("replay", run)
    assert code == 1
    assert not out.startswith("identical:")


def test_a_length_that_lies_is_not_taken_for_a_missing_end(shell: Shell, run: Path) -> None:
    data = bytearray(run.read_bytes())
    chunks = _chunks(data)
    at = chunks[len(chunks) // 2]
    data[at + 1 : at + 9] = len(data).to_bytes(8, "little")
    run.write_bytes(data)
    code, out, _ = shell.run("replay", run)
    assert code == 1
    first, second = out.splitlines()
    assert re.fullmatch(r"identical as far as it goes: \d+ decisions in \d+ events", first)
    assert "it is damaged before byte " in second


def _chunks(data: bytearray) -> list[int]:
    """Where the chunks begin: records are an opcode, a length of 8 bytes, and so many bytes."""
    at, found = 8, []
    while at < len(data) - 8:
        if data[at] == 0x06:
            found.append(at)
        at += 9 + int.from_bytes(data[at + 1 : at + 9], "little")
    return found


def test_a_recording_that_lost_events_is_not_called_identical(shell: Shell, tmp_path: Path) -> None:
    with toys.Recorder(tmp_path / "run.mcap", threaded=False) as recorder:
        for text in ("a", "\ud83d", "b"):
            recorder.write(toys.e.TokenMade(t_ns=0, text=text, index=0))
    code, out, _ = shell.run("replay", tmp_path / "run.mcap")
    assert code == 1
    assert "identical" not in out
    assert out.startswith("incomplete: no difference among 0 decisions in 1 events, but then, ")


@pytest.mark.parametrize("content", [None, b"", b"not an mcap"])
def test_a_file_that_is_no_recording_is_one_line_and_exit_2(
    shell: Shell, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "some.mcap"
    if content is not None:
        path.write_bytes(content)
    code, out, err = shell.run("replay", path)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "some.mcap" in err
    assert "visavis talk" in err


def test_the_help_teaches_by_example(shell: Shell) -> None:
    code, out, _ = shell.run("replay", "--help")
    assert code == 0
    assert "visavis replay run.mcap --json | jq .difference" in out
