"""The caller does what real clients do, and notes what a listener would."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from visavis.bench.director import Director
from visavis.bench.remote.caller import UNANSWERED_S, Caller
from visavis.bench.remote.wire import RATE_HZ, Malformed
from visavis.bench.result import Episode
from visavis.bench.script import Script


class Told(Director):
    """A director that only notes what it is told."""

    def __init__(self) -> None:
        super().__init__(Script("s", "n", 0, ()), (), lambda *_: None)
        self.idle: list[float] = []
        self.heard: list[int] = []

    def idled(self, t_s: float) -> None:
        self.idle.append(t_s)

    def sounded(self, reply: int, t_s: float) -> None:
        self.heard.append(reply)

    def passed(self, t_s: float) -> None:
        pass


class Rig:
    """A caller, its director, and what it sent."""

    def __init__(self) -> None:
        self.director = Told()
        self.caller = Caller(self.director)
        self.sent: list[dict] = []
        self.now_s = 0.0

    def got(self, type: str, **fields: object) -> None:
        self.sent += self.caller.received({"type": type, **fields}, self.now_s)

    def sound(self, length_s: float, reply: str = "r1", item: str = "i1") -> None:
        pcm = np.full(round(length_s * RATE_HZ), 9000, "<i2").tobytes()
        delta = base64.b64encode(pcm).decode()
        self.got("response.output_audio.delta", response_id=reply, item_id=item, delta=delta,
                 content_index=0)  # fmt: skip

    def wait(self, length_s: float) -> None:
        for _ in range(round(length_s / 0.02)):
            self.now_s += 0.02
            self.caller.passed(self.now_s)

    def answer(self, length_s: float, reply: str = "r1", item: str = "i1") -> None:
        """A whole reply, at once."""
        self.got("response.created", response={"id": reply})
        self.sound(length_s, reply, item)
        self.got("response.output_audio.done", response_id=reply)
        self.got("response.done", response={"id": reply, "status": "completed"})

    def episode(self) -> Episode:
        episode = Episode("s", "n", 0)
        self.caller.tell(episode, [])
        return episode

    def marks(self, topic: str) -> list[tuple[float, str]]:
        return [(m.at_s, m.text) for m in self.caller.marks if m.topic == topic]


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_a_turn_and_its_reply_are_noted_by_our_names(rig: Rig):
    rig.got("input_audio_buffer.speech_started")
    rig.wait(1.0)
    rig.got("input_audio_buffer.speech_stopped")
    rig.got("input_audio_buffer.committed")
    rig.answer(0.5)
    rig.wait(2.0)
    topics = [mark.topic for mark in rig.caller.marks]
    assert topics == [
        "speech.started", "speech.paused", "turn.ended", "reply.start", "sound.played",
    ]  # fmt: skip
    assert rig.marks("sound.played") == [(pytest.approx(1.5), "whole")]
    [sounding] = rig.episode().sounding
    assert (sounding.start_s, sounding.end_s) == pytest.approx((1.0, 1.5))
    assert rig.director.heard[0] == 1
    assert len(rig.director.idle) == 1
    assert rig.sent == []


def test_a_server_that_does_not_commit_ends_the_turn_by_answering(rig: Rig):
    rig.got("input_audio_buffer.speech_started")
    rig.got("input_audio_buffer.speech_stopped")
    rig.wait(0.5)
    rig.answer(0.2)
    assert rig.marks("turn.ended") == [(0.5, "")]


def test_a_voice_over_the_reply_stops_it_and_the_server_is_told_how_much_was_heard(rig: Rig):
    rig.answer(20.0)
    rig.wait(1.0)
    rig.got("input_audio_buffer.speech_started")
    assert rig.sent == [
        {"type": "conversation.item.truncate", "item_id": "i1", "content_index": 0,
         "audio_end_ms": 1000},
    ]  # fmt: skip
    rig.wait(3.0)
    assert rig.marks("sound.played") == [(pytest.approx(1.0, abs=0.02), "cut")]
    assert rig.episode().sounding[-1].end_s == pytest.approx(1.0)


def test_late_sound_of_a_reply_that_was_stopped_is_not_played(rig: Rig):
    rig.got("response.created", response={"id": "r1"})
    rig.sound(5.0)
    rig.wait(0.5)
    rig.got("input_audio_buffer.speech_started")
    rig.sound(5.0)
    rig.sound(5.0, item="another")
    rig.got("response.done", response={"id": "r1", "status": "cancelled"})
    rig.wait(2.0)
    assert rig.episode().sounding[-1].end_s == pytest.approx(0.5)
    assert rig.marks("sound.played") == [(pytest.approx(0.5, abs=0.02), "cut")]
    rig.got("input_audio_buffer.speech_stopped")
    rig.answer(0.3, "r2", "i2")
    rig.wait(1.0)
    assert rig.episode().sounding[-1].reply == 2


def test_a_reply_still_being_made_is_stopped_though_all_that_came_was_heard(rig: Rig):
    rig.got("response.created", response={"id": "r1"})
    rig.sound(0.5)
    rig.wait(1.0)
    rig.got("input_audio_buffer.speech_started")
    assert [message["audio_end_ms"] for message in rig.sent] == [500]


def test_a_reply_stopped_before_its_first_audible_sample_stays_silent(rig: Rig):
    rig.got("response.created", response={"id": "r1"})
    rig.sound(1.0)
    rig.got("input_audio_buffer.speech_started")
    rig.sound(1.0)
    rig.wait(3.0)
    assert rig.episode().sounding == []
    assert [message["audio_end_ms"] for message in rig.sent] == [0]


def test_a_reply_heard_to_its_end_is_not_truncated(rig: Rig):
    rig.answer(0.3)
    rig.wait(1.0)
    rig.got("input_audio_buffer.speech_started")
    assert rig.sent == []


def test_nothing_is_idle_while_something_is_under_way(rig: Rig):
    rig.got("input_audio_buffer.speech_started")
    rig.wait(1.0)
    rig.got("input_audio_buffer.speech_stopped")
    rig.wait(2.0)  # it thinks
    rig.got("response.created", response={"id": "r1"})
    rig.wait(2.0)
    rig.sound(2.0)
    rig.wait(4.0)  # the sound is over, the response is not
    assert rig.director.idle == []
    rig.got("response.done", response={"id": "r1"})
    rig.wait(1.0)
    assert len(rig.director.idle) == 1


def test_a_turn_without_an_answer_ends_in_idle(rig: Rig):
    rig.got("input_audio_buffer.speech_started")
    rig.got("input_audio_buffer.speech_stopped")
    rig.got("input_audio_buffer.committed")
    rig.wait(UNANSWERED_S - 0.1)
    assert rig.director.idle == []
    rig.wait(0.3)
    assert len(rig.director.idle) == 1


def test_a_cancelled_reply_that_nobody_talked_over_was_cut(rig: Rig):
    rig.got("response.created", response={"id": "r1"})
    rig.sound(0.5)
    rig.got("response.done", response={"id": "r1", "status": "cancelled"})
    rig.wait(1.0)
    assert rig.marks("sound.played") == [(pytest.approx(0.5), "cut")]


def test_a_server_without_ids_is_followed_too(rig: Rig):
    for _ in range(2):
        rig.got("response.created")
        rig.sound(0.2, "", "")
        rig.got("response.done")
        rig.wait(1.0)
    assert [each.reply for each in rig.episode().sounding] == [1, 2]
    assert [text for _, text in rig.marks("sound.played")] == ["whole", "whole"]


def test_an_answer_that_goes_on_in_a_second_item_is_one_reply(rig: Rig):
    rig.got("response.created", response={"id": "r1"})
    rig.sound(0.5, item="a")
    rig.got("response.output_audio.done", response_id="r1")
    rig.wait(1.0)
    rig.sound(0.5, item="b")
    rig.got("response.done", response={"id": "r1"})
    rig.wait(1.0)
    assert {each.reply for each in rig.episode().sounding} == {1}
    assert rig.marks("sound.played")[-1] == (pytest.approx(1.5), "whole")


def test_words_are_kept(rig: Rig):
    rig.got("conversation.item.input_audio_transcription.completed", transcript="hello")
    rig.got("response.output_audio_transcript.done", transcript="Hi.", response_id="r1")
    assert rig.episode().history == [("user", "hello"), ("assistant", "Hi.")]


def test_what_a_server_complains_of_is_kept(rig: Rig):
    rig.got("error", error={"message": "the model is overloaded"})
    assert rig.caller.complaint == "the model is overloaded"
    rig.got("some.event.of.tomorrow", anything=[1])
    assert [mark.topic for mark in rig.caller.marks] == ["error"]


@pytest.mark.parametrize("field", ["response", "response_id", "item_id", "content_index"])
@pytest.mark.parametrize("value", [None, 7, [], {"id": 7}, {"id": {}}])
def test_fields_of_another_shape_do_no_harm(rig: Rig, field: str, value: object):
    given = {"delta": "", "response_id": "r", "item_id": "i", field: value}
    for type in ("response.created", "response.output_audio.delta", "response.done"):
        rig.got(type, **given)
    rig.wait(0.5)


def test_responses_without_end_are_refused(rig: Rig):
    for k in range(500):
        rig.got("response.created", response={"id": str(k)})
    with pytest.raises(Malformed, match="responses"):
        rig.got("response.created", response={"id": "one more"})


def test_marks_stay_bounded(rig: Rig):
    for _ in range(10_000):
        rig.got("error", error={"message": "x"})
    assert len(rig.caller.marks) == 5000
