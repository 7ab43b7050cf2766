"""Loudspeaker and microphone in one room: our own voice comes back."""

from __future__ import annotations

import random
from dataclasses import replace

from visavis.bench.room import Place
from visavis.bench.scenarios import overlaps
from visavis.bench.scenarios.vary import script, story
from visavis.bench.script import Cue, Script


def echo(rng: random.Random, number: int) -> Script:
    """A story to the end, and nobody speaks into it."""
    made = script(rng, overlaps.ask(number), manner=story(50), end=Cue("idle", 2.0))
    return replace(made, patience_s=25.0, room=place(rng))


def double_talk(rng: random.Random, number: int) -> Script:
    """Interruptions while our own voice is in the microphone too."""
    made = overlaps.interruption(rng, number)
    name = made.name.replace("interruption", "double-talk")
    return replace(made, name=name, room=place(rng))


def place(rng: random.Random) -> Place:
    """From a laptop on a desk to a loudspeaker across the room."""
    return Place(
        delay_ms=round(rng.uniform(40, 160), 1),
        tail_ms=round(rng.uniform(60, 250), 1),
        gain_db=round(rng.uniform(-15, -3), 1),
        nonlinearity=rng.choice((0.0, 0.0, 0.5, 1.0)),
        drift_ppm=round(rng.uniform(-60, 60), 1),
        noise_db=-66,
        seed=rng.randrange(2**31),
    )
