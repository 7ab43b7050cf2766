"""The ledger: what enters the history, and when."""

from __future__ import annotations

import pytest

from visavis.decide.history import MAX_ITEMS, Item, Ledger
from visavis.flow.events import Message
from visavis.flow.text import join


def test_the_question_enters_with_the_first_word_of_the_answer() -> None:
    ledger = Ledger()
    ledger.ask("What is it?", 5)
    assert ledger.items == ()
    assert ledger.hear("", 6) == []
    assert ledger.hear("A ", 7) == [Item("user", "What is it?", 5)]
    assert ledger.hear("tree.", 8) == []
    assert ledger.settle_heard(cut=False) == [Item("assistant", "A tree.", 7)]


def test_an_exchange_that_nobody_heard_leaves_no_trace_and_its_words_join() -> None:
    ledger = Ledger()
    ledger.ask("What is the capital", 5)
    assert ledger.unheard
    assert ledger.settle_heard(cut=True) == []
    ledger.ask("of France?", 9)
    assert ledger.messages() == (Message("user", "What is the capital of France?"),)
    assert ledger.items == ()


def test_a_cut_answer_is_marked_as_such_but_not_in_its_text() -> None:
    ledger = Ledger()
    ledger.ask("Go on", 1)
    ledger.hear("Once upon ", 2)
    assert ledger.settle_heard(cut=True) == [Item("assistant", "Once upon", 2, cut=True)]
    assert ledger.messages()[-1] == Message("assistant", "Once upon")


def test_partial_words_join_what_is_being_asked_without_being_kept() -> None:
    ledger = Ledger()
    ledger.ask("你好", 1)
    assert ledger.messages("你几点") == (Message("user", "你好你几点"),)
    assert ledger.messages() == (Message("user", "你好"),)


def test_the_history_is_bounded() -> None:
    ledger = Ledger()
    for number in range(MAX_ITEMS):
        ledger.ask(f"question {number}", number)
        ledger.hear(f"answer {number}", number)
        ledger.settle_heard(cut=False)
    assert len(ledger.items) == MAX_ITEMS
    assert ledger.items[-1].text == f"answer {MAX_ITEMS - 1}"


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("", "b", "b"),
        ("a", "", "a"),
        ("a", "b", "a b"),
        ("你", "好", "你好"),
        ("我要", "two", "我要two"),
    ],
)
def test_joining_two_stretches(first: str, second: str, whole: str) -> None:
    assert join(first, second) == whole
