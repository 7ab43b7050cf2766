"""Turn end from the voice alone, by Smart Turn v3 through onnxruntime.

Takes the samples of the turn so far at 16 kHz; the model looks at the last 8 s (a shorter turn is
preceded by silence) as Whisper's log-mel of the loudness-normalised wave. Gives a probability.
43 ms on one thread: not for the loop's thread.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from visavis.backends.contract import Options, TurnModel
from visavis.backends.log_mel import log_mel
from visavis.backends.onnx import open_session
from visavis.backends.settings import MOST_THREADS, Settings
from visavis.flow.errors import BundleError
from visavis.flow.events import INPUT_RATE_HZ, Samples

SPAN = 8 * INPUT_RATE_HZ


class SmartTurn:
    """Stateless: each call stands alone."""

    def __init__(self, model: Path, *, threads: int = 1) -> None:
        self._session = open_session("turn/smart_turn", model, threads=threads)
        try:
            self._run(np.zeros(SPAN, np.float32))
        except Exception as error:
            raise BundleError(model, "is not a Smart Turn v3 model") from error

    def score(self, samples: Samples) -> float:
        """Probability that the speaker is done; 0.5 (no opinion) when samples are not finite."""
        tail = samples[-SPAN:]
        if not np.isfinite(tail).all():
            return 0.5
        wave = np.zeros(SPAN, np.float32)
        if len(tail):
            wave[-len(tail) :] = tail
        # Normalised as a whole, the leading silence included: so the model was trained.
        wave = (wave - wave.mean()) / np.sqrt(wave.var() + 1e-7)
        return self._run(wave)

    def _run(self, wave: Samples) -> float:
        (probability,) = self._session.run(None, {"input_features": log_mel(wave)[None]})
        return float(np.clip(probability[0, 0], 0, 1))

    def close(self) -> None:
        """Nothing to give back: the session goes with the object."""


def load(options: Options) -> TurnModel:
    """Files: `model`, an ONNX. Settings: `threads` (1)."""
    threads = Settings("turn/smart_turn", options.settings).whole("threads", 1, 0, MOST_THREADS)
    return SmartTurn(options.files["model"], threads=threads)
