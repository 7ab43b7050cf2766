"""The session as a whole: facts in, commands out, the history exact."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from visavis.decide.answering import APOLOGIES
from visavis.decide.floor import Manners
from visavis.decide.session import Session
from visavis.decide.state import NoSuchRow
from visavis.flow import events as e

MS = 1_000_000
SOUND = np.ones(441, np.float32)
NONE = np.zeros(0, np.float32)


@dataclass
class Talk:
    """Drives a session with facts at moments in milliseconds; keeps what it gave."""

    session: Session = field(default_factory=lambda: Session(strict=True))
    given: list[e.Event] = field(default_factory=list)
    trace: int = 0
    began: int = 0  # sample, of the newest voice

    def give(self, event: e.Event) -> list[str]:
        given = list(self.session.on(event))
        self.given += given
        return [entry.topic for entry in given if entry.topic != "state.changed"]

    def tick(self, ms: int) -> list[str]:
        return self.give(e.ClockTicked(t_ns=ms * MS, index=ms // 20))

    def voice(self, ms: int) -> list[str]:
        self.trace += 1
        self.began = ms * 16
        return self.give(e.SpeechStarted(t_ns=ms * MS, trace=self.trace, start=self.began))

    def pause(self, ms: int, start_ms: int) -> list[str]:
        return self.give(e.SpeechPaused(t_ns=ms * MS, start=start_ms * 16, end=ms * 16))

    def words(self, ms: int, text: str, *, final: bool = True, start_ms: int = 0) -> list[str]:
        return self.give(
            e.WordsHeard(
                t_ns=ms * MS,
                trace=self.trace,
                text=text,
                stable=len(text),
                final=final,
                start=start_ms * 16,
                end=ms * 16,
            )
        )

    def measured(self, ms: int, start_ms: int, *, below_db: float) -> list[str]:
        return self.give(
            e.VoiceMeasured(
                t_ns=ms * MS,
                trace=self.trace,
                start=start_ms * 16,
                end=ms * 16,
                level_db=-30 - below_db,
                usual_db=-30,
                hum=0,
            )
        )

    def expected(self, ms: int, text: str) -> list[str]:
        return self.give(
            e.TurnExpected(
                t_ns=ms * MS,
                trace=self.trace,
                text=text,
                start=self.began,
                end=ms * 16,
                probability=0.8,
            )
        )

    def lingers(self, ms: int) -> list[str]:
        return self.give(
            e.TurnLingered(t_ns=ms * MS, trace=self.trace, start=0, end=ms * 16, silent_ms=900)
        )

    def notice(self, ms: int, text: str, *, urgent: bool = False) -> list[str]:
        return self.give(e.NoticeRaised(t_ns=ms * MS, text=text, urgent=urgent))

    def turn(self, ms: int, text: str) -> list[str]:
        return self.give(
            e.TurnEnded(
                t_ns=ms * MS,
                trace=self.trace,
                text=text,
                start=self.began,
                end=ms * 16,
                probability=1,
                reasons=("test",),
            )
        )

    def dropped(self, ms: int) -> list[str]:
        end = ms * 16
        return self.give(
            e.TurnDropped(t_ns=ms * MS, trace=self.trace, start=0, end=end, reason="noise")
        )

    def sound(self, ms: int, heard: str = "", **fields: bool) -> list[str]:
        samples = NONE if fields.get("stopped") else SOUND
        return self.give(
            e.SoundPlayed(
                t_ns=ms * MS,
                epoch=self.session.floor.epoch,
                start=ms * 22,
                samples=samples,
                heard=heard,
                **fields,
            )
        )

    def written(self, ms: int, reason: str = "end", tokens: int = 5) -> list[str]:
        return self.give(
            e.ReplyWritten(
                t_ns=ms * MS, epoch=self.session.floor.epoch, reason=reason, tokens=tokens
            )
        )

    def ask(self, text: str = "What is it?", ms: int = 1000) -> list[str]:
        self.voice(ms)
        self.pause(ms + 500, ms)
        return self.turn(ms + 700, text)

    def answered(self, heard: str = "A tree. ") -> None:
        """A question asked at 1 s whose answer began to sound at 2 s."""
        self.ask()
        self.sound(2000, heard)

    def talked_over(self, word: str) -> None:
        """A short voice over our reply, from 2.5 to 2.8 s, that makes us stand still: `word`."""
        self.answered()
        self.voice(2500)
        assert self.tick(2760) == ["playback.hold"]
        self.pause(2800, 2500)
        assert self.words(2800, word, start_ms=2500) == []

    def resumed(self, ms: int) -> list[str]:
        """The voice is there again, and the same turn goes on."""
        given = self.voice(ms)
        self.trace -= 1
        return given

    @property
    def history(self) -> list[tuple[str, str, bool]]:
        return [(item.role, item.text, item.cut) for item in self.session.floor.ledger.items]

    @property
    def state(self) -> str:
        return self.session.floor.machines.standing().state


@pytest.fixture
def talk() -> Talk:
    begun = Talk()
    begun.tick(0)
    return begun


def test_the_prompt_is_prefilled_as_the_session_begins() -> None:
    talk = Talk()
    assert talk.tick(0) == ["prompt.prefill"]
    assert talk.tick(20) == []


def test_a_plain_exchange_goes_through_all_states(talk: Talk) -> None:
    states = [talk.state]
    talk.voice(1000)
    states.append(talk.state)
    talk.pause(1500, 1000)
    assert talk.turn(1700, "What is it?") == ["reply.start"]
    states.append(talk.state)
    talk.sound(2000, "A tree.")
    states.append(talk.state)
    talk.written(2100)
    talk.sound(2500, "", done=True)
    states.append(talk.state)
    assert states == ["idle", "perceiving", "reasoning", "streaming", "idle"]
    assert talk.history == [("user", "What is it?", False), ("assistant", "A tree.", False)]


def test_stable_words_are_prefilled_while_the_user_speaks(talk: Talk) -> None:
    talk.voice(1000)
    assert talk.words(1400, "What is the", final=False) == ["prompt.prefill"]
    prefill = talk.given[-1]
    assert isinstance(prefill, e.PromptPrefill)
    assert prefill.messages == (e.Message("user", "What is the"),)


def test_an_interruption_ducks_then_stops_and_keeps_only_what_was_heard(talk: Talk) -> None:
    talk.answered("A tree. ")
    assert talk.voice(2500) == ["playback.duck"]
    assert talk.words(2800, "stop", final=False) == ["playback.stop", "reply.cancel"]
    assert talk.state == "interrupted"
    assert "item.kept" in talk.sound(2820, "It ", done=True, stopped=True)
    assert talk.history[-1] == ("assistant", "A tree. It", True)
    talk.pause(3000, 2500)
    talk.written(3010, "cancelled")
    assert talk.turn(3200, "Stop. Why a tree?") == ["reply.start"]
    assert talk.state == "reasoning"


# ── who asks for silence gets it ─────────────────────────────────────────────────────────────


def hushed(talk: Talk, text: str = "Stop.") -> None:
    """They cut in at 2.5 s, and their turn is over at 3.2 s."""
    talk.answered("A tree. ")
    talk.voice(2500)
    talk.words(2800, text, final=False, start_ms=2500)
    talk.sound(2820, "", done=True, stopped=True)
    talk.pause(3000, 2500)
    assert talk.expected(3100, text) == [], "no draft of an answer to that"
    assert talk.turn(3200, text) == ["item.kept"]
    assert talk.state == "idle"


def test_stop_is_not_answered_and_the_model_is_not_told(talk: Talk) -> None:
    hushed(talk)
    assert talk.history[-2:] == [("assistant", "A tree.", True), ("user", "Stop.", False)]
    assert talk.tick(9000) == []
    assert talk.ask("What about Rome?", 9500) == ["reply.start"]
    start = next(event for event in talk.given[::-1] if isinstance(event, e.ReplyStart))
    said = [message.content for message in start.messages]
    assert said == ["What is it?", "A tree.", "What about Rome?"]


def test_stop_that_is_over_before_the_player_has_reported_is_not_answered(talk: Talk) -> None:
    talk.answered("A tree. ")
    talk.voice(2500)
    talk.pause(2800, 2500)
    assert talk.turn(2900, "Wait, no.") == ["playback.stop", "reply.cancel"]
    assert talk.sound(2900, "", done=True, stopped=True)[-1] == "item.kept"
    assert talk.state == "idle"
    assert [role for role, _, _ in talk.history] == ["user", "assistant", "user"]


def waited(talk: Talk) -> list[str]:
    """They ask, and say "wait" before they hear anything; their turn is over at 2.5 s."""
    talk.ask("What is the capital of France?")
    talk.voice(1800)
    talk.words(2100, "Wait.", final=False, start_ms=1800)
    talk.sound(2120, "", done=True, stopped=True)
    talk.pause(2300, 1800)
    return talk.turn(2500, "Wait.")


def test_wait_while_we_think_leaves_the_question_to_what_comes_next(talk: Talk) -> None:
    assert waited(talk) == ["item.kept", "item.kept"]
    assert talk.state == "idle"
    assert talk.notice(3000, "It rains.", urgent=True) == ["reply.start"]
    talk.sound(3100, "It rains.")
    assert talk.sound(4000, "", done=True)[-1] == "prompt.prefill", "nothing is asked any more"
    assert talk.ask("I mean of Italy.", 5000) == ["reply.start"]
    start = next(event for event in talk.given[::-1] if isinstance(event, e.ReplyStart))
    assert [(message.role, message.content) for message in start.messages] == [
        ("user", "What is the capital of France?"),
        ("assistant", "It rains."),
        ("user", "I mean of Italy."),
    ]


def test_two_goes_without_an_answer_between_are_one_to_the_engine(talk: Talk) -> None:
    waited(talk)
    talk.ask("I mean of Italy.", 5000)
    start = next(event for event in talk.given[::-1] if isinstance(event, e.ReplyStart))
    asked = "What is the capital of France? I mean of Italy."
    assert start.messages == (e.Message("user", asked),)


@pytest.mark.parametrize("text", ["No.", "No, no, no.", "不。"])
def test_no_over_a_reply_asks_for_silence(talk: Talk, text: str) -> None:
    hushed(talk, text)


def test_no_over_our_question_is_an_answer(talk: Talk) -> None:
    talk.answered("Do you want a tree? ")
    talk.voice(2500)
    talk.words(2800, "No.", final=False, start_ms=2500)
    talk.sound(2820, "", done=True, stopped=True)
    talk.pause(3000, 2500)
    assert "reply.start" in talk.turn(3200, "No.")


@pytest.mark.parametrize(("start_ms", "answered"), [(2200, False), (2900, False), (3100, True)])
def test_stop_shortly_after_the_last_word_asks_for_silence(
    talk: Talk, start_ms: int, answered: bool
) -> None:
    talk.ask("What is it?")
    talk.sound(2000, "A tree.", done=True)
    assert ("reply.start" in follows(talk, "Stop it, please.", start_ms)) is answered


@pytest.mark.parametrize(
    ("heard", "answer"),
    [
        ("Would you like to hear about ", "No."),
        ("Do you take sugar? I have white and brown. ", "No."),
        ("要不要听听关于", "不。"),
        ("要不要加糖？", "不用了。"),
        ("A tree. ", "No?"),
    ],
)
def test_an_answer_over_a_question_that_is_not_over_is_one(
    talk: Talk, heard: str, answer: str
) -> None:
    talk.answered(heard)
    talk.voice(2500)
    talk.words(2800, answer, final=False, start_ms=2500)
    talk.sound(2820, "", done=True, stopped=True)
    talk.pause(3000, 2500)
    assert "reply.start" in talk.turn(3200, answer)


def test_yes_behind_wait_over_our_question_is_an_answer(talk: Talk) -> None:
    talk.answered("Shall I go on? ")
    talk.voice(2500)
    talk.words(2800, "Wait.", final=False, start_ms=2500)
    talk.sound(2820, "", done=True, stopped=True)
    talk.pause(3000, 2500)
    assert "reply.start" not in talk.turn(3200, "Wait.")
    assert "reply.start" in follows(talk, "Yes.", 4000)


def test_the_same_stop_that_comes_late_again_is_not_told(talk: Talk) -> None:
    hushed(talk, "Stop.")
    talk.words(3400, "Stop!", start_ms=2500)
    talk.ask("Where?", 9500)
    start = next(event for event in talk.given[::-1] if isinstance(event, e.ReplyStart))
    assert [message.content for message in start.messages] == ["What is it?", "A tree.", "Where?"]


def test_small_words_behind_stop_do_not_prolong_its_reach(talk: Talk) -> None:
    hushed(talk, "Wait.")
    assert follows(talk, "Okay.", 4000) == ["item.kept"]
    assert "reply.start" in follows(talk, "Okay.", 5400)


def test_our_name_behind_stop_calls_us() -> None:
    talk = Talk(Session(Manners(names=("Joe",)), strict=True))
    talk.tick(0)
    hushed(talk, "Wait.")
    assert "reply.start" in follows(talk, "Joe.", 4000)


def test_who_asked_for_silence_is_not_told_what_comes_back(talk: Talk) -> None:
    talk.ask("What is the weather like?")
    epoch = talk.session.floor.epoch
    talk.give(e.ToolCalled(t_ns=1900 * MS, epoch=epoch, call=1, name="weather", arguments="{}"))
    talk.sound(2000, "Let me look. ")
    talk.voice(2500)
    talk.words(2800, "Stop.", final=False, start_ms=2500)
    talk.sound(2820, "", done=True, stopped=True)
    talk.pause(2900, 2500)
    assert "reply.start" not in talk.turn(3100, "Stop.")
    back = e.ToolFinished(t_ns=3300 * MS, epoch=epoch, call=1, name="weather", result="sunny")
    assert "reply.start" not in talk.give(back)
    assert [given for ms in range(3320, 6000, 20) for given in talk.tick(ms)] == []
    talk.ask("And?", 6500)
    start = next(event for event in talk.given[::-1] if isinstance(event, e.ReplyStart))
    assert any("sunny" in message.content for message in start.messages)


def test_words_that_come_late_behind_stop_are_told_to_the_model(talk: Talk) -> None:
    hushed(talk, "Wait.")
    talk.words(3400, "Wait, what about Rome?", start_ms=2500)
    talk.ask("And Paris?", 6500)
    start = next(event for event in talk.given[::-1] if isinstance(event, e.ReplyStart))
    assert start.messages[-1].content == "Wait, what about Rome? And Paris?"


def test_stop_is_answered_when_we_were_silent(talk: Talk) -> None:
    assert talk.ask("Stop.") == ["reply.start"]


def test_stop_with_our_name_asks_for_silence_too() -> None:
    talk = Talk(Session(Manners(names=("Vis-à-vis",)), strict=True))
    talk.tick(0)
    hushed(talk, "Vis-à-vis, stop it please.")


def follows(talk: Talk, text: str, start_ms: int) -> list[str]:
    """They say this as a turn of its own, of half a second."""
    talk.voice(start_ms)
    talk.words(start_ms + 300, text, start_ms=start_ms)
    talk.pause(start_ms + 500, start_ms)
    drafted = talk.expected(start_ms + 600, text)
    return drafted + talk.turn(start_ms + 700, text)


@pytest.mark.parametrize(
    "text", ["No.", "Please.", "Okay.", "Stop it, please.", "算了。", "不用了。", "没事了。"]
)
def test_what_follows_stop_asks_for_silence_too(talk: Talk, text: str) -> None:
    hushed(talk, "Wait.")
    assert follows(talk, text, 4000) == ["item.kept"]
    assert talk.state == "idle"
    assert talk.tick(9000) == []
    talk.ask("Where?", 9500)
    start = next(event for event in talk.given[::-1] if isinstance(event, e.ReplyStart))
    assert [message.content for message in start.messages] == ["What is it?", "A tree.", "Where?"]


@pytest.mark.parametrize(
    ("text", "start_ms"),
    [
        ("No.", 5300),
        ("No, a bush.", 4000),
        ("Sorry?", 4000),
        ("Really?", 4000),
        ("真的吗？", 4000),
        ("别停。", 4000),
        ("请不要停下来。", 4000),
        ("Can you...", 4000),
        ("Okay, you can now.", 4000),
        ("Go on.", 4000),
        ("Please continue.", 4000),
        ("请继续。", 4000),
    ],
)
def test_what_follows_stop_and_asks_or_comes_late_is_answered(
    talk: Talk, text: str, start_ms: int
) -> None:
    hushed(talk, "Wait.")
    assert "reply.start" in follows(talk, text, start_ms)


def test_no_after_another_question_is_an_answer(talk: Talk) -> None:
    hushed(talk, "Wait.")
    assert "reply.start" in follows(talk, "Is it a bush?", 3300)
    talk.sound(4050, "Is it green?", done=True)
    assert "reply.start" in follows(talk, "No.", 4200)


def test_two_turns_over_before_the_player_has_reported_both_ask_for_silence(talk: Talk) -> None:
    talk.answered("A tree. ")
    talk.voice(2500)
    talk.pause(2700, 2500)
    assert talk.turn(2750, "Wait.") == ["playback.stop", "reply.cancel"]
    talk.voice(2760)
    talk.pause(2800, 2760)
    assert talk.turn(2850, "No.") == []
    assert talk.sound(2900, "", done=True, stopped=True)[-1] == "item.kept"
    assert talk.state == "idle"
    talk.ask("Where?", 9500)
    start = next(event for event in talk.given[::-1] if isinstance(event, e.ReplyStart))
    assert [message.content for message in start.messages] == ["What is it?", "A tree.", "Where?"]


def test_sustained_voice_makes_us_stand_still_and_its_words_stop_us(talk: Talk) -> None:
    talk.answered()
    talk.voice(2500)
    assert talk.tick(2700) == []
    assert talk.tick(2800) == ["playback.hold"], "silent, and nothing is lost"
    assert talk.words(3100, "what about", final=False, start_ms=2500) == [
        "playback.stop",
        "reply.cancel",
    ]


def test_a_voice_without_words_is_let_go_after_two_seconds(talk: Talk) -> None:
    talk.answered()
    talk.voice(2500)
    talk.tick(2800)
    assert talk.tick(4480) == []
    assert talk.tick(4520) == ["playback.release", "playback.restore"]
    assert talk.state == "streaming"


def test_words_that_come_after_it_was_let_go_stop_us_all_the_same(talk: Talk) -> None:
    talk.answered()
    talk.voice(2500)
    talk.tick(2800)
    talk.tick(4520)
    stop = ["playback.stop", "reply.cancel"]
    assert talk.words(4800, "what about tomorrow", final=False, start_ms=2500) == stop


def test_a_turn_with_words_for_us_stops_us_whatever_its_voice_was_taken_for(talk: Talk) -> None:
    talk.answered()
    talk.voice(2500)
    talk.tick(2800)
    talk.tick(4520)
    talk.pause(4700, 2500)
    assert talk.turn(5000, "what about tomorrow") == ["playback.stop", "reply.cancel"]
    assert talk.sound(5000, "", done=True, stopped=True)[-1] == "reply.start"


def test_a_backchannel_and_then_words_are_an_interruption(talk: Talk) -> None:
    talk.answered()
    talk.voice(2500)
    talk.pause(2800, 2500)
    talk.words(2850, "Yeah.", start_ms=2500)
    assert talk.tick(3200) == ["playback.restore"]
    assert talk.resumed(3220) == ["playback.duck"]
    assert talk.words(3600, "Yeah. But what about tomorrow?", final=False, start_ms=2500) == [
        "playback.stop",
        "reply.cancel",
    ]


def test_a_backchannel_restores_the_volume_and_is_no_turn(talk: Talk) -> None:
    talk.answered()
    talk.voice(2500)
    talk.pause(2800, 2500)
    assert talk.words(2850, "uh-huh", start_ms=2500) == ["playback.restore"]
    assert talk.turn(3000, "uh-huh") == []
    assert talk.state == "streaming"
    talk.sound(3500, "Yes.", done=True)
    assert [role for role, _, _ in talk.history] == ["user", "assistant"]


@pytest.mark.parametrize("word", ["Okay.", "Yeah, right.", "I see.", "好的。"])
def test_a_word_that_often_leads_to_more_is_let_go_once_nothing_has_followed(
    talk: Talk, word: str
) -> None:
    talk.talked_over(word)
    assert talk.tick(3140) == []
    assert talk.tick(3160) == ["playback.release", "playback.restore"]
    assert talk.turn(3400, word) == []
    assert talk.state == "streaming"


def test_who_goes_on_soon_after_such_a_word_is_not_talked_to_meanwhile(talk: Talk) -> None:
    talk.talked_over("Okay.")
    assert talk.resumed(3100) == []
    assert [talk.tick(ms) for ms in (3120, 3160, 3300)] == [[], [], []]
    stop = ["playback.stop", "reply.cancel"]
    assert talk.words(3400, "Okay, but what happens", final=False, start_ms=2500) == stop


def test_noise_behind_such_a_word_is_waited_for_too(talk: Talk) -> None:
    talk.talked_over("Okay.")
    talk.resumed(3100)
    talk.pause(3300, 3100)
    assert talk.words(3300, "Okay.", start_ms=2500) == []
    assert talk.tick(3640) == []
    assert talk.tick(3660) == ["playback.release", "playback.restore"]


def test_words_that_come_late_let_no_one_go_who_speaks_again(talk: Talk) -> None:
    talk.answered()
    talk.voice(2500)
    talk.tick(2760)
    talk.pause(2800, 2500)
    talk.resumed(3000)
    assert talk.words(2800, "Okay.", start_ms=2500) == []
    talk.pause(3300, 3000)
    assert talk.tick(3320) == []
    stop = ["playback.stop", "reply.cancel"]
    assert talk.words(3300, "Okay, but why?", start_ms=2500) == stop


def test_a_turn_that_is_over_with_such_a_word_lets_it_go(talk: Talk) -> None:
    talk.talked_over("Okay.")
    assert talk.turn(3000, "Okay.") == ["playback.release", "playback.restore"]
    assert talk.tick(3160) == []


def test_what_goes_on_after_an_aside_does_not_stop_us_before_it_is_known_to_be_loud(
    talk: Talk,
) -> None:
    """ "Put the kettle on, … would you?"."""
    talk.answered()
    talk.voice(2500)
    talk.measured(2800, 2500, below_db=12)
    told = talk.words(3420, "Put the kettle on", final=False, start_ms=2500)
    assert told == ["playback.restore"]
    talk.pause(3450, 2500)
    talk.words(3450, "Put the kettle on.", start_ms=2500)
    assert talk.resumed(3600) == ["playback.duck"]
    text = "Put the kettle on. Would you"
    assert talk.words(3910, text, final=False, start_ms=2500) == ["playback.hold"]
    talk.measured(3950, 3600, below_db=12)
    talk.pause(3950, 3600)
    assert talk.words(3950, text, start_ms=2500) == ["playback.release", "playback.restore"]
    assert talk.turn(4300, text) == []


def test_the_same_word_when_we_are_silent_is_an_answer(talk: Talk) -> None:
    assert talk.ask("uh-huh") == ["reply.start"]


def test_a_backchannel_that_outlasts_our_reply_is_no_turn(talk: Talk) -> None:
    talk.answered("A tree.")
    talk.voice(2500)
    talk.sound(2520, "", done=True)
    talk.pause(2800, 2500)
    talk.words(2850, "uh-huh", start_ms=2500)
    assert talk.turn(3000, "uh-huh") == []
    assert talk.state == "idle"


def test_an_answer_to_our_question_may_begin_before_we_have_quite_finished(talk: Talk) -> None:
    talk.answered("Would you like tea?")
    talk.voice(2500)
    talk.sound(2520, "", done=True)
    talk.pause(2800, 2500)
    assert "reply.start" in talk.turn(3000, "yes")


def test_late_words_of_the_last_turn_do_not_explain_a_cough(talk: Talk) -> None:
    talk.answered()
    talk.voice(2500)
    talk.trace -= 1
    assert talk.words(2600, "What is it really?") == ["item.amended"]
    assert talk.state == "streaming"


def test_an_engine_that_fails_while_the_user_goes_on_is_asked_again(talk: Talk) -> None:
    talk.ask("What is")
    talk.voice(1800)
    assert talk.written(1900, "failed", tokens=0) == ["playback.stop", "reply.cancel"]
    talk.sound(1900, "", done=True, stopped=True)
    talk.pause(2200, 1800)
    assert talk.turn(2400, "that tree") == ["reply.start"]
    assert talk.session.floor.ledger.messages()[-1].content == "What is that tree"


def test_noise_over_our_reply_changes_nothing(talk: Talk) -> None:
    talk.answered()
    talk.voice(2500)
    talk.pause(2600, 2500)
    assert talk.dropped(2900) == ["playback.restore"]
    assert talk.state == "streaming"


def test_going_on_before_a_sound_withdraws_the_reply_and_joins_the_words(talk: Talk) -> None:
    talk.ask("I would like to know")
    assert talk.voice(1800) == ["playback.hold"]
    assert talk.words(2300, "what time it is", final=False) == ["playback.stop", "reply.cancel"]
    talk.sound(2300, "", done=True, stopped=True)
    talk.pause(2600, 1800)
    assert talk.turn(2800, "what time it is") == ["reply.start"]
    start = talk.given[-2]
    assert isinstance(start, e.ReplyStart)
    assert start.messages == (e.Message("user", "I would like to know what time it is"),)
    assert talk.history == []


def test_noise_while_we_think_lets_the_reply_play(talk: Talk) -> None:
    talk.ask()
    assert talk.voice(1800) == ["playback.hold"]
    talk.pause(1880, 1800)
    assert talk.dropped(2200) == ["playback.release"]
    assert talk.state == "reasoning"


def test_a_withdrawn_question_is_asked_again_if_the_voice_was_nothing(talk: Talk) -> None:
    talk.ask()
    talk.voice(1800)
    talk.words(2300, "what about", final=False)
    talk.pause(2400, 1800)
    assert talk.dropped(2700) == []
    assert talk.sound(2710, "", done=True, stopped=True) == ["prompt.prefill", "reply.start"]
    assert talk.state == "reasoning"


def test_a_reply_cut_before_its_first_word_was_heard_leaves_no_trace(talk: Talk) -> None:
    talk.ask("Tell me")
    talk.sound(2000)
    talk.voice(2050)
    talk.words(2300, "wait", final=False)
    talk.sound(2320, "", done=True, stopped=True)
    assert talk.history == []
    talk.pause(2600, 2050)
    talk.turn(2800, "wait a joke")
    assert talk.session.floor.ledger.messages() == (e.Message("user", "Tell me wait a joke"),)


def test_a_reply_that_ends_in_the_period_of_its_stop_was_heard_whole(talk: Talk) -> None:
    talk.answered("A tree.")
    talk.voice(2500)
    assert talk.words(2800, "stop", final=False) == ["playback.stop", "reply.cancel"]
    talk.sound(2800, "", done=True)
    assert talk.history[-1] == ("assistant", "A tree.", False)
    assert talk.state == "interrupted"


def test_the_next_reply_waits_for_the_report_of_what_was_heard(talk: Talk) -> None:
    talk.answered("A tree. ")
    talk.voice(2500)
    talk.pause(2800, 2500)
    assert talk.turn(2900, "what about Rome") == ["playback.stop", "reply.cancel"]
    topics = talk.sound(2900, "", done=True, stopped=True)
    assert topics == ["item.kept", "prompt.prefill", "reply.start"]
    start = next(event for event in talk.given[::-1] if isinstance(event, e.ReplyStart))
    assert [message.content for message in start.messages] == [
        "What is it?",
        "A tree.",
        "what about Rome",
    ]


def test_a_player_that_never_reports_its_stop_is_not_waited_for(talk: Talk) -> None:
    talk.answered("A tree. ")
    talk.voice(2500)
    talk.pause(2800, 2500)
    talk.turn(2900, "what about Rome")
    assert talk.tick(2920)[-1] == "reply.start"


def test_an_engine_failure_is_an_apology_once_and_then_silence(talk: Talk) -> None:
    talk.ask()
    assert talk.written(1800, "failed", tokens=0) == ["reply.start"]
    apology = next(event for event in talk.given[::-1] if isinstance(event, e.ReplyStart))
    assert apology.say == APOLOGIES["en"]
    topics = talk.written(1900, "failed", tokens=0)
    assert topics[:2] == ["playback.stop", "reply.cancel"]
    assert talk.state == "idle"


def test_no_state_is_a_trap_without_progress(talk: Talk) -> None:
    talk.ask()
    assert talk.tick(30_000) == []
    assert talk.tick(32_000)[:2] == ["playback.stop", "reply.cancel"]
    assert talk.state == "idle"
    assert talk.history == [("user", "What is it?", False)]


def test_what_an_older_reply_still_does_is_ignored(talk: Talk) -> None:
    talk.answered()
    talk.session.floor.orders.epoch += 1
    stale = e.SoundPlayed(t_ns=3000 * MS, epoch=1, start=0, samples=SOUND, heard="Ghost", done=True)
    assert talk.give(stale) == []
    assert talk.give(e.ReplyWritten(t_ns=3000 * MS, epoch=1, reason="end")) == []


def test_an_impossible_event_raises_in_tests_and_is_ignored_in_production() -> None:
    impossible = e.SpeechPaused(t_ns=0, start=0, end=1)
    with pytest.raises(NoSuchRow):
        list(Session(strict=True).on(impossible))
    quiet = Session()
    assert list(quiet.on(impossible)) == []
    assert quiet.floor.machines.user.state == "quiet"


def test_what_may_be_our_own_echo_is_measured_before_our_voice_is_lowered() -> None:
    def begun(*, doubted: bool) -> Talk:
        talk = Talk(Session(Manners(), strict=True))
        talk.voice(0)
        talk.pause(500, 0)
        talk.turn(600, "tell me a story")
        talk.sound(1000, "Once upon a time ")
        talk.trace += 1
        start = e.SpeechStarted(t_ns=1100 * MS, trace=talk.trace, start=1100 * 16, doubted=doubted)
        found.append([topic for topic in talk.give(start) if topic.startswith("playback")])
        return talk

    def measured(talk: Talk, ms: int, sure_ms: int) -> list[str]:
        sound = e.VoiceMeasured(
            t_ns=ms * MS,
            trace=talk.trace,
            start=1100 * 16,
            end=ms * 16,
            level_db=-20,
            usual_db=-20,
            hum=0,
            doubted=(ms - 1100 - sure_ms) * 16,
        )
        return [topic for topic in talk.give(sound) if topic.startswith("playback")]

    found: list[list[str]] = []
    begun(doubted=False)
    assert found.pop() == ["playback.duck"]
    talk = begun(doubted=True)
    assert found.pop() == []
    assert measured(talk, 1200, 30) == []
    assert measured(talk, 1220, 59) == []
    assert measured(talk, 1240, 60) == ["playback.duck", "playback.hold"]
    assert measured(talk, 1300, 100) == []
    talk = begun(doubted=True)
    talk.pause(1200, 1100)
    assert "playback.stop" in talk.words(1300, "stop", start_ms=1100), "words that mean it do stop"


def over_ours(text: str, hum: float, *, names: tuple[str, ...] = ()) -> list[str]:
    """What follows when a short voice over our reply turns out to be `text`."""
    talk = Talk(Session(Manners(names=names), strict=True))
    talk.voice(0)
    talk.pause(500, 0)
    talk.turn(600, "tell me a story")
    talk.sound(1000, "Once upon a time ")
    talk.voice(1100)
    talk.give(
        e.VoiceMeasured(
            t_ns=1350 * MS,
            trace=talk.trace,
            start=1100 * 16,
            end=1350 * 16,
            level_db=-20,
            usual_db=-20,
            hum=hum,
        )
    )
    talk.give(e.SpeechPaused(t_ns=1400 * MS, trace=talk.trace, start=1100 * 16, end=1400 * 16))
    before = len(talk.given)
    talk.words(1400, text, start_ms=1100)
    talk.give(
        e.TurnEnded(
            t_ns=1900 * MS,
            trace=talk.trace,
            text=text,
            start=1100 * 16,
            end=1400 * 16,
            probability=1,
            reasons=("test",),
        )
    )
    return [event.topic for event in talk.given[before:]]


def test_a_hum_that_was_spelled_as_a_word_stops_nothing_when_its_turn_ends() -> None:
    assert "playback.stop" not in over_ours("Damn.", 0.9)
    assert "playback.stop" in over_ours("Damn.", 0.0)


def test_who_calls_us_by_name_means_us() -> None:
    assert "playback.stop" not in over_ours("Emma.", 0.9)
    assert "playback.stop" in over_ours("Emma.", 0.9, names=("Emma",))
