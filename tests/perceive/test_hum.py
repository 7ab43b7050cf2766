"""Hums and speech told apart, from tones and noises."""

from __future__ import annotations

import numpy as np
import pytest

from tests.perceive.sound import noises
from visavis.flow.events import INPUT_RATE_HZ, Samples
from visavis.perceive.hum import hum

ROOM = np.random.default_rng(3).standard_normal(4_000).astype(np.float32) * 1e-4
NONE = np.zeros(0, np.float32)


def tone(pitch_hz: float, formant_hz: tuple[float, ...], ms: int, *, level: float = 0.1) -> Samples:
    """A buzz with formants, each 120 Hz wide."""
    t = np.arange(ms * INPUT_RATE_HZ // 1_000) / INPUT_RATE_HZ
    sound = np.zeros(len(t))
    for k in range(1, int(4_000 / pitch_hz)):
        gain = sum(1 / (1 + ((k * pitch_hz - f) / 120) ** 2) for f in formant_hz) / k
        sound += gain * np.sin(2 * np.pi * k * pitch_hz * t)
    return np.asarray(level * sound / np.abs(sound).max(), np.float32)


def hiss(ms: int, level: float) -> Samples:
    """A fricative: noise without its low frequencies."""
    white = np.random.default_rng(4).standard_normal(ms * INPUT_RATE_HZ // 1_000)
    return np.asarray(level * np.diff(white, prepend=0.0) / 3, np.float32)


def spoken(ms: int) -> Samples:
    """A fricative, then a vowel that moves."""
    parts = [hiss(60, 0.05), tone(120, (700, 1_200, 2_500), 60), tone(120, (450, 1_900), 400)]
    return np.concatenate(parts)[: ms * INPUT_RATE_HZ // 1_000]


@pytest.mark.parametrize("pitch_hz", [90, 120, 180, 240])
@pytest.mark.parametrize("ms", [100, 150, 300, 450])
@pytest.mark.parametrize("level", [0.01, 0.1, 0.8])
def test_a_nasal_murmur_hums(pitch_hz: float, ms: int, level: float) -> None:
    assert hum(tone(pitch_hz, (260,), ms, level=level), ROOM * 0.1) > 0.8


@pytest.mark.parametrize("ms", [100, 150, 300, 450])
def test_a_fricative_and_a_vowel_speak(ms: int) -> None:
    assert hum(spoken(ms), ROOM) < 0.3


@pytest.mark.parametrize("formants_hz", [(700, 1_200, 2_500), (500, 1_500), (450, 1_900, 2_600)])
def test_a_steady_vowel_speaks(formants_hz: tuple[float, ...]) -> None:
    assert hum(tone(120, formants_hz, 150), ROOM) < 0.5


def test_the_room_is_left_out() -> None:
    random = np.random.default_rng(5)
    murmur = tone(130, (260,), 200)
    noise = random.standard_normal(4_000 + len(murmur)).astype(np.float32) * 0.004
    with_room = hum(murmur + noise[4_000:], noise[:4_000])
    assert with_room > hum(murmur + noise[4_000:], NONE)
    assert with_room > 0.75


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", sorted(noises(0.3)))
@pytest.mark.parametrize("count", [0, 1, 399, 400, 4_800])
def test_any_sound_has_a_finite_answer(name: str, count: int) -> None:
    sound = noises(0.3)[name]
    for room in (NONE, ROOM, sound):
        assert 0 <= hum(sound[:count], room) <= 1


def test_it_does_not_depend_on_the_volume() -> None:
    voice = spoken(300)
    quiet, loud = hum(voice * 0.01, ROOM * 0.01), hum(voice, ROOM)
    assert quiet == pytest.approx(loud, abs=1e-3)
