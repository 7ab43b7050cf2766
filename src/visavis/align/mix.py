"""Down-mix: any number of channels → one, by weights that sum to one, so nothing can clip.

Stereo is the mean. 5.1 and 7.1, in the order of FFmpeg and of WAV, take the weights of ITU-R
BS.775: centre and surrounds 3 dB below the fronts, no LFE. Any other count is the mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visavis.flow.events import Samples

_MINUS_3_DB = 0.5**0.5
_ITU = {
    # front left and right, centre, LFE, back left and right, side left and right
    6: (1, 1, 2 * _MINUS_3_DB, 0, _MINUS_3_DB, _MINUS_3_DB),
    8: (1, 1, 2 * _MINUS_3_DB, 0, _MINUS_3_DB, _MINUS_3_DB, _MINUS_3_DB, _MINUS_3_DB),
}


def weights(channels: int) -> NDArray[np.float32]:
    """The weight of each channel, shape (channels,), summing to 1."""
    raw = np.asarray(_ITU.get(channels, (1,) * channels), np.float32)
    shares: NDArray[np.float32] = raw / raw.sum()
    return shares


def mono(frames: NDArray[np.float32]) -> Samples:
    """Mixes frames, shape (n, channels), to shape (n,)."""
    channels = frames.shape[1]
    if channels == 1:
        return frames[:, 0]
    mix = np.zeros(len(frames), np.float32)
    # One channel at a time: a matrix product rounds differently for different lengths, and then
    # the way the bytes were split would show in the result.
    for channel, weight in enumerate(weights(channels)):
        if weight:
            mix += frames[:, channel] * weight
    return mix
