"""The metrics, on episodes made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from visavis.bench.measure import measure
from visavis.bench.result import Episode, Kind, Mark, Sounding, Stretch


def said(kind: Kind, start_s: float, end_s: float) -> Stretch:
    return Stretch(kind, start_s, end_s, kind)


def told(reply: int, start_s: float, end_s: float, *, ducked: bool = False) -> Sounding:
    return Sounding(reply, start_s, end_s, ducked)


def ended(reply: int, at_s: float, how: str = "whole") -> Mark:
    return Mark(at_s, "sound.played", how, reply)


def taken(
    metric: str, *parts: Stretch | Sounding | Mark, length_s: float = 20.0, **values: list[float]
) -> list[float]:
    """The samples of a metric."""
    episode = Episode("s", "n", 1, length_s, values=dict(values))
    for part in parts:
        kept: dict[type, list[Any]] = {
            Stretch: episode.truth, Sounding: episode.sounding, Mark: episode.marks,
        }  # fmt: skip
        kept[type(part)].append(part)
    measure(episode, (metric,))
    return episode.values.get(metric, [])


QUESTION = said("question", 1.0, 2.0)
ANSWER = told(1, 2.7, 5.0)


# ── turns ────────────────────────────────────────────────────────────────────────────────────


def test_voice_to_voice_is_from_the_last_sample_to_the_first() -> None:
    assert taken("voice_to_voice", QUESTION, ANSWER) == [700]


def test_it_counts_the_first_reply_to_each_turn_from_the_last_of_its_pieces() -> None:
    parts = (QUESTION, said("continuation", 2.5, 3.0), told(1, 3.6, 5), told(2, 6, 7),
             said("question", 8, 9), told(3, 9.4, 10))  # fmt: skip
    assert taken("voice_to_voice", *parts) == [600, 400]


def test_an_early_answer_is_negative_and_clipped_to_nothing() -> None:
    early = told(1, 1.8, 5.0)
    assert taken("voice_to_voice_unclipped", QUESTION, early) == [-200]
    assert taken("voice_to_voice", QUESTION, early) == [0]


def test_a_reply_that_sounded_before_is_no_answer() -> None:
    assert taken("voice_to_voice", told(1, 0.2, 3.0), QUESTION) == []


def test_adopted_drafts_are_counted_apart() -> None:
    more = (said("question", 8, 9), told(2, 9.4, 10), Mark(9.2, "reply.adopt", "", 2))
    assert taken("voice_to_voice_draft", QUESTION, ANSWER, *more) == [400]


@pytest.mark.parametrize(
    ("sounding", "length_s", "expected"),
    [([ANSWER], 20, [1]), ([], 20, [0]), ([told(1, 7.5, 9)], 20, [0]), ([ANSWER], 3.0, [1]),
     ([], 4.0, [])],
    ids=["in time", "never", "too late", "the episode ends soon after", "nobody knows"],
)  # fmt: skip
def test_a_turn_is_taken_within_five_seconds(
    sounding: list[Sounding], length_s: float, expected: list[float]
) -> None:
    assert taken("takeover", QUESTION, *sounding, length_s=length_s) == expected


def test_overlap_is_how_long_both_speak() -> None:
    parts = (QUESTION, said("continuation", 3.0, 4.0), told(1, 1.5, 3.5), told(2, 3.9, 6))
    assert taken("overlap", *parts) == [1100]


# ── pauses ───────────────────────────────────────────────────────────────────────────────────

PAUSED = (QUESTION, said("continuation", 3.0, 4.0))


@pytest.mark.parametrize(
    ("happened", "cut", "heard", "left"),
    [
        ([Mark(4.3, "turn.ended")], 0, 0, 0),
        ([Mark(2.4, "turn.ended")], 1, 0, 600),
        ([Mark(2.4, "turn.ended"), told(1, 2.9, 3.1)], 1, 1, 600),
        ([Mark(2.95, "turn.ended"), told(1, 3.2, 3.4)], 1, 1, 50),
        ([Mark(3.05, "turn.ended")], 0, 0, 0),
        ([told(1, 2.9, 3.1)], 1, 1, 0),
        ([Mark(4.2, "turn.ended"), told(1, 4.6, 6)], 0, 0, 0),
    ],
    ids=["waited", "ended", "ended and spoke", "just before", "just after, and withdrawn",
         "a server that does not say", "answered after it"],
)  # fmt: skip
def test_cutting_off_in_a_pause(happened: list[Any], cut: float, heard: float, left: float) -> None:
    assert taken("false_cut_off", *PAUSED, *happened) == [cut]
    assert taken("cut_off_heard", *PAUSED, *happened) == [heard]
    assert taken("pause_left", *PAUSED, *happened) == [left]


def test_each_pause_is_judged_by_itself() -> None:
    parts = (*PAUSED, said("continuation", 5.0, 6.0), Mark(4.5, "turn.ended"))
    assert taken("false_cut_off", *parts) == [0, 1]
    assert taken("pause_left", *parts) == [0, 500]


def test_the_endpoint_is_counted_from_the_true_end() -> None:
    assert taken("endpoint", *PAUSED, Mark(2.4, "turn.ended"), Mark(4.3, "turn.ended")) == [300]
    assert taken("endpoint", *PAUSED, Mark(3.98, "turn.ended")) == [0]
    assert taken("endpoint", *PAUSED) == []


# ── interruptions ────────────────────────────────────────────────────────────────────────────

STOP = said("interruption", 5.0, 5.5)
TALKING = told(1, 3.0, 5.1)


def test_ducked_and_silent_are_counted_from_the_true_onset() -> None:
    parts = (STOP, TALKING, told(1, 5.1, 5.3, ducked=True), ended(1, 5.3, "cut"))
    assert taken("duck", *parts) == [100]
    assert taken("silent", *parts) == [300]
    assert taken("silent_echo", *parts) == [300]
    assert taken("interruption_missed", *parts) == [0]


def test_a_hold_that_comes_back_is_no_silence() -> None:
    parts = (STOP, TALKING, told(1, 5.8, 6.2), ended(1, 6.2, "cut"))
    assert taken("silent", *parts) == [1200]
    assert taken("duck", *parts) == [1200]


@pytest.mark.parametrize(
    ("end_s", "how", "missed"),
    [(6.4, "cut", [0]), (6.6, "cut", [1]), (9.0, "whole", [1]), (9.0, "", [1]), (5.4, "whole", [])],
    ids=["just in time", "too late", "played out", "goes on", "ended by itself in time"],
)  # fmt: skip
def test_an_interruption_is_missed_if_the_reply_goes_on(
    end_s: float, how: str, missed: list[float]
) -> None:
    parts: list[Any] = [STOP, told(1, 3.0, end_s), *([ended(1, end_s, how)] if how else [])]
    assert taken("interruption_missed", *parts) == missed
    assert bool(taken("silent", *parts)) == (missed == [0])


def test_a_long_interruption_has_to_be_heard_before_it_is_over() -> None:
    long = said("interruption", 5.0, 9.0)
    assert taken("interruption_missed", long, told(1, 3, 7.5), ended(1, 7.5, "cut")) == [1]


def test_speaking_into_silence_is_no_interruption() -> None:
    assert taken("interruption_missed", STOP, told(1, 1.0, 4.0), ended(1, 4.0)) == []


# ── what is no interruption ──────────────────────────────────────────────────────────────────

MM_HM = said("backchannel", 5.0, 5.4)


@pytest.mark.parametrize(
    ("happened", "expected"),
    [
        ([told(1, 3, 9), ended(1, 9)], [0]),
        ([told(1, 3, 5.5), ended(1, 5.5, "cut")], [1]),
        ([told(1, 3, 5.2), told(1, 5.9, 9)], [0]),
        ([told(1, 3, 5.2)], [1]),
        ([told(1, 3, 5.2), ended(1, 5.2)], [0]),
        ([told(1, 3, 4.8), ended(1, 4.8)], []),
    ],
    ids=["spoken through", "cut", "held, came back", "held for good", "ended anyway", "was over"],
)  # fmt: skip
def test_a_backchannel_must_not_stop_the_reply(happened: list[Any], expected: list[float]) -> None:
    assert taken("backchannel_stops", MM_HM, *happened) == expected


@pytest.mark.parametrize(
    ("happened", "expected"),
    [
        ([told(1, 3, 9), ended(1, 9)], [0]),
        ([told(1, 3, 5.2), told(1, 5.9, 9), ended(1, 9)], [700]),
        ([told(1, 3, 4), told(1, 4.5, 5.2), told(1, 5.6, 9), ended(1, 9)], [400]),
        ([told(1, 3, 5.2), ended(1, 5.2, "cut")], []),
    ],
    ids=["spoken through", "held", "silent before it too", "cut"],
)
def test_how_long_a_backchannel_holds_the_reply_back(
    happened: list[Any], expected: list[float]
) -> None:
    assert taken("held", MM_HM, *happened) == pytest.approx(expected)


def test_a_cut_is_laid_to_what_was_heard_last() -> None:
    parts = (MM_HM, said("backchannel", 7.0, 7.3), told(1, 3, 7.4), ended(1, 7.4, "cut"))
    assert taken("backchannel_stops", *parts) == [0, 1]


@pytest.mark.parametrize(
    ("kind", "metric"),
    [("aside", "aside_stops"), ("noise", "noise_stops"), ("background", "noise_stops")],
)  # fmt: skip
def test_nor_must_other_sounds(kind: Kind, metric: str) -> None:
    parts = (said(kind, 5, 5.5), told(1, 3, 5.6), ended(1, 5.6, "cut"))
    assert taken(metric, *parts) == [1]
    assert taken("backchannel_stops", *parts) == []


@pytest.mark.parametrize(
    ("sounds", "same", "expected"),
    [
        ([told(1, 3, 5.1), told(1, 5.1, 5.5, ducked=True), told(1, 5.5, 9)], 1.0, [1]),
        ([told(1, 3, 9)], 0.0, [0]),
        ([told(1, 3, 5.1), told(1, 5.1, 9, ducked=True)], 1.0, [0]),
    ],
    ids=["came back", "lost a sample", "stayed low"],
)  # fmt: skip
def test_a_reply_resumes_in_full(
    sounds: list[Sounding], same: float, expected: list[float]
) -> None:
    assert taken("resumed", MM_HM, *sounds, ended(1, 9), same_sound=[same]) == expected


def test_whether_it_resumed_is_asked_only_where_it_can_be_known() -> None:
    assert taken("resumed", MM_HM, told(1, 3, 9), ended(1, 9)) == []
    cut = (told(1, 3, 5.5), ended(1, 5.5, "cut"))
    assert taken("resumed", MM_HM, *cut, same_sound=[1.0]) == []
    assert taken("resumed", told(1, 3, 9), ended(1, 9), same_sound=[1.0]) == []


def test_a_backchannel_over_our_reply_wants_no_answer() -> None:
    parts = (QUESTION, told(1, 2.7, 9), MM_HM)
    assert taken("uncalled", *parts) == [0]
    assert taken("uncalled", *parts, told(2, 9.5, 11)) == [1]


def test_right_is_an_answer_when_nobody_speaks() -> None:
    assert taken("uncalled", QUESTION, ANSWER, said("backchannel", 6, 6.3), told(2, 7, 9)) == []


@pytest.mark.parametrize(("text", "expected"), [("Stop.", [1]), ("What about Rome?", [])])
def test_stop_over_our_reply_wants_no_answer(text: str, expected: list[float]) -> None:
    cut = Stretch("interruption", 5, 5.4, text)
    parts = (QUESTION, told(1, 2.7, 5.2), ended(1, 5.2, "cut"), cut)
    assert taken("uncalled", *parts) == [0] * len(expected)
    assert taken("uncalled", *parts, told(2, 6, 9)) == expected


def test_a_noise_never_wants_an_answer() -> None:
    assert taken("uncalled", said("noise", 5, 5.3), told(1, 6, 7)) == [1]


# ── echo, drafts, the record ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        (Mark(4.0, "playback.duck"), [1]),
        (Mark(4.0, "playback.hold"), [1]),
        (Mark(6.0, "turn.ended"), [1]),
        (Mark(4.0, "speech.started"), [0]),
        (Mark(2.3, "turn.ended"), [0]),
        (Mark(9.0, "turn.ended"), [0]),
    ],
    ids=["ducked", "held", "took itself for a turn", "heard something", "the question's", "later"],
)  # fmt: skip
def test_a_reply_interrupts_itself_if_nobody_spoke(mark: Mark, expected: list[float]) -> None:
    assert taken("self_interruption", QUESTION, ANSWER, mark) == expected


def test_a_user_who_speaks_is_no_echo() -> None:
    parts = (QUESTION, ANSWER, said("interruption", 3.9, 4.4), Mark(4.0, "playback.duck"))
    assert taken("self_interruption", *parts) == [0]


def test_drafts_are_adopted_or_not() -> None:
    held = (Mark(2.1, "reply.start", "held", 1), Mark(2.6, "reply.start", "held", 2))
    parts = (*held, Mark(2.9, "reply.adopt", "", 2), Mark(9.0, "reply.start", "", 3))
    assert taken("draft_adopted", *parts) == [0, 1]


def test_what_was_heard_is_told_by_who_played_it() -> None:
    assert taken("heard_exact", heard_exact=[1.0, 0.0]) == [1, 0]
    assert taken("heard_exact") == []
