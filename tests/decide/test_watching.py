"""What is seen with a question: looks, views on messages, waits that end, honest remarks."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import pytest

from tests.decide.test_session import MS, Talk
from visavis.decide.attend import BLIND, WAIT_NS
from visavis.decide.floor import Manners
from visavis.decide.session import Session
from visavis.flow import events as e


@dataclass
class Watch(Talk):
    """A talk with a camera."""

    session: Session = field(
        default_factory=lambda: Session(Manners(heartbeat_s=30.0), strict=True)
    )

    def view(self, ms: int, name: str, *, moment_ms: int = -1, **fields: str) -> list[str]:
        view = e.View(name, captured_ns=ms * MS, stream=fields.pop("stream", "camera"))
        moment_ns = moment_ms * MS if moment_ms >= 0 else -1
        return self.give(
            e.ViewTaken(t_ns=ms * MS, view=view, moment_ns=moment_ns, reason="test", data=b"x")
        )

    def point(self, ms: int, *, at_ms: int, end_ms: int) -> list[str]:
        """The final words are there, in which "this" was said at `at_ms`."""
        return self.give(
            e.WordsHeard(
                t_ns=ms * MS,
                trace=self.trace,
                text="What is this?",
                stable=13,
                final=True,
                start=1000 * 16,
                end=end_ms * 16,
                pointed=at_ms * 16,
            )
        )

    def looks(self) -> list[tuple[str, int]]:
        return [
            (event.reason, event.moment_ns // MS if event.moment_ns >= 0 else -1)
            for event in self.given
            if isinstance(event, e.LookStart)
        ]

    def starts(self) -> list[e.ReplyStart]:
        return [event for event in self.given if isinstance(event, e.ReplyStart)]

    def asked(self, name: str = "A") -> Watch:
        """The user has asked, and the view of that moment is there."""
        self.voice(1000)
        self.view(1010, name)
        self.pause(2100, 1000)
        self.view(2110, name, moment_ms=2100)
        self.words(2200, "What is this?")
        self.turn(2300, "What is this?")
        return self


def said(watch: Watch) -> e.Message:
    """The question as the engine is asked it last."""
    return watch.starts()[-1].messages[-1]


def test_looks_at_the_onset_of_speech_and_at_its_end() -> None:
    watch = Watch().asked()
    assert watch.looks() == [("speech", -1), ("question", 2100)]
    assert [view.id for view in said(watch).views] == ["A"]


def test_without_eyes_nothing_is_looked_at() -> None:
    talk = Talk()
    talk.voice(1000)
    talk.pause(2100, 1000)
    talk.turn(2300, "What is this?")
    assert not [event for event in talk.given if isinstance(event, e.LookStart)]
    start = talk.given[-2]
    assert isinstance(start, e.ReplyStart)
    assert start.view_id == ""
    assert math.isnan(start.view_offset_ms)


def test_the_picture_is_evaluated_while_the_user_still_speaks() -> None:
    watch = Watch()
    watch.voice(1000)
    assert "prompt.prefill" in watch.view(1010, "A")
    assert "prompt.prefill" not in watch.view(1500, "A"), "it is the same picture"
    prefill = [event for event in watch.given if isinstance(event, e.PromptPrefill)][-1]
    assert prefill.messages[-1] == e.Message("user", "", (e.View("A"),))


def test_the_same_picture_is_evaluated_again_with_new_words() -> None:
    watch = Watch().asked()
    watch.sound(2600, "A cup.")
    watch.sound(2700, done=True)
    watch.voice(4000)
    look = e.ViewTaken(t_ns=4010 * MS, view=e.View("A"), moment_ns=-1, reason="speech")
    assert "prompt.prefill" in watch.give(look), "a model may have to be shown it anew"


def test_a_change_under_speech_replaces_the_picture() -> None:
    watch = Watch()
    watch.voice(1000)
    watch.view(1010, "A")
    change = e.SceneChanged(t_ns=1500 * MS, captured_ns=1490 * MS, share=0.4)
    assert watch.give(change) == ["look.start"]
    assert "prompt.prefill" in watch.view(1510, "B")
    watch.pause(2100, 1000)
    watch.view(2110, "B", moment_ms=2100)
    watch.turn(2300, "What is this?")
    assert [view.id for view in said(watch).views] == ["B"]


def test_a_change_after_the_question_is_not_what_was_asked_about() -> None:
    watch = Watch()
    watch.voice(1000)
    watch.view(1010, "A")
    watch.pause(2100, 1000)
    watch.view(2110, "A", moment_ms=2100)
    watch.give(e.SceneChanged(t_ns=2150 * MS, captured_ns=2140 * MS, share=0.4))
    watch.view(2160, "B")
    watch.turn(2300, "What is this?")
    assert [view.id for view in said(watch).views] == ["A"]


def test_the_offset_is_that_of_the_frame_from_the_end_of_the_speech() -> None:
    watch = Watch().asked()
    start = watch.starts()[-1]
    assert (start.view_id, start.view_offset_ms) == ("A", 10.0)


def test_a_word_that_points_moves_the_moment() -> None:
    watch = Watch()
    watch.voice(1000)
    watch.view(1010, "A")
    watch.pause(2100, 1000)
    watch.view(2110, "B", moment_ms=2100)
    watch.point(2200, at_ms=1500, end_ms=2100)
    assert watch.looks()[-1] == ("pointed", 1500)
    assert "reply.start" not in watch.expected(2205, "What is this?"), "the view comes first"
    pointed = e.View("A", captured_ns=1505 * MS)
    topics = watch.give(
        e.ViewTaken(t_ns=2210 * MS, view=pointed, moment_ns=1500 * MS, reason="pointed")
    )
    assert topics == ["reply.start"], "the draft that waited"
    assert said(watch).views == (e.View("A"),)
    assert watch.starts()[-1].view_offset_ms == 5.0


def test_a_word_that_pointed_too_long_ago_leaves_the_end_of_the_speech() -> None:
    watch = Watch()
    watch.voice(1000)
    watch.view(1010, "A")
    watch.pause(6100, 1000)
    watch.view(6110, "B", moment_ms=6100)
    watch.point(6200, at_ms=1500, end_ms=6100)
    watch.give(e.ViewMissed(t_ns=6205 * MS, moment_ns=1500 * MS, reason="no frame within 500 ms"))
    watch.turn(6300, "What is this?")
    start = watch.starts()[-1]
    assert start.messages == (e.Message("user", "What is this?", (e.View("B"),)),), "no remark"
    assert start.view_offset_ms == 10.0


def test_what_comes_back_from_a_tool_does_not_end_the_wait_for_the_view() -> None:
    watch = Watch()
    watch.voice(1000)
    watch.pause(2100, 1000)
    watch.turn(2300, "What is this?")
    tool = e.ToolFinished(t_ns=2320 * MS, epoch=0, call=0, name="t", result="x")
    assert "reply.start" not in watch.give(tool)
    assert watch.view(2330, "A", moment_ms=2100)[-1] == "reply.start"


def test_who_cut_in_and_speaks_again_while_the_view_is_waited_for_is_not_talked_over() -> None:
    watch = Watch().asked()
    watch.sound(2600, "It is a ")
    watch.voice(3000)
    watch.words(3300, "stop what is that", start_ms=3000)
    watch.sound(3340, done=True, stopped=True)
    watch.pause(3600, 3000)
    watch.turn(3800, "stop what is that")
    watch.voice(3900)
    before = len(watch.given)
    watch.view(3910, "A", moment_ms=3600)
    watch.tick(4200)
    assert not [x for x in watch.given[before:] if isinstance(x, e.ReplyStart)]
    watch.pause(4600, 3900)
    watch.view(4610, "A", moment_ms=4600)
    watch.turn(4800, "on the left")
    assert said(watch).content == "stop what is that on the left"


def test_a_draft_of_another_picture_is_not_the_answer() -> None:
    watch = Watch()
    watch.voice(1000)
    watch.pause(2100, 1000)
    watch.view(2110, "A", moment_ms=2100)
    watch.words(2200, "What is this?")
    watch.expected(2210, "What is this?")
    watch.view(2220, "B", moment_ms=2100)
    drafts = watch.starts()
    assert [view.id for start in drafts for view in start.messages[-1].views] == ["A", "B"]
    assert "reply.adopt" in watch.turn(2300, "What is this?")


def test_a_question_waits_for_its_view_and_then_for_no_longer() -> None:
    watch = Watch()
    watch.voice(1000)
    watch.pause(2100, 1000)
    assert "reply.start" not in watch.turn(2300, "What is this?")
    late = (2100 * MS + WAIT_NS) // MS
    assert "reply.start" not in watch.tick(late - 20)
    assert "reply.start" in watch.tick(late)
    assert said(watch).views == ()


def test_the_view_that_was_waited_for_begins_the_answer() -> None:
    watch = Watch()
    watch.voice(1000)
    watch.pause(2100, 1000)
    watch.turn(2300, "What is this?")
    assert watch.view(2310, "A", moment_ms=2100)[-1] == "reply.start"
    assert [view.id for view in said(watch).views] == ["A"]


def test_who_speaks_again_while_the_view_is_waited_for_asks_one_question() -> None:
    watch = Watch()
    watch.voice(1000)
    watch.pause(2100, 1000)
    watch.turn(2300, "What is this")
    watch.voice(2350)
    assert "reply.start" not in watch.view(2360, "A", moment_ms=2100)
    assert "reply.start" not in watch.tick(2640)
    watch.pause(3100, 2350)
    watch.view(3110, "A", moment_ms=3100)
    watch.turn(3300, "on the table?")
    assert said(watch).content == "What is this on the table?"


def test_with_no_frame_yet_the_first_one_is_waited_for() -> None:
    watch = Watch()
    watch.voice(1000)
    watch.give(e.CameraChanged(t_ns=1005 * MS, condition="absent", since_ns=0))
    watch.pause(2100, 1000)
    watch.give(e.ViewMissed(t_ns=2105 * MS, moment_ns=2100 * MS, reason="no frame yet"))
    assert "reply.start" not in watch.turn(2300, "What is this?")
    topics = watch.give(e.CameraChanged(t_ns=2400 * MS, condition="clear", since_ns=2390 * MS))
    assert topics == ["look.start"]
    assert watch.view(2410, "A", moment_ms=2100)[-1] == "reply.start"
    assert len(watch.starts()[-1].messages) == 1, "no remark: all is well"


@pytest.mark.parametrize("condition", ["dark", "frozen", "absent"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_camera_that_sees_nothing_is_told(condition: str, language: str) -> None:
    watch = Watch()
    watch.session.floor.language = language
    watch.view(500, "A")
    watch.give(e.CameraChanged(t_ns=900 * MS, condition=condition, since_ns=0))
    watch.voice(1000)
    watch.pause(2100, 1000)
    watch.view(2110, "A", moment_ms=2100)
    watch.turn(2300, "What is this?")
    remark, question = watch.starts()[-1].messages[-2:]
    assert remark == e.Message("system", BLIND[language][condition])
    assert bool(question.views) == (condition == "frozen")


def test_a_view_that_is_too_old_stands_and_is_said_to_be_old() -> None:
    watch = Watch()
    watch.view(500, "A")
    watch.voice(9000)
    watch.pause(9600, 9000)
    watch.give(e.ViewMissed(t_ns=9605 * MS, moment_ns=9600 * MS, reason="none for 9 s"))
    assert "reply.start" in watch.turn(9800, "What is this?")
    remark, question = watch.starts()[-1].messages[-2:]
    assert remark.content == BLIND["en"]["old"]
    assert question.views == (e.View("A"),)


def test_what_is_written_goes_with_the_view() -> None:
    watch = Watch()
    watch.voice(1000)
    watch.view(1010, "A")
    topics = watch.give(e.ViewRead(t_ns=1200 * MS, id="A", text="EXIT"))
    assert topics == ["prompt.prefill"]
    watch.pause(2100, 1000)
    watch.view(2110, "A", moment_ms=2100)
    watch.turn(2300, "What does it say?")
    assert said(watch).views[-1].written == "EXIT"


def test_a_second_stream_goes_before_the_camera() -> None:
    watch = Watch()
    watch.view(500, "S", stream="screen")
    watch.asked()
    assert [view.id for view in said(watch).views] == ["S", "A"]


def test_the_past_is_shown_instead_of_the_present() -> None:
    watch = Watch()
    watch.voice(1000)
    watch.pause(2100, 1000)
    watch.view(2110, "A", moment_ms=2100)
    past = e.View("P", captured_ns=0, text="a red box")
    watch.give(
        e.MemoryRecalled(t_ns=2150 * MS, trace=watch.trace, view=past, ago_ms=60_000, data=b"x")
    )
    watch.words(2200, "What did you see a minute ago?")
    watch.turn(2300, "What did you see a minute ago?")
    remark, question = watch.starts()[-1].messages[-2:]
    assert [view.id for view in question.views] == ["P"]
    assert remark.content == "The picture is from 60 seconds ago, not from now."


def described(watch: Watch, *ms: int) -> int:
    return sum("view.describe" in watch.tick(at) for at in ms)


def test_a_picture_is_described_once_it_is_quiet_and_shown_in_words_afterwards() -> None:
    watch = Watch().asked()
    watch.sound(2600, "A cup.")
    watch.sound(2700, done=True)
    assert described(watch, 2720, 3500, 4700) == 0
    assert described(watch, 4740, 4760) == 1
    topics = watch.give(e.ViewDescribed(t_ns=4900 * MS, id="A", text="a white cup"))
    assert topics == ["prompt.prefill"], "the engine goes back to the conversation"
    assert described(watch, 20_000) == 0
    watch.voice(24_000)
    watch.view(24_010, "B")
    prefill = [event for event in watch.given if isinstance(event, e.PromptPrefill)][-1]
    texts = [view.text for message in prefill.messages for view in message.views]
    assert texts == ["a white cup", ""]


def test_a_description_that_was_broken_off_is_tried_once_more() -> None:
    watch = Watch()
    watch.view(1000, "A")
    assert described(watch, 1020, 3040, 3060) == 1
    watch.give(e.ViewDescribed(t_ns=3100 * MS, id="A", text=""))
    assert described(watch, 3120, 12_000, 13_100, 40_000, 80_000) == 1


def test_a_question_that_waits_for_its_view_is_reasoned_about() -> None:
    watch = Watch()
    watch.voice(1000)
    watch.pause(2100, 1000)
    watch.turn(2300, "What is this?")
    states = [event.state for event in watch.given if isinstance(event, e.StateChanged)]
    assert states[-1] == "reasoning"


def test_the_first_picture_is_taken_in_or_it_could_not_be_remembered() -> None:
    watch = Watch()
    clear = e.CameraChanged(t_ns=40 * MS, condition="clear", since_ns=0)
    assert watch.give(clear) == ["look.start"]
    watch.view(50, "A")
    watch.give(e.CameraChanged(t_ns=900 * MS, condition="dark", since_ns=880 * MS))
    assert watch.give(e.CameraChanged(t_ns=1500 * MS, condition="clear", since_ns=1480 * MS)) == []


def test_it_looks_now_and_then_although_nothing_happens() -> None:
    watch = Watch()
    for ms in range(0, 95_000, 1000):
        watch.tick(ms)
    assert watch.looks() == [("heartbeat", -1)] * 3
