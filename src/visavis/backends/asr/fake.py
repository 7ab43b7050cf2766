"""A recogniser for the symbolic audio of backends/symbols.py, with which a user is simulated.

It takes seeded time on `clock`; `fail_rate` of its recognitions raise. It writes partial words as
a real one does: with `slip_rate` the newest word is misheard.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from visavis.backends.contract import Asr, Hypothesis, Options
from visavis.backends.symbols import VOCABULARY, decode, encode, join, murmur, silence, spans
from visavis.flow.clock import NS_PER_MS, Clock, SimulatedClock
from visavis.flow.errors import EngineError
from visavis.flow.events import INPUT_RATE_HZ, Samples

LOCATE_NS = 10 * NS_PER_MS

__all__ = ["FakeAsr", "decode", "encode", "load", "murmur", "silence"]


class FakeAsr:
    """Reads symbolic audio."""

    languages: tuple[str, ...] = ("en", "zh")

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        seed: int = 0,
        latency_ms: tuple[float, float] = (40, 120),
        fail_rate: float = 0.0,
        partial_ms: int = 480,
        slip_rate: float = 0.2,
    ) -> None:
        self._clock = clock or SimulatedClock()
        self._random = random.Random(seed)
        self._latency_ms, self._fail_rate, self._slip_rate = latency_ms, fail_rate, slip_rate
        self._partial = partial_ms * INPUT_RATE_HZ // 1_000
        self.open()

    def open(self) -> None:
        self._heard: list[Samples] = []
        self._fresh = 0
        self._flushed: Hypothesis | None = None

    def feed(self, samples: Samples) -> Hypothesis | None:
        """Adds samples; recognises every `partial_ms`."""
        if len(samples):
            self._heard.append(np.array(samples, np.float32))
            self._flushed = None
        self._fresh += len(samples)
        if self._fresh < self._partial:
            return None
        words = self._recognise()
        slips = bool(words) and self._random.random() < self._slip_rate
        if slips:
            words[-1] = self._random.choice(VOCABULARY)
        return replace(_hypothesis(words), thorough=not slips)

    def flush(self) -> Hypothesis:
        if self._flushed is None:
            self._flushed = _hypothesis(self._recognise())
        return self._flushed

    def locate(self, start: int, end: int) -> tuple[int, int] | None:
        """Exact: the words are where they are."""
        if self._flushed is None:
            return None
        self._clock.spend(LOCATE_NS)
        words = spans(self._sound())
        ends = [len(join([word for word, _, _ in words[: at + 1]])) for at in range(len(words))]
        within = [word for word, char_end in zip(words, ends, strict=True) if start < char_end]
        last = sum(char_end < end for char_end in ends)
        return (within[0][1], words[last][2]) if within and last < len(words) else None

    def close(self) -> None:
        self.open()

    def _recognise(self) -> list[str]:
        self._fresh = 0
        self._clock.spend(round(self._random.uniform(*self._latency_ms) * NS_PER_MS))
        if self._random.random() < self._fail_rate:
            raise EngineError("asr/fake: failed as told")
        return decode(self._sound())

    def _sound(self) -> Samples:
        return np.concatenate([*self._heard, silence(0)])


def _hypothesis(words: Sequence[str]) -> Hypothesis:
    text = join(words)
    if not text:
        return Hypothesis("")
    return Hypothesis(text, 0.9, "zh" if any(c > "\u2e80" for c in text) else "en")


def load(options: Options) -> Asr:
    """Settings: the keywords of `FakeAsr`."""
    return FakeAsr(**options.settings)
