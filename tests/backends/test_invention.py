"""What is taken for an invention, and what never is."""

from __future__ import annotations

import pytest

from visavis.backends.invention import (
    Evidence,
    cleaned,
    is_doubtful,
    is_impossible,
    is_invented,
    is_known,
    repeats_itself,
)

STRONG = Evidence(log_prob=-0.4, no_speech=0.1, seconds=2)
WEAK = Evidence(log_prob=-1.4, no_speech=0.3, seconds=2)
NOISE = Evidence(log_prob=-0.2, no_speech=0.9, seconds=2)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (" Hello there. ", "Hello there."),
        ("[BLANK_AUDIO]", ""),
        ("(music)", ""),
        ("♪ la la ♪", "la la"),
        ("*coughs* Yes.", "Yes."),
        ("（音乐）", ""),
        ("【笑声】好的", "好的"),
        (".", ""),
        ("...", ""),
        ("?", ""),
        ("好", "好"),
        ("7", "7"),
    ],
)
def test_annotations_and_lone_marks_go(text: str, left: str) -> None:
    assert cleaned(text) == left


@pytest.mark.parametrize(
    "text", ["Thank you.", "Thanks for watching!", "you", "谢谢观看", "Bye.", "请订阅我的频道。"]
)
def test_the_usual_inventions_need_good_evidence(text: str) -> None:
    assert is_known(text)
    assert is_invented(text, WEAK)
    assert not is_invented(text, STRONG)


@pytest.mark.parametrize("text", ["What time is it?", "现在几点？", "Thank you for the tea."])
def test_other_words_survive_weak_evidence(text: str) -> None:
    assert not is_known(text)
    assert not is_invented(text, WEAK)


@pytest.mark.parametrize("text", ["What time is it?", "I'm gonna go to the end of the video."])
def test_over_noise_everything_is_invented(text: str) -> None:
    assert is_invented(text, NOISE)


@pytest.mark.parametrize(
    ("text", "log_prob", "no_speech"),
    [("The book that I bought.", -0.6, 0.6), ("Turn left.", -1.36, 0.6), ("1000000", -0.6, 0.6)],
)
def test_words_with_good_evidence_are_said_however_little_it_sounds_like_speech(
    text: str, log_prob: float, no_speech: float
) -> None:
    assert not is_invented(text, Evidence(log_prob, no_speech, 1.2))


@pytest.mark.parametrize(
    ("text", "log_prob", "no_speech"),
    [
        ("Okay.", -1.0, 0.82),
        ("You", -0.9, 0.6),
        ("I'm not sure what I'm going to do.", -1.56, 0.63),
        ("I'm so excited.", -1.69, 0.53),
        ("Mmm...", -1.1, 0.76),
        ("Mm-hmm-hmm", -0.4, 0.66),
        ("Ooh, ooh, ooh, ooh, ooh, ooh, o", -0.3, 0.66),
        ("FOOOOOOOOOOOOOOOO", -1.0, 0.47),
        ("hahaha", -1.3, 0.77),
    ],
)
def test_what_noise_brings_is_invented(text: str, log_prob: float, no_speech: float) -> None:
    assert is_invented(text, Evidence(log_prob, no_speech, 2))


def test_hopeless_words_are_dropped() -> None:
    assert is_invented("in a moment", Evidence(log_prob=-1.9, no_speech=0.1, seconds=1))


@pytest.mark.parametrize(
    "text",
    [
        "Be Be Be Be Be Be Be Be Be Be Be Be Be",
        ". . . . . . . . . . . . . . . . .",
        "What does the sign say?. What does the sign say?. What does the sign say",
        "no no no no no",
        "你好你好你好你好",
        "1.0.1.1.1.1.1.1.1.1.1.1.1",
    ],
)
def test_loops_are_seen(text: str) -> None:
    assert repeats_itself(text)
    assert is_invented(text, STRONG)


@pytest.mark.parametrize(
    "text",
    [
        "No, no, no.",
        "It was the best of times, it was the worst of times.",
        "Try again. Fail again. Fail better.",
        "谢谢谢谢",
        "一三八一二三四五六七八",
        "row, row, row your boat",
        "",
    ],
)
def test_people_repeat_themselves_too(text: str) -> None:
    assert not repeats_itself(text)


@pytest.mark.parametrize(
    ("text", "seconds", "impossible"),
    [
        ("I'm gonna go to the end of the video", 0.5, True),
        ("What time is it", 0.8, False),
        ("The quick brown fox jumps over the lazy dog", 2.5, False),
        ("我今天早上在北京大学的图书馆里看书", 0.8, True),
        ("我今天早上在北京大学的图书馆里看书", 2.5, False),
    ],
)
def test_nobody_speaks_so_fast(text: str, seconds: float, impossible: bool) -> None:
    assert is_impossible(text, Evidence(-0.3, 0.1, seconds)) is impossible


def test_a_poor_score_deserves_a_second_look() -> None:
    assert is_doubtful("Play some jess", Evidence(-1.2, 0.1, 1.4))
    assert not is_doubtful("Play some jazz", Evidence(-0.7, 0.1, 1.4))


def test_a_score_that_is_no_number_is_an_invention() -> None:
    assert is_invented("yes", Evidence(float("-inf"), 0.1, 1))
