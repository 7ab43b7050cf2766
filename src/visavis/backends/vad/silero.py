"""Voice activity by Silero VAD (v5, v6) through onnxruntime.

Takes windows of 512 samples at 16 kHz; the model also sees the 64 samples before each and carries
a state. Invariant: a window that is not finite never reaches the state. One thread:
0.11 ms a window at the median, 0.19 at p99; with two threads p99 is 4 ms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from visavis.backends.contract import Options, Vad
from visavis.backends.onnx import open_session
from visavis.flow.errors import BundleError
from visavis.flow.events import INPUT_RATE_HZ, Samples

WINDOW = 512
CONTEXT = 64
STATE_SHAPE = (2, 1, 128)


class SileroVad:
    """One stream of windows."""

    window = WINDOW

    def __init__(self, model: Path) -> None:
        self._session = open_session("vad/silero", model, threads=1)
        self._rate = np.array(INPUT_RATE_HZ, np.int64)
        self._heard = np.zeros((1, CONTEXT + WINDOW), np.float32)
        self._state: Any = np.zeros(STATE_SHAPE, np.float32)
        try:
            self.score(np.zeros(WINDOW, np.float32))
        except Exception as error:
            raise BundleError(model, "is not a Silero VAD of 512-sample windows") from error
        self.reset()

    def score(self, samples: Samples) -> float:
        """Probability of speech in the next 512 samples; 0.0 when they are not finite."""
        assert len(samples) == WINDOW, f"{len(samples)} samples instead of {WINDOW}"
        if not np.isfinite(samples).all():
            self.reset()
            return 0.0
        self._heard[0, :CONTEXT] = self._heard[0, -CONTEXT:]
        self._heard[0, CONTEXT:] = samples
        feeds = {"input": self._heard, "state": self._state, "sr": self._rate}
        probability, self._state = self._session.run(None, feeds)
        return float(probability[0, 0])

    def reset(self) -> None:
        """Begins a new stream."""
        self._state = np.zeros(STATE_SHAPE, np.float32)
        self._heard[:] = 0

    def close(self) -> None:
        """Nothing to give back: the session goes with the object."""


def load(options: Options) -> Vad:
    """Files: `model`, an ONNX."""
    return SileroVad(options.files["model"])
