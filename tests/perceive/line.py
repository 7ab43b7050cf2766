"""The stations of hearing on a simulated loop: sound in, events out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import numpy as np

from visavis.backends import contract
from visavis.flow.clock import SimulatedClock
from visavis.flow.events import AudioAligned, AudioCaptured, ClockTicked, Event, Samples
from visavis.flow.ring import AudioRing
from visavis.flow.simulate import SimulatedLoop
from visavis.perceive.asr import Recogniser
from visavis.perceive.turn import TurnTaking
from visavis.perceive.turn_audio import TurnScorer
from visavis.perceive.vad import VoiceActivity

Kind = TypeVar("Kind", bound=Event)


class Aligner:
    """Writes what is captured (float32, 16 kHz, mono) into the ring."""

    name = "align.audio"

    def __init__(self, ring: AudioRing) -> None:
        self.ring = ring

    def on(self, event: Event) -> Iterator[Event]:
        assert isinstance(event, AudioCaptured)
        start = self.ring.end
        samples = self.ring.write(np.frombuffer(event.data, np.float32))
        yield AudioAligned(t_ns=event.t_ns, start=start, samples=samples)


def hear(
    samples: Samples,
    clock: SimulatedClock,
    vad: contract.Vad,
    asr: contract.Asr,
    turn: contract.TurnModel | None = None,
    *,
    chunk: int = 320,
    rest_s: float = 4.0,
    strict: bool = True,
) -> list[Event]:
    """What the stations say about these samples and a silence after them, ticks left out."""
    loop, ring = SimulatedLoop(clock, strict=strict), AudioRing(60)
    loop.add(Aligner(ring), ["audio.captured"])
    loop.add(VoiceActivity(vad), ["audio.aligned", "clock.ticked"])
    turns = ["turn.ended", "turn.dropped"]
    spoken = ["speech.started", "speech.paused"]
    loop.add(Recogniser(asr, ring), [*spoken, "audio.aligned", *turns], lane="asr")
    if turn is not None:
        loop.add(TurnScorer(turn, ring), ["turn.doubted", *turns], lane="turn")
    taking = TurnTaking(ring, has_model=turn is not None)
    loop.add(taking, ["audio.aligned", *spoken, "words.heard", "turn.scored", "clock.ticked"])
    heard: list[Event] = []
    loop.bus.tap(heard.append)
    sound = np.concatenate([samples, np.zeros(int(rest_s * 16_000), np.float32)])
    loop.feed(_captured(sound.astype(np.float32), chunk))
    until_ns = len(sound) * 62_500
    loop.run(lambda: loop.clock.now_ns() >= until_ns and not loop.busy)
    return [
        event
        for event in heard
        if not isinstance(event, ClockTicked | AudioCaptured | AudioAligned)
    ]


def only(events: list[Event], kind: type[Kind]) -> list[Kind]:
    return [event for event in events if isinstance(event, kind)]


def _captured(samples: Samples, chunk: int) -> Iterator[AudioCaptured]:
    for at in range(0, len(samples), chunk):
        piece = samples[at : at + chunk]
        yield AudioCaptured(
            t_ns=(at + len(piece)) * 62_500,
            data=piece.tobytes(),
            encoding="f32",
            rate_hz=16_000,
            channels=1,
        )
