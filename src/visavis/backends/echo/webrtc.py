"""Echo cancellation by a linear stage of our own and WebRTC's AEC3, through `livekit`.

Takes 10 ms of near and far sound at 16 kHz; gives the near sound without the echo, 8 ms later (14
with noise suppression). The linear stage takes out most of the echo and none of the user, AEC3 the
rest, and a gate shuts on what still remains; while AEC3 is young, a user is let past it. Invariant:
it is fed whole frames in order and nothing else, so the same frames give the same result. Noise
suppression and gain control of the same module come with it when asked for.

Its library starts a small native runtime with the first object: three threads that sleep, 14 MB,
no connection to anywhere; 0.11 ms of work for 10 ms of sound.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from visavis.backends.contract import EchoCanceller, Options
from visavis.backends.echo.early import Early
from visavis.backends.echo.gate import Gate
from visavis.backends.echo.linear import LinearStage
from visavis.flow.errors import BackendMissing, EngineError
from visavis.flow.events import INPUT_RATE_HZ, Samples

FRAME = INPUT_RATE_HZ // 100
FULL_SCALE = 32_768
LATE, LATE_SUPPRESSED = 128, 224
"""Samples by which the module's sound is later, without and with noise suppression: 8 and 14 ms."""
USUAL_DELAY_MS, MOST_DELAY_MS = 40, 500

_NOTHING: Samples = np.zeros(0, np.float32)


class WebRtcCanceller:
    """One microphone. `echo` off leaves noise suppression and gain control alone."""

    def __init__(
        self,
        *,
        echo: bool = True,
        noise_suppression: bool = False,
        gain_control: bool = False,
        high_pass: bool = True,
    ) -> None:
        self._choices = {
            "echo_cancellation": echo,
            "noise_suppression": noise_suppression,
            "auto_gain_control": gain_control,
            "high_pass_filter": high_pass,
        }
        self._library = _library()
        self._linear = LinearStage() if echo else None
        self._gate = Gate() if echo else None
        self._early = Early(LATE_SUPPRESSED if noise_suppression else LATE) if echo else None
        self._near, self._near_samples = self._frame()
        self._far, self._far_samples = self._frame()
        self._module: Any = None
        self.reset()

    @property
    def doubted(self) -> bool:
        if self._gate is None or self._early is None:
            return False
        return self._gate.doubted and not self._early.beyond

    @property
    def regained(self) -> Samples:
        return _NOTHING if self._early is None else self._early.regained

    def feed(self, near: Samples, far: Samples, delay_ms: float) -> Samples:
        """10 ms; see the contract."""
        assert near.shape == far.shape == (FRAME,)
        direct = self._direct(near, far)
        blind = math.isnan(delay_ms)
        clean = self._process(direct, far, USUAL_DELAY_MS if blind else delay_ms)
        if self._linear is None or self._gate is None or self._early is None:
            return clean
        rest = self._linear.rest
        gated = self._gate.feed(near, clean, far, rest=rest, blind=blind)
        return self._early.feed(near, direct, far, gated, rest=rest, blind=blind)

    def _direct(self, near: Samples, far: Samples) -> Samples:
        if self._linear is None:
            return near
        misled = self._linear.misled
        direct = self._linear.feed(near, far)
        if self._linear.misled > misled:
            # AEC3 has seen little more than remains of the echo. A new one is careful at first.
            self._begin()
        return direct

    def _process(self, near: Samples, far: Samples, delay_ms: float) -> Samples:
        self._near_samples[:] = _steps(near)
        self._far_samples[:] = _steps(far)
        try:
            self._module.process_reverse_stream(self._far)
            self._module.set_stream_delay_ms(round(min(max(delay_ms, 0), MOST_DELAY_MS)))
            self._module.process_stream(self._near)
        except RuntimeError as error:
            raise EngineError(f"echo/webrtc: {error}") from error
        clean: Samples = self._near_samples.astype(np.float32) / FULL_SCALE
        return clean

    def reset(self) -> None:
        for stage in (self._linear, self._gate, self._early):
            if stage is not None:
                stage.reset()
        self._begin()

    def _begin(self) -> None:
        self._module = self._library.AudioProcessingModule(**self._choices)
        if self._early is not None:
            self._early.begin()

    def close(self) -> None:
        """The native object goes with ours; what a later `feed` needs stays."""

    def _frame(self) -> tuple[Any, Any]:
        """A frame of the library's, and our view into its memory: it is written in place."""
        memory = bytearray(2 * FRAME)
        frame = self._library.AudioFrame(memory, INPUT_RATE_HZ, 1, FRAME)
        return frame, np.frombuffer(frame._data, np.int16)


def _steps(samples: Samples) -> Any:
    scaled = np.rint(samples * np.float32(FULL_SCALE))
    return np.clip(scaled, -FULL_SCALE, FULL_SCALE - 1).astype(np.int16)


def _library() -> Any:
    try:
        from livekit import rtc
    except ImportError as error:
        raise BackendMissing("echo/webrtc", "livekit", "device") from error
    return rtc


def load(options: Options) -> EchoCanceller:
    """Settings: `echo` (true), `noise_suppression`, `gain_control` (false), `high_pass` (true)."""
    return WebRtcCanceller(**options.settings)
