"""A screen beside the camera: looked at in passing, told with the question, never waited for."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from tests.decide.test_session import MS
from tests.decide.test_watching import Watch, said
from visavis.decide.beside import IDLE_NS, SPEECH_NS
from visavis.decide.floor import Manners
from visavis.decide.session import Session
from visavis.flow import events as e

IDLE_MS, SPEECH_MS = IDLE_NS // MS, SPEECH_NS // MS


def session(*streams: str) -> Session:
    return Session(Manners(heartbeat_s=30.0, streams=streams), strict=True)


@dataclass
class Beside(Watch):
    """A talk with a camera and a screen."""

    session: Session = field(default_factory=lambda: session("camera", "screen"))

    def __post_init__(self) -> None:
        self.tick(0)

    def turned(self, ms: int) -> list[str]:
        """The screen shows something else."""
        change = e.SceneChanged(t_ns=ms * MS, captured_ns=ms * MS, share=0.1, stream="screen")
        assert self.give(change) == []
        return self.tick(ms)

    def slide(self, ms: int, name: str = "S") -> list[str]:
        return self.view(ms, name, stream="screen")

    def read(self, ms: int, text: str, name: str = "S") -> list[str]:
        return self.give(e.ViewRead(t_ns=ms * MS, id=name, text=text, stream="screen"))

    def condition(self, ms: int, condition: str, stream: str = "screen") -> list[str]:
        return self.give(
            e.CameraChanged(t_ns=ms * MS, condition=condition, since_ns=0, stream=stream)
        )

    def screen_looks(self) -> list[tuple[str, int]]:
        looks = [event for event in self.given if isinstance(event, e.LookStart)]
        return [(look.reason, look.t_ns // MS) for look in looks if look.stream == "screen"]


# ── when it is looked at ─────────────────────────────────────────────────────────────────────


def test_a_change_is_looked_at_at_once_and_the_next_one_in_a_while() -> None:
    talk = Beside()
    assert "look.start" in talk.turned(1000)
    talk.turned(2000)
    for ms in range(2020, 1000 + IDLE_MS + 100, 20):
        talk.tick(ms)
    assert talk.screen_looks() == [("change", 1000), ("change", 1000 + IDLE_MS)]


def test_a_screen_that_never_stops_is_looked_at_seldom() -> None:
    talk = Beside()
    for ms in range(0, 60_000, 20):
        talk.turned(ms)
    assert len(talk.screen_looks()) == 60_000 // IDLE_MS


def test_while_the_user_speaks_a_slide_that_is_turned_is_looked_at_soon() -> None:
    talk = Beside()
    talk.turned(1000)
    talk.voice(2000)
    for ms in range(2000, 5000, 20):
        talk.turned(ms)
    looks = talk.screen_looks()
    assert looks[:2] == [("change", 1000), ("change", 2000)]
    times = [ms for _, ms in looks[1:]]
    assert {after - before for before, after in pairwise(times)} == {SPEECH_MS}


def test_the_onset_of_speech_looks_at_what_changed_since() -> None:
    talk = Beside()
    talk.turned(1000)
    talk.voice(2000)
    assert talk.screen_looks() == [("change", 1000)], "it has just been looked at"
    talk.give(e.SceneChanged(t_ns=2490 * MS, captured_ns=0, share=0.1, stream="screen"))
    talk.pause(2500, 2000)
    talk.voice(2510)
    assert talk.screen_looks()[1:] == [("speech", 2510)]


def test_the_onset_of_speech_looks_once_more_after_a_while() -> None:
    talk = Beside()
    talk.turned(1000)
    talk.voice(1000 + IDLE_MS)
    assert talk.screen_looks()[1:] == [("speech", 1000 + IDLE_MS)]
    assert talk.looks()[-2:] == [("speech", -1), ("speech", -1)], "the camera first"


def test_while_an_answer_is_being_made_it_is_not_looked_at() -> None:
    talk = Beside().asked()
    talk.turned(2400)
    assert talk.screen_looks() == [("speech", 1000)]
    talk.sound(2600, "A cup.")
    talk.tick(1000 + IDLE_MS)
    assert talk.screen_looks()[1:] == [("change", 1000 + IDLE_MS)]


def test_it_has_a_heartbeat_too() -> None:
    talk = Beside()
    for ms in range(0, 95_000, 1000):
        talk.tick(ms)
    assert len(talk.screen_looks()) == 3


# ── what goes with the question ──────────────────────────────────────────────────────────────


def test_what_is_read_on_it_while_the_user_speaks_goes_with_the_question() -> None:
    talk = Beside()
    talk.voice(1000)
    talk.view(1010, "A")
    assert talk.slide(1030) == ["prompt.prefill"]
    assert talk.read(1800, "Results") == ["prompt.prefill"]
    talk.pause(2100, 1000)
    talk.view(2110, "A", moment_ms=2100)
    talk.turn(2300, "What is this?")
    assert said(talk).views == (e.View("S", stream="screen", text="Results"), e.View("A"))
    assert talk.starts()[-1].view_id == "A"
    assert talk.starts()[-1].view_offset_ms == 10.0


@pytest.mark.parametrize("what", ["view", "text", "loss"])
def test_what_comes_of_it_after_the_question_changes_neither_draft_nor_answer(what: str) -> None:
    talk = Beside()
    talk.voice(1000)
    talk.view(1010, "A")
    talk.slide(1030)
    talk.pause(2100, 1000)
    talk.view(2110, "A", moment_ms=2100)
    talk.words(2200, "What is this?")
    assert "reply.start" in talk.expected(2210, "What is this?")
    late = {
        "view": lambda: talk.slide(2220, "T"),
        "text": lambda: talk.read(2220, "Results"),
        "loss": lambda: talk.condition(2220, "absent"),
    }
    assert late[what]() == []
    assert talk.tick(2240) == []
    assert talk.turn(2300, "What is this?")[-1] == "reply.adopt"
    assert talk.tick(2320) == []
    assert [view.id for view in said(talk).views] == ["S", "A"]
    assert said(talk).views[0].text == ""


def test_what_came_too_late_goes_with_the_next_question() -> None:
    talk = Beside()
    talk.slide(900)
    talk.asked()
    assert talk.read(2310, "Results") == []
    talk.sound(2600, "A cup.")
    talk.tick(2620)
    talk.sound(2700, done=True)
    prefill = [event for event in talk.given if isinstance(event, e.PromptPrefill)][-1]
    assert [view.text for view in prefill.messages[0].views] == ["Results", ""]
    talk.voice(4000)
    talk.view(4010, "A")
    talk.pause(5000, 4000)
    talk.view(5010, "A", moment_ms=5000)
    talk.turn(5200, "And the screen?")
    assert [view.text for view in said(talk).views] == ["Results", ""]


def test_who_goes_on_speaking_is_asked_with_what_came_meanwhile() -> None:
    talk = Beside()
    talk.voice(1000)
    talk.pause(1500, 1000)
    assert talk.slide(1600) == []
    talk.voice(1700)
    talk.tick(1720)
    talk.pause(2100, 1000)
    talk.view(2110, "A", moment_ms=2100)
    talk.turn(2300, "What is this?")
    assert [view.id for view in said(talk).views] == ["S", "A"]


def test_no_question_waits_for_a_screen() -> None:
    talk = Beside(session=session("screen"))
    talk.voice(1000)
    assert talk.screen_looks() == [("speech", 1000)]
    talk.pause(2100, 1000)
    assert "reply.start" in talk.turn(2300, "What is this?")
    assert len(talk.starts()[-1].messages) == 1, "there is no camera of which to say anything"
    assert said(talk).views == ()


def test_where_there_is_only_a_screen_it_is_what_is_seen() -> None:
    talk = Beside(session=session("screen"))
    talk.slide(900)
    talk.read(950, "Results")
    talk.voice(1000)
    talk.pause(2100, 1000)
    talk.turn(2300, "What is this?")
    start = talk.starts()[-1]
    assert start.messages[-1].views == (e.View("S", stream="screen", text="Results"),)
    assert start.view_id == "S"
    assert math.isnan(start.view_offset_ms)
    assert {reason for reason, _ in talk.looks()} == {"speech"}


def test_a_screen_that_is_gone_is_not_seen_and_is_not_the_camera() -> None:
    talk = Beside()
    talk.slide(500)
    assert talk.condition(600, "absent") == []
    talk.asked()
    assert [view.id for view in said(talk).views] == ["A"]
    assert len(talk.starts()[-1].messages) == 1, "nothing is wrong with the camera"


def test_a_camera_that_is_gone_leaves_the_screen_and_is_told() -> None:
    talk = Beside()
    talk.slide(500)
    talk.condition(900, "absent", stream="camera")
    talk.voice(1000)
    talk.pause(2100, 1000)
    talk.give(e.ViewMissed(t_ns=2110 * MS, moment_ns=2100 * MS, reason="no frame yet"))
    talk.turn(2300, "What is this?")
    talk.tick(2700)
    assert [view.id for view in said(talk).views] == ["S"]
    assert talk.starts()[-1].messages[-2].role == "system"
