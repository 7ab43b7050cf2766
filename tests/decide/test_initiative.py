"""What is said unasked: warnings always, the rest when it is wanted and the floor is free."""

from __future__ import annotations

import pytest

from tests.decide.test_session import MS, Talk
from visavis.decide.floor import Manners
from visavis.decide.initiative import Dial, Initiative
from visavis.decide.session import Session
from visavis.flow import events as e


def talker(dial: Dial = "quiet", **manners: str) -> Talk:
    talk = Talk(Session(Manners(initiative=dial, **manners), strict=True))
    talk.tick(0)
    return talk


def said(talk: Talk) -> list[str]:
    return [event.say for event in talk.given if isinstance(event, e.ReplyStart)]


@pytest.fixture
def quiet() -> Talk:
    return talker()


@pytest.fixture
def polite() -> Talk:
    talk = talker("polite", greeting="Hello!")
    talk.sound(100, "Hello!", done=True)
    return talk


def test_by_default_nothing_is_said_unasked(quiet: Talk) -> None:
    quiet.notice(100, "Someone is at the door.")
    for ms in range(200, 6000, 20):
        assert quiet.tick(ms) == []


def test_a_greeting_is_heard_and_remembered() -> None:
    talk = talker("polite", greeting="Hello!")
    assert said(talk) == ["Hello!"]
    talk.sound(100, "Hello!", done=True)
    assert talk.history == [("assistant", "Hello!", False)]
    assert talk.state == "idle"


def test_the_greeting_is_in_the_language_of_the_session() -> None:
    assert said(talker("polite", language="zh"))[0].startswith("你好")


@pytest.mark.parametrize("dial", ["polite", "lively"])
@pytest.mark.parametrize("blank", ["", " "])
def test_an_empty_greeting_is_none_and_the_rest_is_said(dial: Dial, blank: str) -> None:
    talk = talker(dial, greeting=blank)
    for ms in range(100, 6000, 100):
        assert talk.tick(ms) == []
    talk.notice(6000, "Someone is at the door.")
    for ms in range(6020, 9000, 20):
        talk.tick(ms)
    assert said(talk) == ["Someone is at the door."]
    assert said(talker(dial)) == ["Hello. I'm listening."]


def test_a_remark_waits_until_the_floor_has_been_free(polite: Talk) -> None:
    polite.voice(1000)
    polite.notice(1100, "Someone is at the door.")
    polite.tick(1200)
    polite.pause(1500, 1000)
    polite.dropped(1800)
    assert polite.tick(1820) == []
    assert polite.tick(3700) == []
    assert polite.tick(3840) == ["reply.start"]
    assert said(polite)[-1] == "Someone is at the door."


def test_a_remark_can_be_interrupted_and_is_not_repeated(polite: Talk) -> None:
    polite.notice(1000, "Someone is at the door.")
    polite.tick(1020)
    polite.tick(3040)
    polite.sound(3100, "Someone ")
    polite.voice(3300)
    polite.words(3500, "stop", final=False)
    polite.sound(3520, "", done=True, stopped=True)
    polite.pause(3600, 3300)
    polite.dropped(3900)
    assert polite.history[-1] == ("assistant", "Someone", True)
    assert polite.state == "idle"
    assert len(said(polite)) == 2


def test_a_remark_that_found_no_room_is_forgotten(polite: Talk) -> None:
    polite.notice(1000, "Someone is at the door.")
    polite.voice(1010)
    for ms in range(2000, 40_000, 1000):
        assert polite.tick(ms) == []
    polite.pause(40_100, 1010)
    polite.dropped(40_400)
    for ms in range(40_500, 46_000, 500):
        assert polite.tick(ms) == []


def test_a_withdrawn_remark_asks_nothing_again(polite: Talk) -> None:
    polite.notice(1000, "Someone is at the door.")
    polite.tick(1020)
    assert polite.tick(3040) == ["reply.start"]
    polite.voice(3100)
    polite.words(3300, "stop", final=False)
    polite.sound(3320, "", done=True, stopped=True)
    polite.pause(3400, 3100)
    assert polite.dropped(3700) == []
    assert polite.state == "idle"
    assert polite.history == [("assistant", "Hello!", False)]


def test_we_murmur_in_a_long_pause_of_an_unfinished_turn(polite: Talk) -> None:
    polite.voice(1000)
    polite.pause(1500, 1000)
    assert polite.lingers(2400) == ["reply.start"]
    assert said(polite)[-1] == "Uh-huh."
    assert polite.sound(2500, "Uh-huh.", done=True) == []
    assert polite.state == "perceiving", "a murmur is no turn"
    assert polite.turn(3000, "I would like the cake.") == ["reply.start"]
    polite.sound(3300, "Fine.", done=True)
    assert [text for _, text, _ in polite.history] == ["Hello!", "I would like the cake.", "Fine."]


def test_a_murmur_gives_way_to_the_answer(polite: Talk) -> None:
    polite.voice(1000)
    polite.pause(1500, 1000)
    polite.lingers(2400)
    assert polite.turn(2450, "I would like the cake.") == ["reply.start"]
    polite.sound(2600, "Fine.", done=True)
    assert polite.history[-1] == ("assistant", "Fine.", False)


@pytest.mark.parametrize("heard", ["", "Uh-huh."])
def test_a_murmur_is_silent_when_the_user_goes_on(polite: Talk, heard: str) -> None:
    polite.voice(1000)
    polite.pause(1500, 1000)
    polite.lingers(2400)
    assert polite.voice(2450) == ["playback.stop", "reply.cancel"]
    assert "reply.start" not in polite.sound(2470, heard, done=True, stopped=True)
    polite.pause(2900, 2450)
    assert polite.turn(3100, "I would like the cake.") == ["reply.start"]
    polite.sound(3300, "Fine.", done=True)
    assert [text for _, text, _ in polite.history] == ["Hello!", "I would like the cake.", "Fine."]
    assert polite.state == "idle"


def test_a_murmur_whose_end_the_player_does_not_report_is_over(polite: Talk) -> None:
    polite.voice(1000)
    polite.pause(1500, 1000)
    polite.lingers(2400)
    polite.voice(2450)
    polite.pause(2900, 2450)
    assert polite.turn(3100, "I would like the cake.") == []
    assert "reply.start" in polite.tick(33_000)


def test_murmurs_are_rare_and_never_over_a_reply(polite: Talk) -> None:
    polite.voice(1000)
    polite.pause(1500, 1000)
    polite.lingers(2400)
    polite.sound(2500, "Uh-huh.", done=True)
    assert polite.lingers(3000) == []
    quiet = talker()
    quiet.voice(1000)
    quiet.pause(1500, 1000)
    assert quiet.lingers(2400) == []


def test_a_warning_is_said_at_once_and_no_voice_stops_it(quiet: Talk) -> None:
    assert quiet.notice(1000, "Brake!", urgent=True) == ["reply.start"]
    quiet.sound(1100, "Bra")
    assert quiet.voice(1200) == []
    assert quiet.words(1400, "stop what is it") == []
    quiet.pause(1500, 1200)
    assert quiet.turn(1700, "Stop, what is it?") == [], "its turn comes"
    assert "reply.start" in quiet.sound(1800, "ke!", done=True)
    assert quiet.history == [("assistant", "Brake!", False)]
    quiet.sound(2200, "A dog.", done=True)
    assert [text for _, text, _ in quiet.history] == ["Brake!", "Stop, what is it?", "A dog."]


@pytest.mark.parametrize("text", ["Stop stop.", "停下！"])
@pytest.mark.parametrize("voice_ms", [950, 1050, 1200])
def test_who_asks_for_silence_over_a_warning_gets_it_afterwards(
    quiet: Talk, text: str, voice_ms: int
) -> None:
    if voice_ms < 1000:
        quiet.voice(voice_ms)
    quiet.notice(1000, "Brake!", urgent=True)
    if voice_ms == 1050:
        quiet.voice(voice_ms)
    quiet.sound(1100, "Bra")
    if voice_ms > 1100:
        quiet.voice(voice_ms)
    quiet.pause(1500, 1200)
    assert quiet.expected(1550, text) == []
    assert quiet.turn(1700, text) == []
    assert "reply.start" not in quiet.sound(1800, "ke!", done=True)
    assert quiet.state == "idle"


def test_an_answer_over_a_warning_is_one(quiet: Talk) -> None:
    quiet.ask("Coffee?", 1000)
    quiet.sound(1600, "Do you want milk?", done=True)
    quiet.notice(2500, "It rains.", urgent=True)
    quiet.sound(2600, "It rai")
    quiet.voice(2700)
    quiet.pause(2900, 2700)
    quiet.turn(3000, "No.")
    assert "reply.start" in quiet.sound(3100, "ns.", done=True)


def test_a_turn_that_began_in_silence_goes_on_over_a_warning(quiet: Talk) -> None:
    quiet.voice(1000)
    quiet.pause(1300, 1000)
    quiet.notice(1350, "It rains.", urgent=True)
    quiet.sound(1400, "It rai")
    quiet.voice(1450)
    quiet.pause(1700, 1450)
    quiet.turn(1900, "Okay, thanks.")
    assert "reply.start" in quiet.sound(2100, "ns.", done=True)


def test_a_question_over_a_warning_is_answered_whatever_stands_around_it(quiet: Talk) -> None:
    quiet.notice(1000, "Brake!", urgent=True)
    quiet.sound(1100, "Bra")
    for start_ms, text in ((1200, "Wait."), (1800, "What is that?"), (2600, "Please.")):
        quiet.voice(start_ms)
        quiet.pause(start_ms + 300, start_ms)
        assert quiet.turn(start_ms + 500, text) == []
    assert "reply.start" in quiet.sound(3500, "ke!", done=True)


@pytest.mark.parametrize("urgent", [True, False])
def test_yes_to_what_we_asked_since_stop_is_an_answer(polite: Talk, urgent: bool) -> None:
    polite.answered()
    polite.voice(2500)
    polite.words(2800, "Stop.", final=False, start_ms=2500)
    polite.sound(2820, "", done=True, stopped=True)
    polite.pause(2900, 2500)
    polite.turn(3100, "Stop.")
    begun = polite.notice(3110, "Shall I call a doctor?", urgent=urgent)
    for ms in range(3120, 5400, 20):
        begun += polite.tick(ms) if "reply.start" not in begun else []
    assert "reply.start" in begun
    polite.sound(5400, "Shall I call a doctor?", done=True)
    polite.voice(5450)
    polite.pause(5700, 5450)
    assert "reply.start" in polite.turn(5900, "Yes, please.")


@pytest.mark.parametrize("words", ["", "Okay."])
def test_what_was_asked_before_a_warning_is_answered_after_it(quiet: Talk, words: str) -> None:
    quiet.ask("Why?")
    quiet.notice(1600, "Brake!", urgent=True)
    quiet.sound(1650, "", done=True, stopped=True)
    quiet.sound(1700, "Bra")
    quiet.voice(1800)
    quiet.pause(1900, 1800)
    if words:
        quiet.turn(2000, words)
    else:
        quiet.dropped(2000)
    assert "reply.start" in quiet.sound(2100, "ke!", done=True), words


def test_a_warning_cuts_our_own_reply(quiet: Talk) -> None:
    quiet.answered()
    assert quiet.notice(2500, "Brake!", urgent=True) == ["playback.stop", "reply.cancel"]
    given = quiet.sound(2500, "", done=True, stopped=True)
    assert given[-1] == "reply.start"
    assert said(quiet)[-1] == "Brake!"
    quiet.sound(2600, "Brake!", done=True)
    assert quiet.history[-2:] == [("assistant", "A tree.", True), ("assistant", "Brake!", False)]
    assert quiet.state == "idle"


def test_a_question_that_waited_for_a_warning_is_answered_after_it(quiet: Talk) -> None:
    quiet.ask("What is it?")
    quiet.notice(1800, "Brake!", urgent=True)
    quiet.sound(1800, "", done=True, stopped=True)
    given = quiet.sound(1900, "Brake!", done=True)
    assert given[-1] == "reply.start"
    quiet.sound(2400, "A tree.", done=True)
    texts = [text for _, text, _ in quiet.history]
    assert texts == ["Brake!", "What is it?", "A tree."]


def test_a_warning_ends_a_draft(quiet: Talk) -> None:
    quiet.voice(1000)
    quiet.pause(1500, 1000)
    quiet.expected(1550, "What is it?")
    assert quiet.notice(1600, "Brake!", urgent=True) == ["reply.cancel", "reply.start"]
    quiet.turn(1700, "What is it?")
    assert quiet.sound(1800, "Brake!", done=True)[-1] == "reply.start"


def test_all_that_was_said_during_a_warning_is_asked(quiet: Talk) -> None:
    quiet.notice(1000, "Brake!", urgent=True)
    quiet.ask("What is it?", 1100)
    quiet.ask("And where?", 2100)
    quiet.sound(3000, "Brake!", done=True)
    start = next(event for event in reversed(quiet.given) if isinstance(event, e.ReplyStart))
    assert start.messages[-1].content == "What is it? And where?"


def test_warnings_are_bounded_and_empty_ones_are_none() -> None:
    initiative = Initiative()
    initiative.take(e.NoticeRaised(t_ns=0, text=" ", urgent=True))
    assert not initiative.warns
    for n in range(10):
        initiative.take(e.NoticeRaised(t_ns=n * MS, text=str(n), urgent=True))
    told = []
    while (warning := initiative.warning()) is not None:
        told.append(warning.text)
    assert told == ["6", "7", "8", "9"]
