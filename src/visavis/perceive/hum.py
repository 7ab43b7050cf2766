"""Does a voice hum ("mm", "mm-hm", "嗯") or does it speak? And how loud is it?

Pure functions over samples at 16 kHz, about 0.1 ms for half a second. A hum is a nasal murmur: its
energy lies at the pitch and below 400 Hz, little is left between 400 and 850 Hz where the vowels
have their first formant, less above, and it hardly changes. A logistic regression weighs that;
tools/fit_hum.py fits it. An open "uh-huh" is a vowel and counts as speech here: its words tell.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visavis.flow.events import INPUT_RATE_HZ, Samples

Array = NDArray[np.float64]
FRAME, HOP, SIZE = INPUT_RATE_HZ * 25 // 1_000, INPUT_RATE_HZ * 10 // 1_000, 512
WINDOW = np.hanning(FRAME)
EDGES_HZ = (100, 250, 400, 600, 850, 1_200, 1_700, 2_400, 3_400, 5_000, 7_500)
EDGES = [round(edge * SIZE / INPUT_RATE_HZ) for edge in EDGES_HZ]
# What the room has at its quieter moments, and how much more at its louder ones.
ROOM_PERCENTILE, ROOM_FACTOR = 25, 4.0
FAINT_DB = -50.0
# A frame that is so much weaker than the loudest is a gap, or room.
GAP_DB = -20.0
# How much a frame and the next but two differ, of the bands up to 3.4 kHz.
SHAPED = 8
WEIGHTS = np.array([0.076, -0.080, -0.123, -0.056, 0.112, -0.252])
BIAS = -2.51


def hum(voice: Samples, room: Samples) -> float:
    """How likely the voice is a hum, in [0, 1], given the sound of the room just before it.

    At least one frame (25 ms) of voice; of the room as much as there is.
    """
    return float(1 / (1 + np.exp(-(features(voice, room) @ WEIGHTS + BIAS))))


def features(voice: Samples, room: Samples) -> Array:
    """What the regression weighs, shape (6,), dB.

    The shares of the energy at 100–250 Hz, 400–600 Hz, 600–850 Hz and above 1.7 kHz; the largest
    share of 600–1700 Hz in a frame; how much the bands vary.
    """
    power = _bands(voice)
    if len(room) >= FRAME:
        noise = ROOM_FACTOR * np.percentile(_bands(room), ROOM_PERCENTILE, axis=0)
        power = np.maximum(power - noise, 0)
    total = power.sum(axis=1)
    loud = total >= total.max() * 10 ** (GAP_DB / 10)
    power, total = power[loud], total[loud]
    floor = max(float(total.max()) * 10 ** (FAINT_DB / 10), 1e-12)
    shape = _db(np.maximum(power, floor) / np.maximum(total, floor)[:, None])
    share = np.maximum(power.sum(axis=0), floor) / max(float(total.sum()), floor)
    middle = (power[:, 3:6].sum(axis=1) + floor) / np.maximum(total, floor)
    return np.array(
        [
            *_db(share[[0, 2, 3]]),
            _db(share[6:].sum()),
            _db(middle.max()),
            shape[:, :SHAPED].std(axis=0).mean(),
        ]
    )


def _bands(samples: Samples) -> Array:
    """The power of each frame in ten bands, shape (n, 10)."""
    if len(samples) < FRAME:
        samples = np.pad(samples, (0, FRAME - len(samples)))
    frames = np.lib.stride_tricks.sliding_window_view(samples, FRAME)[::HOP]
    spectrum = np.abs(np.fft.rfft(frames * WINDOW, SIZE)) ** 2
    return np.asarray(np.add.reduceat(spectrum, EDGES, axis=1)[:, :-1])


def _db(power: Array) -> Array:
    return 10 * np.log10(power)
