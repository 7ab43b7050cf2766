"""Questions about what is in view, on the tiny tier and its eye: tests of meaning."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.media import write_video, write_wav
from tests.voice import said
from visavis.config import Config
from visavis.source.paint import paint
from visavis.source.scene import Scene, Thing
from visavis.wiring import Parts

from .conftest import Run

pytestmark = pytest.mark.model
FPS = 25
LEAD_S = 1.0
BESIDE_S = 0.5
TRIES = 4

RED = Scene("white", (Thing("red", "circle"),))
BLUE = Scene("white", (Thing("blue", "circle"),))
STAR = Scene("gray", (Thing("yellow", "star"),))
TWO = Scene("white", (Thing("red", "circle", "left"), Thing("blue", "square", "right")))
COLOURS = ("red", "blue", "green", "yellow", "orange", "purple", "white", "black")

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def ask(
    run: Run, make_parts: Callable[[Config], Parts], tmp_path_factory: pytest.TempPathFactory
) -> Ask:
    """`ask(text, scene, then, change_s)`: the summary of a question beside a film that becomes
    `then` so long after the question ended."""
    tts = make_parts(Config()).tts
    assert tts is not None

    def ask(text: str, scene: Scene, then: Scene | None = None, change_s: float = 9) -> Any:
        for _ in range(TRIES):
            summary = once(text, scene, then or scene, change_s)
            heard = [item["text"] for item in summary["history"] if item["role"] == "user"]
            if heard == [text]:
                break  # the voice is never twice the same, and hearing is not tested here
        return summary

    def once(text: str, scene: Scene, then: Scene, change_s: float) -> Any:
        folder = tmp_path_factory.mktemp("seeing")
        sound = np.trim_zeros(said(tts, text).samples)
        lead = np.zeros(round(LEAD_S * tts.rate_hz), np.float32)
        asked = write_wav(folder / "q.wav", np.concatenate([lead, sound]), tts.rate_hz)
        change = round((LEAD_S + len(sound) / tts.rate_hz + change_s) * FPS)
        before, after = paint(scene, 320, 240), paint(then, 320, 240)
        film = write_video(folder / "scene.mp4", [before] * change + [after] * (FPS * 6), fps=FPS)
        (folder / "config.toml").write_text("[reply]\ntemperature = 0.0\n")  # no dice
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("VISAVIS_CONFIG", str(folder / "config.toml"))
            told = run("talk", "--audio", asked, "--video", film, "--json", "--quiet")
        assert told.code == 0, told.err
        return json.loads(told.out)

    return ask


def answer(summary: dict[str, Any]) -> set[str]:
    texts = [item["text"] for item in summary["history"] if item["role"] == "assistant"]
    return set(" ".join(texts).lower().replace(".", "").replace(",", "").split())


@pytest.mark.parametrize(
    ("text", "scene", "word"),
    [
        ("What color is the circle?", RED, "red"),
        ("What color is the circle?", BLUE, "blue"),
        ("What shape is it?", STAR, "star"),
        ("How many shapes are there?", TWO, "two"),
        ("What color is the square?", TWO, "blue"),
    ],
)
def test_it_says_what_is_in_view(ask: Ask, text: str, scene: Scene, word: str) -> None:
    summary = ask(text, scene)
    assert word in answer(summary), summary["history"]


@pytest.mark.parametrize(("change_s", "colour"), [(-BESIDE_S, "blue"), (BESIDE_S, "red")])
def test_it_answers_about_the_moment_of_the_question(
    ask: Ask, change_s: float, colour: str
) -> None:
    summary = ask("What color is the circle?", RED, BLUE, change_s)
    assert answer(summary) & set(COLOURS) == {colour}, summary["history"]
    (reply,) = summary["replies"]
    assert abs(reply["view"]["offset_ms"]) <= 1000 / FPS / 2 + 20


def test_what_has_nothing_to_do_with_the_picture_is_answered_all_the_same(ask: Ask) -> None:
    summary = ask("What is the capital of France?", TWO)
    assert "paris" in answer(summary), summary["history"]
