"""Drift: how much faster the microphone's clock runs than the loudspeaker's.

Takes the delay of the echo as it is found, in samples of the input axis; gives its rate of change.
Invariant: 0 until the delay has plainly moved, so that two devices on one clock are left alone.

At 100 ppm, common between two devices, the echo moves by a period of 1 kHz in ten seconds: an
adaptive filter never gets done, and what it leaves of us is enough for a voice.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from visavis.flow.events import INPUT_RATE_HZ

SPAN = (4 * INPUT_RATE_HZ, 60 * INPUT_RATE_HZ)
"""From the oldest finding to the newest: at least, at most."""
FINDINGS = 80
PLAIN = 3
"""Samples."""
MOST = 500e-6


class Drift:
    """The slope through the latest findings. `rate`: samples a sample, positive = later and later.

    A delay that jumps is another device, or a stall: then `reset`.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets what was found."""
        self.rate = 0.0
        self._found: deque[tuple[int, int]] = deque(maxlen=FINDINGS)

    def see(self, at: int, delay: int) -> None:
        """At sample `at` of the axis the delay was found to be `delay`."""
        self._found.append((at, delay))
        while at - self._found[0][0] > SPAN[1]:
            self._found.popleft()
        span = at - self._found[0][0]
        if span < SPAN[0]:
            return
        places, delays = np.asarray(self._found, np.float64).T
        places -= places.mean()
        slope = float(places @ (delays - delays.mean()) / (places @ places))
        self.rate = min(max(slope, -MOST), MOST) if abs(slope) * span >= PLAIN else 0.0
