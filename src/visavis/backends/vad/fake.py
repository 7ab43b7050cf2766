"""A voice activity detector for the symbolic audio of backends/symbols.py: sound is voice.

Deterministic; `fail_rate` of its calls raise, drawn from `seed`.
"""

from __future__ import annotations

import random

import numpy as np

from visavis.backends.contract import Options, Vad
from visavis.flow.clock import Clock, SimulatedClock
from visavis.flow.errors import EngineError
from visavis.flow.events import Samples

WINDOW = 512


class FakeVad:
    """1.0 for a window with any sample that is not zero, else 0.0."""

    window = WINDOW

    def __init__(
        self, clock: Clock | None = None, *, seed: int = 0, cost_ns: int = 0, fail_rate: float = 0.0
    ) -> None:
        self._clock = clock or SimulatedClock()
        self._random = random.Random(seed)
        self._cost_ns, self._fail_rate = cost_ns, fail_rate

    def score(self, samples: Samples) -> float:
        assert len(samples) == WINDOW, f"{len(samples)} samples instead of {WINDOW}"
        self._clock.spend(self._cost_ns)
        if self._random.random() < self._fail_rate:
            raise EngineError("vad/fake: failed as told")
        return float(np.any(samples[np.isfinite(samples)]))

    def reset(self) -> None:
        """Nothing is remembered."""

    def close(self) -> None:
        """Nothing is held."""


def load(options: Options) -> Vad:
    """Settings: `clock`, `seed`, `cost_ns`, `fail_rate`."""
    return FakeVad(**options.settings)
