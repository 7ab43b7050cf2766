"""Sounds over our reply: interruptions, backchannels, asides, other people, noises."""

from __future__ import annotations

import random

from visavis.bench import phrases
from visavis.bench.scenarios.vary import BEGIN, script, story, surroundings
from visavis.bench.script import Cue, Line, Script, Sound, Surroundings

MOMENTS_S = {"early": 0.3, "middle": 1.5, "late": 3.5}
SETTLED = Cue("line", 3.0)
"""The end of what must not stop us: longer than any false alarm takes to be understood."""


def interruption(rng: random.Random, number: int) -> Script:
    """A story, cut into early, in the middle, late, and twice."""
    when = (*MOMENTS_S, "twice")[number % 4]
    first_s = MOMENTS_S.get(when, 0.8) + rng.uniform(-0.1, 0.1)
    cuts = [Line("interruption", (phrases.CUTS[number % len(phrases.CUTS)],), _into(first_s))]
    if when == "twice":
        # The first one has to be answered at some length, to be cut again.
        cuts = [
            Line("interruption", ("No, tell me a story about a bear.",), _into(first_s)),
            Line("interruption", (rng.choice(phrases.CUTS),), _into(rng.uniform(0.4, 1.2))),
        ]
    return script(rng, ask(number), *cuts, manner=story(), name=f"interruption {number + 1} {when}")


def backchannel(rng: random.Random, number: int) -> Script:
    """Three times "go on" into one story."""
    words = [phrases.BACKCHANNELS[(3 * number + i) % len(phrases.BACKCHANNELS)] for i in range(3)]
    lines = [
        Line(
            "backchannel", (text,), _into(1.0) if i == 0 else Cue("line", rng.uniform(1.8, 2.6)),
            sound="hum" if text in phrases.HUMMED else "speech",
        )
        for i, text in enumerate(words)
    ]  # fmt: skip
    return script(rng, ask(number), *lines, manner=story(), end=SETTLED)


def aside(rng: random.Random, number: int) -> Script:
    """The user says something to someone else: weaker, and turned away."""
    text = phrases.ASIDES[number % len(phrases.ASIDES)]
    said = Line("aside", (text,), _into(1.2), gain_db=-12, away=True)
    return script(rng, ask(number), said, manner=story(), end=SETTLED)


def background(rng: random.Random, number: int) -> Script:
    """Other people talk all the time, 20 dB below the user; a question, and a story over them."""
    behind = Surroundings(voices=tuple(rng.sample(phrases.BEHIND, 5)), voices_db=-20)
    return script(rng, ask(number), manner=story(60), end=Cue("reply", 4.5), around=behind)


def noise(rng: random.Random, number: int) -> Script:
    """Three noises into a story: a burst of 80 ms to 1 s, knocks on a door, a cough."""
    kinds: list[tuple[Sound, float]] = [
        ("burst", rng.uniform(0.08, 1.0)), ("knock", 0.65), ("cough", rng.uniform(0.3, 0.5)),
    ]  # fmt: skip
    rng.shuffle(kinds)
    lines = [
        Line(
            "noise", (kind,), _into(1.0) if i == 0 else Cue("line", 2.0), sound=kind,
            length_s=round(length_s, 2), gain_db=rng.choice((0, 6)),
        )
        for i, (kind, length_s) in enumerate(kinds)
    ]  # fmt: skip
    return script(rng, ask(number), *lines, manner=story(), end=SETTLED, around=surroundings(rng))


def ask(number: int) -> Line:
    """For a story."""
    return Line("question", (phrases.STORIES[number % len(phrases.STORIES)],), BEGIN)


def _into(seconds: float) -> Cue:
    return Cue("reply", round(seconds, 2))
