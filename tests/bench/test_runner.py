"""A script played to the line: with fakes in simulated time, and once with the real models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.verbs.fake_engines import parts
from visavis.backends.llm.fake import FakeLlm
from visavis.backends.symbols import encode
from visavis.bench.measure import measure
from visavis.bench.result import Episode, Kind, Stretch
from visavis.bench.runner import LocalRunner, surrounded
from visavis.bench.scenario import BY_NAME
from visavis.bench.script import Cue, Line, Script, Surroundings, Timbre
from visavis.bench.voice import RATE_HZ, Spoken, Voice, joined
from visavis.flow.clock import SimulatedClock
from visavis.flow.events import INPUT_RATE_HZ
from visavis.source.script import ScriptedSpeaker

WORD_MS = 200 * RATE_HZ // INPUT_RATE_HZ


class Symbols(Voice):
    """A user whom the fakes understand: each word at its level."""

    def __init__(self) -> None:
        pass

    def speak(self, line: Line, timbre: Timbre, seed: int) -> Spoken:
        return Spoken(*joined([encode(piece, word_ms=WORD_MS) for piece in line.pieces], line))

    def surround(self, around: Surroundings, timbre: Timbre, seed: int) -> Spoken | None:
        return None


ASK = Line("question", ("what is the capital of france",), Cue("start", 0.5))
LONG = "it is here, " * 12 + "and here."


def into(text: str, kind: Kind, wait_s: float = 1.0) -> Line:
    return Line(kind, (text,), Cue("reply", wait_s))


def play(scenario: str, *lines: Line, end: Cue = Cue("answer", 0.5)) -> Episode:  # noqa: B008
    talkative = FakeLlm(SimulatedClock(), script=lambda *_: LONG)
    runner = LocalRunner(parts(llm=talkative), pace="fast", voice=Symbols())
    episode = runner.play(Script(scenario, "1", 1, lines, end=end))
    runner.close()
    measure(episode, BY_NAME[scenario].metrics)
    return episode


def test_a_question_is_answered_and_everything_is_told() -> None:
    episode = play("smooth", ASK, end=Cue("idle", 0.1))
    assert episode.error == ""
    assert [part.kind for part in episode.truth] == ["question"]
    assert episode.truth[0].start_s == pytest.approx(0.5, abs=0.001)
    assert episode.history == [("user", "what is the capital of france"), ("assistant", LONG)]
    (answer,) = {sound.reply for sound in episode.sounding}
    assert answer > 0
    assert episode.values["takeover"] == episode.values["heard_exact"] == [1]
    (latency_ms,) = episode.values["voice_to_voice"]
    said_s, sounded_s = episode.truth[0].end_s, episode.sounding[0].start_s
    assert latency_ms == pytest.approx((sounded_s - said_s) * 1e3, abs=0.1)
    assert len(episode.envelopes["user"]) == len(episode.envelopes["reply"])
    loud = [number * 0.02 for number, peak in enumerate(episode.envelopes["user"]) if peak]
    assert loud[0] == pytest.approx(0.5, abs=0.03)
    assert loud[-1] == pytest.approx(said_s, abs=0.03)


def test_an_interruption_is_measured() -> None:
    episode = play("interruption", ASK, into("stop stop stop", "interruption"))
    assert episode.values["interruption_missed"] == [0]
    assert 0 < episode.values["duck"][0] <= episode.values["silent"][0] < 2000
    assert episode.values["heard_exact"][0] == 1


def test_a_backchannel_is_told_from_it() -> None:
    episode = play("backchannel", ASK, into("mm-hm", "backchannel"), end=Cue("idle", 0.1))
    assert episode.values["backchannel_stops"] == [0]
    assert episode.values["uncalled"] == [0]
    assert episode.values["resumed"] == [1]


def test_an_engine_outlives_its_conversations() -> None:
    fakes: Any = parts()
    closed: list[str] = []
    for kind in ("vad", "asr", "turn", "llm", "tts"):
        getattr(fakes, kind).close = lambda kind=kind: closed.append(kind)
    runner = LocalRunner(fakes, pace="fast", voice=Symbols())
    for _ in range(2):
        assert runner.play(Script("smooth", "1", 1, (ASK,))).values["same_sound"] == [1]
    assert closed == []
    runner.close()
    assert set(closed) == {"vad", "asr", "turn", "llm", "tts"}


def test_a_language_that_is_not_heard_is_a_reason_to_skip() -> None:
    runner = LocalRunner(parts(), pace="fast", voice=Symbols())
    strange = replace(BY_NAME["chinese"], language="xx")
    assert "not xx" in runner.why_not(strange)
    assert runner.why_not(BY_NAME["smooth"]) == ""


def test_what_surrounds_the_user_goes_on_and_on_without_a_seam() -> None:
    around = Spoken(np.linspace(0.1, 0.2, 1_000, dtype=np.float32), ())
    speaker = ScriptedSpeaker(RATE_HZ, [(0.0, np.full(480, 0.5, np.float32))], tail_s=0.2)
    chunks: list[Any] = list(surrounded(speaker.events(), around))[:-1]
    heard = np.concatenate([np.frombuffer(chunk.data, "<f4") for chunk in chunks])
    said = np.concatenate([np.full(480, 0.5), np.zeros(len(heard) - 480)])
    assert heard == pytest.approx(said + np.resize(around.samples, len(heard)))


@pytest.mark.model
def test_the_tiny_tier_answers_and_is_interrupted(model_options: Callable[[str], Any]) -> None:
    from visavis.config import load
    from visavis.engines import bundle_names, load_parts

    config = load()
    for name in bundle_names(config).values():
        model_options(name)
    runner = LocalRunner(load_parts(config), pace="fast")
    try:
        ask = Line("question", ("Tell me a very long story about a fox.",), Cue("start", 0.5))
        cut = Line("interruption", ("Stop it, please.",), Cue("reply", 1.0))
        episode = runner.play(Script("interruption", "1", 1, (ask, cut)))
    finally:
        runner.close()
    measure(episode, BY_NAME["interruption"].metrics)
    assert episode.error == ""
    assert [part.kind for part in episode.truth] == ["question", "interruption"]
    assert "fox" in episode.history[0][1].lower()
    assert episode.values["interruption_missed"] == [0]
    assert episode.values["heard_exact"][0] == 1


def test_the_truth_is_plain() -> None:
    episode = play("pauses", replace(ASK, pieces=("what is the", "capital"), gaps_s=(0.6,)))
    first, second = episode.truth
    assert (first.kind, second.kind) == ("question", "continuation")
    assert second.start_s - first.end_s == pytest.approx(0.6, abs=0.001)
    assert isinstance(first, Stretch)
