"""Measures of turn-taking: how late the answer, who was spoken over, who was cut off.

Times of the user are those of the sound that was spoken, never what a detector believed. Takeover
and latency as in Full-Duplex-Bench (Lin et al. 2025); overlap and cut-off as in Skantze (2021).
"""

from __future__ import annotations

from collections.abc import Iterator

from visavis.bench.facts import Facts, overlap_s

ANSWERED_S = 5.0
"""Who has not begun to answer by then has not taken the turn."""
GRACE_S = 0.05
"""The last of a word is soft: its end may be found a little before it is over."""


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
