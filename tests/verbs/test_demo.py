"""`visavis demo` with fake engines and no waiting: the script is played, one answer is cut off."""

from __future__ import annotations

import json
import wave
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from visavis import engines
from visavis.backends.llm.fake import FakeLlm
from visavis.backends.picture.fake import FakePictureCodec
from visavis.config import Config
from visavis.flow import events as e
from visavis.flow.clock import SimulatedClock
from visavis.flow.errors import EngineError
from visavis.govern.recording import Entry
from visavis.govern.replay import read, replay
from visavis.source.paint import paint
from visavis.source.stage import GRAIN
from visavis.verbs import demo as verb
from visavis.verbs.demo import perform
from visavis.verbs.dialogue import Line
from visavis.wiring import Parts

from .conftest import RunVerb
from .fake_engines import LegibleTts, eyes, parts, rebuilt

SCRIPT = (
    Line("what is the capital of france"),
    Line("tell me a story about water"),
    Line("stop what day is it", cuts=True),
    Line("thanks who is in this book"),
)
LONG = "the water was far from the old house and " * 8


def answer(messages: Sequence[e.Message], _: Random) -> str:
    return LONG if "story" in messages[-1].content else "it is here."


def made_of_fakes(config: Config | None = None, **_: Any) -> Parts:
    clock = SimulatedClock()
    return parts(config, llm=FakeLlm(clock, script=answer), tts=LegibleTts(clock))


@pytest.fixture
def _short_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verb, "SCRIPT", SCRIPT)


@pytest.mark.usefixtures("_short_script")
def test_the_conversation_happens_and_is_left_behind(tmp_path: Path) -> None:
    outcome = perform(made_of_fakes(), tmp_path, pace="fast")
    summary, cancelled = outcome.summary, outcome.cancelled
    assert not cancelled
    said = [(item["role"], item["cut"]) for item in summary["history"]]
    exchange = [("user", False), ("assistant", False)]
    assert said == [*exchange, ("user", False), ("assistant", True), *exchange, *exchange]
    asked = [item["text"] for item in summary["history"] if item["role"] == "user"]
    assert asked == [line.text for line in SCRIPT]
    assert LONG.startswith(summary["history"][3]["text"])
    assert len(summary["interruptions"]) == 1
    assert summary["interruptions"][0]["silence_ms"] <= 20
    assert summary["failures"] == []
    recording = read(tmp_path / "run.mcap")
    assert replay(recording, rebuilt).identical


@pytest.mark.usefixtures("_short_script")
def test_user_and_system_are_left_and_right_on_one_axis(tmp_path: Path) -> None:
    summary = perform(made_of_fakes(), tmp_path, pace="fast").summary
    with wave.open(str(tmp_path / "conversation.wav")) as file:
        assert file.getnchannels() == 2
        rate_hz = file.getframerate()
        data = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)
    user, system = (np.abs(data[:, side].astype(np.int32)) for side in (0, 1))
    for item in summary["history"]:
        at = round(item["start_ms"] * rate_hz / 1000)
        speaks, listens = (user, system) if item["role"] == "user" else (system, user)
        assert speaks[at : at + rate_hz // 2].max() > 1000
        if summary["history"].index(item) != 4:  # who cuts in speaks over the other
            assert listens[at : at + rate_hz // 10].max() < 100


@pytest.mark.usefixtures("_short_script")
def test_the_verb_leaves_its_summary_and_says_where(
    run_verb: RunVerb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "load_parts", made_of_fakes)
    monkeypatch.setattr("visavis.verbs.pull.pull_missing", lambda *_: None)
    monkeypatch.setattr(verb, "perform", lambda parts, out: perform(parts, out, pace="fast"))
    out = tmp_path / "new" / "folder"
    ended = run_verb("demo", "--out", str(out), "--json")
    assert ended.code == 0
    assert json.loads(ended.out) == json.loads((out / "summary.json").read_text("utf-8"))
    for name in ("conversation.wav", "run.mcap", "summary.json"):
        assert (out / name).is_file()
        assert name in ended.err
    assert "goes without pictures" in ended.err
    assert "over 4 answers" in ended.err
    assert "interrupted: silent " in ended.err


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), 130), (EngineError("the engine died"), 1)]
)
def test_broken_off_it_says_which_files_it_has_written(
    run_verb: RunVerb,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: int,
) -> None:
    def broken(parts: Parts, out: Path) -> None:
        (out / "run.mcap").write_bytes(b"")
        raise error

    monkeypatch.setattr(engines, "load_parts", made_of_fakes)
    monkeypatch.setattr("visavis.verbs.pull.pull_missing", lambda *_: None)
    monkeypatch.setattr(verb, "perform", broken)
    (tmp_path / "conversation.wav").write_bytes(b"of an earlier run")
    ended = run_verb("demo", "--out", str(tmp_path))
    assert ended.code == code
    assert str(tmp_path / "run.mcap") in ended.err
    assert "conversation.wav" not in ended.err
    assert "summary.json" not in ended.err


def seeing_fakes(config: Config | None = None, *, sight: bool = False, **_: Any) -> Parts:
    assert sight
    clock = SimulatedClock()
    return parts(
        config,
        llm=FakeLlm(clock, script=answer, picture_tokens=16),
        tts=LegibleTts(clock),
        **eyes(),
    )


def test_where_it_has_eyes_a_scene_is_filmed_and_the_truth_is_told(
    run_verb: RunVerb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        Line("what is that", looks=True),
        Line("what is on the left", looks=True, shows=verb.SECOND),
        Line("thanks who is in this book"),
    )
    monkeypatch.setattr(verb, "SEEING_SCRIPT", script)
    monkeypatch.setattr(engines, "load_parts", seeing_fakes)
    monkeypatch.setattr("visavis.verbs.pull.pull_missing", lambda *_: None)
    monkeypatch.setattr(verb, "perform", lambda parts, out: perform(parts, out, pace="fast"))
    ended = run_verb("demo", "--out", str(tmp_path), "--json")
    assert ended.code == 0
    told = json.loads(ended.out)
    assert [(truth["question"], truth["scene"]) for truth in told["truths"]] == [
        ("what is that", str(verb.FIRST)),
        ("what is on the left", str(verb.SECOND)),
    ]
    asked = [item["text"] for item in told["history"] if item["role"] == "user"]
    assert asked == [line.text for line in script]
    assert ended.err.count("in view: ") == 2
    assert f"in view: {verb.SECOND} (for 0." in ended.err
    looks = [reply["view"] for reply in told["replies"]]
    times = {"captured_ms", "offset_ms", "early"}
    assert looks[0].keys() == {"view_id", *times, "text", "written"}
    assert all(look["early"] and abs(look["offset_ms"]) <= 20 for look in looks)
    assert looks[0]["view_id"] != looks[1]["view_id"] == looks[2]["view_id"]
    assert told["eyes"]["encodes"] < told["eyes"]["looks"] < told["eyes"]["frames_captured"] / 10
    recording = read(tmp_path / "run.mcap")
    assert replay(recording, rebuilt).identical
    pictures = {entry.event().view.id: entry.media for entry in recording if is_look(entry)}  # type: ignore[attr-defined]
    for look, scene in zip(looks, (verb.FIRST, verb.SECOND), strict=False):
        seen = FakePictureCodec().decode(pictures[look["view_id"]]).astype(int)
        assert np.abs(seen - paint(scene, 320, 240)).max() <= GRAIN


def is_look(entry: Entry) -> bool:
    return entry.topic == "view.taken" and bool(entry.media)


@pytest.mark.parametrize("script", [verb.SCRIPT, verb.SEEING_SCRIPT])
def test_each_dialogue_has_an_interruption_and_shows_only_what_was_painted(
    script: tuple[Line, ...],
) -> None:
    assert sum(line.cuts for line in script) == 1
    assert not script[0].cuts
    assert {line.shows for line in script} <= {None, verb.SECOND}


def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_fetched(
    run_verb: RunVerb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[object] = []
    monkeypatch.setattr("visavis.verbs.pull.pull_missing", lambda *given: fetched.append(given))
    (tmp_path / "file").write_text("not a folder")
    ended = run_verb("demo", "--out", str(tmp_path / "file" / "demo"))
    assert (ended.code, ended.out, fetched) == (2, "", [])
    assert ended.err.count("\n") == 1
    assert "give another folder with --out" in ended.err


def test_a_tier_that_does_not_exist_leaves_no_folder(run_verb: RunVerb, tmp_path: Path) -> None:
    ended = run_verb("demo", "--tier", "huge", "--out", str(tmp_path / "demo"))
    assert ended.code == 2
    assert not (tmp_path / "demo").exists()
