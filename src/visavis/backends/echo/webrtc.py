"""Echo cancellation by a linear stage of our own and WebRTC's AEC3, through `livekit`.

Takes 10 ms of near and far sound at 16 kHz; gives the near sound without the echo, 8 ms later (14
with noise suppression). The linear stage takes out most of the echo and none of the user, AEC3 the
rest, and a gate shuts on what still remains; while AEC3 is young, a user is let past it. Invariant:
it is fed whole frames in order and nothing else, so the same frames give the same result; and what
is not finite, or absurdly loud, reaches no state: the filter would be deaf from then on, for a NaN
is never louder than anything. Noise suppression and gain control of the same module come with it
when asked for.

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
from visavis.backends.settings import Settings
from visavis.flow.errors import BackendMissing, EngineError
from visavis.flow.events import INPUT_RATE_HZ, Samples

FRAME = INPUT_RATE_HZ // 100
FULL_SCALE = 32_768
LOUDEST = 4.0
"""12 dB beyond full scale: a sample louder than that is a fault of who gave it."""
LATE, LATE_SUPPRESSED = 128, 224
"""Samples by which the module's sound is later, without and with noise suppression: 8 and 14 ms."""
USUAL_DELAY_MS, MOST_DELAY_MS = 40, 500

_NOTHING: Samples = np.zeros(0, np.float32)


class WebRtcModule:
    """The module alone. With `echo_cancellation` off it serves as a canceller that cancels nothing:
    what is asked of it is noise suppression and gain control."""

    doubted = False
    regained = _NOTHING

    def __init__(self, **choices: bool) -> None:
        """`choices`: as the library calls them."""
        self._choices = choices
        self._library = _library()
        self._near, self._near_samples = self._frame()
        self._far, self._far_samples = self._frame()
        self._module: Any = None
        self.reset()

    def feed(self, near: Samples, far: Samples, delay_ms: float) -> Samples:
        """10 ms; see the contract."""
        assert near.shape == far.shape == (FRAME,)
        delay_ms = USUAL_DELAY_MS if math.isnan(delay_ms) else delay_ms
        self._near_samples[:] = _steps(_sane(near))
        self._far_samples[:] = _steps(_sane(far))
        try:
            self._module.process_reverse_stream(self._far)
            self._module.set_stream_delay_ms(round(min(max(delay_ms, 0), MOST_DELAY_MS)))
            self._module.process_stream(self._near)
        except RuntimeError as error:
            raise EngineError(f"echo/webrtc: {error}") from error
        clean: Samples = self._near_samples.astype(np.float32) / FULL_SCALE
        return clean

    def reset(self) -> None:
        self._module = self._library.AudioProcessingModule(**self._choices)

    def close(self) -> None:
        """The native object goes with ours; what a later `feed` needs stays."""

    def _frame(self) -> tuple[Any, Any]:
        """A frame of the library's, and our view into its memory: it is written in place."""
        memory = bytearray(2 * FRAME)
        frame = self._library.AudioFrame(memory, INPUT_RATE_HZ, 1, FRAME)
        return frame, np.frombuffer(frame._data, np.int16)


class WebRtcCanceller:
    """One microphone: the linear stage, the module, the gate, and who is let past the latter two.

    `late`: by how many samples the module's sound is later than its input.
    """

    def __init__(self, module: WebRtcModule, late: int = LATE) -> None:
        self._module = module
        self._linear = LinearStage()
        self._gate = Gate()
        self._early = Early(late)

    @property
    def doubted(self) -> bool:
        return self._gate.doubted and not self._early.beyond

    @property
    def regained(self) -> Samples:
        return self._early.regained

    def feed(self, near: Samples, far: Samples, delay_ms: float) -> Samples:
        """10 ms; see the contract."""
        near, far = _sane(near), _sane(far)
        misled = self._linear.misled
        direct = self._linear.feed(near, far)
        if self._linear.misled > misled:
            # AEC3 has seen little more than remains of the echo. A new one is careful at first.
            self._module.reset()
            self._early.begin()
        clean = self._module.feed(direct, far, delay_ms)
        rest, blind = self._linear.rest, math.isnan(delay_ms)
        gated = self._gate.feed(near, clean, far, rest=rest, blind=blind)
        return self._early.feed(near, direct, far, gated, rest=rest, blind=blind)

    def reset(self) -> None:
        for stage in (self._linear, self._module, self._gate, self._early):
            stage.reset()

    def close(self) -> None:
        self._module.close()


def _sane(samples: Samples) -> Samples:
    """What is not finite is silence, what is too loud is clipped; all else is as it was."""
    if float(np.abs(samples).max()) <= LOUDEST:  # no NaN either
        return samples
    finite = np.nan_to_num(samples, nan=0.0, posinf=0.0, neginf=0.0)
    return np.clip(finite, -LOUDEST, LOUDEST)


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
    settings = Settings("echo/webrtc", options.settings)
    echo = settings.flag("echo", True)
    noise_suppression = settings.flag("noise_suppression", False)
    module = WebRtcModule(
        echo_cancellation=echo,
        noise_suppression=noise_suppression,
        auto_gain_control=settings.flag("gain_control", False),
        high_pass_filter=settings.flag("high_pass", True),
    )
    late = LATE_SUPPRESSED if noise_suppression else LATE
    return WebRtcCanceller(module, late) if echo else module
