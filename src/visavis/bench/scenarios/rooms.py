"""Loudspeaker and microphone in one room: our own voice comes back."""

from __future__ import annotations

import random
from dataclasses import replace

from visavis.bench.scenarios import overlaps
from visavis.bench.scenarios.vary import script, story
from visavis.bench.script import Cue, Script


def echo(rng: random.Random, number: int) -> Script:
    """A story to the end, and nobody speaks into it."""
    made = script(rng, overlaps.ask(number), manner=story(70), end=Cue("idle", 2.0))
    return replace(made, patience_s=40.0)


def double_talk(rng: random.Random, number: int) -> Script:
    """Interruptions while our own voice is in the microphone too."""
    return replace(overlaps.interruption(rng, number), name=f"double-talk {number + 1}")
