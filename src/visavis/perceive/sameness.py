"""Whether two pictures show so surely the same that any answer about them would be the same.

Takes two pictures as blocks, shape (48, 64, 3). Much stricter than `difference`: a letter that is
another one must not pass. Blocks of one, two, four and eight each way are compared; noise shrinks
by half from each to the next and what really changed somewhere does not. Pure.
"""

from __future__ import annotations

import numpy as np

from visavis.perceive.blocks import Blocks, halved
from visavis.perceive.difference import gains

FLOOR = 3.0
PEAK = 5.5
"""Standard deviations: noise reaches 4.5 in one of ten thousand blocks."""
MOST_NOISE = 2.5
"""Of a block of sixteen pixels; what differs by more everywhere is not noise."""
LIGHT = (0.92, 1.08)
"""A camera that adjusts itself by this changes no colour's name."""
SCALES = (1, 2, 4, 8)


def same(one: Blocks, other: Blocks) -> bool:
    """Whether `other` shows what `one` shows."""
    by = gains(one, other)
    rest = other - (one if by is None else one * np.clip(by, *LIGHT))
    noise = min(MOST_NOISE, 1.48 * float(np.median(np.abs(rest))))
    for scale in SCALES:
        if np.abs(rest).max() > FLOOR + PEAK * noise / scale:
            return False
        rest = halved(rest)
    return True
