"""Plays a script to the real pipeline: engines loaded once, a new conversation each episode.

Takes scripts; gives episodes with what happened, for bench/measure.py to measure. Invariant: an
episode leaves nothing behind but warm engines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any, Protocol

import numpy as np

from visavis.bench.director import Director
from visavis.bench.result import Episode, Stretch
from visavis.bench.room import Room, RoomSource
from visavis.bench.scenario import Scenario
from visavis.bench.script import Script
from visavis.bench.voice import RATE_HZ, Spoken, Voice, speak_all
from visavis.bench.witness import Witness
from visavis.conversation import Conversation, Pace
from visavis.flow.clock import NS_PER_S
from visavis.flow.events import AudioCaptured, Event, Samples
from visavis.flow.ring import AudioRing
from visavis.source.script import ScriptedSpeaker
from visavis.speak.sink import NullSink
from visavis.wiring import Parts


class Runner(Protocol):
    """Whatever can be talked to."""

    def play(self, script: Script) -> Episode:
        """Plays the script to its end. Gives the truth, and the marks, soundings and history;
        of `values` only what nobody else can know (see `witness.Witness.tell`)."""

    def why_not(self, scenario: Scenario) -> str:
        """Why this scenario cannot be tried here; empty: it can."""

    def close(self) -> None: ...


class Kept:
    """An engine that outlives the conversation that would close it."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def close(self) -> None:
        """Not yet."""


class LocalRunner:
    """Our own line, at real pace, or (for tests) in simulated time."""

    def __init__(self, parts: Parts, pace: Pace = "real", voice: Voice | None = None) -> None:
        """`voice`: the user's; None = the one of the parts."""
        assert parts.tts is not None
        assert parts.make_resampler is not None
        self._parts, self._pace = parts, pace
        self._voice = voice or Voice(parts.tts, parts.make_resampler, parts.spare_tts)
        self._engines = {
            entry.name: engine
            for entry in fields(parts)
            if entry.name != "sink" and hasattr(engine := getattr(parts, entry.name), "close")
        }

    def play(self, script: Script) -> Episode:
        """Plays it. Real pace: blocks for as long as the episode lasts."""
        spoken = speak_all(self._voice, script)
        around = self._voice.surround(script.surroundings, script.timbre, script.seed)
        speaker = ScriptedSpeaker(RATE_HZ)

        def say(samples: Samples, at_s: float) -> None:
            speaker.say(samples, round(at_s * NS_PER_S))

        director = Director(script, spoken, say)
        witness = Witness(director, self._parts.output_rate_hz)
        self._converse(script, speaker, around, director, witness)
        begun = [start_ns / NS_PER_S for start_ns, _ in speaker.spoken]
        episode = Episode(script.scenario, script.name, script.seed, error=director.error)
        witness.tell(episode)
        episode.truth = sorted(
            [*director.truth(begun), *(repeated(around, episode.length_s) if around else ())],
            key=lambda stretch: stretch.start_s,
        )
        return episode

    def why_not(self, scenario: Scenario) -> str:
        """A recogniser without the language hears nothing, a line without canceller itself."""
        assert self._parts.asr is not None
        known = self._parts.asr.languages
        if scenario.room and self._parts.echo is None:
            return "no echo canceller is installed: pip install 'visavis[device]'"
        if scenario.language not in known:
            return f"the recogniser knows {', '.join(known)}, not {scenario.language}"
        return ""

    def close(self) -> None:
        """Ends the engines."""
        for engine in self._engines.values():
            engine.close()

    def _converse(
        self,
        script: Script,
        speaker: ScriptedSpeaker,
        around: Spoken | None,
        director: Director,
        witness: Witness,
    ) -> None:
        source, taps = speaker.events(), [witness.watch]
        if script.room is not None:
            room = Room(RATE_HZ, self._parts.output_rate_hz, script.room)
            source = RoomSource(speaker, room).events()
            taps.append(room.hear)
        conversation = Conversation(self._fresh(script), pace=self._pace, taps=taps)
        try:
            conversation.loop.feed(surrounded(source, around))
            conversation.loop.run(lambda: director.over)
        finally:
            conversation.close()

    def _fresh(self, script: Script) -> Parts:
        """The parts of one conversation, around the engines that are kept."""
        config, manner = self._parts.config, script.manner
        reply = replace(
            config.reply, system=manner.system, max_tokens=manner.max_tokens, seed=script.seed
        )
        kept: dict[str, Any] = {name: Kept(engine) for name, engine in self._engines.items()}
        profile = "headset" if script.room is None else "speaker"
        if script.room is None:
            kept["echo"] = None
        return replace(
            self._parts,
            **kept,
            config=replace(config, reply=reply, sound=replace(config.sound, profile=profile)),
            ring=AudioRing(config.sound.ring_s),
            sink=NullSink(),
        )


def surrounded(events: Iterable[Event], around: Spoken | None) -> Iterator[Event]:
    """The microphone's events with what surrounds the user added, again and again."""
    at = 0
    for event in events:
        if around is not None and isinstance(event, AudioCaptured):
            samples = np.frombuffer(event.data, "<f4")
            places = np.arange(at, at + len(samples)) % len(around.samples)
            at += len(samples)
            mixed = np.clip(samples + around.samples[places], -1, 1)
            yield replace(event, data=mixed.astype("<f4").tobytes())
        else:
            yield event


def repeated(around: Spoken, length_s: float) -> Iterator[Stretch]:
    """The truth of what surrounds the user, again and again, up to `length_s`."""
    period_s, begin_s = len(around.samples) / RATE_HZ, 0.0
    while begin_s < length_s:
        for part in around.stretches:
            if begin_s + part.start_s < length_s:
                yield replace(part, start_s=begin_s + part.start_s, end_s=begin_s + part.end_s)
        begin_s += period_s
