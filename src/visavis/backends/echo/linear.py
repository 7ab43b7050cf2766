"""The linear part of an echo: a filter that learns the way from loudspeaker to microphone.

Takes 10 ms of near and far sound at a time; gives the near sound less what the filter expects of
the far. Invariant: what the user says passes as it is (nothing is suppressed, nothing delayed),
and with a silent far end not a bit changes.

The filter is a partitioned-block frequency-domain Kalman filter (Enzner and Vary, Signal
Processing 86, 2006; Kuech, Mabande and Enzner, ICASSP 2014): it knows how unsure it is of each
partition and each band, so that it learns fast in the beginning and hardly at all from a user who
speaks over the echo. Without it, AEC3 in double talk takes so much of a user as loud as the echo
that half of the interruptions 6 dB below it are never heard.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visavis.flow.events import Samples

FRAME = 160
PARTITIONS = 12
"""120 ms of echo."""
STEADY = 0.9995
"""How much of the room is still the same 10 ms later. Less keeps up with clocks that drift."""
NEAR_MEMORY = 0.9
UNSURE = 0.1
"""What the filter is unsure of in the beginning: the energy of a way as loud as −10 dB."""
UNSURE_DECAY = 0.3
WORSE = 1.5
MISLED_BLOCKS = 8
"""A block is worse when it is so much louder, in power, than it came; so many worse ones in a row
mean another room."""
SOFT = 0.1
"""What is left and softer than that, by the usual power while we sound, is nothing to go by: where
the echo has died away the filter's own noise is louder than the room's."""
USUAL_SHARE = 0.01


class LinearStage:
    """One filter. `misled` counts how often it began anew because it made things worse.

    `rest`: the energy of echo that it expects to have left in the newest block, by how unsure it is
    of the bands that sound.
    """

    def __init__(self, partitions: int = PARTITIONS) -> None:
        self._partitions = partitions
        self.misled = self._worse = 0
        self.reset()

    def reset(self) -> None:
        """Forgets the room, and what was played."""
        bins = FRAME + 1
        self._sound = np.zeros(2 * FRAME)
        self._spectra = np.zeros((self._partitions, bins), np.complex128)
        self._quiet = self._partitions + 1
        self.rest = 0.0
        self._forget()

    def feed(self, near: Samples, far: Samples) -> Samples:
        """The next 10 ms, shape (160,) each."""
        self._take(far)
        if self._quiet > self._partitions:
            self.rest = 0.0
            return near
        expected = np.fft.irfft((self._filter * self._spectra).sum(0))[FRAME:]
        error = near - expected
        power, left = float(near @ near), float(error @ error)
        self._usual += (power - self._usual) * USUAL_SHARE
        if left > WORSE * power and left > SOFT * self._usual:
            # Either it did not sound as we were told (a device that fell behind), or the room is
            # another one. An echo of nothing would be a voice; and there is nothing to learn here.
            self._mislead()
            return near
        self._worse = 0
        self._learn(error)
        return error.astype(np.float32)

    def _take(self, far: Samples) -> None:
        self._quiet = 0 if far.any() else self._quiet + 1
        if self._quiet > self._partitions + 1:
            return
        self._sound[:FRAME] = self._sound[FRAME:]
        self._sound[FRAME:] = far
        self._spectra[1:] = self._spectra[:-1]
        self._spectra[0] = np.fft.rfft(self._sound)

    def _learn(self, error: NDArray[np.float64]) -> None:
        spectrum = np.fft.rfft(np.concatenate([np.zeros(FRAME), error]))
        power = self._spectra.real**2 + self._spectra.imag**2
        self._near *= NEAR_MEMORY
        self._near += (1 - NEAR_MEMORY) * (spectrum.real**2 + spectrum.imag**2)
        rest = (power * self._unsure).sum(0) / 2
        self.rest = float(rest.sum()) / FRAME
        step = self._unsure / (rest + self._near + 1e-9)
        change = np.fft.irfft(step * self._spectra.conj() * spectrum, axis=1)
        change[:, FRAME:] = 0
        self._filter += np.fft.rfft(change, axis=1)
        self._filter *= STEADY
        self._unsure *= STEADY**2 * np.maximum(0, 1 - step * power / 2)
        self._unsure += (1 - STEADY**2) * (self._filter.real**2 + self._filter.imag**2)

    def _mislead(self) -> None:
        self._worse += 1
        if self._worse >= MISLED_BLOCKS:
            self.misled += 1
            self._forget()

    def _forget(self) -> None:
        shape = self._spectra.shape
        self._filter = np.zeros(shape, np.complex128)
        fading = np.exp(-UNSURE_DECAY * np.arange(self._partitions))
        self._unsure = np.broadcast_to(UNSURE * fading[:, None], shape).copy()
        self._near = np.full(shape[1], 1e-4)
        self._usual = 0.0
        self._worse = 0
