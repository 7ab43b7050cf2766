"""Whisper's log-mel spectrogram, the input of several speech models.

Takes 16 kHz mono samples, gives float32 of shape (mels, frames), one frame each 10 ms. Definition:
Radford et al. 2022, "Robust speech recognition via large-scale weak supervision", §2.2: a Hann
window of 25 ms, Slaney's mel scale, log10, and a dynamic range of 80 dB. Invariant: finite for
any finite input. numpy alone, 3 ms for 8 s.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from visavis.flow.events import INPUT_RATE_HZ, Samples

HOP = 160
WINDOW = 400
FRAMES_PER_S = INPUT_RATE_HZ // HOP
PER_DB = 1 / 40
"""In the scale of the spectrogram."""
# Slaney's scale is linear to 1 kHz (15 mels), then logarithmic: 27 mels for a factor of 6.4.
LINEAR_HZ_PER_MEL = 200 / 3
KNEE_HZ, KNEE_MEL = 1_000.0, 15.0
MELS_PER_E = 27 / math.log(6.4)


def log_mel(samples: Samples, mels: int = 80) -> NDArray[np.float32]:
    """Spectrogram of samples, shape (n,), n ≥ 400; gives (mels, n // 160), roughly in ±1."""
    assert len(samples) >= WINDOW, "shorter than one window"
    padded = np.pad(np.asarray(samples, np.float32), WINDOW // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP]
    spectrum = np.fft.rfft(frames[: len(samples) // HOP] * _hann(), axis=1)
    power = (spectrum.real**2 + spectrum.imag**2).astype(np.float32)
    # Not as a product of matrices: the threads that NumPy's BLAS would use for it spin for some
    # 30 ms afterwards, and whoever wants their core then (the encoder of the recogniser) gets none.
    bins, weights, begins = _bands(mels)
    level = np.log10(np.maximum(np.add.reduceat(power[:, bins] * weights, begins, axis=1), 1e-10))
    scaled: NDArray[np.float32] = (np.maximum(level, level.max() - 8) + 4) / 4
    return np.ascontiguousarray(scaled.T, np.float32)


@functools.cache
def _hann() -> NDArray[np.float32]:
    phase = 2 * np.pi * np.arange(WINDOW) / WINDOW
    return ((1 - np.cos(phase)) / 2).astype(np.float32)


@functools.cache
def _bands(mels: int) -> tuple[NDArray[np.intp], NDArray[np.float32], NDArray[np.intp]]:
    """The bins of each mel, one mel after the other; their weights; where each mel begins."""
    filters = _filters(mels)
    owners, bins = np.nonzero(filters)
    begins = np.searchsorted(owners, np.arange(mels))
    assert len(np.unique(owners)) == mels, "a mel without a bin"
    return bins, filters[owners, bins], begins


def _filters(mels: int) -> NDArray[np.float32]:
    """Triangles of equal area, evenly spaced in mels; shape (mels, WINDOW // 2 + 1)."""
    bins_hz = np.fft.rfftfreq(WINDOW, 1 / INPUT_RATE_HZ)
    corners_hz = _hz(np.linspace(0, _mel(INPUT_RATE_HZ / 2), mels + 2))[:, None]
    low, centre, high = corners_hz[:-2], corners_hz[1:-1], corners_hz[2:]
    rise = (bins_hz - low) / (centre - low)
    fall = (high - bins_hz) / (high - centre)
    triangles = np.maximum(0, np.minimum(rise, fall)) * 2 / (high - low)
    return triangles.astype(np.float32)


def _mel(hz: float) -> float:
    assert hz >= KNEE_HZ
    return KNEE_MEL + MELS_PER_E * math.log(hz / KNEE_HZ)


def _hz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    above = np.maximum(mel - KNEE_MEL, 0)
    curved = KNEE_HZ * np.exp(above / MELS_PER_E)
    return np.where(mel < KNEE_MEL, mel * LINEAR_HZ_PER_MEL, curved)
