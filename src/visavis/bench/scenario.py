"""THE TABLE of scenarios: what each one tries, how often, and which metrics it is measured by.

Takes a seed; gives scripts. Invariant: the same seed gives the same scripts, whichever scenarios
are chosen beside; those of a quick run are the first of the full one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from visavis.bench.scenarios import overlaps, rooms, turns
from visavis.bench.script import Script

Make = Callable[[random.Random, int], Script]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A row. `make` gives the script of episode `n`; `quick` and `full` say how many are played.

    `language`: what the recogniser must know. `room`: needs the simulated room.
    """

    name: str
    title: str
    make: Make
    metrics: tuple[str, ...]
    quick: int
    full: int
    language: str = "en"
    room: bool = False


_SMOOTH = ("voice_to_voice", "voice_to_voice_draft", "voice_to_voice_unclipped", "takeover",
           "overlap", "endpoint")  # fmt: skip
_PAUSED = ("false_cut_off", "cut_off_heard", "pause_left", "endpoint", "takeover", "overlap")
_CUT = ("duck", "silent", "interruption_missed", "uncalled")
_LISTENING = ("resumed", "uncalled")

SCENARIOS: tuple[Scenario, ...] = (
    Scenario("smooth", "smooth turns", turns.smooth, _SMOOTH, 4, 12),
    Scenario("pauses", "pauses in mid-sentence", turns.pauses, _PAUSED, 4, 24),
    Scenario("numbers", "numbers spelled in groups", turns.numbers, _PAUSED, 2, 12),
    Scenario("fillers", "fillers and self-corrections", turns.fillers, _PAUSED, 1, 12),
    Scenario("interruption", "interruptions", overlaps.interruption, _CUT, 4, 20),
    Scenario(
        "backchannel", "backchannels", overlaps.backchannel,
        ("backchannel_stops", "held", *_LISTENING), 2, 10,
    ),
    Scenario("aside", "speech to someone else", overlaps.aside, ("aside_stops", *_LISTENING), 1, 8),
    Scenario(
        "background", "other people talking", overlaps.background, ("noise_stops", *_LISTENING),
        1, 8,
    ),
    Scenario("noise", "bursts, knocks, coughs", overlaps.noise, ("noise_stops", *_LISTENING), 1, 6),
    Scenario(
        "echo", "its own voice, in a room", rooms.echo, ("self_interruption", "uncalled"), 1, 36,
        room=True,
    ),
    Scenario(
        "double-talk", "interruptions, in a room", rooms.double_talk,
        ("silent_echo", "interruption_missed", "uncalled"), 1, 12, room=True,
    ),
    Scenario("thirty", "a dialogue of thirty rounds", turns.thirty, _SMOOTH, 0, 1),
    Scenario("chinese", "Chinese", turns.chinese, _SMOOTH, 1, 4, language="zh"),
)  # fmt: skip

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


def scripts(scenario: Scenario, seed: int, count: int) -> Iterator[Script]:
    """The first `count` episodes."""
    for number in range(count):
        rng = random.Random(f"{seed} {scenario.name} {number}")
        made = scenario.make(rng, number)
        name = made.name or f"{scenario.name} {number + 1}"
        assert (made.room is not None) == scenario.room
        seed_of = rng.randrange(2**31)
        yield replace(made, scenario=scenario.name, name=name, seed=seed_of)
