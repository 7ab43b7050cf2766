"""The line with eyes: from drawn frames to a view, in simulated time."""

from __future__ import annotations

import pytest

from visavis.backends.picture.fake import FakePictureCodec
from visavis.backends.vad.fake import FakeVad
from visavis.config import Config
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S, SimulatedClock
from visavis.flow.ring import AudioRing, FrameRing
from visavis.flow.simulate import SimulatedLoop
from visavis.source.scene import Scene, Thing
from visavis.source.stage import ScriptedCamera
from visavis.wiring import Parts, connect

BEFORE = Scene("gray", (Thing("red", "circle"),))
AFTER = Scene("gray", (Thing("blue", "star"),))
KINDS = (e.SceneChanged, e.CameraChanged, e.LookStart, e.ViewTaken, e.ViewMissed, e.NodeFailed)


@pytest.fixture
def seen() -> list[e.Event]:
    """What happens in five seconds: a red circle, after two a blue star, after three nothing."""
    clock, ring = SimulatedClock(), FrameRing(80, 3 * 320 * 240)
    parts = Parts(
        config=Config(),
        ring=AudioRing(30),
        make_resampler=None,
        vad=FakeVad(clock),
        frames=ring,
        codec=FakePictureCodec(clock),
        strict=True,
    )
    loop = SimulatedLoop(clock, strict=True)
    connect(loop, parts)
    camera = ScriptedCamera(ring, (BEFORE, AFTER))
    camera.show(AFTER, 2 * NS_PER_S)
    loop.at(3 * NS_PER_S, camera.end)
    events: list[e.Event] = []
    loop.bus.tap(events.append)
    loop.feed(camera.events())
    loop.run(lambda: clock.now_ns() >= 5 * NS_PER_S)
    loop.close()
    assert ring.leased == 0
    return [event for event in events if isinstance(event, KINDS)]


def test_a_change_is_seen_looked_at_and_taken(seen: list[e.Event]) -> None:
    (first, change) = (event for event in seen if isinstance(event, e.SceneChanged))
    assert (first.share, first.captured_ns) == (1.0, 0)
    assert 2 * NS_PER_S <= change.captured_ns <= 2 * NS_PER_S + 100 * NS_PER_MS
    assert 0.05 < change.share < 0.5
    looks = [event for event in seen if isinstance(event, e.LookStart)]
    assert [look.reason for look in looks] == ["change", "change"], "the first picture, and this"
    first_taken, taken = (event for event in seen if isinstance(event, e.ViewTaken))
    assert first_taken.data
    assert taken.data
    assert taken.view.captured_ns >= change.captured_ns
    assert taken.t_ns - change.captured_ns <= 200 * NS_PER_MS


def test_a_camera_that_stops_is_absent(seen: list[e.Event]) -> None:
    conditions = [event for event in seen if isinstance(event, e.CameraChanged)]
    assert [event.condition for event in conditions] == ["clear", "absent"]
    assert conditions[0].t_ns <= 20 * NS_PER_MS
    assert 500 * NS_PER_MS <= conditions[1].t_ns - conditions[1].since_ns <= 560 * NS_PER_MS


def test_nothing_fails(seen: list[e.Event]) -> None:
    assert not any(isinstance(event, e.NodeFailed | e.ViewMissed) for event in seen)
