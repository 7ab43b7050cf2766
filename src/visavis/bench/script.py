"""A script: what the user of an episode says, and when, as plain data that can be written as JSON.

A line begins some time after its cue: a moment that may lie in the reply of the other side, so the
same script fits a fast and a slow one. Invariant: a script and a voice give the same sound each
time; what varies by seed is decided when the script is made. Times are seconds, levels dB.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from visavis.bench.result import Kind
from visavis.bench.room import Place

Moment = Literal["start", "line", "reply", "idle", "answer"]
"""start: of the episode · line: the line before it has ended · reply: the first sample of a reply
that began after the line before it did · idle: nothing sounds and nothing is awaited any more ·
answer: whichever comes first of reply and idle."""
Sound = Literal["speech", "hum", "burst", "knock", "cough"]
Colour = Literal["none", "white", "pink", "babble"]

STORYTELLER = "You are a storyteller. Your answer is always a very long story, told in plain words."


@dataclass(frozen=True, slots=True)
class Cue:
    """`wait_s` after `after`."""

    after: Moment = "idle"
    wait_s: float = 0.8


@dataclass(frozen=True, slots=True)
class Line:
    """One utterance, or a noise, at the microphone.

    `pieces` are spoken with silences of `gaps_s` between them. `gain_db`: beside the user's usual
    level. `away`: spoken with the head turned to someone else. `length_s`: of a noise.
    """

    kind: Kind
    pieces: tuple[str, ...]
    cue: Cue = Cue()
    gaps_s: tuple[float, ...] = ()
    sound: Sound = "speech"
    gain_db: float = 0.0
    away: bool = False
    length_s: float = 0.0
    language: str = ""

    @property
    def text(self) -> str:
        return " ".join(self.pieces)


@dataclass(frozen=True, slots=True)
class Timbre:
    """How the user sounds. `ratio`: pitch and speed together; `rt60_s` of the room, 0 = none."""

    ratio: float = 1.12
    level_db: float = -22.0
    rt60_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is heard beside the user: a noise, so much weaker, and other people talking."""

    noise: Colour = "none"
    snr_db: float = 30.0
    voices: tuple[str, ...] = ()
    voices_db: float = -20.0


@dataclass(frozen=True, slots=True)
class Manner:
    """How the other side is told to answer. `system` empty: its own way."""

    system: str = ""
    max_tokens: int = 192


@dataclass(frozen=True, slots=True)
class Script:
    """An episode to be played. It is over at the cue `end`, or when `patience_s` have passed
    in waiting for one. `room`: where the loudspeaker is heard by the microphone too."""

    scenario: str
    name: str
    seed: int
    lines: tuple[Line, ...]
    timbre: Timbre = Timbre()
    surroundings: Surroundings = Surroundings()
    manner: Manner = Manner()
    end: Cue = Cue("answer", 0.5)
    patience_s: float = 8.0
    room: Place | None = None
