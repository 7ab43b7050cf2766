"""Sounds made without a voice: their levels, their colours, and what a room adds."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.bench import acoustics
from visavis.flow.events import Samples

RATE_HZ = 24_000


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def share_above(samples: Samples, hz: float) -> float:
    power = np.abs(np.fft.rfft(samples)) ** 2
    return float(power[np.fft.rfftfreq(len(samples), 1 / RATE_HZ) > hz].sum() / power.sum())


def test_a_level_is_that_of_the_root_mean_square() -> None:
    sound = acoustics.at_level(rng().standard_normal(RATE_HZ).astype(np.float32), -30)
    assert 20 * np.log10(acoustics.rms(sound)) == pytest.approx(-30, abs=0.01)


def test_a_level_that_would_clip_is_not_reached() -> None:
    peaky = np.zeros(1000, np.float32)
    peaky[500] = 1.0
    assert np.max(np.abs(acoustics.at_level(peaky, -10))) <= 1.0


def test_silence_stays_silence() -> None:
    assert not acoustics.at_level(np.zeros(100, np.float32), -20).any()


def test_the_colours_differ_in_how_much_of_them_is_high() -> None:
    white, pink, babble = (
        share_above(acoustics.noise(colour, rng(), RATE_HZ, RATE_HZ), 2000)
        for colour in ("white", "pink", "babble")
    )
    assert white > 0.7
    assert babble < pink < 0.6


@pytest.mark.parametrize("length_s", [0.08, 0.4, 1.0])
def test_bursts_knocks_and_coughs_are_as_long_as_asked_and_never_silent(length_s: float) -> None:
    for made in (acoustics.burst, acoustics.knock, acoustics.cough):
        sound = made(rng(), length_s, RATE_HZ)
        assert len(sound) == round(length_s * RATE_HZ)
        assert acoustics.rms(sound) > 0
        assert np.isfinite(sound).all()


def test_a_hum_has_a_closed_mouth_and_rises() -> None:
    sound = acoustics.hum(rng(), RATE_HZ)
    assert 0.3 < len(sound) / RATE_HZ < 0.5
    assert share_above(sound, 1000) < 0.05
    third = len(sound) // 3
    assert _pitch_hz(sound[:third]) < _pitch_hz(sound[-third:])


def _pitch_hz(sound: Samples) -> float:
    correlated = np.correlate(sound, sound, "full")[len(sound) :]
    lags = slice(RATE_HZ // 250, RATE_HZ // 80)
    return RATE_HZ / (int(np.argmax(correlated[lags])) + lags.start + 1)


def test_who_turns_away_loses_the_high_sounds() -> None:
    sound = rng().standard_normal(RATE_HZ).astype(np.float32)
    away = acoustics.turned_away(sound, RATE_HZ)
    assert len(away) == len(sound)
    assert share_above(away, 2000) < 0.5 * share_above(sound, 2000)


def test_a_room_rings_on_and_keeps_the_direct_sound_in_its_place() -> None:
    click = np.zeros(100, np.float32)
    click[10] = 1.0
    heard = acoustics.in_room(click, rng(), 0.3, RATE_HZ)
    assert int(np.argmax(np.abs(heard))) == 10
    assert not np.abs(heard[:10]).max() > 1e-6
    late, early = heard[round(0.25 * RATE_HZ) :], heard[200 : round(0.05 * RATE_HZ)]
    assert 0 < acoustics.rms(late) < 0.1 * acoustics.rms(early)
