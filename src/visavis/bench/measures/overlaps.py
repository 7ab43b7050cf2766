"""Measures of sound over our reply: what must stop it, what must not, and how it comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from visavis.bench.facts import DISTURBANCES, Facts, Told
from visavis.bench.phrases import HUSHES
from visavis.bench.result import Stretch

MISSED_AFTER_S, MISSED_S = 1.0, 2.0
"""An interruption is missed if the reply goes on so long after its end, or after its onset."""
SETTLED_S = 2.5
"""A voice over ours is understood by then, and a reply that was held back for it goes on."""
STARTLED = ("playback.duck", "playback.hold", "playback.stop", "turn.ended")
"""What a reply that hears itself does."""
NEARBY_S = 1.5


# ── interruptions ────────────────────────────────────────────────────────────────────────────


def _acted_upon(facts: Facts) -> Iterator[tuple[Stretch, Told]]:
    for stretch, told in facts.over("interruption"):
        if told.ending == "cut" and told.end_s <= _latest_s(stretch):
            yield stretch, told


def _latest_s(stretch: Stretch) -> float:
    return min(stretch.end_s + MISSED_AFTER_S, stretch.start_s + MISSED_S)


def duck(facts: Facts) -> Iterator[float]:
    """From the true onset to the last that sounded at more than -12 dB of full volume."""
    for stretch, told in _acted_upon(facts):
        yield max(0.0, told.loud_until_s - stretch.start_s) * 1e3


def silent(facts: Facts) -> Iterator[float]:
    """From the true onset to the last that sounded of the reply: a hold that comes back is none."""
    for stretch, told in _acted_upon(facts):
        yield (told.end_s - stretch.start_s) * 1e3


def interruption_missed(facts: Facts) -> Iterator[float]:
    """Whether the reply went on. One that came to its own end in time says nothing."""
    for stretch, told in facts.over("interruption"):
        in_time = told.end_s <= _latest_s(stretch)
        if told.ending == "cut" or not in_time:
            yield not in_time


# ── voices and noises that are no interruption ───────────────────────────────────────────────


def stops(*kinds: str) -> Callable[[Facts], Iterator[float]]:
    """Each stretch of these kinds over a reply: whether it was cut, or never came back."""

    def stopped(facts: Facts) -> Iterator[float]:
        for stretch, told in facts.over(*kinds):
            until_s = facts.next_sound_s(stretch)
            cut = told.ending == "cut" and told.end_s < until_s
            settled_s = stretch.end_s + SETTLED_S
            goes_on = told.ending == "whole" or told.end_s > min(settled_s, until_s)
            if cut or goes_on or facts.episode.length_s > settled_s:
                yield cut or not goes_on

    return stopped


def held(facts: Facts) -> Iterator[float]:
    """Each backchannel over a reply that went on: for how long the reply was silent for it."""
    for stretch, told in facts.over("backchannel"):
        if told.ending != "cut":
            yield facts.silent_s(told.reply, stretch.start_s, stretch.end_s + SETTLED_S) * 1e3


def resumed(facts: Facts) -> Iterator[float]:
    """Each reply that was spoken into and not cut: every sample was played once, and in the end at
    full volume."""
    disturbed = {told.reply: told for _, told in facts.over(*DISTURBANCES)}
    for reply, told in disturbed.items():
        if told.ending != "cut" and reply in facts.same_sound:
            yield facts.same_sound[reply] and told.loud_until_s == told.end_s


def uncalled(facts: Facts) -> Iterator[float]:
    """Each sound that called for no answer: whether a reply began that answers nothing else.

    "Right" and the like are an answer themselves when nobody is speaking; "stop" over a reply calls
    for none.
    """
    hushes = {s for s, _ in facts.over("interruption") if s.text in HUSHES}
    for stretch in sorted(hushes, key=lambda stretch: stretch.start_s):
        yield facts.begins_sounding(stretch.start_s, facts.next_sound_s(stretch))
    called = {told.reply for _, told in facts.answered()}
    strays = [told.start_s for told in facts.told if told.reply not in called]
    listening = {stretch for stretch, _ in facts.over("backchannel")}
    for stretch in facts.stretches(*DISTURBANCES):
        if stretch.kind == "backchannel" and stretch not in listening:
            continue
        until_s = facts.next_sound_s(stretch)
        yield any(stretch.start_s < at_s <= until_s for at_s in strays)


def self_interruption(facts: Facts) -> Iterator[float]:
    """Each reply that nobody spoke into: whether it ducked, stopped or took itself for a turn."""
    for told in facts.told:
        yield any(
            mark.topic in STARTLED
            and told.start_s < mark.at_s < told.end_s + SETTLED_S
            and not facts.somebody_spoke(mark.at_s - NEARBY_S, mark.at_s)
            for mark in facts.episode.marks
        )
