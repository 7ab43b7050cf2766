"""A voice for tests: its sound spells out which words, and which samples of them, were played.

Each word it ever speaks is a run of samples at one level (`level(n)` for word n), so `decode`
reads a recording back into words and sample counts. It takes simulated time, is seeded, and fails
on demand.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from itertools import groupby
from typing import Any

import numpy as np

from visavis.backends.contract import Options, Speech
from visavis.flow.clock import NS_PER_MS, Clock, SystemClock
from visavis.flow.errors import EngineError
from visavis.flow.events import Samples, WordTime

LEVELS = 200


def level(word: int) -> float:
    """The level of word number `word`: from 0.125 to 0.9, on the 16-bit grid."""
    return (4096 + word % LEVELS * 128) / 32_768


def decode(samples: Samples) -> list[tuple[int, int]]:
    """The words that sound, as (number modulo 200, samples of it), in order; silence left out.

    For sound at full volume.
    """
    steps = np.round(samples * 32_768).astype(int)
    runs = [(step, len(list(run))) for step, run in groupby(steps.tolist())]
    return [((step - 4096) // 128, count) for step, count in runs if step]


class FakeTts:
    """Speaks words of `letter_ms` a letter; `words` lists all it spoke, by their number.

    The sound comes in pieces of `piece_ms` (0 = in one). It takes `latency_ms`, and `factor` times
    the length of the sound, each call varied by up to `jitter` (0.2 = ±20 %). Calls whose number
    (from 0) is in `fail` raise `EngineError`, in `snap`: behind the first piece; those in `broken`
    give NaN, those in `mute` no sound. `timed` false: word times are not told. `around` lists
    what each part of a sentence was said between, if it can say them (`in_context`).
    """

    def __init__(
        self,
        clock: Clock,
        *,
        rate_hz: int = 16_000,
        seed: int = 0,
        latency_ms: float = 40.0,
        factor: float = 0.05,
        jitter: float = 0.0,
        letter_ms: int = 60,
        lead_ms: int = 0,
        tail_ms: int = 0,
        piece_ms: int = 0,
        timed: bool = True,
        fail: Collection[int] = (),
        snap: Collection[int] = (),
        broken: Collection[int] = (),
        mute: Collection[int] = (),
        languages: tuple[str, ...] = ("en", "zh"),
        in_context: bool = False,
    ) -> None:
        self.rate_hz, self.languages, self.in_context = rate_hz, languages, in_context
        self.around: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.calls = 0
        self._clock = clock
        self._random = random.Random(seed)
        self._latency_ms, self._factor, self._jitter = latency_ms, factor, jitter
        self._letter, self._timed = rate_hz * letter_ms // 1000, timed
        self._lead, self._tail = rate_hz * lead_ms // 1000, rate_hz * tail_ms // 1000
        self._piece = rate_hz * piece_ms // 1000
        self._fail, self._snap, self._broken, self._mute = fail, snap, broken, mute

    def synthesise(self, text: str, language: str = "") -> Iterator[Speech]:
        call, self.calls = self.calls, self.calls + 1
        speed = 1 + self._jitter * self._random.uniform(-1, 1)
        sound, words = self._speak(text)
        if call in self._broken:
            sound = np.full_like(sound, np.nan)
        self._spend(self._latency_ms * speed)
        size = self._piece or max(len(sound), 1)
        for begin in range(0, max(len(sound), 1), size):
            samples = sound[begin : begin + size]
            self._spend(self._factor * speed * 1000 * len(samples) / self.rate_hz)
            if call in self._fail or (begin and call in self._snap):
                raise EngineError(f"fake voice: call {call} fails")
            if call in self._mute:
                yield Speech(sound[:0])
                return
            yield Speech(samples) if begin else Speech(samples, words, len(sound))

    def synthesise_part(
        self, text: str, language: str = "", *, before: str = "", after: str = ""
    ) -> Iterator[Speech]:
        self.around.append((before, after))
        return self.synthesise(text, language)

    def close(self) -> None:
        pass

    def _spend(self, spent_ms: float) -> None:
        self._clock.spend(int(spent_ms * NS_PER_MS))

    def _speak(self, text: str) -> tuple[Samples, tuple[WordTime, ...]]:
        parts, times = [np.zeros(self._lead, np.float32)], []
        at, char = self._lead, 0
        for word in text.split():
            char = text.index(word, char) + len(word)
            count = self._letter * len(word)
            parts.append(np.full(count, level(len(self.words)), np.float32))
            times.append(WordTime(at, at + count, char))
            self.words.append(word)
            at += count
        parts.append(np.zeros(self._tail, np.float32))
        return np.concatenate(parts), tuple(times) if self._timed else ()


def load(options: Options) -> FakeTts:
    """The settings are those of `FakeTts`; without a `clock` it takes real time."""
    settings: dict[str, Any] = dict(options.settings)
    return FakeTts(settings.pop("clock", None) or SystemClock(), **settings)
