"""A scripted speaker: utterances at given moments, with silence between them, as sound.

Takes utterances, before the run or while it runs (`say`). Gives `audio.captured`, mono float32 in
chunks of 20 ms, then `source.ended`. Invariant: it has one mouth. No utterance is cut, and none
begins before its time, before the one under way ends, or in a chunk that was already given.
"""

from __future__ import annotations

import heapq
import itertools
import math
import threading
from collections import deque
from collections.abc import Iterable, Iterator

import numpy as np

from visavis.flow.clock import NS_PER_S
from visavis.flow.events import AudioCaptured, Event, Samples, SourceEnded
from visavis.source.chunks import CHUNKS_PER_S

MAX_WAITING = 1000


class ScriptedSpeaker:
    """Speaks samples of `rate_hz` from session time zero.

    Ends `tail_s` after the last utterance, or at `end`. `spoken` lists (start_ns, end_ns) of the
    latest utterances, each once its last sample was given.
    """

    def __init__(
        self,
        rate_hz: int,
        utterances: Iterable[tuple[float, Samples]] = (),
        *,
        tail_s: float = math.inf,
    ) -> None:
        self.rate_hz = rate_hz
        self.spoken: deque[tuple[int, int]] = deque(maxlen=MAX_WAITING)
        self._tail = tail_s * rate_hz
        self._lock = threading.Lock()
        self._order = itertools.count()
        self._waiting: list[tuple[int, int, Samples]] = []
        self._mouth = np.zeros(0, np.float32)
        self._begun = 0
        self._given = self._silent_since = 0
        self._ended = False
        for start_s, samples in utterances:
            self.say(samples, round(start_s * NS_PER_S))

    def say(self, samples: Samples, at_ns: int = 0) -> None:
        """Speaks mono samples, shape (n,), at `at_ns` or as soon after as it can. Thread-safe."""
        assert samples.ndim == 1
        at = round(at_ns * self.rate_hz / NS_PER_S)
        with self._lock:
            assert len(self._waiting) < MAX_WAITING
            entry = (at, next(self._order), np.asarray(samples, np.float32))
            heapq.heappush(self._waiting, entry)

    def end(self) -> None:
        """Says no more: the chunk under way is the last. Thread-safe."""
        with self._lock:
            self._ended = True

    def events(self) -> Iterator[Event]:
        """Chunks in order of time; each is made when it is asked for."""
        while (samples := self._next()) is not None:
            end_ns = self._ns(self._given)
            yield AudioCaptured(
                t_ns=end_ns,
                captured_ns=end_ns,
                data=samples.astype("<f4").tobytes(),
                encoding="f32",
                rate_hz=self.rate_hz,
                channels=1,
            )
        yield SourceEnded(t_ns=self._ns(self._given), source="audio")

    def _next(self) -> Samples | None:
        with self._lock:
            busy = len(self._mouth) > 0 or bool(self._waiting)
            over = not busy and self._given - self._silent_since >= self._tail
            if self._ended or over:
                return None
            chunk = np.zeros(max(1, self.rate_hz // CHUNKS_PER_S), np.float32)
            self._speak(chunk)
            self._given += len(chunk)
            return chunk

    def _speak(self, chunk: Samples) -> None:
        at = 0
        while at < len(chunk):
            if not len(self._mouth):
                start = self._waiting[0][0] - self._given if self._waiting else len(chunk)
                at = max(at, start)
                if at >= len(chunk):
                    return
                self._mouth, self._begun = heapq.heappop(self._waiting)[2], self._given + at
            count = min(len(self._mouth), len(chunk) - at)
            chunk[at : at + count] = self._mouth[:count]
            self._mouth, at = self._mouth[count:], at + count
            if not len(self._mouth):
                self._silent_since = self._given + at
                self.spoken.append((self._ns(self._begun), self._ns(self._silent_since)))

    def _ns(self, sample: int) -> int:
        return sample * NS_PER_S // self.rate_hz
