"""A turn model for the symbolic audio of backends/symbols.py: done unless a word says otherwise.

A turn that ends in one of the vocabulary's trailing words ("and", "um", "然后") is not done.
Takes seeded time on `clock`; `fail_rate` of its calls raise.
"""

from __future__ import annotations

import random

from visavis.backends.contract import Options, TurnModel
from visavis.backends.symbols import TRAILING, decode
from visavis.flow.clock import NS_PER_MS, Clock, SimulatedClock
from visavis.flow.errors import EngineError
from visavis.flow.events import Samples


class FakeTurn:
    """0.95 after a word that ends a turn, 0.05 after one that does not, 0.5 without words."""

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        seed: int = 0,
        latency_ms: tuple[float, float] = (30, 60),
        fail_rate: float = 0.0,
    ) -> None:
        self._clock = clock or SimulatedClock()
        self._random = random.Random(seed)
        self._latency_ms, self._fail_rate = latency_ms, fail_rate

    def score(self, samples: Samples) -> float:
        self._clock.spend(round(self._random.uniform(*self._latency_ms) * NS_PER_MS))
        if self._random.random() < self._fail_rate:
            raise EngineError("turn/fake: failed as told")
        words = decode(samples)
        if not words:
            return 0.5
        return 0.05 if words[-1] in TRAILING else 0.95

    def close(self) -> None:
        """Nothing is held."""


def load(options: Options) -> TurnModel:
    """Settings: `clock`, `seed`, `latency_ms` (low, high), `fail_rate`."""
    return FakeTurn(**options.settings)
