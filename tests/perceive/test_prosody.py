"""How a voice ends, told from tones."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.flow.events import INPUT_RATE_HZ, Samples
from visavis.perceive.prosody import Prosody, prosody

SECONDS = 0.7


def voice(from_hz: float, to_hz: float, *, fade: float = 1.0, seconds: float = SECONDS) -> Samples:
    """A buzz with eight harmonics whose pitch moves in the last 200 ms."""
    count = int(seconds * INPUT_RATE_HZ)
    moved = np.clip((np.arange(count) - (count - 3_200)) / 1_600, 0, 1)
    phase = 2 * np.pi * np.cumsum(from_hz * (to_hz / from_hz) ** moved) / INPUT_RATE_HZ
    buzz = sum(np.sin(k * phase) / k for k in range(1, 9))
    return (0.1 * buzz * fade**moved).astype(np.float32)


@pytest.mark.parametrize("pitch_hz", [85, 120, 200, 300])
def test_a_falling_pitch_speaks_for_an_end(pitch_hz: float) -> None:
    found = prosody(voice(pitch_hz, pitch_hz * 0.8))
    assert "pitch falls" in found.reasons
    assert found.log_odds > 0


@pytest.mark.parametrize("pitch_hz", [85, 120, 200, 300])
def test_a_level_pitch_speaks_against_it(pitch_hz: float) -> None:
    found = prosody(voice(pitch_hz, pitch_hz))
    assert found.reasons == ("pitch level",)
    assert found.log_odds < 0


def test_a_rising_pitch_says_nothing() -> None:
    """It asks a question, or it holds the floor."""
    assert prosody(voice(120, 160)) == Prosody()


def test_a_voice_that_dies_away_speaks_for_an_end() -> None:
    assert "voice dies away" in prosody(voice(120, 90, fade=0.1)).reasons


def test_in_noise_a_pitch_is_still_found() -> None:
    noise = np.random.default_rng(0).standard_normal(int(SECONDS * INPUT_RATE_HZ)) * 0.02
    assert "pitch falls" in prosody((voice(120, 90) + noise).astype(np.float32)).reasons


def test_noise_has_no_pitch() -> None:
    noise = np.random.default_rng(0).standard_normal(11_200).astype(np.float32) * 0.1
    assert not any("pitch" in reason for reason in prosody(noise).reasons)


@pytest.mark.parametrize("count", [0, 1, 700, 3_000, 3_999])
def test_too_little_says_nothing(count: int) -> None:
    assert prosody(voice(120, 90)[:count]) == Prosody()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("count", [4_000, 4_001, 4_500, 9_999])
@pytest.mark.parametrize("level", [0, 1e-20, 1])
def test_any_sound_is_judged_without_a_warning(count: int, level: float) -> None:
    assert abs(prosody(voice(120, 120)[:count] * np.float32(level)).log_odds) < 1


def test_bad_samples_say_nothing() -> None:
    samples = voice(120, 90)
    samples[-5] = np.nan
    assert prosody(samples) == Prosody()
    assert prosody(np.zeros(11_200, np.float32)).log_odds == 0


def test_only_the_last_moments_count() -> None:
    long = np.concatenate([voice(300, 300, seconds=3), voice(120, 90)])
    assert prosody(long) == prosody(long[-11_200:])
