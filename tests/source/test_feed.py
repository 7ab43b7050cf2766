"""A feed gives the newest of what has come, and passes over the rest without decoding it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import pytest
from av.container import InputContainer

from tests.media import shades, write_video
from visavis.source.feed import Counts, Feed


class Driver:
    """An open device: a film whose packets come when `give` lets them."""

    def __init__(self, path: Path) -> None:
        self._container = av.open(str(path))
        self.streams = self._container.streams
        self._packets = list(self._container.demux(video=0))
        self._there = 0
        self.closed = False

    def give(self, count: int) -> None:
        self._there += count

    def damage(self, index: int, data: bytes) -> None:
        whole = self._packets[index]
        packet = av.Packet(data)
        packet.stream, packet.pts, packet.dts = whole.stream, whole.pts, whole.dts
        packet.time_base = whole.time_base
        self._packets[index] = packet

    def demux(self, _: object) -> Iterator[Any]:
        while self._there:
            self._there -= 1
            yield self._packets.pop(0)
        raise av.BlockingIOError(11, "Resource temporarily unavailable")

    def close(self) -> None:
        self.closed = True
        self._container.close()


def always() -> bool:
    return True


def never() -> bool:
    return False


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    found = Driver(write_video(tmp_path / "a.mkv", shades(10), video_codec="mjpeg"))
    yield found
    found.close()


def feed_of(driver: Driver, **options: Any) -> tuple[Feed, Counts]:
    counts = Counts()
    container: InputContainer = driver  # type: ignore[assignment]
    return Feed(container, counts, **options), counts


def shade(frame: av.VideoFrame | None) -> float:
    assert frame is not None
    return float(frame.to_ndarray(format="rgb24").mean())


def test_nothing_has_come_yet(driver: Driver) -> None:
    feed, counts = feed_of(driver)
    assert feed.take(always) is None
    assert counts == Counts()


def test_the_newest_is_given_and_the_others_are_counted(driver: Driver) -> None:
    feed, counts = feed_of(driver)
    driver.give(1)
    assert shade(feed.take(always)) == pytest.approx(shades(10)[0].mean(), abs=6)
    driver.give(5)
    assert shade(feed.take(always)) == pytest.approx(shades(10)[5].mean(), abs=6)
    assert counts == Counts(skipped=4)


def test_what_is_not_wanted_is_not_decoded(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    feed, counts = feed_of(driver)
    monkeypatch.setattr(feed, "_decode", lambda _: pytest.fail("decoded"))
    driver.give(3)
    assert feed.take(never) is None
    assert counts == Counts(skipped=3)


def test_it_is_asked_only_about_what_has_come(driver: Driver) -> None:
    feed, _ = feed_of(driver)
    assert feed.take(lambda: pytest.fail("asked")) is None


def test_where_frames_build_on_each_other_all_are_decoded(tmp_path: Path) -> None:
    driver = Driver(write_video(tmp_path / "a.mkv", shades(10), video_codec="mpeg4"))
    feed, counts = feed_of(driver)
    driver.give(3)
    assert feed.take(never) is None
    driver.give(3)
    # The decoder has been holding none back, so the sixth is the newest.
    assert shade(feed.take(always)) == pytest.approx(shades(10)[5].mean(), abs=12)
    assert counts.skipped == 5
    driver.close()


def test_a_device_that_waits_is_read_once(driver: Driver) -> None:
    feed, counts = feed_of(driver, waits=True)
    driver.give(5)
    for at in range(5):
        assert shade(feed.take(always)) == pytest.approx(shades(10)[at].mean(), abs=6)
    assert counts == Counts()


def test_what_is_damaged_or_cut_off_is_counted_and_the_next_one_is_given(driver: Driver) -> None:
    whole = bytes(driver._packets[1])
    driver.damage(1, whole[: len(whole) // 2])
    driver.damage(2, b"")
    driver.damage(3, b"\xff\xd8 no picture \xff\xda \xff\xd9")
    feed, counts = feed_of(driver)
    found = []
    for _ in range(5):
        driver.give(1)
        found.append(feed.take(always))
    assert [frame is None for frame in found] == [False, True, True, True, False]
    assert counts == Counts(damaged=3)


def test_a_camera_that_never_ends_its_pictures_is_believed(driver: Driver) -> None:
    for at in range(3):
        driver.damage(at, bytes(driver._packets[at]).removesuffix(b"\xff\xd9"))
    feed, counts = feed_of(driver)
    for _ in range(3):
        driver.give(1)
        assert feed.take(always) is not None
    assert counts == Counts()


def test_the_end_is_an_error(driver: Driver) -> None:
    feed, _ = feed_of(driver)
    driver.give(10)
    assert feed.take(always) is not None
    driver.give(1)
    with pytest.raises(EOFError):
        feed.take(always)


def test_what_came_before_the_end_is_given_first(tmp_path: Path) -> None:
    container = av.open(str(write_video(tmp_path / "a.mkv", shades(10), video_codec="mjpeg")))
    feed = Feed(container, Counts())
    assert shade(feed.take(always)) == pytest.approx(shades(10)[9].mean(), abs=6)
    assert feed.take(always) is None
    with pytest.raises(EOFError):
        feed.take(always)
    feed.close()


def test_a_reader_is_kept_for_as_long_as_it_reads(driver: Driver) -> None:
    feed, _ = feed_of(driver)
    readers = []
    demux = driver.demux
    driver.demux = lambda stream: readers.append(demux(stream)) or readers[-1]  # type: ignore
    feed._most = 1
    driver.give(3)
    for _ in range(3):
        assert feed.take(always) is not None
    assert len(readers) == 1
    assert feed.take(always) is None
    driver.give(1)
    assert feed.take(always) is not None
    assert len(readers) == 2


def test_closing_gives_the_device_back(driver: Driver) -> None:
    feed, _ = feed_of(driver)
    feed.close()
    assert driver.closed


def test_what_queues_up_is_not_held(driver: Driver) -> None:
    feed, _ = feed_of(driver)
    driver.give(10)
    assert len(feed._waiting()) == 1
