"""What an episode is worth: each metric's samples, from the truth and from what sounded.

Takes an `Episode` with truth, soundings, marks and history; gives its `values`. The same for our
own line and for any server. Times of the user are those of the sound that was spoken, never what a
detector believed. Read of the marks: `turn.ended`, `reply.start` (text `held` for a draft),
`reply.adopt`, `playback.duck|hold|stop`, and `sound.played` (text `whole` or `cut`) at the end of
a reply; without them the metrics that need them have no samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from visavis.bench.facts import Facts
from visavis.bench.measures import overlaps, turns
from visavis.bench.result import Episode


def measure(episode: Episode, metrics: tuple[str, ...]) -> None:
    """Fills in the values of the metrics named, and of those that belong to every episode."""
    facts = Facts(episode)
    for name in dict.fromkeys((*metrics, *ALWAYS)):
        samples = [round(float(value), 4) for value in MEASURES[name](facts)]
        if samples:
            episode.values[name] = samples


def draft_adopted(facts: Facts) -> Iterator[float]:
    """Each draft: whether it became the answer."""
    adopted = {mark.reply for mark in facts.marks("reply.adopt")}
    for mark in facts.marks("reply.start"):
        if mark.text == "held":
            yield mark.reply in adopted


def heard_exact(facts: Facts) -> Iterator[float]:
    """Given by whoever played the episode: only samples tell which words sounded."""
    yield from facts.episode.values.get("heard_exact", ())


MEASURES: dict[str, Callable[[Facts], Iterator[float]]] = {
    "voice_to_voice": turns.voice_to_voice,
    "voice_to_voice_unclipped": turns.voice_to_voice_unclipped,
    "voice_to_voice_draft": turns.voice_to_voice_draft,
    "takeover": turns.takeover,
    "overlap": turns.overlap,
    "false_cut_off": turns.false_cut_off,
    "cut_off_heard": turns.cut_off_heard,
    "endpoint": turns.endpoint,
    "pause_left": turns.pause_left,
    "duck": overlaps.duck,
    "silent": overlaps.silent,
    "silent_echo": overlaps.silent,
    "interruption_missed": overlaps.interruption_missed,
    "backchannel_stops": overlaps.stops("backchannel"),
    "aside_stops": overlaps.stops("aside"),
    "noise_stops": overlaps.stops("noise", "background"),
    "resumed": overlaps.resumed,
    "held": overlaps.held,
    "uncalled": overlaps.uncalled,
    "self_interruption": overlaps.self_interruption,
    "heard_exact": heard_exact,
    "draft_adopted": draft_adopted,
}
ALWAYS = ("heard_exact", "draft_adopted")
