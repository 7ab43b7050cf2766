"""A camera films on its own thread, comes back when it was lost, and lets itself be closed.

There is no camera here: FFmpeg's test pictures stand in for one, and films that end for one that
is unplugged.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import pytest

from tests.media import shades, write_video
from visavis.flow.clock import SystemClock
from visavis.flow.errors import InputError, VisavisError
from visavis.flow.events import Event, FrameCaptured, NodeFailed
from visavis.flow.ring import FrameRing
from visavis.source import camera as module
from visavis.source.camera import Camera, Patience
from visavis.source.device import Device
from visavis.source.feed import Counts

LIVE = Device("lavfi", "testsrc2=size=160x120:rate=200,realtime", waits=True)
QUICK = Patience(still_s=0.1, retry_s=(0.01, 0.02), well_s=60)


class Posted:
    """Collects what is posted; lets a test wait for it."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._changed = threading.Condition()

    def __call__(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def wait(self, holds: Callable[[list[Event]], bool]) -> list[Event]:
        with self._changed:
            assert self._changed.wait_for(lambda: holds(self.events), timeout=10), self.events[-3:]
            return list(self.events)

    def frames(self, count: int) -> list[FrameCaptured]:
        found = self.wait(lambda events: sum(map(is_frame, events)) >= count)
        return [event for event in found if isinstance(event, FrameCaptured)]


def is_frame(event: Event) -> bool:
    return isinstance(event, FrameCaptured)


def is_failure(event: Event) -> bool:
    return isinstance(event, NodeFailed)


def camera(posted: Posted, ring: FrameRing, *tries: Device, **options: Any) -> Camera:
    options = {"patience": QUICK, "max_rate_hz": 500} | options
    return Camera(ring, posted, SystemClock(), device=tries or (LIVE,), **options)


def test_pictures_come_with_their_stamps() -> None:
    posted, ring = Posted(), FrameRing(400, 160 * 120 * 3)
    with camera(posted, ring, stream="screen"):
        frames = posted.frames(20)
    times = [frame.t_ns for frame in frames]
    assert times == sorted(times)
    assert {(frame.width, frame.height, frame.stream) for frame in frames} == {(160, 120, "screen")}
    assert {(frame.stamp_hz, frame.stamp_bits) for frame in frames} == {(200, 0)}
    stamps = [frame.stamp for frame in frames]
    assert stamps == sorted(set(stamps))
    with ring.lease(frames[3].slot, frames[3].generation) as lease:
        assert lease.pixels.std() > 40, "it is the coloured test picture"


def test_nothing_is_opened_before_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "opened", lambda _: pytest.fail("opened"))
    Camera(FrameRing(2, 100), Posted(), SystemClock()).close()


def test_pictures_are_made_to_fit_the_ring() -> None:
    posted = Posted()
    with camera(posted, FrameRing(4, 80 * 60 * 3)):
        [first, *_] = posted.frames(1)
    assert (first.width, first.height) == (80, 60)


def test_no_more_than_the_rate_and_the_rest_is_counted() -> None:
    posted = Posted()
    with camera(posted, FrameRing(400, 160 * 120 * 3), max_rate_hz=50) as filming:
        frames = posted.frames(20)
    seconds = (frames[-1].t_ns - frames[0].t_ns) / 1e9
    assert len(frames) <= 50 * seconds + 2
    assert filming.counts.skipped >= 20, "of 200 a second"


def test_a_full_ring_costs_pictures_and_no_more() -> None:
    posted, ring = Posted(), FrameRing(1, 64 * 48 * 3)
    filming, frame = camera(posted, ring), av.VideoFrame(64, 48, "yuv420p")
    assert filming._show(frame)
    [first] = posted.frames(1)
    with ring.lease(first.slot, first.generation):
        assert filming._show(frame), "the camera is not to blame"
        assert filming.counts == Counts(dropped=1)
    assert filming._show(frame)
    assert len(posted.events) == 2


def test_what_cannot_be_shown_is_counted() -> None:
    filming = camera(Posted(), FrameRing(1, 100))
    assert not filming._show(av.VideoFrame())
    assert filming.counts == Counts(damaged=1)


@pytest.mark.parametrize(
    ("pts", "base", "expected"),
    [
        (None, Fraction(1, 30), (-1, 10**9)),
        (-5, Fraction(1, 30), (-1, 10**9)),
        (7, Fraction(1, 90_000), (7, 90_000)),
        (30, Fraction(1001, 30_000), (1_001_000_000, 10**9)),
    ],
)
def test_stamps_are_the_camera_s_own(
    pts: int | None, base: Fraction, expected: tuple[int, int]
) -> None:
    posted, frame = Posted(), av.VideoFrame(8, 6, "yuv420p")
    frame.pts, frame.time_base = pts, base
    camera(posted, FrameRing(1, 1000))._show(frame)
    [event] = posted.frames(1)
    assert (event.stamp, event.stamp_hz) == expected


def test_one_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    gone = Device("v4l2", "/dev/video99")
    filming = camera(Posted(), FrameRing(2, 100), gone)
    with pytest.raises(InputError, match=r"camera /dev/video99: there is no such camera"):
        filming.open()
    filming.close()


def test_one_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = threading.Event()
    monkeypatch.setattr(module, "opened", lambda _: hanging.wait(10))
    monkeypatch.setattr(module, "FIRST_S", 0.05)
    monkeypatch.setattr(module, "CLOSE_S", 0.05)
    filming = camera(Posted(), FrameRing(2, 100))
    with pytest.raises(VisavisError, match="the camera does not answer; plug it in again"):
        filming.open()
    hanging.set()


def test_one_that_is_unplugged_comes_back_and_it_is_said_once(tmp_path: Path) -> None:
    film = write_video(tmp_path / "a.mkv", shades(5))
    posted = Posted()
    with camera(
        posted, FrameRing(9, 64 * 48 * 3), Device("matroska", str(film), waits=True)
    ) as filming:
        # Each time it is opened anew, it gives five pictures and is gone again.
        events = posted.wait(lambda events: sum(map(is_frame, events)) >= 3)
        film.rename(tmp_path / "unplugged.mkv")
        posted.wait(lambda events: any(map(is_failure, events)))
        count = len(posted.events)
        (tmp_path / "unplugged.mkv").rename(film)
        events = posted.wait(lambda events: len(events) > count + 2)
    [failure] = filter(is_failure, events)
    assert isinstance(failure, NodeFailed)
    assert failure.node == "source.camera"
    assert failure.error.endswith("; it is opened again as soon as it is there")
    assert filming.counts.outages == 1


class Still:
    """A device from which nothing comes."""

    def __init__(self, path: Path) -> None:
        self._container = av.open(str(path))
        self.streams = self._container.streams

    def demux(self, _: object) -> Iterator[Any]:
        raise av.BlockingIOError(11, "Resource temporarily unavailable")
        yield

    def close(self) -> None:
        self._container.close()


def test_one_that_stands_still_is_opened_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    film = write_video(tmp_path / "a.mkv", shades(5))
    opened = []

    def open_it(tries: list[Device]) -> Any:
        opened.append(tries)
        return (Still(film), tries[0]) if len(opened) < 4 else (av.open(str(film)), tries[0])

    monkeypatch.setattr(module, "opened", open_it)
    posted = Posted()
    with camera(posted, FrameRing(9, 64 * 48 * 3), Device("matroska", str(film), waits=True)):
        posted.frames(1)
    assert len(opened) >= 4
    [failure] = filter(is_failure, posted.events)
    assert isinstance(failure, NodeFailed)
    assert failure.error.startswith("no picture for 0.1 s; ")


def test_a_bug_ends_no_thread_in_silence(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    posted = Posted()
    filming = camera(posted, FrameRing(9, 160 * 120 * 3))
    monkeypatch.setattr(filming, "_show", lambda _: 1 / 0)
    with filming:
        [failure] = posted.wait(lambda events: any(map(is_failure, events)))
    assert isinstance(failure, NodeFailed)
    assert failure.error.startswith("division by zero; ")
    assert "ZeroDivisionError" in caplog.text


def test_it_waits_longer_from_try_to_try(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    filming = camera(
        Posted(), FrameRing(2, 100), patience=Patience(retry_s=(0.5, 1.0, 2.0), still_s=0)
    )

    class Closing:
        def is_set(self) -> bool:
            return len(waits) == 5

        def wait(self, seconds: float) -> None:
            waits.append(seconds)

    def fail() -> None:
        filming._known.set()
        raise EOFError("it has ended")

    monkeypatch.setattr(filming, "_film", fail)
    monkeypatch.setattr(filming, "_closing", Closing())
    filming._run()
    assert waits == [0.5, 1.0, 2.0, 2.0, 2.0]


def test_closing_ends_the_thread_and_nothing_comes_after() -> None:
    posted = Posted()
    filming = camera(posted, FrameRing(9, 160 * 120 * 3))
    filming.open()
    posted.frames(3)
    filming.close()
    assert not any(thread.name == "camera" for thread in threading.enumerate())
    assert not any(map(is_failure, posted.events))
