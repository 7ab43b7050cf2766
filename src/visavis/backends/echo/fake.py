"""An echo canceller for simulations: takes out a delayed, scaled copy of the far sound, exactly.

Where near sound is symbolic (backends/symbols.py) an adaptive filter would garble it; this one
knows the room. `delay_ms` and `gain` are those of the echo to be taken out, relative to the far
sound as it is given; the delay that `feed` is told is not used.
"""

from __future__ import annotations

import numpy as np

from visavis.backends.contract import EchoCanceller, Options
from visavis.flow.events import INPUT_RATE_HZ, Samples


class FakeCanceller:
    """`fed` counts the blocks; it has no doubts, and regains nothing, but what it is given."""

    def __init__(self, *, delay_ms: float = 0, gain: float = 1) -> None:
        held = round(delay_ms * INPUT_RATE_HZ / 1000)
        self._gain = np.float32(gain)
        self._played: Samples = np.zeros(held, np.float32)
        self.fed = 0
        self.doubted = False
        self.regained: Samples = np.zeros(0, np.float32)

    def feed(self, near: Samples, far: Samples, delay_ms: float) -> Samples:
        self.fed += 1
        near, far = (np.nan_to_num(each, posinf=0.0, neginf=0.0) for each in (near, far))
        played = np.concatenate([self._played, far])
        self._played = played[len(far) :]
        return np.asarray(near - self._gain * played[: len(near)], np.float32)

    def reset(self) -> None:
        self._played = np.zeros_like(self._played)

    def close(self) -> None:
        """Nothing is held."""


def load(options: Options) -> EchoCanceller:
    """Settings: `delay_ms` (0), `gain` (1)."""
    return FakeCanceller(**options.settings)
