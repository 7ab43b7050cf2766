"""A scripted dialogue: every line in its turn, every scene in its moment."""

from __future__ import annotations

import itertools

import numpy as np

from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S
from visavis.flow.ring import FrameRing
from visavis.source.scene import Scene, Thing
from visavis.source.script import ScriptedSpeaker
from visavis.source.stage import ScriptedCamera
from visavis.verbs.dialogue import Director, Line, Truth

RATE_HZ = 16_000
CIRCLE = Scene("white", (Thing("red", "circle"),))
STAR = Scene("black", (Thing("blue", "star"),))


class Speaker(ScriptedSpeaker):
    """Notes its cues instead of speaking."""

    def __init__(self) -> None:
        super().__init__(16_000)
        self.cues: list[tuple[float, int]] = []
        self.ended = False

    def say(self, samples: e.Samples, at_ns: int = 0) -> None:
        self.cues.append((len(samples), at_ns))

    def end(self) -> None:
        self.ended = True


def directed(*lines: Line) -> tuple[Director, Speaker]:
    speaker = Speaker()
    voiced = [(line, np.zeros(number, np.float32)) for number, line in enumerate(lines)]
    return Director(voiced, speaker), speaker


def state(second: float, name: str, previous: str) -> e.StateChanged:
    return e.StateChanged(
        t_ns=round(second * NS_PER_S),
        state=name,
        previous=previous,
        user="quiet",
        reply="none",
        engine="free",
        playback="silent",
    )


def ended(second: float, said_s: float | None = None) -> e.TurnEnded:
    """Said until `said_s`, or 0.2 s before."""
    t_ns = round(second * NS_PER_S)
    end = round((second - 0.2 if said_s is None else said_s) * RATE_HZ)
    return e.TurnEnded(t_ns=t_ns, text="a", start=0, end=end, probability=1, reasons=())


def sound(second: float, epoch: int) -> e.SoundPlayed:
    t_ns = round(second * NS_PER_S)
    return e.SoundPlayed(t_ns=t_ns, epoch=epoch, start=0, samples=np.zeros(4, np.float32))


def test_the_next_line_comes_a_moment_after_the_answer() -> None:
    director, speaker = directed(Line("a"), Line("b"))
    assert speaker.cues == [(0, 900_000_000)]
    for event in (ended(3), sound(4, epoch=1), state(6, "idle", "streaming")):
        director.watch(event)
    assert speaker.cues[1:] == [(1, 6_900_000_000)]
    assert not speaker.ended


def test_a_line_that_cuts_comes_into_the_answer_and_once() -> None:
    director, speaker = directed(Line("a"), Line("b", cuts=True), Line("c"))
    for event in (ended(3), sound(4, epoch=1), sound(4.02, epoch=1)):
        director.watch(event)
    assert speaker.cues[1:] == [(1, 6_000_000_000)]


def test_an_answer_that_ends_before_it_is_cut_does_not_get_two_lines_at_once() -> None:
    director, speaker = directed(Line("a"), Line("b", cuts=True), Line("c"))
    for event in (ended(3), sound(4, epoch=1), state(5, "idle", "streaming")):
        director.watch(event)
    assert len(speaker.cues) == 2
    for event in (ended(8), sound(9, epoch=2), state(11, "idle", "streaming")):
        director.watch(event)
    assert speaker.cues[2:] == [(2, 11_900_000_000)]


def test_a_line_that_was_not_understood_does_not_hold_up_the_demo() -> None:
    director, speaker = directed(Line("a"), Line("b"))
    director.watch(e.TurnDropped(t_ns=3 * NS_PER_S, start=0, end=RATE_HZ, reason="no words"))
    director.watch(state(3, "idle", "perceiving"))
    assert len(speaker.cues) == 2


def test_a_turn_that_is_over_before_the_line_is_waits_for_the_rest() -> None:
    director, speaker = directed(Line("a"), Line("b"))
    director._end_ns = 5 * NS_PER_S
    for event in (ended(3), state(3, "idle", "interrupted")):
        director.watch(event)
    assert len(speaker.cues) == 1
    for event in (ended(5), sound(6, epoch=1), state(7, "idle", "streaming")):
        director.watch(event)
    assert speaker.cues[1:] == [(1, 7_900_000_000)]


def test_after_the_last_answer_the_user_is_done() -> None:
    director, speaker = directed(Line("a"))
    for event in (ended(3), sound(4, epoch=1), state(6, "idle", "streaming")):
        director.watch(event)
    assert speaker.ended


# ── what is shown ────────────────────────────────────────────────────────────────────────────


def filmed(*lines: Line, utterance_s: float = 1) -> tuple[Director, ScriptedCamera]:
    """A director whose camera has filmed five seconds; each line takes `utterance_s`."""
    camera = ScriptedCamera(FrameRing(4, 64 * 48 * 3), [CIRCLE, STAR], width=64, height=48)
    voiced = [(line, np.zeros(round(utterance_s * RATE_HZ), np.float32)) for line in lines]
    director = Director(voiced, Speaker(), camera)
    for _ in itertools.islice(camera.events(), 151):
        pass
    return director, camera


def test_the_scene_changes_in_the_middle_of_the_line() -> None:
    _, camera = filmed(Line("a", shows=STAR))
    middle_ns = round(1.4 * NS_PER_S)  # begun at 0.9 s
    assert camera.shown_at(middle_ns - 1)[1] == CIRCLE
    assert camera.shown_at(middle_ns + NS_PER_S // 30)[1] == STAR


def test_the_truth_is_what_was_in_view_when_the_question_ended() -> None:
    director, _ = filmed(Line("what is it", looks=True, shows=STAR))
    turn = ended(3, said_s=1.9)
    director.watch(turn)
    assert director.truths == [
        Truth("what is it", "a blue star in the middle, on black", director.truths[0].for_s)
    ]
    assert 0.45 < director.truths[0].for_s < 0.51
    assert director.remark(turn) == "in view: a blue star in the middle, on black (for 0.5 s)"
    assert director.remark(state(4, "idle", "streaming")) == ""


def test_a_question_cut_short_of_the_change_is_about_what_was_there_before() -> None:
    director, _ = filmed(Line("what is it", looks=True, shows=STAR))
    director.watch(ended(3, said_s=1.3))
    assert [truth.scene for truth in director.truths] == [str(CIRCLE)]


def test_beside_other_lines_nothing_is_told() -> None:
    director, _ = filmed(Line("tell me a story"))
    turn = ended(3, said_s=1.9)
    director.watch(turn)
    assert director.truths == []
    assert director.remark(turn) == ""


def test_the_camera_ends_with_the_speaker() -> None:
    director, camera = filmed(Line("a"))
    for event in (ended(3), sound(4, epoch=1), state(6, "idle", "streaming")):
        director.watch(event)
    assert [event.topic for event in camera.events()] == ["source.ended"]
