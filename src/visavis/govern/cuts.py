"""Interruptions: how long each step of falling silent took.

Takes what the meter sees. Gives an `Interruption` for each reply that was stopped while it
sounded.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.govern.latency import NS_PER_SAMPLE, ms


@dataclass(frozen=True, slots=True)
class Interruption:
    """A reply that was cut off, in milliseconds. None: there was no such step.

    `silent_ms`: the first sample of the user's voice to the end of the reply's last one.
    `decide_ms`: that voice being noticed to `playback.stop`, which is the decision; `silence_ms`:
    from there to the end of the reply's last sample, 0 if it stood still already; `engine_ms`: from
    `reply.cancel` until the engine was free.
    """

    epoch: int
    decide_ms: float | None
    silence_ms: float
    engine_ms: float | None = None
    silent_ms: float | None = None


class Cuts:
    """Interruptions: told when the reply has fallen silent, completed when its engine is free."""

    def __init__(self, output_rate_hz: int, found: deque[Interruption]) -> None:
        self._rate_hz = output_rate_hz
        self._found = found
        self._sounding = 0  # epoch
        self._audible_ns = 0  # end of the last sample that sounded
        self._voice_ns: int | None = None
        self._onset_ns = 0
        self._stop: e.PlaybackStop | None = None
        self._cancel: e.ReplyCancel | None = None

    def on_voice(self, event: e.SpeechStarted) -> None:
        if self._sounding and self._voice_ns is None:
            self._voice_ns, self._onset_ns = event.t_ns, event.start * NS_PER_SAMPLE

    def on_resumed(self, event: e.PlaybackRestore | e.PlaybackRelease) -> None:
        self._voice_ns = None  # it was no interruption

    def on_stop(self, event: e.PlaybackStop) -> None:
        if self._stop is None and self._sounding and event.epoch in (0, self._sounding):
            self._stop = event

    def on_cancel(self, event: e.ReplyCancel) -> None:
        self._cancel = event

    def on_written(self, event: e.ReplyWritten) -> None:
        cancel, self._cancel = self._cancel, None
        if cancel is None or cancel.epoch != event.epoch:
            return
        if self._found and self._found[-1].epoch == event.epoch:
            engine_ms = ms(cancel.t_ns, event.t_ns)
            self._found[-1] = replace(self._found[-1], engine_ms=engine_ms)

    def on_sound(self, event: e.SoundPlayed) -> None:
        if len(event.samples):
            self._sounding = event.epoch
            self._audible_ns = event.t_ns + len(event.samples) * NS_PER_S // self._rate_hz
        if event.done and event.epoch == self._sounding:
            self._settle()

    def _settle(self) -> None:
        if self._stop is not None:
            silence_ms = max(0.0, (self._audible_ns - self._stop.t_ns) / NS_PER_MS)
            decide_ms = ms(self._voice_ns, self._stop.t_ns)
            voiced = self._voice_ns is not None
            silent_ms = ms(self._onset_ns, self._audible_ns) if voiced else None
            self._found.append(
                Interruption(self._sounding, decide_ms, silence_ms, silent_ms=silent_ms)
            )
        self._sounding, self._voice_ns, self._stop = 0, None, None
