"""What of ours sounded lately, and when: to know our own words when the microphone brings them.

Takes texts with the time at which they sounded; gives the text around a stretch of input.
Invariant: remembers at most `MEMORY_NS`.
"""

from __future__ import annotations

from collections import deque

from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.flow.events import INPUT_RATE_HZ

MEMORY_NS = 40 * NS_PER_S
BEFORE_NS = 1_500 * NS_PER_MS
"""An echo comes after the sound; the text of a word is told when half of it has sounded."""
AFTER_NS = 500 * NS_PER_MS
NS_PER_SAMPLE = NS_PER_S // INPUT_RATE_HZ


class Said:
    """Our words, by the time at which they sounded."""

    def __init__(self) -> None:
        self._told: deque[tuple[int, str]] = deque()

    def add(self, t_ns: int, text: str) -> None:
        """`text` sounded at `t_ns`."""
        if text:
            self._told.append((t_ns, text))
        while self._told and self._told[0][0] < t_ns - MEMORY_NS:
            self._told.popleft()

    def around(self, start: int, end: int) -> str:
        """What sounded around samples [start, end) of the input axis."""
        first, last = start * NS_PER_SAMPLE - BEFORE_NS, end * NS_PER_SAMPLE + AFTER_NS
        return "".join(text for t_ns, text in self._told if first <= t_ns <= last)
