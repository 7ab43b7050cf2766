"""The delay of the echo: how much later than the reference it is in what the microphone hears.

Takes pairs of a second of sound, near and far; gives the delay in samples, or nothing. Invariant:
an estimate changes on evidence only. In silence, and while the user's voice hides the echo, the
last one stands; a jump, and a doubtful first one, is believed when it was seen twice.

Generalised cross-correlation with phase transform (Knapp and Carter, IEEE Trans. ASSP 24, 1976) in
the band of speech, the earliest strong peak: the direct sound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visavis.flow.events import INPUT_RATE_HZ, Samples

MOST = INPUT_RATE_HZ // 2
"""Longest delay, samples: 500 ms."""
WINDOW = INPUT_RATE_HZ
BAND_HZ = (200, 3_600)
LEAST = INPUT_RATE_HZ // 10
"""Of less of our sound any noise in the room may be taken for the echo."""
AUDIBLE = 10 ** (-60 / 20)
"""RMS of a second that is worth looking at."""
SURE = 12.0
"""Peak over RMS of the correlation; of unrelated sound it is 5 at most."""
CERTAIN = 18.0
"""The first estimate is believed at once where the peak is that high; of 13 with a lower one, in 48
first replies in rooms with noise, 10 were wrong."""
EARLIEST = 0.6
"""Of the highest peak: an earlier one as high as this is the direct sound."""
WIDTH = 8
"""Samples from the foot of a peak past its top, in that band."""
SAME = INPUT_RATE_HZ // 250
"""Estimates within 4 ms of each other are the same delay, drifting."""
_RISE = np.sin(np.linspace(0, np.pi / 2, INPUT_RATE_HZ // 50, dtype=np.float32)) ** 2


class DelayEstimator:
    """`samples` is the estimate, None until there is one; `jumps` counts its changes."""

    def __init__(self) -> None:
        self.samples: int | None = None
        self.jumps = 0
        self._rival: int | None = None
        freqs = np.fft.rfftfreq(WINDOW + MOST, 1 / INPUT_RATE_HZ)
        self._band = (freqs >= BAND_HZ[0]) & (freqs <= BAND_HZ[1])

    def look(self, near: Samples, far: Samples) -> bool:
        """Whether the estimate was found, again or anew.

        `near`, shape (WINDOW,); `far`, shape (MOST + WINDOW,), ends at the same moment.
        """
        began = int(np.argmax(far != 0))
        if len(far) - began < LEAST:
            return False
        # What was heard before anything was played is no echo.
        near = _cut(near, max(0, began - MOST))
        if min(_level(near), _level(far[-WINDOW:])) < AUDIBLE:
            return False
        strength = self._correlation(near, _cut(far, 0))
        highest = strength.max()
        over = highest / np.sqrt(np.mean(strength**2))
        # Written so that no number (a device that gives NaN) is no delay either.
        if not over >= SURE:
            return False
        found = self._first(strength, EARLIEST * highest)
        if self.samples is None:
            believed, new = over >= CERTAIN, True
        else:
            believed = abs(found - self.samples) <= SAME
            new = not believed
        if not believed and (self._rival is None or abs(found - self._rival) > SAME):
            self._rival = found
            return False
        self.jumps += new
        self.samples, self._rival = found, None
        return True

    def _first(self, strength: NDArray[np.float64], least: float) -> int:
        """The top of the first peak that is so high."""
        first = int(np.flatnonzero(strength >= least)[0])
        return first + int(np.argmax(strength[first : first + WIDTH]))

    def _correlation(self, near: Samples, far: Samples) -> NDArray[np.float64]:
        """Its magnitude at each delay from 0 to MOST."""
        size = len(far)
        cross = np.fft.rfft(near, size) * np.fft.rfft(far).conj()
        magnitude = np.abs(cross)
        white = np.where(self._band, cross / (magnitude + 1e-12), 0)
        # Far begins MOST samples before near: lag −MOST is no delay at all.
        lags: NDArray[np.float64] = np.abs(np.fft.irfft(white, size))
        return lags[(np.arange(MOST + 1) - MOST) % size]


def _cut(samples: Samples, begin: int) -> Samples:
    """Samples from `begin` on, silence before, with soft edges.

    Near and far end in the same moment: two hard edges there are an echo without any delay.
    """
    cut = samples.copy()
    cut[:begin] = 0
    cut[begin : begin + len(_RISE)] *= _RISE
    cut[-len(_RISE) :] *= _RISE[::-1]
    return cut


def _level(samples: Samples) -> float:
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))
