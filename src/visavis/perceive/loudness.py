"""How loud a voice is, and up to where it was there.

Pure functions over samples at 16 kHz.
"""

from __future__ import annotations

import numpy as np

from visavis.flow.events import INPUT_RATE_HZ, Samples

FRAME = INPUT_RATE_HZ * 8 // 1_000
# Weaker than the loudest frame by so much is a gap, or the room.
GAP_DB = -20.0
SILENCE_DB = -100.0


def loudness(samples: Samples) -> tuple[float, int]:
    """The level of the voiced part in dB of full scale, and the sample after its last frame.

    (-100 dB, 0) when there is no sound, or less than a frame (8 ms).
    """
    whole = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME).astype(np.float64)
    power = np.mean(whole**2, axis=1)
    loudest = power.max(initial=0.0)
    if not loudest > 10 ** (SILENCE_DB / 10):
        return SILENCE_DB, 0
    voiced = power >= loudest * 10 ** (GAP_DB / 10)
    end = (int(np.flatnonzero(voiced)[-1]) + 1) * FRAME
    return float(10 * np.log10(power[voiced].mean())), end
