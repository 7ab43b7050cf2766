"""Tools: fenced by the epoch; what they brought is kept, and used once."""

from __future__ import annotations

import pytest

from tests.decide.test_session import MS, Talk
from visavis.decide.errand import MOST_CALLS
from visavis.decide.floor import Manners
from visavis.decide.session import Session
from visavis.flow import events as e
from visavis.think.prompt import answerable


@pytest.fixture
def talk() -> Talk:
    begun = Talk()
    begun.tick(0)
    begun.ask("Will it rain?")
    return begun


def call(talk: Talk, ms: int, number: int = 0, epoch: int = 1) -> list[str]:
    return talk.give(
        e.ToolCalled(t_ns=ms * MS, epoch=epoch, call=number, name="weather", arguments="{}")
    )


def back(talk: Talk, ms: int, number: int = 0, epoch: int = 1, error: str = "") -> list[str]:
    result = "" if error else "rain"
    return talk.give(
        e.ToolFinished(
            t_ns=ms * MS, epoch=epoch, call=number, name="weather", result=result, error=error
        )
    )


def contents(talk: Talk) -> list[str]:
    start = next(event for event in reversed(talk.given) if isinstance(event, e.ReplyStart))
    return [message.content for message in start.messages]


def test_a_reply_is_continued_with_what_the_tool_said(talk: Talk) -> None:
    assert call(talk, 1800) == ["tool.run"]
    talk.written(1810)
    talk.sound(1820, "", done=True)
    assert back(talk, 2500) == ["item.kept", "reply.start"]
    assert contents(talk) == ["Will it rain?", "The tool weather says: rain"]
    talk.sound(2900, "Yes.", done=True)
    assert [role for role, _, _ in talk.history] == ["user", "tool", "assistant"]


def test_the_words_before_a_call_are_played_to_their_end_first(talk: Talk) -> None:
    talk.sound(1800, "Let me see. ")
    call(talk, 1850)
    assert back(talk, 1900) == ["item.kept"]
    assert talk.sound(2500, "", done=True)[-1] == "reply.start"


def test_all_calls_must_have_answered(talk: Talk) -> None:
    call(talk, 1800, 0)
    call(talk, 1801, 1)
    talk.sound(1820, "", done=True)
    assert back(talk, 2000, 1) == ["item.kept"]
    assert back(talk, 2100, 0)[-1] == "reply.start"


def test_a_result_that_was_not_spoken_is_kept_and_used_once(talk: Talk) -> None:
    talk.sound(1800, "Let me see. ")
    call(talk, 1850)
    talk.voice(1900)
    talk.words(2100, "Wait", final=False)
    talk.sound(2120, "", done=True, stopped=True)
    assert back(talk, 2300) == ["item.kept"], "no reply: the user has the floor"
    talk.pause(2500, 1900)
    assert talk.turn(2700, "Wait, and tomorrow?") == ["reply.start"]
    assert contents(talk).count("The tool weather says: rain") == 1
    talk.sound(3000, "Rain.", done=True)
    assert talk.ask("Thanks", 4000) == ["reply.start"]
    assert contents(talk).count("The tool weather says: rain") == 1


def test_a_call_of_a_reply_that_is_over_never_starts(talk: Talk) -> None:
    talk.voice(1800)
    talk.words(2000, "stop", final=False)
    talk.sound(2020, "", done=True, stopped=True)
    talk.pause(2200, 1800)
    talk.turn(2400, "stop, I mean tomorrow")
    assert call(talk, 2500, epoch=1) == []


def test_a_failure_is_told_as_one(talk: Talk) -> None:
    call(talk, 1800)
    talk.sound(1820, "", done=True)
    back(talk, 2500, error="no network")
    assert contents(talk)[-1] == "The tool weather failed: no network"


def test_a_reply_that_calls_without_end_is_stopped(talk: Talk) -> None:
    sent = [call(talk, 1800 + n, n) for n in range(MOST_CALLS + 3)]
    assert sent.count(["tool.run"]) == MOST_CALLS


def test_what_came_while_we_spoke_stands_behind_what_we_said(talk: Talk) -> None:
    talk.sound(1800, "Let me see. ")
    call(talk, 1850)
    back(talk, 1900)
    talk.sound(2500, "", done=True)
    assert contents(talk) == ["Will it rain?", "Let me see.", "The tool weather says: rain"]


def test_an_answer_that_came_into_a_cough_is_told_after_it(talk: Talk) -> None:
    call(talk, 1800)
    talk.sound(1820, "", done=True)
    talk.voice(2400)
    assert back(talk, 2500) == ["item.kept"]
    talk.pause(2600, 2400)
    talk.dropped(2700)
    assert talk.tick(2720)[0] == "reply.start"
    assert talk.tick(2740) == []


def test_a_draft_sends_for_nothing_before_it_is_the_answer() -> None:
    talk = Talk()
    talk.tick(0)
    talk.voice(200)
    talk.pause(900, 200)
    assert talk.expected(950, "Will it rain?") == ["reply.start"]
    assert call(talk, 1000) == []
    assert talk.tick(1020) == []
    talk.turn(1200, "Will it rain?")
    assert talk.tick(1220) == ["tool.run"]
    assert talk.tick(1240) == []


def test_a_draft_that_is_not_the_answer_never_sends() -> None:
    talk = Talk()
    talk.tick(0)
    talk.voice(200)
    talk.pause(900, 200)
    talk.expected(950, "Will it rain?")
    call(talk, 1000)
    talk.voice(1100)
    talk.pause(1500, 1100)
    talk.turn(1700, "Will it rain on Sunday?")
    assert "tool.run" not in talk.tick(1720)


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_draft_that_came_to_nothing_never_sends_and_is_not_waited_for(goes_on: bool) -> None:
    talk = Talk(Session(Manners(initiative="lively", greeting="Hi."), strict=True))
    talk.tick(0)
    talk.sound(20, "Hi. ", done=True)
    talk.voice(200)
    talk.pause(900, 200)
    talk.expected(950, "Will it rain?")
    call(talk, 1000, epoch=talk.session.floor.epoch)
    if goes_on:
        talk.voice(1100)
        assert "tool.run" not in talk.tick(1120)
        talk.pause(1500, 1100)
    talk.dropped(1700)
    assert "tool.run" not in talk.tick(1720)
    talk.notice(1700, "Someone is at the door.")
    assert talk.tick(2400) == ["reply.start"], "nothing is out that a remark would lose"


def test_an_errand_that_never_began_keeps_no_remark_back() -> None:
    talk = Talk(Session(Manners(initiative="lively", greeting="Hi."), strict=True))
    talk.tick(0)
    talk.sound(20, "Hi. ", done=True)
    talk.ask("Will it rain?")
    talk.sound(1800, "Let me see. ")
    call(talk, 1850, epoch=2)
    talk.voice(1900)
    talk.words(2100, "Wait", final=False)
    talk.sound(2120, "", done=True, stopped=True)
    talk.tick(2140)
    talk.pause(2500, 1900)
    talk.dropped(2700)
    talk.notice(2800, "Someone is at the door.")
    talk.tick(2820)
    assert talk.tick(3500) == ["reply.start"]


def test_what_came_before_our_first_word_stands_behind_the_question(talk: Talk) -> None:
    call(talk, 1750)
    back(talk, 1760)
    talk.sound(1800, "Let me see. ")
    talk.sound(2500, "", done=True)
    assert [role for role, _, _ in talk.history] == ["user", "tool", "assistant"]
    start = next(event for event in reversed(talk.given) if isinstance(event, e.ReplyStart))
    shown = [message.content for message in answerable(start.messages)]
    assert shown == ["Will it rain?", "Let me see.", "The tool weather says: rain"]
