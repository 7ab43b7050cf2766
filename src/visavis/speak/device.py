"""The loudspeaker, through PortAudio.

Takes blocks of at most one period. Invariants: at most `PERIODS` periods wait; what waits when
`clear` is called never sounds; the callback never waits for anything but a short lock.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from visavis.flow.errors import BackendMissing, InputError, VisavisError
from visavis.flow.events import Samples

PERIODS = 3
"""One that the device takes next, one that came early, one for the jitter of the loop."""


class DeviceSink:
    """Plays on `device` (PortAudio's name or number; None = the default).

    A block that finds nothing waiting is preceded by one period of silence, so that the next may
    be up to a period late. `on_period` is called from the device's thread each time it has taken a
    period: a loop that ticks on it never drifts from the device. `dropped` counts blocks that
    found the buffer full. Raises `BackendMissing`, `VisavisError` without PortAudio, `InputError`
    for a device that is not there or refuses the rate.
    """

    def __init__(
        self,
        rate_hz: int,
        *,
        period_ms: int = 20,
        device: str | int | None = None,
        on_period: Callable[[], None] | None = None,
    ) -> None:
        self.period = rate_hz * period_ms // 1000
        self.dropped = 0
        self._on_period = on_period
        self._waiting: deque[Samples] = deque()
        self._lock = threading.Lock()
        self._stream = _open(rate_hz, self.period, device, self._fill)

    def write(self, start: int, samples: Samples) -> None:
        assert len(samples) <= self.period
        block = np.zeros(self.period, np.float32)
        block[: len(samples)] = samples
        with self._lock:
            if not self._waiting:
                self._waiting.append(np.zeros(self.period, np.float32))
            if len(self._waiting) >= PERIODS:
                self.dropped += 1
            else:
                self._waiting.append(block)

    def clear(self) -> None:
        with self._lock:
            self._waiting.clear()

    def close(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.abort()
            stream.close()

    def _fill(self, out: Any, frames: int, time: Any, status: Any) -> None:
        """The device wants `frames` samples, shape (frames, 1), now."""
        with self._lock:
            block = self._waiting.popleft() if self._waiting else None
        out[:, 0] = 0.0 if block is None else block
        if self._on_period is not None:
            self._on_period()


def _open(rate_hz: int, period: int, device: str | int | None, fill: Callable[..., None]) -> Any:
    try:
        import sounddevice
    except ImportError as error:
        raise BackendMissing("loudspeaker", "sounddevice", "device") from error
    except OSError as error:
        # The wheel for Linux holds no PortAudio of its own.
        remedy = "install it, for example: apt install libportaudio2"
        raise VisavisError(f"loudspeaker: needs the library PortAudio; {remedy}") from error
    try:
        stream = sounddevice.OutputStream(
            samplerate=rate_hz,
            blocksize=period,
            channels=1,
            dtype="float32",
            latency="low",
            device=device,
            callback=fill,
        )
        stream.start()
    except (sounddevice.PortAudioError, ValueError) as error:
        subject = "loudspeaker" if device is None else f"loudspeaker {device}"
        remedy = "see `visavis doctor`; with files no device is needed: --audio, --out"
        # PortAudio's number for "the default one" when there is none at all.
        none = device is None and "device -1" in str(error)
        problem = "there is none" if none else f"cannot be opened ({error})"
        raise InputError(subject, problem, remedy) from error
    return stream
