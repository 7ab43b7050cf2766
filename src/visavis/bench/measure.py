"""What an episode is worth: each metric's samples, from the truth and from what sounded.

Takes an `Episode` with truth, soundings, marks and history; gives its `values`. The same for our
own line and for any server. Times of the user are those of the sound that was spoken, never what a
detector believed. Read of the marks: `turn.ended`, `reply.start` (text `held` for a draft),
`reply.adopt`, `playback.duck|hold|stop`, and `sound.played` (text `whole` or `cut`) at the end of
a reply; without them the metrics that need them have no samples.

The definitions follow Full-Duplex-Bench (Lin et al. 2025: takeover, latency), Skantze 2021
(overlap, cut-off) and, for endpointing, bench/budget.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from visavis.bench.facts import DISTURBANCES, Facts, Told, overlap_s
from visavis.bench.result import Episode, Stretch

ANSWERED_S = 5.0
"""Who has not begun to answer by then has not taken the turn."""
MISSED_AFTER_S, MISSED_S = 1.0, 2.0
"""An interruption is missed if the reply goes on so long after its end, or after its onset."""
SETTLED_S = 2.5
"""A voice over ours is understood by then, and a reply that was held back for it goes on."""
GRACE_S = 0.05
"""The last of a word is soft: its end may be found a little before it is over."""
STARTLED = ("playback.duck", "playback.hold", "playback.stop", "turn.ended")
"""What a reply that hears itself does."""
NEARBY_S = 1.5


def measure(episode: Episode, metrics: tuple[str, ...]) -> None:
    """Fills in the values of the metrics named, and of those that belong to every episode."""
    facts = Facts(episode)
    for name in dict.fromkeys((*metrics, *ALWAYS)):
        samples = [round(float(value), 4) for value in MEASURES[name](facts)]
        if samples:
            episode.values[name] = samples


# ── turns ────────────────────────────────────────────────────────────────────────────────────


def voice_to_voice_unclipped(facts: Facts) -> Iterator[float]:
    """Last sample of the user's speech to first sample of the answer; negative if it came early."""
    for turn, told in facts.answered():
        yield (told.start_s - turn.end_s) * 1e3


def voice_to_voice(facts: Facts) -> Iterator[float]:
    """The same, an early answer counted as 0."""
    for value in voice_to_voice_unclipped(facts):
        yield max(0.0, value)


def voice_to_voice_draft(facts: Facts) -> Iterator[float]:
    """The same, of the answers that were drafted before the turn had ended."""
    adopted = {mark.reply for mark in facts.marks("reply.adopt")}
    for turn, told in facts.answered():
        if told.reply in adopted:
            yield max(0.0, (told.start_s - turn.end_s) * 1e3)


def takeover(facts: Facts) -> Iterator[float]:
    """Whether each question was answered within 5 s."""
    answers = dict(facts.answered())
    for turn in facts.turns:
        if turn.kind == "question" and turn.end_s + ANSWERED_S <= facts.until_s(turn):
            told = answers.get(turn)
            yield told is not None and told.start_s <= turn.end_s + ANSWERED_S
        elif turn.kind == "question" and turn in answers:
            yield answers[turn].start_s <= turn.end_s + ANSWERED_S


def overlap(facts: Facts) -> Iterator[float]:
    """How long each question of the user was spoken over by us."""
    for turn in facts.turns:
        if turn.kind == "question":
            yield 1e3 * sum(
                overlap_s(piece.start_s, piece.end_s, sound.start_s, sound.end_s)
                for piece in turn.pieces
                for sound in facts.episode.sounding
            )


# ── pauses ───────────────────────────────────────────────────────────────────────────────────


def false_cut_off(facts: Facts) -> Iterator[float]:
    """Each pause in mid-sentence: whether the turn was ended before the user went on, or a reply
    sounded before the rest of the sentence had been said."""
    for begin_s, resumed_s, end_s in facts.pauses():
        ended = facts.first_mark("turn.ended", begin_s, resumed_s) is not None
        yield ended or facts.begins_sounding(begin_s, end_s)


def cut_off_heard(facts: Facts) -> Iterator[float]:
    """Of these, what the user noticed: a reply sounded."""
    for begin_s, _, end_s in facts.pauses():
        yield facts.begins_sounding(begin_s, end_s)


def endpoint(facts: Facts) -> Iterator[float]:
    """From the true end of each turn to its being called over."""
    for turn in facts.turns:
        at_s = facts.first_mark("turn.ended", turn.end_s - GRACE_S, facts.until_s(turn))
        if at_s is not None and turn.kind == "question":
            yield max(0.0, at_s - turn.end_s) * 1e3


def pause_left(facts: Facts) -> Iterator[float]:
    """How much longer each pause would have had to be waited out; 0 = it was."""
    for begin_s, resumed_s, _ in facts.pauses():
        at_s = facts.first_mark("turn.ended", begin_s, resumed_s)
        yield 0.0 if at_s is None else (resumed_s - at_s) * 1e3


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


def _stops(*kinds: str) -> Callable[[Facts], Iterator[float]]:
    def stops(facts: Facts) -> Iterator[float]:
        for stretch, told in facts.over(*kinds):
            until_s = facts.next_sound_s(stretch)
            cut = told.ending == "cut" and told.end_s < until_s
            settled_s = stretch.end_s + SETTLED_S
            goes_on = told.ending == "whole" or told.end_s > min(settled_s, until_s)
            if cut or goes_on or facts.episode.length_s > settled_s:
                yield cut or not goes_on

    return stops


def resumed(facts: Facts) -> Iterator[float]:
    """Each reply that was spoken into and not cut: every sample was played once, and in the end at
    full volume."""
    disturbed = {told.reply: told for _, told in facts.over(*DISTURBANCES)}
    for reply, told in disturbed.items():
        if told.ending != "cut" and reply in facts.same_sound:
            yield facts.same_sound[reply] and told.loud_until_s == told.end_s


def uncalled(facts: Facts) -> Iterator[float]:
    """Each sound that called for no answer: whether a reply began that answers nothing else.

    "Right" and the like are an answer themselves when nobody is speaking.
    """
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


# ── drafts and the record ────────────────────────────────────────────────────────────────────


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
    "voice_to_voice": voice_to_voice,
    "voice_to_voice_unclipped": voice_to_voice_unclipped,
    "voice_to_voice_draft": voice_to_voice_draft,
    "takeover": takeover,
    "overlap": overlap,
    "false_cut_off": false_cut_off,
    "cut_off_heard": cut_off_heard,
    "endpoint": endpoint,
    "pause_left": pause_left,
    "duck": duck,
    "silent": silent,
    "silent_echo": silent,
    "interruption_missed": interruption_missed,
    "backchannel_stops": _stops("backchannel"),
    "aside_stops": _stops("aside"),
    "noise_stops": _stops("noise", "background"),
    "resumed": resumed,
    "uncalled": uncalled,
    "self_interruption": self_interruption,
    "heard_exact": heard_exact,
    "draft_adopted": draft_adopted,
}
ALWAYS = ("heard_exact", "draft_adopted")
