"""Smart Turn on a person who reads: ends of sentences and middles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.perceive.sound import read_wav
from visavis.backends.contract import Options
from visavis.backends.turn import smart_turn
from visavis.flow.errors import BundleError

pytestmark = pytest.mark.model
# Sentences of two_cities.wav, and the same ones broken off in the middle, in seconds.
WHOLE_S = ((1.22, 4.55), (13.47, 14.85), (17.57, 18.74), (21.25, 24.0), (26.56, 28.35))
BROKEN_S = ((1.22, 2.0), (13.47, 14.2), (17.57, 18.1), (21.25, 22.3), (29.12, 30.6), (32.77, 39.2))


def test_the_end_of_a_sentence_scores_higher_than_its_middle(
    model_options: Callable[[str], Options],
) -> None:
    model = smart_turn.load(model_options("smart-turn"))
    speech = read_wav(model_options("human-speech").files["two_cities"])

    def score(start_s: float, end_s: float) -> float:
        voice = speech[int(start_s * 16_000) : int(end_s * 16_000)]
        return model.score(np.append(voice, np.zeros(1_600, np.float32)))

    assert np.mean([score(*span) for span in WHOLE_S]) > 0.8
    assert np.mean([score(*span) for span in BROKEN_S]) < 0.5


def test_only_the_last_8_s_count(model_options: Callable[[str], Options]) -> None:
    model = smart_turn.load(model_options("smart-turn"))
    samples = np.random.default_rng(0).standard_normal(200_000).astype(np.float32) * 0.1
    assert model.score(samples) == model.score(samples[-128_000:])


def test_another_model_is_named(model_options: Callable[[str], Options]) -> None:
    with pytest.raises(BundleError, match="is not a Smart Turn"):
        smart_turn.load(Options(files={"model": model_options("silero-vad").files["model"]}))


def test_what_is_no_model_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "turn.onnx"
    broken.write_bytes(b"\x00" * 100)
    with pytest.raises(BundleError, match=r"turn\.onnx"):
        smart_turn.load(Options(files={"model": broken}))
