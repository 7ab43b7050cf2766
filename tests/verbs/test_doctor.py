"""`visavis doctor`: what is missing is told with what to do about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from visavis.backends.contract import Options
from visavis.bundle import catalogue
from visavis.bundle.store import Installed, Store
from visavis.config import Config, load
from visavis.verbs import health
from visavis.verbs.health import child, devices, libraries, machine, models
from visavis.verbs.health.check import Check

from .conftest import RunVerb


@pytest.fixture
def _no_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries import and there is no sound, without a process being started for either."""
    monkeypatch.setattr(child, "start", lambda code: code)
    monkeypatch.setattr(
        child,
        "result",
        lambda code: (
            (1, "", "OSError: PortAudio library not found\n")
            if "sounddevice" in code
            else (0, "", "")
        ),
    )


def _by_name(checks: list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


@pytest.mark.usefixtures("_no_children")
def test_an_empty_store_is_a_problem_with_one_remedy(run_verb: RunVerb) -> None:
    ended = run_verb("doctor")
    assert ended.code == 1
    assert ended.out.count("is not installed\n") >= 5
    assert ended.out.endswith("Do this:\n  run 'visavis pull --tier tiny'\n")


@pytest.mark.usefixtures("_no_children")
def test_json_says_whether_it_is_ready(run_verb: RunVerb) -> None:
    told = json.loads(run_verb("doctor", "--json").out)
    assert told["ready"] is False
    assert told["tier"] == "tiny"
    assert {"group", "name", "verdict", "value", "remedy"} == told["checks"][0].keys()
    assert {row["group"] for row in told["checks"]} == {"machine", "devices", "libraries", "models"}


@pytest.mark.usefixtures("_no_children")
def test_notes_alone_leave_it_ready(run_verb: RunVerb, monkeypatch: pytest.MonkeyPatch) -> None:
    note = Check("devices", "sound", "note", "no microphone", "connect one")
    monkeypatch.setattr(health, "everything", lambda *_, **__: [note])
    ended = run_verb("doctor")
    assert ended.code == 0
    assert "connect one" in ended.out
    assert "The tier tiny can run" in ended.out


@pytest.mark.usefixtures("_no_children")
@pytest.mark.parametrize(
    ("text", "problem", "remedy"),
    [
        ("[reply\n", "is not TOML: ", "correct it there"),
        ("[turn]\n", "unknown table [turn]", "did you mean [turns]?"),
        (None, "No such file or directory", "check VISAVIS_CONFIG"),
    ],
)
def test_a_broken_configuration_is_a_finding_and_the_rest_is_looked_at(
    run_verb: RunVerb,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    text: str | None,
    problem: str,
    remedy: str,
) -> None:
    path = tmp_path / "c.toml"
    if text is not None:
        path.write_text(text)
    monkeypatch.setenv("VISAVIS_CONFIG", str(path))
    fine = Check("machine", "cores", "ok", "8")
    monkeypatch.setattr(health, "everything", lambda *_, **__: [fine])
    ended = run_verb("doctor")
    assert (ended.code, ended.err) == (1, "")
    first, found, _, *rest = ended.out.splitlines()
    assert first == "configuration"
    assert f"{path}: {problem}" in found
    assert any("cores" in line for line in rest)
    assert ended.out.endswith(f"Do this:\n  in {path}: {remedy}\n")
    told = json.loads(run_verb("doctor", "--json").out)
    assert not told["ready"]
    assert [check["group"] for check in told["checks"]] == ["configuration", "machine"]


@pytest.mark.usefixtures("_no_children")
def test_a_missing_portaudio_is_named_as_debian_names_it() -> None:
    sound = _by_name(list(devices.checks()))["sound"]
    assert sound.verdict == "note"
    assert sound.remedy == "apt install libportaudio2"


def test_sound_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = '[["mic", 1, 0], ["speaker", 0, 2], ["headset", 1, 2]]'
    monkeypatch.setattr(child, "start", lambda code: code)
    monkeypatch.setattr(child, "result", lambda _: (0, rows, ""))
    assert _by_name(list(devices.checks()))["sound"].value == "2 inputs, 2 outputs"
    monkeypatch.setattr(child, "result", lambda _: (0, "[]", ""))
    assert _by_name(list(devices.checks()))["sound"].verdict == "note"


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ((1, "", "Traceback …\nImportError: libgomp.so.1: cannot open\n"), "ImportError: libgomp"),
        ((-4, "", ""), "importing it kills the process (signal 4)"),
    ],
)
def test_a_library_that_does_not_import_is_a_problem(
    monkeypatch: pytest.MonkeyPatch, result: tuple[int, str, str], words: str
) -> None:
    monkeypatch.setattr(child, "start", lambda code: code)
    monkeypatch.setattr(child, "result", lambda _: result)
    check = _by_name(list(libraries.checks({"onnxruntime"})))["onnxruntime"]
    assert check.verdict == "problem"
    assert words in check.value
    assert "visavis[local]" in check.remedy


def test_a_library_that_is_missing_is_a_problem_only_if_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(libraries, "version_of", lambda _: None)
    found = _by_name(list(libraries.checks({"onnxruntime"})))
    assert found["onnxruntime"].verdict == "problem"
    assert found["sounddevice"].verdict == "note"
    assert found["sounddevice"].remedy == "pip install 'visavis[device]'"


def test_no_camera_is_noted_with_what_works_without(tmp_path: Path) -> None:
    check = devices._cameras(tmp_path)
    assert (check.verdict, check.value) == ("note", "none found")
    assert "pictures" in check.remedy
    for number, name in enumerate(("Front", "Back", "Front")):
        (tmp_path / f"video{number}").mkdir()
        (tmp_path / f"video{number}" / "name").write_text(f"{name}\n")
    check = devices._cameras(tmp_path)
    assert (check.verdict, check.value, check.remedy) == ("ok", "Back, Front", "")


def test_the_tier_needs_the_libraries_of_its_bundles() -> None:
    needed = models.libraries_of(Config())
    assert needed == {"onnxruntime", "faster-whisper", "piper-tts", "xllamacpp"}


def test_a_store_that_cannot_be_written_is_noted(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    checks = _by_name(list(machine.checks(Config(models=tmp_path / "file"))))
    assert checks["store"].verdict == "note"
    assert "VISAVIS_MODELS" in checks["store"].remedy


def test_little_memory_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"meminfo": "MemTotal: 2000000 kB\nMemAvailable: 700000 kB", "memory.max": "max"}
    monkeypatch.setattr(machine, "text", lambda path: said.get(path.name, ""))
    check = _by_name(list(machine.checks(Config())))["memory"]
    assert check.verdict == "note"
    assert check.value == "0.7 of 2.0 GB free"


def test_a_quota_of_one_core_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        machine, "text", lambda path: "100000 100000" if path.name == "cpu.max" else ""
    )
    assert _by_name(list(machine.checks(Config())))["cores"].verdict == "note"


def _models(tmp_path: Path, **changes: Any) -> list[Check]:
    return list(models.checks(Config(models=tmp_path / "store", **changes)))


def test_a_language_that_is_not_understood_is_a_problem(tmp_path: Path) -> None:
    told = [each for each in _models(tmp_path, language="zh") if each.name == "language"]
    assert [each.verdict for each in told] == ["problem", "note", "note"]
    assert "whisper-tiny-en understands only en" in told[0].value
    assert "visavis pull whisper-base" in told[0].remedy
    assert all(each.remedy for each in told)


def test_a_bundle_of_another_kind_is_a_problem(tmp_path: Path) -> None:
    check = _by_name(_models(tmp_path, bundles={"asr": "smart-turn"}))["smart-turn"]
    assert (check.verdict, check.value) == ("problem", "is a turn bundle, not asr")
    assert "whisper-tiny-en" in check.remedy


def test_a_child_gives_its_code_and_last_words() -> None:
    code, out, err = child.result(child.start("print('out'); raise KeyError('why')"))
    assert (code, out) == (1, "out\n")
    assert child.last(err) == "KeyError: 'why'"


def test_a_bundle_whose_backend_is_nowhere_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find(store: Store, name: str) -> Installed:
        return Installed(replace(catalogue.manifest(name), backend="mine"), tmp_path)

    monkeypatch.setattr(Store, "has", lambda store, name: True)
    monkeypatch.setattr(Store, "find", find)
    check = _by_name(_models(tmp_path))["whisper-tiny-en"]
    assert (check.verdict, check.value) == ("problem", "its backend 'mine' is not here")
    assert "faster_whisper" in check.remedy


@pytest.mark.model
def test_a_pulled_tier_is_ready(model_options: Callable[[str], Options]) -> None:
    config = load()
    for name in models.catalogue.tier("tiny").bundles:
        model_options(name)
    found = list(models.checks(config, thorough=True))
    assert [check.verdict for check in found] == ["ok"] * 5
