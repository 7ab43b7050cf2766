"""Which words of a question and of a text are the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.memory.text import concepts, share, stem, terms


def told_by(question: str, text: str) -> float:
    """How much of the question's concepts the text knows, each counting alike."""
    asked = concepts(question)
    return share(asked, terms(text), [1.0] * len(asked))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("the red box", "A box, red, on the desk"),
        ("where were my keys?", "a key and a wallet"),
        ("the gray boxes", "a grey box"),
        ("红盒子在哪", "一个红色的盒子"),
        ("红盒子在哪", "a red box"),
        ("what about the red box", "桌上有一个红色的盒子"),
        ("牛肉面多少钱", "红烧牛肉面 28元 钱"),
        ("which animal was it", "a brown dog"),
        ("什么动物", "一只猫"),
        ("Platform 9", "PLATFORM 9\nDeparture 14:35"),
    ],
)
def test_the_same_thing_in_other_words_is_known(question: str, text: str) -> None:
    assert told_by(question, text) == 1


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("the red box", "a blue cup"),
        ("红盒子", "红烧牛肉面"),
        ("the dog", "an animal farm"),
        ("glass", "grass"),
    ],
)
def test_another_thing_is_not(question: str, text: str) -> None:
    assert told_by(question, text) == 0


@pytest.mark.parametrize(
    "question",
    ["what did you see before?", "你刚才看到了什么？", "一分钟前那里有什么", "Who was it?"],
)
def test_what_only_asks_is_about_nothing(question: str) -> None:
    assert concepts(question) == []


def test_a_half_of_it_is_half_known() -> None:
    assert told_by("the red box", "a red cup") == 0.5


@pytest.mark.parametrize(
    ("word", "root"),
    [("boxes", "box"), ("keys", "key"), ("bus", "bus"), ("glass", "glass"), ("berries", "berry")],
)
def test_endings_of_number_are_cut(word: str, root: str) -> None:
    assert stem(word) == root


@given(st.text(max_size=60))
def test_a_text_without_function_words_knows_itself(text: str) -> None:
    assert told_by(text, text) == (1 if concepts(text) else 0)
