"""Sample-rate conversion by libsoxr, streaming.

Takes mono chunks of any length at one rate; gives mono chunks at another. Invariant: however the
input is split, the joined output is the same to the bit, and output sample k is the sound of time
k / out_rate_hz (to within half a sample).

Two filters. The default one, soxr's variable-rate engine, is ahead of its fixed-rate one where it
counts for a conversation: it holds back 11 to 30 ms of sound instead of 37 to 115, is flat to
7.9 kHz instead of 7.3, and rejects aliases by 114 dB instead of 137, at 2.5 ms of work a second
instead of 0.4 (48 kHz to 16 kHz). `low_latency=False` takes the fixed-rate one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from visavis.backends.contract import Options, Resampler
from visavis.backends.settings import MOST_RATE_HZ, Settings
from visavis.flow.errors import BackendMissing
from visavis.flow.events import INPUT_RATE_HZ, Samples

# The variable-rate engine does not count its decimation filters' delay: by the phase of a tone
# its output is 1.6 to 1.9 samples late, whatever the rates, and on time when it interpolates.
LATE_SAMPLES = 2


class SoxrResampler:
    """One stream from `in_rate_hz` to `out_rate_hz`; equal rates pass through untouched."""

    def __init__(self, in_rate_hz: int, out_rate_hz: int, *, low_latency: bool = True) -> None:
        assert in_rate_hz > 0
        assert out_rate_hz > 0
        self.in_rate_hz, self.out_rate_hz = in_rate_hz, out_rate_hz
        self._stream: Any = None
        if in_rate_hz != out_rate_hz:
            self._stream = _open_stream(in_rate_hz, out_rate_hz, low_latency)
        self._late = LATE_SAMPLES if low_latency and in_rate_hz > out_rate_hz else 0
        self._forget()

    def feed(self, samples: Samples, *, last: bool = False) -> Samples:
        """Converts one chunk, shape (n,); `last` flushes, and the next chunk begins anew."""
        if self._stream is None:
            return samples
        self._fed += len(samples)
        out = self._convert(np.ascontiguousarray(samples, np.float32), last)
        skipped = min(self._skip, len(out))
        self._skip -= skipped
        out = out[skipped:]
        self._given += len(out)
        if last:
            due = (2 * self._fed * self.out_rate_hz + self.in_rate_hz) // (2 * self.in_rate_hz)
            out = out[: max(0, len(out) - (self._given - due))]
            self.reset()
        return out

    def reset(self) -> None:
        if self._stream is not None:
            self._stream.clear()
        self._forget()

    def _convert(self, samples: Samples, last: bool) -> Samples:
        if last and self._late:
            # Silence pushes out the samples that the late filter would keep.
            behind = (self._late + 1) * self.in_rate_hz // self.out_rate_hz + 1
            samples = np.concatenate([samples, np.zeros(behind, np.float32)])
        converted: Samples = self._stream.resample_chunk(samples, last=last)
        return converted

    def _forget(self) -> None:
        self._fed = self._given = 0
        self._skip = self._late


def _open_stream(in_rate_hz: int, out_rate_hz: int, low_latency: bool) -> Any:
    try:
        import soxr
    except ImportError as error:
        raise BackendMissing("resample/soxr", "soxr", "local") from error
    return soxr.ResampleStream(
        in_rate_hz, out_rate_hz, 1, dtype="float32", quality="VHQ", vr=low_latency
    )


def load(options: Options) -> Resampler:
    """Settings: `in_rate_hz`, `out_rate_hz` (16 000), `low_latency` (true)."""
    settings = Settings("resample/soxr", options.settings)
    return SoxrResampler(
        settings.whole("in_rate_hz", 0, 1, MOST_RATE_HZ),
        settings.whole("out_rate_hz", INPUT_RATE_HZ, 1, MOST_RATE_HZ),
        low_latency=settings.flag("low_latency", True),
    )
