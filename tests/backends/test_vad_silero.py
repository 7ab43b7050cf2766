"""Silero on human speech and on noise; damaged models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.perceive.sound import noises, read_wav
from visavis.backends.contract import Options, Vad
from visavis.backends.vad import silero
from visavis.flow.errors import BundleError
from visavis.flow.events import Samples

pytestmark = pytest.mark.model


@pytest.fixture
def vad(model_options: Callable[[str], Options]) -> Vad:
    return silero.load(model_options("silero-vad"))


def scores(vad: Vad, samples: Samples) -> np.ndarray:
    windows = samples[: len(samples) // 512 * 512].reshape(-1, 512)
    return np.array([vad.score(window) for window in windows])


def test_speech_is_voice_and_its_pauses_are_not(
    vad: Vad, model_options: Callable[[str], Options]
) -> None:
    speech = read_wav(model_options("human-speech").files["beckett"])
    found = scores(vad, speech)
    assert 0.3 < np.mean(found > 0.5) < 0.7
    assert np.mean((found > 0.1) & (found < 0.9)) < 0.2
    onsets = np.flatnonzero((found[1:] > 0.5) & (found[:-1] <= 0.5))
    assert len(onsets) == 6  # Ever tried. Ever failed. No matter. Try again. Fail again. …


@pytest.mark.parametrize("kind", noises(0.1))
def test_noise_is_not_voice(vad: Vad, kind: str) -> None:
    assert scores(vad, noises(4)[kind]).max() < 0.5


def test_what_is_no_model_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "silero.onnx"
    broken.write_bytes(b"<html>not found</html>")
    with pytest.raises(BundleError, match=r"silero\.onnx"):
        silero.load(Options(files={"model": broken}))


def test_another_model_is_named(model_options: Callable[[str], Options]) -> None:
    with pytest.raises(BundleError, match="is not a Silero VAD"):
        silero.load(Options(files={"model": model_options("smart-turn").files["model"]}))
