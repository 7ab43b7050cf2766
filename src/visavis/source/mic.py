"""The microphone, by PortAudio (`sounddevice`, extra `device`).

Gives `audio.captured` through a `post` callable, from PortAudio's thread: the device's own rate,
16 bit, one channel where it has one, stamped with the time at which the device took the sound.
Invariant: nothing waits here; what cannot be posted at once is the queue's business. If the device
goes away, `source.ended` says so, once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from visavis.flow.clock import NS_PER_S, Clock
from visavis.flow.errors import BackendMissing, InputError, VisavisError
from visavis.flow.events import AudioCaptured, Event, SourceEnded
from visavis.source.chunks import CHUNKS_PER_S

Post = Callable[[Event], None]
_INSTEAD = "plug one in, choose another with --device, or give --audio FILE"


class Times(Protocol):
    """PortAudio's clock at a callback, in seconds."""

    inputBufferAdcTime: float
    currentTime: float


class Microphone:
    """Captures from `open` to `close`; a context manager does both.

    `device`: a name or number as sounddevice knows it, None = the system's default. Raises
    `BackendMissing`, `InputError` (no such device), `VisavisError` (it cannot be opened).
    """

    def __init__(self, post: Post, clock: Clock, *, device: str | int | None = None) -> None:
        self._post, self._clock = post, clock
        self._device = device
        self._stream: Any = None
        self._over = threading.Lock()
        self.rate_hz = self.channels = 0
        self.overflows = 0

    def open(self) -> None:
        sounddevice = _library()
        info = self._info(sounddevice)
        self.rate_hz = int(info["default_samplerate"])
        error: Exception | None = None
        # Some devices refuse to be opened with one channel only.
        for channels in dict.fromkeys((1, int(info["max_input_channels"]))):
            try:
                self._start(sounddevice, channels)
            except sounddevice.PortAudioError as refusal:
                error = error or refusal
            else:
                return
        remedy = "close the program that holds it, or choose another with --device"
        raise VisavisError(f"microphone {info['name']!r}: {_line(error)}; {remedy}") from error

    def close(self) -> None:
        """Stops. Says nothing: whoever closes knows."""
        self._over.acquire(blocking=False)
        if self._stream is not None:
            stream, self._stream = self._stream, None
            stream.close()

    def __enter__(self) -> Microphone:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _info(self, sounddevice: Any) -> dict[str, Any]:
        try:
            info: dict[str, Any] = sounddevice.query_devices(self._device, "input")
        except (sounddevice.PortAudioError, ValueError) as error:
            name = "microphone" if self._device is None else f"microphone {self._device!r}"
            raise InputError(name, f"no such input device: {_line(error)}", _INSTEAD) from error
        return info

    def _start(self, sounddevice: Any, channels: int) -> None:
        self.channels = channels
        stream = sounddevice.RawInputStream(
            samplerate=self.rate_hz,
            blocksize=self.rate_hz // CHUNKS_PER_S,
            device=self._device,
            channels=channels,
            dtype="int16",
            callback=self._on_block,
            finished_callback=self._on_finished,
        )
        try:
            stream.start()
        except sounddevice.PortAudioError:
            stream.close()
            raise
        self._stream = stream

    def _on_block(self, data: Any, frames: int, times: Times, status: Any) -> None:
        now_ns = self._clock.now_ns()
        self.overflows += bool(status and status.input_overflow)
        end_ns = now_ns
        if times.inputBufferAdcTime > 0:
            begun_s = times.currentTime - times.inputBufferAdcTime
            length_ns = frames * NS_PER_S // self.rate_hz
            end_ns = min(now_ns, now_ns - round(begun_s * NS_PER_S) + length_ns)
        self._post(
            AudioCaptured(
                t_ns=max(0, end_ns),
                captured_ns=max(0, end_ns),
                data=bytes(data),
                encoding="s16",
                rate_hz=self.rate_hz,
                channels=self.channels,
            )
        )

    def _on_finished(self) -> None:
        if self._over.acquire(blocking=False):
            error = f"the microphone stopped; {_INSTEAD}"
            self._post(SourceEnded(t_ns=self._clock.now_ns(), source="audio", error=error))


def _line(error: Exception | None) -> str:
    return " ".join(str(error).split())


def _library() -> Any:
    try:
        import sounddevice
    except ImportError as error:
        raise BackendMissing("microphone", "sounddevice", "device") from error
    except OSError as error:
        # The wheel for Linux holds no PortAudio of its own.
        remedy = "install it, for example: apt install libportaudio2"
        raise VisavisError(f"microphone: needs the library PortAudio; {remedy}") from error
    return sounddevice
