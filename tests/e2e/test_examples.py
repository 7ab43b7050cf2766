"""The examples run as they say they do, and stay short."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.media import write_video, write_wav
from tests.voice import said
from visavis import engines
from visavis.config import Config
from visavis.source.paint import paint
from visavis.source.scene import Scene, Thing
from visavis.wiring import Parts

from .conftest import Run, samples

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(path.name for path in FOLDER.glob("*.py"))
Example = Callable[..., object]


@pytest.fixture
def question(make_parts: Callable[[Config], Parts], tmp_path: Path) -> Path:
    tts = make_parts(Config()).tts
    assert tts is not None
    sound = said(tts, "What is the capital of France?").samples
    return write_wav(tmp_path / "question.wav", sound, tts.rate_hz)


@pytest.fixture
def example(
    monkeypatch: pytest.MonkeyPatch,
    make_parts: Callable[[Config], Parts],
) -> Example:
    """`example(name, *arguments)` runs it as a program; gives its exit code."""

    def run(name: str, *arguments: object) -> object:
        monkeypatch.setattr(engines, "load_parts", make_parts)
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        try:
            runpy.run_path(str(FOLDER / name), run_name="__main__")
        except SystemExit as ended:
            return ended.code
        return 0

    return run


def test_all_of_them_are_run_here() -> None:
    tested = Path(__file__).read_text("utf-8")
    assert EXAMPLES
    assert [name for name in EXAMPLES if f'"{name}"' not in tested] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_they_fit_on_a_page_and_say_how_they_are_called(name: str) -> None:
    text = (FOLDER / name).read_text("utf-8")
    assert text.count("\n") <= 60
    assert f"python examples/{name} " in text


@pytest.mark.model
def test_answer_a_file(example: Example, question: Path, tmp_path: Path) -> None:
    assert example("answer_a_file.py", question, tmp_path / "answer.wav") == 0
    assert np.abs(samples(tmp_path / "answer.wav")[0]).max() > 0.1


@pytest.mark.model
def test_look_at_a_film(
    example: Example,
    make_parts: Callable[[Config], Parts],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    tts = make_parts(Config()).tts
    assert tts is not None
    sound = said(tts, "What color is the circle?").samples
    asked = write_wav(tmp_path / "question.wav", sound, tts.rate_hz)
    scene = paint(Scene("white", (Thing("red", "circle", "middle"),)), 320, 240)
    film = write_video(tmp_path / "scene.mp4", [scene] * 90)
    assert example("look_at_a_film.py", asked, film) == 0
    told = capsys.readouterr().out
    assert "ms off the moment" in told
    assert "assistant: " in told


@pytest.mark.model
def test_watch_events(example: Example, question: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert example("watch_events.py", question) == 0
    told = capsys.readouterr().out
    for topic in ("speech.started", "words.heard", "turn.ended", "token.made", "sound.made"):
        assert f"  {topic} " in told
    assert "voice_to_voice_ms" in told


@pytest.mark.model
def test_replay_a_recording(
    example: Example,
    run: Run,
    question: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    record = tmp_path / "run.mcap"
    assert run("talk", "--audio", question, "--record", record, "--quiet").code == 0
    assert example("replay_a_recording.py", record) == 0
    told = capsys.readouterr().out
    assert "What is the capital of France?" in told
    assert "\nidentical: " in told
