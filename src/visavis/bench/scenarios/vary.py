"""What varies from episode to episode: the user's voice, and how quiet it is around."""

from __future__ import annotations

import random

from visavis.bench.script import STORYTELLER, Cue, Line, Manner, Script, Surroundings, Timbre

BEGIN = Cue("start", 0.6)
"""The engine has its system text by then."""
BRIEF = Manner(max_tokens=12)
"""Enough for the first sentence to sound."""


def timbre(rng: random.Random) -> Timbre:
    """Speed and pitch 1.05-1.2, level -30 to -16 dB, and in one of three a room."""
    return Timbre(
        ratio=round(rng.uniform(1.05, 1.2), 3),
        level_db=round(rng.uniform(-30, -16), 1),
        rt60_s=rng.choice((0.0, 0.0, round(rng.uniform(0.2, 0.4), 2))),
    )


def surroundings(rng: random.Random) -> Surroundings:
    """Quiet in one of three, else a noise 20 to 35 dB below the voice."""
    if rng.random() < 1 / 3:
        return Surroundings()
    return Surroundings(rng.choice(("white", "pink", "babble")), round(rng.uniform(20, 35), 1))


def script(rng: random.Random, *lines: Line, name: str = "", manner: Manner = BRIEF,
           end: Cue | None = None, around: Surroundings | None = None) -> Script:  # fmt: skip
    """A script of these lines in a voice of its own."""
    return Script(
        scenario="",
        name=name,
        seed=0,
        lines=lines,
        timbre=timbre(rng),
        surroundings=surroundings(rng) if around is None else around,
        manner=manner,
        end=end or Cue("answer", 0.5),
    )


def story(max_tokens: int = 120) -> Manner:
    """A reply long enough to be interrupted."""
    return Manner(STORYTELLER, max_tokens)
