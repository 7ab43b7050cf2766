"""`visavis talk` on the tiny tier: people, questions, silence and noise go in; answers come out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import soxr

from tests.media import shades, write_float_wav, write_video, write_wav
from tests.voice import said
from visavis.config import Config
from visavis.flow.events import Samples
from visavis.wiring import Parts

from .conftest import Ended, Run, samples

pytestmark = pytest.mark.model
BECKETT = "ever tried ever failed no matter try again fail again fail better"
RATE_HZ = 22_050


class Talk(NamedTuple):
    """A run of `visavis talk`."""

    ended: Ended
    told: dict[str, Any]
    out: Path
    record: Path

    def said(self, role: str) -> list[dict[str, Any]]:
        return [item for item in self.told["history"] if item["role"] == role]


def talk(run: Run, audio: Path, folder: Path) -> Talk:
    out, record = folder / "answer.wav", folder / "run.mcap"
    ended = run("talk", "--audio", audio, "--out", out, "--record", record, "--json", "--seed", 1)
    return Talk(ended, json.loads(ended.out), out, record)


@pytest.fixture(scope="module")
def beckett(run: Run, speech: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Talk:
    return talk(run, speech["beckett"], tmp_path_factory.mktemp("beckett"))


@pytest.fixture(scope="module")
def say(make_parts: Callable[[Config], Parts]) -> Callable[[str], Samples]:
    """The voice of the tier, at `RATE_HZ`."""
    tts = make_parts(Config()).tts
    assert tts is not None
    assert tts.rate_hz == RATE_HZ
    return lambda text: said(tts, text).samples


@pytest.fixture(scope="module")
def question(say: Callable[[str], Samples]) -> Samples:
    return say("What is the capital of France?")


@pytest.fixture(scope="module")
def dialogue(
    run: Run,
    say: Callable[[str], Samples],
    question: Samples,
    tmp_path_factory: pytest.TempPathFactory,
) -> Talk:
    """Two questions in one file, with a pause in which the first is answered."""
    folder = tmp_path_factory.mktemp("dialogue")
    pause = np.zeros(10 * RATE_HZ, np.float32)
    sound = [question, pause, say("How many days are there in a week?"), pause]
    return talk(run, write_wav(folder / "talk.wav", np.concatenate(sound), RATE_HZ), folder)


def test_a_person_is_understood(beckett: Talk) -> None:
    assert beckett.ended.code == 0
    heard = " ".join(item["text"] for item in beckett.said("user"))
    found = re.findall(r"[a-z]+", heard.lower())
    reference = BECKETT.split()
    blocks = SequenceMatcher(None, reference, found, autojunk=False).get_matching_blocks()
    assert sum(block.size for block in blocks) >= 0.8 * len(reference), heard
    assert len(found) <= 1.2 * len(reference), heard


def test_a_person_is_answered_aloud_after_speaking(beckett: Talk) -> None:
    answers = beckett.said("assistant")
    assert answers
    sound, rate_hz = samples(beckett.out)
    assert np.abs(sound).max() > 0.1
    first_ms = np.flatnonzero(sound)[0] / rate_hz * 1000
    assert first_ms > beckett.said("user")[0]["start_ms"] + 300
    for answer in answers:
        at = round(answer["start_ms"] / 1000 * rate_hz)
        assert np.abs(sound[at - rate_hz // 10 : at + rate_hz // 10]).max() > 0.01


def test_two_questions_get_two_answers(dialogue: Talk) -> None:
    assert dialogue.ended.code == 0
    assert [item["role"] for item in dialogue.told["history"]] == ["user", "assistant"] * 2
    assert "Paris" in dialogue.told["history"][1]["text"]
    assert re.search("seven|7", dialogue.told["history"][3]["text"].lower())
    assert [reply["voice_to_voice_ms"] > 0 for reply in dialogue.told["replies"]] == [True, True]


def test_between_the_answers_there_is_silence(dialogue: Talk) -> None:
    sound, rate_hz = samples(dialogue.out)
    asked = [item["start_ms"] for item in dialogue.said("user")]
    for start_ms in asked:
        at = round(start_ms / 1000 * rate_hz)
        assert not sound[at : at + rate_hz // 2].any()


@pytest.mark.parametrize("which", ["beckett", "dialogue"])
def test_what_was_recorded_replays_identically(
    run: Run, which: str, request: pytest.FixtureRequest
) -> None:
    found: Talk = request.getfixturevalue(which)
    ended = run("replay", found.record)
    assert (ended.code, ended.err) == (0, "")
    assert re.fullmatch(r"identical: [\d,]+ decisions in [\d,]+ events\n", ended.out)


def _six(sound: Samples) -> Samples:
    """The sound in the middle of six channels."""
    return np.stack([sound if channel == 2 else 0 * sound for channel in range(6)], axis=1)


def _faster(sound: Samples, rate_hz: int) -> Samples:
    return np.asarray(soxr.resample(sound, RATE_HZ, rate_hz), np.float32)


def _holed(sound: Samples) -> Samples:
    """With what a broken converter leaves behind."""
    sound = sound.copy()
    sound[100:110], sound[200:210] = np.nan, np.inf
    return sound


FORMS: dict[str, Callable[[Path, Samples], Path]] = {
    "8 bits": lambda path, sound: write_wav(path, sound, RATE_HZ, bits=8),
    "24 bits, 5.1": lambda path, sound: write_wav(path, _six(sound), RATE_HZ, bits=24),
    "float with NaN": lambda path, sound: write_float_wav(path, _holed(sound), RATE_HZ),
    "192 kHz": lambda path, sound: write_wav(path, _faster(sound, 192_000), 192_000),
    "video": lambda path, sound: write_video(
        path.with_suffix(".mp4"), shades(50), sound=_faster(sound, 48_000)
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_any_form_of_sound_is_understood(
    run: Run, question: Samples, tmp_path: Path, form: str
) -> None:
    audio = FORMS[form](tmp_path / "audio.wav", question)
    ended = run("talk", "--audio", audio, "--quiet", "--seed", 1, "--json")
    assert (ended.code, ended.err) == (0, "")
    asked, answered = json.loads(ended.out)["history"]
    assert "capital of france" in asked["text"].lower()
    assert "Paris" in answered["text"]


@pytest.mark.parametrize("kind", ["silence", "noise"])
def test_nothing_is_answered_where_nobody_speaks(run: Run, tmp_path: Path, kind: str) -> None:
    chance = np.random.default_rng(7)
    sound = np.zeros(3 * RATE_HZ) if kind == "silence" else chance.normal(0, 0.1, 3 * RATE_HZ)
    found = talk(run, write_wav(tmp_path / "audio.wav", sound.clip(-1, 1), RATE_HZ), tmp_path)
    assert found.ended.code == 0
    assert found.told["history"] == []
    assert found.ended.err.endswith("no words were heard, so nothing was answered\n")
    assert not samples(found.out)[0].any()
