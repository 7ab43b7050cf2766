"""What is a change of the scene, what is none, and how often one is told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.perceive.sight import (
    BLUE,
    GREEN,
    HEIGHT,
    RED,
    SMALL,
    WHITE,
    WIDTH,
    Box,
    Lens,
    blurred,
    exposed,
    noisy,
    only,
    room,
)
from visavis.flow.events import (
    Event,
    FrameAligned,
    SceneChanged,
    SightJudged,
    SpeechStarted,
    TurnDropped,
    TurnEnded,
)
from visavis.flow.ring import FrameRing, Pixels
from visavis.perceive.scene import SceneWatcher

Objects = tuple[tuple[Box, tuple[int, int, int]], ...]


def watch(rate_hz: float = 30, width: int = WIDTH) -> Lens:
    ring = FrameRing(4, 3 * width * width)
    return Lens(SceneWatcher(ring), ring, rate_hz=rate_hz)


def looked(lens: Lens, picture: Pixels, sigma: float = 2.0) -> Lens:
    """Has seen the picture for 3 s, and has said so."""
    (change,) = lens.hold(picture, 3, sigma=sigma)
    assert isinstance(change, SceneChanged)
    assert change.share == 1.0
    return lens


# ── what is none ─────────────────────────────────────────────────────────────────────────────


def test_the_first_picture_is_a_change_from_nothing() -> None:
    lens = watch()
    (change,) = lens.show(room())
    assert isinstance(change, SceneChanged)
    assert change.share == 1.0
    assert change.captured_ns == lens.t_ns - 10_000_000
    assert change.stream == "camera"


@pytest.mark.parametrize("sigma", [0, 2, 6, 12])
def test_noise_is_no_change(sigma: float) -> None:
    lens = looked(watch(), room((SMALL, RED)), sigma)
    assert lens.hold(room((SMALL, RED)), 12, sigma=sigma) == []


@settings(max_examples=25, deadline=None)
@given(stops=st.floats(-2.5, 2), balance=st.floats(-1, 1), sigma=st.sampled_from([0.0, 2.0, 5.0]))
def test_another_exposure_or_white_balance_is_no_change(
    stops: float, balance: float, sigma: float
) -> None:
    picture = room((SMALL, BLUE), ((240, 150, 50, 60), GREEN))
    lens = looked(watch(10), picture, sigma)
    frames = (exposed(picture, stops * step / 5, balance * step / 5) for step in range(6))
    given = lens.film(noisy(frame, sigma, seed) for seed, frame in enumerate(frames))
    assert given == []
    assert lens.hold(exposed(picture, stops, balance), 3, sigma=sigma) == []


@settings(max_examples=20, deadline=None)
@given(stops=st.floats(-1.5, 1.2), left=st.integers(90, 250), top=st.integers(5, 170))
def test_what_appears_in_another_light_is_seen_all_the_same(
    stops: float, left: int, top: int
) -> None:
    lens = looked(watch(10), room())
    lens.hold(exposed(room(), stops), 3, sigma=2)
    given = lens.hold(exposed(room(((left, top, 56, 56), RED)), stops), 1, sigma=2)
    assert len(only(given, SceneChanged)) >= 1


def test_lamps_that_flicker_are_no_change() -> None:
    """Bands of a mains lamp that wander through the picture."""
    picture = room((SMALL, RED))
    rows = np.arange(HEIGHT)[:, None, None]
    lens = watch()
    bands = (
        np.clip(picture * (1 + 0.05 * np.sin(rows / 25 + frame * 1.1)), 0, 255).astype(np.uint8)
        for frame in range(450)
    )
    assert len(only(lens.film(bands), SceneChanged)) == 1


def test_a_camera_that_shakes_a_little_is_no_change() -> None:
    picture = room((SMALL, RED), ((240, 150, 50, 60), GREEN))
    lens = looked(watch(), picture)
    shaken = (np.roll(picture, (frame % 3 - 1, frame % 2), (0, 1)) for frame in range(300))
    assert lens.film(noisy(frame, 2, seed) for seed, frame in enumerate(shaken)) == []


def test_one_flash_is_no_change() -> None:
    lens = looked(watch(), room())
    assert lens.show(np.full((HEIGHT, WIDTH, 3), 255, np.uint8)) == []
    assert lens.hold(room(), 2, sigma=2) == []


def test_a_large_picture_may_follow_a_small_one() -> None:
    lens = looked(watch(width=640), room((SMALL, RED)))
    assert lens.hold(room((SMALL, RED), width=640), 2, sigma=2) == []


# ── what is one ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("sigma", [0, 3, 8])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((), ((SMALL, RED),)),
        (((SMALL, RED),), ()),
        (((SMALL, RED),), ((SMALL, BLUE),)),
        (((SMALL, RED),), ((SMALL, GREEN),)),
        (((SMALL, WHITE),), ((SMALL, BLUE),)),
        (((SMALL, RED),), (((80, 150, 48, 48), RED),)),
    ],
    ids=["appears", "goes", "red to blue", "red to green", "white to blue", "moves"],
)
def test_a_small_object_is_a_change_told_once(
    before: Objects, after: Objects, sigma: float
) -> None:
    lens = looked(watch(), room(*before), sigma)
    first_ns = lens.t_ns + 33_333_333
    (change,) = lens.hold(room(*after), 6, sigma=sigma)
    assert isinstance(change, SceneChanged)
    assert 0.015 <= change.share <= 0.08
    assert first_ns - 11_000_000 <= change.captured_ns <= first_ns + 90_000_000
    assert change.t_ns - first_ns <= 140_000_000


def test_it_is_dated_by_the_frame_in_which_it_began() -> None:
    """Looked at when it is new, and told when the next frame bears it out."""
    lens = looked(watch(10), room())
    assert lens.show(room((SMALL, RED))) == []
    captured_ns = lens.t_ns - 10_000_000
    (change,) = lens.show(room((SMALL, RED)))
    assert isinstance(change, SceneChanged)
    assert (change.captured_ns, change.t_ns) == (captured_ns, lens.t_ns)


def test_what_moves_is_told_when_it_begins_and_once_it_has_settled() -> None:
    lens = looked(watch(), room())
    moving = (room(((300 - 4 * step, 60, 48, 48), RED)) for step in range(45))
    begun = lens.film(noisy(frame, 2, seed) for seed, frame in enumerate(moving))
    assert len(only(begun, SceneChanged)) == 1
    end_ns = lens.t_ns
    (settled,) = lens.hold(room(((124, 60, 48, 48), RED)), 4, sigma=2)
    assert isinstance(settled, SceneChanged)
    assert 300e6 <= settled.t_ns - end_ns <= 500e6


def test_who_walks_through_is_told_coming_and_gone() -> None:
    lens = looked(watch(), room())
    walk = (room(((-80 + 8 * step, 60, 80, 160), BLUE)) for step in range(20, 40))
    assert len(only(lens.film(walk), SceneChanged)) == 1
    assert len(only(lens.hold(room(), 3, sigma=2), SceneChanged)) == 1


def test_what_goes_on_and_on_is_told_now_and_then() -> None:
    lens = looked(watch(), room())
    fan = [room(((120 + 30 * (step % 4), 60, 48, 48), RED)) for step in range(300)]
    changes = only(lens.film(fan), SceneChanged)
    assert 2 <= len(changes) <= 6
    times = [change.t_ns for change in changes]
    assert np.diff(times).min() >= 1.9e9


def test_a_television_in_the_corner_is_got_used_to() -> None:
    """And the rest of the room is seen as well as before."""
    lens, rng = watch(15), np.random.default_rng(5)

    def frame(*objects: object) -> Pixels:
        colour = tuple(rng.integers(60, 200, 3))
        return room(((240, 20, 60, 45), colour), *objects)  # type: ignore[arg-type]

    lens.film(frame() for _ in range(15 * 20))
    late = only(lens.film(frame() for _ in range(15 * 20)), SceneChanged)
    assert len(late) <= 3
    seen = only(lens.film(frame(((120, 120, 56, 56), RED)) for _ in range(30)), SceneChanged)
    assert len(seen) >= 1


def test_slow_drift_is_told_in_the_end() -> None:
    """A pixel every second: no two looks differ."""
    lens = looked(watch(5), room((SMALL, RED)))
    given = [
        change
        for second in range(60)
        for change in lens.hold(room(((180 - second, 60, 48, 48), RED)), 1, sigma=2)
    ]
    assert 1 <= len(given) <= 15


# ── conditions ───────────────────────────────────────────────────────────────────────────────


def judged(given: list[Event]) -> list[str]:
    return [event.condition for event in only(given, SightJudged)]


def test_the_dark_is_judged_dark_and_is_no_change_of_scene() -> None:
    lens = looked(watch(), room((SMALL, RED)))
    began_ns = lens.t_ns
    dark = np.full((HEIGHT, WIDTH, 3), 4, np.uint8)
    (event,) = lens.hold(dark, 2, sigma=2)
    assert isinstance(event, SightJudged)
    assert (event.condition, event.stream) == ("dark", "camera")
    assert began_ns < event.since_ns <= began_ns + 100_000_000
    assert 300e6 <= event.t_ns - began_ns <= 500e6
    (event,) = lens.hold(room((SMALL, RED)), 2, sigma=2)
    assert isinstance(event, SightJudged)
    assert event.condition == "clear"


def test_what_changed_in_the_dark_is_told_after_it() -> None:
    lens = looked(watch(), room())
    lens.hold(np.zeros((HEIGHT, WIDTH, 3), np.uint8), 1)
    given = lens.hold(room((SMALL, RED)), 2, sigma=2)
    assert judged(given) == ["clear"]
    assert len(only(given, SceneChanged)) == 1


def test_a_lit_window_in_the_night_is_not_dark() -> None:
    night = np.full((HEIGHT, WIDTH, 3), 3, np.uint8)
    night[60:100, 100:150] = 200
    assert judged(watch().hold(night, 2, sigma=2)) == []


def test_black_pictures_before_the_first_one_are_not_the_first() -> None:
    lens = watch()
    assert only(lens.hold(np.zeros((HEIGHT, WIDTH, 3), np.uint8), 1), SceneChanged) == []
    assert [change.share for change in only(lens.hold(room(), 1), SceneChanged)] == [1.0]


@pytest.mark.parametrize("width", [320, 640])
def test_out_of_focus_is_blurred(width: int) -> None:
    picture = room((SMALL, RED), ((240, 150, 50, 60), WHITE), width=width)
    lens = looked(watch(15, width), picture)
    soft = blurred(picture, width // 40)
    assert judged(lens.hold(soft, 3, sigma=2)) == ["blurred"]
    assert judged(lens.hold(picture, 3, sigma=2)) == ["clear"]


def test_a_blank_wall_is_not_blurred() -> None:
    wall = np.broadcast_to(np.linspace(120, 180, WIDTH)[None, :, None], (HEIGHT, WIDTH, 3))
    assert judged(watch(15).hold(wall.astype(np.uint8), 3, sigma=3)) == []


def test_the_very_same_picture_from_a_noisy_camera_is_frozen() -> None:
    lens = looked(watch(), room())
    stuck = noisy(room(), 2, 77)
    began_ns = lens.t_ns
    (event,) = lens.hold(stuck, 7)
    assert isinstance(event, SightJudged)
    assert event.condition == "frozen"
    assert began_ns < event.since_ns <= began_ns + 110_000_000
    assert 1_000e6 <= event.t_ns - began_ns <= 1_200e6
    (event,) = lens.hold(room(), 2, sigma=2)
    assert isinstance(event, SightJudged)
    assert event.condition == "clear"
    assert judged(lens.hold(stuck, 2)) == ["frozen"]


def test_a_drawn_picture_that_stands_still_is_not_frozen() -> None:
    lens = watch()
    drawn = room((SMALL, RED))
    lens.hold(drawn, 5)
    lens.hold(room((SMALL, BLUE)), 5)
    assert judged(lens.given) == []


def test_a_pointer_on_a_screen_is_not_the_noise_of_a_camera() -> None:
    lens = watch()
    for at in range(0, 200, 2):
        lens.show(room(((at, 10, 12, 12), WHITE)))
    lens.hold(room(), 5)
    assert judged(lens.given) == []


def test_a_film_that_is_paused_is_not_frozen() -> None:
    lens = watch()
    lens.film(noisy(room(((5 * step, 20, 120, 180), RED)), 2, step) for step in range(60))
    lens.hold(noisy(room(), 2, 1), 5)
    assert judged(lens.given) == []


# ── what it costs ────────────────────────────────────────────────────────────────────────────


class CountingRing(FrameRing):
    leases = 0

    def lease(self, slot: int, generation: int):  # type: ignore[no-untyped-def]
        self.leases += 1
        return super().lease(slot, generation)


def counting() -> tuple[Lens, CountingRing]:
    ring = CountingRing(4, 3 * WIDTH * HEIGHT)
    return Lens(SceneWatcher(ring), ring), ring


def test_a_still_scene_is_looked_at_ten_times_a_second() -> None:
    lens, ring = counting()
    looked(lens, room())
    ring.leases = 0
    lens.hold(room(), 3, sigma=2)
    assert ring.leases == 30


@pytest.mark.parametrize("over", [TurnEnded, TurnDropped])
def test_while_the_user_speaks_every_frame_is_looked_at(over: type) -> None:
    lens, ring = counting()
    looked(lens, room())
    ring.leases = 0
    lens.send(SpeechStarted(t_ns=lens.t_ns, trace=1, start=0))
    lens.hold(room(), 1, sigma=2)
    assert ring.leases == 30
    more = {"reason": ""} if over is TurnDropped else {"text": "", "probability": 1, "reasons": ()}
    lens.send(over(t_ns=lens.t_ns, trace=1, start=0, end=1, **more))
    lens.hold(room(), 3, sigma=2)
    assert ring.leases == 60


def test_what_moves_is_looked_at_in_every_frame() -> None:
    lens, ring = counting()
    looked(lens, room())
    lens.film(room(((4 * step, 60, 48, 48), RED)) for step in range(10))
    ring.leases = 0
    lens.film(room(((40 + 4 * step, 60, 48, 48), RED)) for step in range(30))
    assert ring.leases == 30


def test_at_120_frames_a_second_not_every_one_is_looked_at() -> None:
    ring = CountingRing(4, 3 * WIDTH * HEIGHT)
    lens = Lens(SceneWatcher(ring), ring, rate_hz=120)
    lens.send(SpeechStarted(t_ns=0, trace=1, start=0))
    lens.hold(room(), 1)
    assert ring.leases <= 50


def test_no_lease_is_kept() -> None:
    lens, ring = counting()
    lens.hold(room(), 1)
    assert ring.leased == 0


def test_a_frame_that_is_gone_is_left_out() -> None:
    lens = watch()
    place = lens.ring.write(room())
    assert place is not None
    for _ in range(4):
        lens.ring.write(room())
    late = FrameAligned(
        t_ns=1, slot=place[0], generation=place[1], width=1, height=1, captured_ns=0
    )
    assert lens.send(late) == []


def test_streams_are_watched_apart() -> None:
    lens = watch()
    lens.show(room())
    lens.show(room((SMALL, RED)), stream="screen")
    for _ in range(10):
        lens.show(room())
        lens.show(room((SMALL, RED)), stream="screen")
    changes = only(lens.given, SceneChanged)
    assert [(change.stream, change.share) for change in changes] == [("camera", 1), ("screen", 1)]


@settings(max_examples=30, deadline=None)
@given(width=st.integers(1, 90), height=st.integers(1, 90))
def test_any_size_will_do(width: int, height: int) -> None:
    lens = watch()
    picture = np.random.default_rng(width).integers(0, 256, (height, width, 3), np.uint8)
    changes = only(lens.hold(picture, 0.5), SceneChanged)
    assert len(changes) == 1
