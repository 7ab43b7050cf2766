"""Whisper's log-mel, against its definition computed the slow way."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.backends.log_mel import log_mel


def tone(hz: float, seconds: float = 1.0, level: float = 0.5) -> np.ndarray:
    t = np.arange(int(seconds * 16_000)) / 16_000
    return (level * np.sin(2 * np.pi * hz * t)).astype(np.float32)


def mel_centre_hz(index: int, mels: int) -> float:
    """Slaney's scale: linear to 1 kHz at mel 15, then 27 mels a factor of 6.4."""
    top = 15 + 27 * np.log(8) / np.log(6.4)
    mel = top * (index + 1) / (mels + 1)
    return mel * 200 / 3 if mel < 15 else 1_000 * 6.4 ** ((mel - 15) / 27)


@pytest.mark.parametrize("mels", [80, 128])
@pytest.mark.parametrize("hz", [200, 440, 1_000, 2_500, 6_000])
def test_a_tone_is_in_its_band(hz: float, mels: int) -> None:
    spectrum = log_mel(tone(hz), mels)
    loudest = int(spectrum[:, 50].argmax())
    centre, above = mel_centre_hz(loudest, mels), mel_centre_hz(loudest + 1, mels)
    assert abs(hz - centre) <= above - centre


def test_shape_is_a_frame_each_10_ms() -> None:
    assert log_mel(tone(440, 8)).shape == (80, 800)
    assert log_mel(np.zeros(400, np.float32)).shape == (80, 2)
    assert log_mel(tone(440)).dtype == np.float32


def test_silence_is_the_floor_and_the_range_is_80_db() -> None:
    assert log_mel(np.zeros(16_000, np.float32)) == pytest.approx(-1.5)
    spectrum = log_mel(np.concatenate([tone(440), np.zeros(16_000, np.float32)]))
    assert spectrum.max() - spectrum.min() == pytest.approx(2.0)


def test_ten_times_louder_is_half_a_unit() -> None:
    louder = log_mel(tone(440, level=0.5)).max() - log_mel(tone(440, level=0.05)).max()
    assert louder == pytest.approx(0.5, abs=1e-4)


def test_a_frame_is_the_window_around_its_time() -> None:
    """By the definition: Hann, power spectrum, one triangle of equal area."""
    random = np.random.default_rng(0)
    samples = random.standard_normal(4_000).astype(np.float32)
    frame = samples[1_600 - 200 : 1_600 + 200]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 400)
    power = np.abs(np.fft.rfft(frame * window)) ** 2
    low, centre, high = (mel_centre_hz(index, 80) for index in (29, 30, 31))
    hz = np.arange(201) * 40
    rise, fall = (hz - low) / (centre - low), (high - hz) / (high - centre)
    triangle = np.clip(np.minimum(rise, fall), 0, None) * 2 / (high - low)
    expected = (np.log10(triangle @ power) + 4) / 4
    assert log_mel(samples)[30, 10] == pytest.approx(expected, abs=1e-4)
