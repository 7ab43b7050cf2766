"""How the voice ends: does its pitch fall, stay level or rise, does it die away.

Pure functions over samples. The pitch is the highest peak of each frame's autocorrelation,
corrected for the window (Boersma 1993, §3), which is simple and good enough for a slope; frames
without a clear peak have no pitch. About 1 ms for 0.7 s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visavis.flow.events import INPUT_RATE_HZ, Samples

# A voice has nothing above 4 kHz that its pitch needs.
DECIMATION = 2
RATE_HZ = INPUT_RATE_HZ // DECIMATION
FRAME, HOP = RATE_HZ * 40 // 1_000, RATE_HZ * 10 // 1_000
LOWEST_HZ, HIGHEST_HZ = 70, 400
CLEAR = 0.55
SPAN = INPUT_RATE_HZ * 7 // 10
FINAL_FRAMES = 14
LEAST_FRAMES = 4
LEAST = INPUT_RATE_HZ // 4
# A final fall of statements and wh-questions is 3 semitones and more; a level or slightly
# rising end is what holds the floor.
FALL_SEMITONES = -1.5
LEVEL_SEMITONES = 0.8
# More is a mistake of an octave.
LARGEST_SEMITONES = 10
DYING_DB = -6.0


@dataclass(frozen=True, slots=True)
class Prosody:
    """`log_odds` that the turn is over, and why; 0 and no reasons when nothing can be told."""

    log_odds: float = 0.0
    reasons: tuple[str, ...] = ()


def prosody(samples: Samples) -> Prosody:
    """Judges the end of a voiced stretch: its samples at 16 kHz, the last 0.7 s count."""
    tail = samples[-SPAN:]
    if len(tail) < LEAST or not np.all(np.isfinite(tail)):
        return Prosody()
    frames = _frames(tail)
    odds = 0.0
    reasons: list[str] = []
    if (slope := pitch_change(frames)) is not None:
        if slope <= FALL_SEMITONES:
            odds, reasons = odds + 0.4, [*reasons, "pitch falls"]
        elif abs(slope) <= LEVEL_SEMITONES:
            odds, reasons = odds - 0.3, [*reasons, "pitch level"]
    if energy_change(frames) <= DYING_DB:
        odds, reasons = odds + 0.2, [*reasons, "voice dies away"]
    return Prosody(odds, tuple(reasons))


def pitch_change(frames: NDArray[np.float64]) -> float | None:
    """Semitones from the median pitch before to that of the last 140 ms; None if unvoiced."""
    pitch = pitch_hz(frames)
    before, final = pitch[:-FINAL_FRAMES], pitch[-FINAL_FRAMES:]
    before, final = before[before > 0], final[final > 0]
    if len(before) < LEAST_FRAMES or len(final) < LEAST_FRAMES:
        return None
    change = float(12 * np.log2(np.median(final[-LEAST_FRAMES:]) / np.median(before)))
    return change if abs(change) < LARGEST_SEMITONES else None


def energy_change(frames: NDArray[np.float64]) -> float:
    """Decibels from the mean energy before to that of the last 140 ms."""
    energy = np.mean(frames**2, axis=1) + 1e-12
    return float(10 * np.log10(energy[-FINAL_FRAMES:].mean() / energy[:-FINAL_FRAMES].mean()))


def pitch_hz(frames: NDArray[np.float64]) -> NDArray[np.float64]:
    """The pitch of each frame, 0 where there is none."""
    window = np.hanning(FRAME)
    shortest, longest = RATE_HZ // HIGHEST_HZ, RATE_HZ // LOWEST_HZ
    centred = (frames - frames.mean(axis=1, keepdims=True)) * window
    likeness = _autocorrelation(centred)[:, : longest + 1]
    likeness = likeness / np.maximum(likeness[:, :1], 1e-9)
    likeness = likeness / _autocorrelation(window[None] / np.linalg.norm(window))[:, : longest + 1]
    # A longer lag needs to be clearly better, or the pitch drops by an octave.
    cost = 0.01 * np.log2(np.arange(1, longest + 2))
    inner = likeness[:, 1:-1]
    is_peak = (inner >= likeness[:, :-2]) & (inner > likeness[:, 2:])
    score = np.where(is_peak, inner - cost[1:-1], -1.0)
    lags = shortest + score[:, shortest - 1 :].argmax(axis=1)
    clear = np.take_along_axis(likeness, lags[:, None], axis=1)[:, 0] >= CLEAR
    loud = np.mean(frames**2, axis=1) > 1e-3 * np.mean(frames**2, axis=1).max()
    return np.where(clear & loud, RATE_HZ / lags, 0.0)


def _frames(samples: Samples) -> NDArray[np.float64]:
    """Overlapping frames of the wave at 8 kHz, shape (n, FRAME); the last one ends with it."""
    whole = samples[len(samples) % DECIMATION :].astype(np.float64)
    halved = whole.reshape(-1, DECIMATION).mean(axis=1)
    halved = halved[(len(halved) - FRAME) % HOP :]
    return np.lib.stride_tricks.sliding_window_view(halved, FRAME)[::HOP]


def _autocorrelation(frames: NDArray[np.float64]) -> NDArray[np.float64]:
    size = 2 * FRAME
    return np.fft.irfft(np.abs(np.fft.rfft(frames, size)) ** 2, size)
