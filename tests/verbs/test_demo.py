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
from visavis.config import Config
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S, SimulatedClock
from visavis.govern.replay import read, replay
from visavis.source.script import ScriptedSpeaker
from visavis.verbs import demo as verb
from visavis.verbs.demo import Director, Line, perform
from visavis.wiring import Parts

from .conftest import RunVerb
from .fake_engines import LegibleTts, parts, rebuilt

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
    assert "over 4 answers" in ended.err
    assert "interrupted: silent " in ended.err


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


# ── the director ─────────────────────────────────────────────────────────────────────────────


class Speaker(ScriptedSpeaker):
    """Notes its cues instead of speaking."""

    def __init__(self) -> None:
        super().__init__(16_000)
        self.cues: list[tuple[float, int]] = []
        self.ended = False

    def say(self, samples: e.Samples, at_ns: int = 0) -> None:
        self.cues.append((len(samples), at_ns))

    def end(self) -> None:
        self.ended = True


def directed(*lines: Line) -> tuple[Director, Speaker]:
    speaker = Speaker()
    voiced = [(line, np.zeros(number, np.float32)) for number, line in enumerate(lines)]
    return Director(voiced, speaker), speaker


def state(second: float, name: str, previous: str) -> e.StateChanged:
    return e.StateChanged(
        t_ns=round(second * NS_PER_S),
        state=name,
        previous=previous,
        user="quiet",
        reply="none",
        engine="free",
        playback="silent",
    )


def ended(second: float) -> e.TurnEnded:
    t_ns = round(second * NS_PER_S)
    return e.TurnEnded(t_ns=t_ns, text="a", start=0, end=1, probability=1, reasons=())


def sound(second: float, epoch: int) -> e.SoundPlayed:
    t_ns = round(second * NS_PER_S)
    return e.SoundPlayed(t_ns=t_ns, epoch=epoch, start=0, samples=np.zeros(4, np.float32))


def test_the_next_line_comes_a_moment_after_the_answer() -> None:
    director, speaker = directed(Line("a"), Line("b"))
    assert speaker.cues == [(0, 900_000_000)]
    for event in (ended(3), sound(4, epoch=1), state(6, "idle", "streaming")):
        director.watch(event)
    assert speaker.cues[1:] == [(1, 6_900_000_000)]
    assert not speaker.ended


def test_a_line_that_cuts_comes_into_the_answer_and_once() -> None:
    director, speaker = directed(Line("a"), Line("b", cuts=True), Line("c"))
    for event in (ended(3), sound(4, epoch=1), sound(4.02, epoch=1)):
        director.watch(event)
    assert speaker.cues[1:] == [(1, 6_000_000_000)]


def test_an_answer_that_ends_before_it_is_cut_does_not_get_two_lines_at_once() -> None:
    director, speaker = directed(Line("a"), Line("b", cuts=True), Line("c"))
    for event in (ended(3), sound(4, epoch=1), state(5, "idle", "streaming")):
        director.watch(event)
    assert len(speaker.cues) == 2
    for event in (ended(8), sound(9, epoch=2), state(11, "idle", "streaming")):
        director.watch(event)
    assert speaker.cues[2:] == [(2, 11_900_000_000)]


def test_a_line_that_was_not_understood_does_not_hold_up_the_demo() -> None:
    director, speaker = directed(Line("a"), Line("b"))
    director.watch(e.TurnDropped(t_ns=3 * NS_PER_S, start=0, end=1, reason="no words"))
    director.watch(state(3, "idle", "perceiving"))
    assert len(speaker.cues) == 2


def test_after_the_last_answer_the_user_is_done() -> None:
    director, speaker = directed(Line("a"))
    for event in (ended(3), sound(4, epoch=1), state(6, "idle", "streaming")):
        director.watch(event)
    assert speaker.ended
