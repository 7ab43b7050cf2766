"""Drafts: a reply begun before the turn is over is adopted only if it is the answer."""

from __future__ import annotations

import pytest

from tests.decide.test_session import MS, Talk
from visavis.decide.draft import Drafts, same_words
from visavis.decide.floor import Manners
from visavis.decide.session import Session
from visavis.flow import events as e
from visavis.flow.events import Message

ASKED = (Message("user", "What is it?"),)


@pytest.fixture
def talk() -> Talk:
    begun = Talk()
    begun.tick(0)
    return begun


def pause_after(talk: Talk, text: str, ms: int = 1000) -> list[str]:
    talk.voice(ms)
    talk.pause(ms + 500, ms)
    return talk.expected(ms + 550, text)


def newest(talk: Talk, kind: type[e.Event]) -> e.Event:
    return next(event for event in reversed(talk.given) if isinstance(event, kind))


def test_at_a_likely_pause_the_reply_is_begun_and_held(talk: Talk) -> None:
    assert pause_after(talk, "What is it?") == ["reply.start"]
    start = newest(talk, e.ReplyStart)
    assert isinstance(start, e.ReplyStart)
    assert start.held
    assert start.messages == ASKED
    assert talk.state == "perceiving"


def test_a_draft_of_the_final_words_is_adopted(talk: Talk) -> None:
    pause_after(talk, "What is it?")
    assert talk.turn(1700, "What is it?") == ["reply.adopt"]
    assert newest(talk, e.ReplyAdopt).epoch == 1
    talk.sound(1800, "A tree. ")
    assert talk.state == "streaming"
    assert talk.history == [("user", "What is it?", False)]


def test_a_draft_of_other_words_is_dropped_and_a_reply_begun(talk: Talk) -> None:
    pause_after(talk, "What is it?")
    assert talk.turn(1700, "What is this?") == ["reply.cancel", "reply.start"]
    start = newest(talk, e.ReplyStart)
    assert isinstance(start, e.ReplyStart)
    assert not start.held
    assert start.epoch == 2


def test_who_goes_on_ends_the_draft_without_a_trace(talk: Talk) -> None:
    pause_after(talk, "What is the capital?")
    assert talk.voice(1700) == ["reply.cancel"]
    talk.pause(2200, 1700)
    talk.trace -= 1  # the same turn goes on
    talk.expected(2300, "What is the capital of France?")
    assert talk.turn(2400, "What is the capital of France?") == ["reply.adopt"]
    talk.sound(2500, "Paris.", done=True)
    assert talk.history == [
        ("user", "What is the capital of France?", False),
        ("assistant", "Paris.", False),
    ]


def test_a_draft_may_begin_while_the_voice_still_sounds_and_other_words_end_it(talk: Talk) -> None:
    talk.voice(1000)
    assert talk.expected(1400, "What is it?") == ["reply.start"]
    assert talk.words(1500, "What is it", final=False) == []
    assert talk.words(1800, "What is it called", final=False) == ["reply.cancel", "prompt.prefill"]
    talk.expected(1850, "What is it called?")
    talk.pause(2000, 1000)
    assert talk.words(2100, "What is it called?") == []
    assert talk.expected(2100, "What is it called?") == []
    assert talk.turn(2250, "What is it called?") == ["reply.adopt"]


def test_the_same_words_are_not_drafted_twice(talk: Talk) -> None:
    pause_after(talk, "What is it?")
    assert talk.expected(1600, "What is it?") == []
    assert talk.expected(1650, "What is that?") == ["reply.cancel", "reply.start"]


def test_a_dropped_turn_drops_its_draft(talk: Talk) -> None:
    pause_after(talk, "What is it?")
    assert talk.dropped(1700) == ["reply.cancel"]
    assert talk.state == "idle"


def test_a_draft_that_failed_is_no_draft(talk: Talk) -> None:
    pause_after(talk, "What is it?")
    assert talk.written(1600, "failed", tokens=0) == ["reply.cancel"]
    assert talk.turn(1700, "What is it?") == ["reply.start"]


def test_while_a_reply_sounds_nothing_is_drafted(talk: Talk) -> None:
    talk.answered()
    assert pause_after(talk, "And that?", 2500) == []


def test_after_an_interruption_the_next_answer_is_drafted_too(talk: Talk) -> None:
    talk.answered()
    talk.voice(2500)
    talk.words(2700, "Wait", final=False)
    talk.sound(2720, "", done=True, stopped=True)
    talk.pause(3100, 2500)
    assert talk.expected(3150, "Wait, what is that?") == ["reply.start"]
    assert talk.turn(3300, "Wait, what is that?") == ["reply.adopt"]


def test_what_is_wasted_is_counted_and_limited() -> None:
    talk = Talk(Session(Manners(draft_tokens=20), strict=True))
    talk.tick(0)
    for n in range(3):
        at = 1000 * (n + 1)
        drafted = pause_after(talk, f"What is {n}?", at)
        assert drafted == (["reply.start"] if n < 2 else []), "12 + 12 tokens are enough"
        talk.voice(at + 700)
        if drafted:
            talk.written(at + 720, "cancelled", tokens=12)
        talk.pause(at + 800, at + 700)
        talk.dropped(at + 900)
    assert pause_after(talk, "What is late?", 63_000) == ["reply.start"], "a minute later"


def test_a_draft_that_was_written_before_it_was_dropped_is_wasted_too() -> None:
    talk = Talk(Session(Manners(draft_tokens=10), strict=True))
    talk.tick(0)
    pause_after(talk, "What is it?")
    talk.written(1580, tokens=12)
    talk.voice(1700)
    talk.pause(2000, 1700)
    talk.trace -= 1
    assert talk.expected(2050, "What is it called?") == []


def test_no_drafts_if_none_may_be_wasted() -> None:
    talk = Talk(Session(Manners(draft_tokens=0), strict=True))
    assert pause_after(talk, "What is it?") == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("What is it?", "what is it?", True),
        ("Tell me a story", "Tell me a story.", True),
        ("You like it.", "You like it?", False),
        ("What is it?", "What is this?", False),
        ("今天很冷。", "今天很冷", True),
        ("It's 5.", "It's 4.", False),
        ("What is it", "What is it?", True),
    ],
)
def test_the_same_words(one: str, other: str, same: bool) -> None:
    assert same_words(one, other) == same


def test_another_context_is_another_question() -> None:
    drafts = Drafts(100)
    drafts.hold(ASKED)
    assert drafts.answers(ASKED)
    assert not drafts.answers((Message("user", "Hello"), Message("assistant", "Hi"), *ASKED))
    assert not Drafts(100).answers(())
    assert drafts.allowed(5 * MS)
