"""The command line as a whole: every verb helps, and says by its exit code how it went."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from visavis import __main__ as door
from visavis.flow.errors import EngineError, InputError, PullError

from .conftest import RunVerb


@pytest.mark.parametrize("verb", door.VERBS)
def test_the_help_of_every_verb_teaches_by_example(run_verb: RunVerb, verb: str) -> None:
    ended = run_verb(verb, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"Usage: visavis {verb}")
    examples = [line for line in ended.out.splitlines() if line.startswith(f"  visavis {verb}")]
    assert examples, "an example that can be copied"


def test_help_lists_every_verb_and_how_to_begin(run_verb: RunVerb) -> None:
    ended = run_verb("--help")
    assert ended.code == 0
    for verb, what in door.VERBS.items():
        assert f"\n  {verb} " in ended.out
        assert what.split()[0] in ended.out
    assert "\n  visavis demo " in ended.out
    assert run_verb("-h").out == ended.out


def test_the_version_is_the_package_s(run_verb: RunVerb) -> None:
    from importlib.metadata import version

    ended = run_verb("--version")
    assert (ended.code, ended.out) == (0, f"visavis, version {version('visavis')}\n")


def test_without_a_verb_it_helps_and_exits_with_2(run_verb: RunVerb) -> None:
    ended = run_verb()
    assert ended.code == 2
    assert "visavis demo" in ended.out + ended.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tlak"], "No such command 'tlak'. Did you mean 'talk'?"),
        (["dotcor", "--json"], "No such command 'dotcor'. Did you mean 'doctor'?"),
        (["xyz"], "No such command 'xyz'.\n"),
        (["talk", "--adio", "x.wav"], "No such option '--adio'"),
        (["talk", "--audio"], "'--audio' requires an argument"),
        (["talk", "--pace", "slow"], "'slow' is not one of 'fast', 'real'"),
        (["talk", "--seed", "x"], "'x' is not a valid integer"),
        (["talk", "--seed", "-1"], "-1 is not in the range"),
        (["demo", "--seed", str(2**32)], "4294967296 is not in the range"),
        (["talk", "stray"], "unexpected extra argument"),
        (["replay"], "Missing argument 'RECORDING'"),
        (["replay", "no.mcap"], "no.mcap: cannot be read"),
        (["demo", "--tier", "huge"], "huge: no such tier"),
        (["wiring", "--json"], "No such option '--json'"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what(
    run_verb: RunVerb, arguments: list[str], words: str
) -> None:
    ended = run_verb(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InputError("a.wav", "is empty", "copy it again"), 2, "a.wav: is empty; copy it again"),
        (EngineError("the engine died (SIGKILL)"), 1, "the engine died (SIGKILL)"),
        (PullError("index", "does not answer"), 1, "index: does not answer"),
        (KeyboardInterrupt(), 130, "cancelled"),
        (OSError(28, "No space left on device"), 1, "No space left on device"),
        (PermissionError(13, "Permission denied", "a.wav"), 1, "a.wav: Permission denied"),
    ],
)
def test_what_goes_wrong_is_one_line_and_an_exit_code(
    run_verb: RunVerb,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
    said: str,
) -> None:
    def fail() -> str:
        raise error

    monkeypatch.setattr("visavis.wiring.mermaid", fail)
    ended = run_verb("wiring")
    assert (ended.code, ended.out, ended.err.lstrip()) == (code, "", f"visavis: {said}\n")


def test_the_chart_of_the_wiring_is_on_stdout(run_verb: RunVerb) -> None:
    ended = run_verb("wiring")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("flowchart LR\n")
    assert "perceive_vad -- speech.started --> " in ended.out


WIRING = [sys.executable, "-m", "visavis", "wiring"]


def test_it_runs_as_a_module_and_minds_a_closed_pipe() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(WIRING, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has such a device")
def test_an_output_that_is_full_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(WIRING, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "visavis: No space left on device\n")


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-"])
def test_a_stream_that_was_closed_is_not_missed(closed: str) -> None:
    command = f'"$0" -m visavis replay no.mcap {closed}'
    done = subprocess.run(["sh", "-c", command, sys.executable], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"")


def test_ctrl_c_while_it_is_being_imported_is_one_line() -> None:
    program = (
        "import sys\n"
        "class Impatient:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Impatient())\n"
        "import visavis.__main__\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "visavis: cancelled\n")
