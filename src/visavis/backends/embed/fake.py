"""A hashed bag of words: texts that share words have vectors that point alike. No meaning in it.

Deterministic across processes. Chinese and Japanese count by the character. Takes seeded time on
`clock`; `fail_rate` of its calls raise.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visavis.backends.contract import Embedder, Options
from visavis.flow.clock import NS_PER_MS, Clock, SimulatedClock
from visavis.flow.errors import EngineError
from visavis.flow.text import WIDE

WORD = re.compile(rf"[{WIDE}]|(?:(?![{WIDE}])\w)+")


class FakeEmbedder:
    """Vectors of `size` numbers. A text without words has the first axis for its own."""

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        seed: int = 0,
        size: int = 256,
        latency_ms: tuple[float, float] = (0, 0),
        fail_rate: float = 0.0,
    ) -> None:
        self._clock = clock or SimulatedClock()
        self._random = random.Random(seed)
        self._size, self._latency_ms, self._fail_rate = size, latency_ms, fail_rate

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        self._clock.spend(round(self._random.uniform(*self._latency_ms) * NS_PER_MS))
        if self._random.random() < self._fail_rate:
            raise EngineError("embed/fake: failed as told")
        vectors = np.zeros((len(texts), self._size), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word in WORD.findall(text.casefold()) or [""]:
                # The first axis is kept for texts without words.
                axis = 1 + zlib.crc32(word.encode()) % (self._size - 1) if word else 0
                vector[axis] += 1
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / lengths, np.float32)

    def close(self) -> None:
        """Nothing is held."""


def load(options: Options) -> Embedder:
    """Settings: `clock`, `seed`, `size`, `latency_ms` (low, high), `fail_rate`."""
    return FakeEmbedder(**options.settings)
