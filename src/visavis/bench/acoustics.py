"""Sounds that no voice makes, and what a room does to a voice.

Takes a generator of random numbers and a rate; gives mono float32 samples of shape (n,). The same
generator gives the same samples. Levels are the caller's.
"""

from __future__ import annotations

import numpy as np

from visavis.flow.events import Samples

Rng = np.random.Generator


def rms(samples: Samples) -> float:
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64)))) if len(samples) else 0.0


def at_level(samples: Samples, level_db: float) -> Samples:
    """The same sound with a root mean square of `level_db`, dB of full scale, never clipped."""
    now = rms(samples)
    if now == 0:
        return samples
    scale = 10.0 ** (level_db / 20.0) / now
    most = 0.99 / float(np.max(np.abs(samples)))
    return np.asarray(samples * min(scale, most), np.float32)


def shaped(rng: Rng, count: int, rate_hz: int, slope_db: float, low_hz: float = 60) -> Samples:
    """Noise whose spectrum falls by `slope_db` an octave above `low_hz`; below it is flat."""
    spectrum = np.fft.rfft(rng.standard_normal(count))
    octaves = np.log2(np.maximum(np.fft.rfftfreq(count, 1 / rate_hz), low_hz) / low_hz)
    return np.asarray(np.fft.irfft(spectrum * 10 ** (-slope_db * octaves / 20), count), np.float32)


def noise(colour: str, rng: Rng, count: int, rate_hz: int) -> Samples:
    """White, pink (-3 dB an octave), or babble: speech-like spectrum and syllables, no words."""
    if colour == "white":
        return np.asarray(rng.standard_normal(count), np.float32)
    if colour == "pink":
        return shaped(rng, count, rate_hz, 3.0)
    t = np.arange(count) / rate_hz
    talkers = [
        shaped(rng, count, rate_hz, 6.0, low_hz=400)
        * (0.6 + 0.4 * np.sin(2 * np.pi * rng.uniform(2, 6) * t + rng.uniform(0, 6))) ** 2
        for _ in range(6)
    ]
    return np.asarray(np.sum(talkers, axis=0), np.float32)


def burst(rng: Rng, length_s: float, rate_hz: int) -> Samples:
    """A rush of noise with soft edges, of a colour between white and brown."""
    sound = shaped(rng, max(round(length_s * rate_hz), 2), rate_hz, rng.uniform(0, 6))
    return _edged(sound, rate_hz, 0.005)


def knock(rng: Rng, length_s: float, rate_hz: int) -> Samples:
    """Knuckles on a door: some blows, each a click that rings for a few hundredths of a second."""
    sound = np.zeros(round(length_s * rate_hz), np.float32)
    t = np.arange(round(0.12 * rate_hz)) / rate_hz
    for place in np.arange(0.0, max(length_s - 0.1, 0.01), 0.22):
        ring = sum(
            np.exp(-t / rng.uniform(0.01, 0.03)) * np.sin(2 * np.pi * rng.uniform(90, 700) * t)
            for _ in range(4)
        )
        click = rng.standard_normal(len(t)) * np.exp(-t / 0.002)
        at = round(place * rate_hz)
        blow = np.asarray(ring + click, np.float32)[: len(sound) - at]
        sound[at : at + len(blow)] += blow
    return sound


def cough(rng: Rng, length_s: float, rate_hz: int) -> Samples:
    """Two bursts of breath, each with a hard beginning and a long fall."""
    count = round(length_s * rate_hz)
    t = np.arange(count) / rate_hz
    fall = np.exp(-t / (0.2 * length_s)) + 0.7 * np.exp(-np.maximum(t - 0.5 * length_s, 0) / 0.06)
    fall *= np.where((t > 0.4 * length_s) & (t < 0.5 * length_s), 0.1, 1.0)
    return _edged(shaped(rng, count, rate_hz, 4.0, low_hz=500) * fall.astype(np.float32), rate_hz)


def hum(rng: Rng, rate_hz: int, *, low_hz: float = 115, high_hz: float = 150) -> Samples:
    """A voiced "mm-hm": a low nasal tone, a breath, a higher one.

    Pulses of the voice with a contour of pitch, through the one low formant of a closed mouth (at
    about 270 Hz; Fant 1960); Piper's voices spell it ("em em aitch em").
    """
    long_s, breath_s = rng.uniform(0.14, 0.2), rng.uniform(0.04, 0.07)
    contour = np.concatenate(
        [
            np.linspace(low_hz * 1.05, low_hz, round(long_s * rate_hz)),
            np.linspace(low_hz, high_hz * 0.9, round(breath_s * rate_hz)),
            np.linspace(high_hz * 0.9, high_hz, round(long_s * rate_hz)),
        ]
    )
    phase = 2 * np.pi * np.cumsum(contour) / rate_hz
    harmonics = np.arange(1, 25)[:, None]
    at_hz = harmonics * contour[None, :]
    formant = 1 / np.sqrt(1 + ((at_hz - 270) / 120) ** 2)
    tone = np.sum(formant / harmonics * np.sin(harmonics * phase[None, :]), axis=0)
    loud = np.ones(len(tone))
    first, second = round(long_s * rate_hz), round((long_s + breath_s) * rate_hz)
    loud[first:second] = 0.25
    breath = shaped(rng, len(tone), rate_hz, 3.0, low_hz=800) * (loud < 1)
    soft = np.convolve(loud, np.hanning(round(0.03 * rate_hz)), "same")
    return _edged((tone * soft / soft.max() + 0.05 * breath).astype(np.float32), rate_hz, 0.03)


def turned_away(samples: Samples, rate_hz: int) -> Samples:
    """A voice that speaks the other way: a head takes the high sounds off, from 800 Hz up."""
    spectrum = np.fft.rfft(samples)
    at_hz = np.fft.rfftfreq(len(samples), 1 / rate_hz)
    weaker = 1 / np.sqrt(1 + (at_hz / 800) ** 2)
    return np.asarray(np.fft.irfft(spectrum * weaker, len(samples)), np.float32)


def in_room(samples: Samples, rng: Rng, rt60_s: float, rate_hz: int) -> Samples:
    """The voice with the echoes of a room, which fall by 60 dB in `rt60_s`; longer by its tail.

    The direct sound is 6 dB above all echoes together, as an arm's length from a microphone.
    """
    count = round(rt60_s * rate_hz)
    t = np.arange(count) / rate_hz
    tail = rng.standard_normal(count) * np.exp(-6.9 * t / rt60_s) * (t > 0.004)
    response = 0.5 * tail / np.sqrt(np.sum(tail**2))
    response[0] = 1.0
    size = len(samples) + count - 1
    spectrum = np.fft.rfft(samples, size) * np.fft.rfft(response, size)
    return np.asarray(np.fft.irfft(spectrum, size), np.float32)


def _edged(sound: Samples, rate_hz: int, edge_s: float = 0.01) -> Samples:
    count = min(round(edge_s * rate_hz), len(sound) // 2)
    edged = sound.copy()
    ramp = np.linspace(0, 1, count, dtype=np.float32)
    edged[:count] *= ramp
    edged[len(edged) - count :] *= ramp[::-1]
    return edged
