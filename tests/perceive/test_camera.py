"""Whether a stream sees, and when it is told that it does not."""

from __future__ import annotations

from visavis.flow.events import CameraChanged, ClockTicked, Event, FrameAligned, SightJudged
from visavis.perceive.camera import Camera

MS = 1_000_000


def tick(t_ms: int) -> ClockTicked:
    return ClockTicked(t_ns=t_ms * MS, index=t_ms // 20)


def frame(t_ms: int, stream: str = "camera") -> FrameAligned:
    return FrameAligned(
        t_ns=t_ms * MS,
        slot=0,
        generation=1,
        width=1,
        height=1,
        captured_ns=(t_ms - 10) * MS,
        stream=stream,
    )


def judged(t_ms: int, condition: str) -> SightJudged:
    return SightJudged(t_ns=t_ms * MS, trace=7, condition=condition, since_ns=(t_ms - 300) * MS)


def told(camera: Camera, *events: Event) -> list[tuple[str, int, int]]:
    """(condition, since, when), in milliseconds."""
    given = [outcome for event in events for outcome in camera.on(event)]
    assert all(isinstance(outcome, CameraChanged) for outcome in given)
    return [(each.condition, each.since_ns // MS, each.t_ns // MS) for each in given]


def test_without_a_frame_it_is_absent_from_the_beginning() -> None:
    camera = Camera()
    assert told(camera, *(tick(t) for t in range(0, 500, 20))) == []
    assert told(camera, tick(500), tick(520), tick(900)) == [("absent", 0, 500)]


def test_the_first_frame_is_clear_until_it_is_judged() -> None:
    camera = Camera()
    assert told(camera, tick(100), frame(110), tick(120)) == [("clear", 100, 110)]
    assert told(camera, judged(410, "dark"), judged(420, "dark")) == [("dark", 110, 410)]


def test_frames_that_come_late_end_its_absence() -> None:
    camera = Camera()
    assert told(camera, tick(500), frame(1_300)) == [("absent", 0, 500), ("clear", 1_290, 1_300)]


def test_half_a_second_without_a_frame_is_absence() -> None:
    camera = Camera()
    told(camera, frame(100))
    assert told(camera, tick(580)) == []
    assert told(camera, tick(600), tick(620)) == [("absent", 90, 600)]


def test_who_comes_back_is_as_it_was_last_judged() -> None:
    camera = Camera()
    told(camera, frame(100), judged(400, "blurred"), tick(600))
    assert told(camera, judged(610, "dark")) == []
    assert told(camera, frame(2_000)) == [("dark", 1_990, 2_000)]


def test_each_stream_has_its_own_condition() -> None:
    camera = Camera()
    given = told(camera, frame(100, "screen"), frame(200), tick(600), tick(700))
    assert given == [("clear", 90, 100), ("clear", 190, 200), ("absent", 190, 700)]


def test_a_screen_of_which_few_frames_come_is_not_absent_between_them() -> None:
    camera = Camera(expected=())
    times = range(0, 5_000, 20)
    given = told(camera, *(tick(t) if t % 1_000 else frame(t, "screen") for t in times))
    assert given == [("clear", -10, 0)]
    assert told(camera, tick(6_980), tick(7_000), tick(7_020)) == [("absent", 3_990, 7_000)]


def test_where_there_is_no_camera_none_is_missed() -> None:
    assert told(Camera(expected=()), *(tick(t) for t in range(0, 5_000, 20))) == []


def test_a_screen_that_never_came_is_not_missed() -> None:
    assert told(Camera(), frame(0), *(frame(t) for t in range(20, 3_000, 20)), tick(3_000)) == [
        ("clear", -10, 0)
    ]


def test_the_trace_is_that_of_its_cause() -> None:
    camera = Camera()
    told(camera, frame(0))
    (given,) = camera.on(judged(300, "dark"))
    assert given.trace == 7
