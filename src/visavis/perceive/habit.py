"""How long this user pauses without having finished.

Takes where voices begin and pause, whether they brought words, and where turns ended, in order of
time; gives the usual pause, and the longest one of this turn. Places are samples of the input axis.
Invariant: noise is no voice of the user's. What interrupts a pause without a word leaves it one
pause.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from visavis.flow.events import SAMPLES_PER_MS

LENGTH, LEAST = 8, 2
# Who speaks again so soon after an end was cut off.
CUT_OFF_MS = 1_000
# What is shorter lies between two phrases, and is no search for the next.
HESITATES_MS = 350


class Habit:
    """`hesitated_ms`: the longest pause in this turn, 0 if there was none.

    `most_ms`: a longer pause in a turn tells nothing.
    """

    def __init__(self, most_ms: float) -> None:
        self.hesitated_ms = 0.0
        self._most_ms = most_ms
        self._pauses_ms: deque[float] = deque(maxlen=LENGTH)
        self._is_over = False  # the last turn is, and no other has begun
        self._quiet: int | None = None  # where the user's last words ended
        self._voice: int | None = None  # where a voice began behind them that brought none yet
        self._pause: int | None = None  # where that voice ended

    @property
    def usual_ms(self) -> float:
        """The median of the last pauses, 0 while too few are known."""
        known = len(self._pauses_ms) >= LEAST
        return float(np.median(self._pauses_ms)) if known else 0.0

    def begin(self, start: int) -> None:
        """A voice begins."""
        self._voice, self._pause = start, None

    def pause(self, end: int) -> None:
        """It pauses."""
        self._pause = end
        if self._voice is None:
            self._quiet = end

    def words(self, end: int) -> None:
        """There are words up to `end` that were not there before."""
        if self._voice is None or end <= self._voice:
            return
        if self._quiet is not None:
            self._learn((self._voice - self._quiet) / SAMPLES_PER_MS)
        self._quiet, self._voice, self._is_over = self._pause, None, False

    def end(self, end: int) -> None:
        """The turn is over."""
        self._quiet, self._voice, self._is_over = end, None, True
        self.hesitated_ms = 0.0

    def _learn(self, pause_ms: float) -> None:
        if pause_ms <= (CUT_OFF_MS if self._is_over else self._most_ms):
            self._pauses_ms.append(pause_ms)
        if not self._is_over and pause_ms >= HESITATES_MS:
            self.hesitated_ms = max(self.hesitated_ms, pause_ms)
