"""What the eyes do, as it is told."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS
from visavis.govern.meter import Meter
from visavis.govern.sight import Look
from visavis.verbs.narrate import Narrator
from visavis.verbs.sightings import SIGHTINGS, looked

VIEW = e.View("ab", 3_420 * NS_PER_MS, 320, 240)


def told(*events: e.Event) -> list[str]:
    meter, out = Meter(), io.StringIO()
    narrator = Narrator(meter, out)
    for event in events:
        meter.watch(event)
        narrator.watch(event)
    narrator.close()
    return [line[8:].strip() for line in out.getvalue().splitlines()]


def taken(data: bytes = b"", stream: str = "camera") -> e.ViewTaken:
    view = e.View("ab", 3_420 * NS_PER_MS, 320, 240, stream)
    return e.ViewTaken(t_ns=0, view=view, moment_ns=0, reason="question", data=data)


def test_a_new_picture_is_told_and_the_same_again_is_not() -> None:
    assert told(taken(b"picture"), taken()) == ["◉ a new picture, 320×240, of 3.42 s: you asked"]
    assert "of the screen" in told(taken(b"picture", "screen"))[0]


def test_what_is_written_and_remembered_and_in_the_dark_is_told() -> None:
    assert told(
        e.ViewRead(t_ns=0, id="ab", text="EXIT\nno smoking"),
        e.ViewRead(t_ns=0, id="ab", text=""),
        e.ViewDescribed(t_ns=0, id="ab", text="A red circle."),
        e.MemoryRecalled(t_ns=0, view=VIEW, ago_ms=61_000),
        e.CameraChanged(t_ns=0, condition="dark", since_ns=0),
        e.ViewMissed(t_ns=0, moment_ns=0, reason="question"),
        e.ViewMissed(t_ns=0, moment_ns=0, reason="heartbeat"),
    ) == [
        "◉ it says: EXIT / no smoking",
        "◉ in words: A red circle.",
        "◉ remembers what was seen 61 s ago",
        "◌ the camera is dark",
        "◌ nothing to look at",
    ]


def test_what_is_on_the_screen_is_told_in_one_line() -> None:
    (line,) = told(e.ViewRead(t_ns=0, id="ab", text="Results\n" + "up " * 200, stream="screen"))
    assert line.startswith("◉ the screen says: Results / up up ")
    assert line.endswith("…")
    assert len(line) < 200


SEEN: dict[str, Any] = {
    "view_id": VIEW.id,
    "view_captured_ns": VIEW.captured_ns,
    "view_offset_ms": -7.6,
}


def test_a_reply_tells_which_picture_it_is_about() -> None:
    said = e.Message("user", "what is it", (VIEW,))
    lines = told(
        e.TurnEnded(t_ns=0, text="what is it", start=0, end=1, probability=1, reasons=()),
        e.ReplyStart(t_ns=0, epoch=1, messages=(said,), **SEEN),
        e.SoundPlayed(t_ns=0, epoch=1, start=0, samples=np.ones(4, np.float32)),
    )
    assert lines[-1] == "looked at the picture of 3.42 s, 8 ms before the moment of the question"


def test_what_is_not_known_of_a_look_is_left_out() -> None:
    assert looked(Look(1, "ab", None, None, early=False)) == "looked at a picture"
    early = looked(Look(1, "ab", 3_420.0, 12.0, early=True))
    assert early.endswith(
        "12 ms after the moment of the question, taken in before the turn was over"
    )


def test_every_topic_that_is_told_exists() -> None:
    kinds = {kind.topic for kind in e.Event.__subclasses__()}
    assert kinds >= SIGHTINGS.keys()
