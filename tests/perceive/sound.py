"""Sounds for the tests of hearing: noises that are not speech, and recordings that are."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np

from visavis.flow.events import INPUT_RATE_HZ, Samples


def read_wav(path: Path) -> Samples:
    """A 16-bit recording as mono at 16 kHz; other rates are resampled."""
    with wave.open(str(path)) as file:
        data = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        samples = data.reshape(-1, file.getnchannels()).mean(axis=1).astype(np.float32) / 32_768
        rate_hz = file.getframerate()
    if rate_hz == INPUT_RATE_HZ:
        return samples
    import soxr

    return np.asarray(soxr.resample(samples, rate_hz, INPUT_RATE_HZ), np.float32)


def noises(seconds: float, seed: int = 0) -> dict[str, Samples]:
    """Noise of many kinds, by name."""
    random = np.random.default_rng(seed)
    count = int(seconds * INPUT_RATE_HZ)
    t = np.arange(count) / INPUT_RATE_HZ
    white = random.standard_normal(count)
    found = {
        "silence": np.zeros(count),
        "faint white": white * 0.003,
        "white": white * 0.03,
        "loud white": white * 0.2,
        "pink": _pink(white) * 0.1,
        "loud pink": _pink(white) * 0.5,
        "hum": sum(np.sin(2 * np.pi * 50 * k * t) / k for k in range(1, 8)) * 0.1,
        "tone": np.sin(2 * np.pi * 440 * t) * 0.2,
        "clicks": np.where(random.random(count) < 3 / INPUT_RATE_HZ, 0.8, 0.0),
        "coughs": _bursts(random, count, every_s=0.9, decay_s=0.07) * 0.5,
        "knocks": _bursts(random, count, every_s=0.5, decay_s=0.01) * 0.6,
    }
    return {name: np.asarray(sound, np.float32) for name, sound in found.items()}


def _pink(white: Samples) -> Samples:
    spectrum = np.fft.rfft(white)
    spectrum /= np.sqrt(np.maximum(np.arange(len(spectrum)), 1))
    pink = np.fft.irfft(spectrum, len(white))
    return np.asarray(pink / np.abs(pink).max(initial=1e-9))


def _bursts(random: np.random.Generator, count: int, every_s: float, decay_s: float) -> Samples:
    since = np.arange(count) % int(every_s * INPUT_RATE_HZ) / INPUT_RATE_HZ
    envelope = np.exp(-since / decay_s) * (1 - np.exp(-since / 0.003))
    return np.asarray(random.standard_normal(count) * envelope)
