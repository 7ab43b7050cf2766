"""The energy envelope: how loud each 8 ms were, and where the sound last rose above the room.

A detector's probability rings on after the voice by 60 ms in a quiet room and by 130 ms in noise
(Silero, medians); the envelope tells where the voice itself ended. Bounded: it remembers 3 s.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from visavis.flow.events import INPUT_RATE_HZ, Samples

FRAME = INPUT_RATE_HZ * 8 // 1_000
MEMORY = 3 * INPUT_RATE_HZ // FRAME
SPAN = 10
# Of what was loudest lately: 34 dB below it, nothing is heard of a voice.
FAINT = 0.02
# The quietest frames are the room, and noise is not steady: 6 dB.
ABOVE_ROOM = 2.0
ROOM_PERCENTILE = 5
# Sound that hardly varies has no quiet: 10 dB below the loudest is loud, whatever the room.
STEADY = 0.3


class Envelope:
    """Fed whole frames; `end` is the sample after the last one."""

    def __init__(self, end: int = 0) -> None:
        self.end = end
        self._levels: deque[float] = deque(maxlen=MEMORY)

    def feed(self, samples: Samples) -> None:
        """Adds samples, shape (n × 128,)."""
        frames = samples.reshape(-1, FRAME).astype(np.float64)
        self._levels.extend(np.sqrt(np.mean(frames**2, axis=1)).tolist())
        self.end += len(samples)

    def quietest(self) -> int:
        """The middle of the quietest 80 ms of the last 3 s: where a cut does least harm."""
        levels = np.array(self._levels)
        if len(levels) < SPAN:
            return self.end
        sums = np.convolve(levels, np.ones(SPAN), "valid")
        return self.end - (len(levels) - SPAN // 2 - int(sums.argmin())) * FRAME

    def loud_until(self, at_least: int) -> int:
        """The sample after the last loud frame; `at_least` if there is none after it."""
        levels = np.array(self._levels)
        if not len(levels):
            return at_least
        loudest = levels.max()
        above_room = ABOVE_ROOM * np.percentile(levels, ROOM_PERCENTILE)
        threshold = min(max(above_room, FAINT * loudest), STEADY * loudest)
        loud = np.flatnonzero(levels > threshold)
        if not len(loud):
            return at_least
        return max(at_least, self.end - (len(levels) - 1 - int(loud[-1])) * FRAME)
