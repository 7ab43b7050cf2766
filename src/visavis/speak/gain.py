"""The volume of playback, changed without a click.

Takes samples and a target. Gives as many samples. Invariant: not a sample is lost or doubled; at
full volume they are passed on untouched.
"""

from __future__ import annotations

import numpy as np

from visavis.flow.events import Samples
from visavis.speak.sound import on_grid


class Gain:
    """A volume that moves to its target in a straight line, full range in `ramp` samples."""

    def __init__(self, ramp: int) -> None:
        assert ramp > 0
        self._step = 1.0 / ramp
        self.reset()

    def reset(self) -> None:
        """Full volume at once."""
        self._now = self._target = 1.0

    def aim(self, target: float) -> None:
        assert 0.0 <= target <= 1.0
        self._target = target

    def apply(self, samples: Samples) -> Samples:
        """The next samples at their volume, on the 16-bit grid."""
        if self._now == self._target == 1.0 or not len(samples):
            return samples
        low, high = sorted((self._now, self._target))
        step = self._step if self._target > self._now else -self._step
        steps = np.arange(1, len(samples) + 1) * step
        curve = np.clip(self._now + steps, low, high)
        self._now = float(curve[-1])
        return on_grid(samples * curve.astype(np.float32))
