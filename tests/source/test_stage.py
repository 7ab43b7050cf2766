"""A scripted camera films what it was told to show, when it was told to."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from visavis.flow.clock import NS_PER_S
from visavis.flow.events import Event, FrameCaptured, SourceEnded
from visavis.flow.ring import FrameRing, Pixels
from visavis.source.paint import paint
from visavis.source.scene import Scene, Thing
from visavis.source.stage import GRAIN, ScriptedCamera

FIRST = Scene("white", (Thing("red", "circle"),))
SECOND = Scene("black", (Thing("blue", "square"),))
THIRD = Scene("pink", (Thing("green", "star"),))
SIZE = 64, 48


def camera(ring: FrameRing | None = None) -> ScriptedCamera:
    ring = ring or FrameRing(4, 64 * 48 * 3)
    return ScriptedCamera(ring, [FIRST, SECOND, THIRD], width=64, height=48)


def pixels(ring: FrameRing, event: Event) -> Pixels:
    assert isinstance(event, FrameCaptured)
    with ring.lease(event.slot, event.generation) as lease:
        return lease.pixels.astype(np.int16)


def shows(picture: Pixels, scene: Scene) -> bool:
    return bool(np.abs(picture - paint(scene, *SIZE).astype(np.int16)).max() <= GRAIN)


def test_it_films_thirty_frames_a_second_with_the_time_of_each() -> None:
    ring = FrameRing(4, 64 * 48 * 3)
    filmed = camera(ring)
    frames = [*itertools.islice(filmed.events(), 31)]
    assert [frame.t_ns for frame in frames[::30]] == [0, NS_PER_S]
    assert [frame.stamp for frame in frames] == [frame.t_ns for frame in frames]  # type: ignore[attr-defined]
    assert (frames[0].width, frames[0].height) == SIZE  # type: ignore[attr-defined]
    assert shows(pixels(ring, frames[-1]), FIRST)


def test_no_two_frames_are_the_same() -> None:
    ring = FrameRing(4, 64 * 48 * 3)
    pictures = [
        pixels(ring, frame).tobytes() for frame in itertools.islice(camera(ring).events(), 60)
    ]
    assert len({*pictures}) == 60


def test_the_scene_changes_with_the_first_frame_from_its_moment_on() -> None:
    ring = FrameRing(4, 64 * 48 * 3)
    filmed = camera(ring)
    filmed.show(THIRD, 200_000_000)
    filmed.show(SECOND, 90_000_000)
    seen = []
    for frame in itertools.islice(filmed.events(), 8):
        picture = pixels(ring, frame)
        seen.append(next(k for k, s in enumerate((FIRST, SECOND, THIRD), 1) if shows(picture, s)))
        assert seen[-1] == (FIRST, SECOND, THIRD).index(filmed.shown_at(frame.t_ns)[1]) + 1
    assert seen == [1, 1, 1, 2, 2, 2, 3, 3]


def test_it_knows_what_was_in_view() -> None:
    filmed = camera()
    frames = filmed.events()
    for _ in range(10):
        next(frames)
    filmed.show(SECOND)  # too late for the frames that are taken already
    next(frames)
    assert filmed.shown_at(300_000_000) == (0, FIRST)
    assert filmed.shown_at(333_333_334) == (333_333_334, SECOND)
    assert filmed.shown_at(10 * NS_PER_S) == (333_333_334, SECOND)


def test_it_ends_when_told() -> None:
    filmed = camera()
    frames = filmed.events()
    last = [next(frames), next(frames)][-1]
    filmed.end()
    assert [*frames] == [SourceEnded(t_ns=last.t_ns, source="video")]


def test_a_full_ring_costs_a_frame_and_no_more() -> None:
    ring = FrameRing(1, 64 * 48 * 3)
    frames = camera(ring).events()
    first = next(frames)
    assert isinstance(first, FrameCaptured)
    with ring.lease(first.slot, first.generation):
        filmed = camera(ring)
        filmed.end()
        assert [event.topic for event in filmed.events()] == ["source.ended"]
    assert next(frames).topic == "frame.captured"


def test_only_what_was_painted_can_be_shown() -> None:
    with pytest.raises(AssertionError, match="purple"):
        camera().show(Scene("white", (Thing("purple", "star"),)))
