"""Stable words stay, in English and in Chinese."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.flow.text import join
from visavis.perceive.agreement import Agreement


def stable_after(*hypotheses: str) -> list[str]:
    agreement = Agreement()
    found = []
    for hypothesis in hypotheses:
        text = agreement.update(hypothesis)
        assert text.startswith(agreement.stable)
        found.append(agreement.stable)
    return found


def test_the_first_hypothesis_has_nothing_stable() -> None:
    assert stable_after("what is the") == [""]


def test_what_two_agree_on_is_stable() -> None:
    assert stable_after("What is a", "What is the cap", "What is the capital of") == [
        "",
        "What is",
        "What is the",
    ]


def test_chinese_is_compared_by_character() -> None:
    assert stable_after("现在几点", "现在几天", "现在几点了") == ["", "现在几", "现在几"]


def test_case_and_punctuation_do_not_count_but_the_first_stays() -> None:
    assert stable_after("Well. what", "well, What time", "Well what time is") == [
        "",
        "well, What",
        "well, What time",
    ]


def test_punctuation_after_the_last_stable_word_is_not_stable() -> None:
    assert stable_after("I like it.", "I like it.", "I like it a lot") == [
        "",
        "I like it",
        "I like it",
    ]


def test_a_hypothesis_that_disagrees_with_stable_words_changes_only_the_rest() -> None:
    agreement = Agreement()
    for hypothesis in ("one two", "one two three"):
        agreement.update(hypothesis)
    assert agreement.update("won too three four") == "one two three four"
    assert agreement.update("one") == "one two"


def test_a_number_is_one_unit() -> None:
    assert stable_after("it costs 3.14", "it costs 3.1", "it costs 3.1") == [
        "",
        "it costs",
        "it costs 3.1",
    ]


def test_after_a_final_text_it_is_stable_without_its_full_stop() -> None:
    agreement = Agreement()
    agreement.update("I would like")
    agreement.settle("I would like the.")
    assert agreement.stable == "I would like the"
    assert agreement.update("I would like the red") == "I would like the red"


WORDS = st.sampled_from(["a", "b", "c,", "D.", "红", "色", "it's", "3.5", "?"])


@given(st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=8))
def test_stable_text_only_grows(hypotheses: list[str]) -> None:
    agreement, stable = Agreement(), ""
    for hypothesis in hypotheses:
        text = agreement.update(hypothesis)
        assert agreement.stable.startswith(stable)
        assert text.startswith(agreement.stable)
        stable = agreement.stable


@given(st.lists(st.lists(WORDS, max_size=6).map(" ".join), min_size=1, max_size=6))
def test_a_hypothesis_that_is_repeated_is_shown_whole(hypotheses: list[str]) -> None:
    agreement = Agreement()
    first = agreement.update(hypotheses[0])
    assert first == hypotheses[0]
    assert agreement.update(hypotheses[0]) == hypotheses[0]


@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("", "a", "a"),
        ("a", "", "a"),
        ("a", "b", "a b"),
        ("现在", "几点", "现在几点"),
        ("好。", "我", "好。我"),
        ("OK.", "So", "OK. So"),
        ("看", "it", "看it"),
    ],
)
def test_joining(before: str, after: str, joined: str) -> None:
    assert join(before, after) == joined
