from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.flow.errors import InputError
from visavis.flow.ring import (
    MOST_REGAINED,
    SPARE_SLOTS,
    STREAMS,
    AudioRing,
    FrameRing,
    Pixels,
    Placed,
    Room,
)


def audio(capacity: int) -> AudioRing:
    return AudioRing(seconds=capacity, rate_hz=1)


def ramp(start: int, count: int) -> Any:
    return np.arange(start, start + count, dtype=np.float32)


def picture(value: int, height: int = 2, width: int = 3) -> Pixels:
    return np.full((height, width, 3), value, np.uint8)


# ── sound ────────────────────────────────────────────────────────────────────────────────────


def test_the_capacity_is_given_in_seconds() -> None:
    assert AudioRing(0.5).capacity == 8000
    assert AudioRing(0.5, rate_hz=22_050).capacity == 11_025


def test_what_was_written_is_handed_out_without_a_copy() -> None:
    ring = audio(10)
    written = ring.write(ramp(0, 4))
    assert np.shares_memory(written, ring.slice(0, 4))
    assert np.shares_memory(ring.slice(1, 3), ring.slice(2, 4))


def test_a_window_across_the_seam_is_contiguous_and_still_no_copy() -> None:
    ring = audio(10)
    ring.write(ramp(0, 8))
    written = ring.write(ramp(8, 5))
    window = ring.slice(6, 13)
    assert window.flags.c_contiguous
    assert window.tolist() == list(range(6, 13))
    assert written.tolist() == list(range(8, 13))
    assert np.shares_memory(window, written)


def test_what_is_regained_is_in_the_whole_and_not_in_the_slice() -> None:
    ring = audio(20)
    ring.write(ramp(0, 12))
    ring.regain(4, -ramp(4, 3))
    ring.regain(6, -ramp(6, 3))
    assert ring.slice(3, 10).tolist() == list(range(3, 10))
    assert ring.whole(3, 10).tolist() == [3, -4, -5, -6, -7, -8, 9]
    assert ring.whole(5, 6).tolist() == [-5]
    assert np.shares_memory(ring.whole(0, 4), ring.slice(0, 4))
    with pytest.raises(LookupError):
        ring.whole(5, 13)


def test_what_was_regained_long_ago_is_forgotten() -> None:
    ring = audio(100)
    ring.write(ramp(0, 100))
    for at in range(MOST_REGAINED + 5):
        ring.regain(at, ramp(-1, 1))
    assert [sample for sample in ring.whole(0, 100) if sample < 0] == [-1] * MOST_REGAINED


def test_what_is_handed_out_cannot_be_changed() -> None:
    ring = audio(10)
    for view in (ring.write(ramp(0, 4)), ring.slice(0, 4)):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 1
    ring.write(ramp(4, 4))


def test_what_is_gone_or_yet_to_come_is_an_error() -> None:
    ring = audio(10)
    ring.write(ramp(0, 10))
    ring.write(ramp(10, 3))
    assert (ring.begin, ring.end) == (3, 13)
    for start, end in [(2, 5), (0, 13), (10, 14), (-1, 4), (8, 7)]:
        with pytest.raises(LookupError, match=f"samples {start}…{end} are not in 3…13"):
            ring.slice(start, end)


def test_nothing_is_a_slice_too() -> None:
    ring = audio(10)
    assert len(ring.write(ramp(0, 0))) == 0
    assert len(ring.slice(0, 0)) == 0
    assert (ring.begin, ring.end) == (0, 0)


def test_more_than_fits_is_a_bug_at_once() -> None:
    ring = audio(10)
    with pytest.raises(AssertionError, match="11 samples in a ring of 10"):
        ring.write(ramp(0, 11))


def test_a_copy_stays_when_the_ring_moves_on() -> None:
    ring = audio(4)
    ring.write(ramp(0, 4))
    view, copy = ring.slice(0, 4), ring.copy(0, 4)
    ring.write(ramp(4, 4))
    assert copy.tolist() == [0, 1, 2, 3]
    assert view.tolist() == [4, 5, 6, 7], "a view does not: who works long must copy"
    with pytest.raises(LookupError):
        ring.copy(0, 4)


class Slow(np.ndarray[Any, Any]):
    """A store in which a copy is overtaken by the writer."""

    def copy(self, order: Any = "C") -> Any:
        found = np.array(self)
        self.overtake()  # type: ignore[attr-defined]
        return found


def test_a_copy_that_the_writer_overtook_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = audio(4)
    ring.write(ramp(0, 4))
    monkeypatch.setattr(Slow, "overtake", lambda self: ring.write(ramp(4, 1)), raising=False)
    ring._store = ring._store.view(Slow)
    with pytest.raises(LookupError, match=r"0…2 are not in 1…5"):
        ring.copy(0, 2)
    assert ring.copy(2, 4).tolist() == [2, 3]


def test_what_is_being_overwritten_is_refused_already() -> None:
    ring = audio(4)
    ring.write(ramp(0, 4))
    refused: list[int] = []

    class Watching(np.ndarray[Any, Any]):
        def __setitem__(self, key: Any, value: Any) -> None:
            for start in range(4):
                try:
                    ring.slice(start, start + 1)
                except LookupError:
                    refused.append(start)
            super().__setitem__(key, value)

    ring._store = ring._store.view(Watching)
    ring.write(ramp(4, 2))
    assert set(refused) == {0, 1}


@given(st.integers(1, 40), st.lists(st.integers(0, 40), max_size=30), st.data())
def test_a_ring_is_the_end_of_one_endless_array(
    capacity: int, chunks: list[int], data: st.DataObject
) -> None:
    ring = audio(capacity)
    endless = ramp(0, 0)
    for size in chunks:
        chunk = ramp(len(endless), min(size, capacity))
        endless = np.concatenate([endless, chunk])
        assert ring.write(chunk).tolist() == chunk.tolist()
        assert ring.end == len(endless)
        assert ring.begin == max(0, len(endless) - capacity)
        start = data.draw(st.integers(ring.begin, ring.end))
        end = data.draw(st.integers(start, ring.end))
        window = ring.slice(start, end)
        assert np.array_equal(window, endless[start:end])
        assert start == end or np.shares_memory(window, ring._store)
        assert np.array_equal(ring.copy(start, end), window)


# ── pictures ─────────────────────────────────────────────────────────────────────────────────


def written(ring: FrameRing, value: int) -> tuple[int, int]:
    handle = ring.write(picture(value))
    assert handle is not None
    return handle


def test_a_lease_gives_the_rings_own_memory() -> None:
    ring = FrameRing(2, 100)
    handle = written(ring, 7)
    with ring.lease(*handle) as first, ring.lease(*handle) as second:
        assert first.pixels.shape == (2, 3, 3)
        assert (first.pixels == 7).all()
        assert np.shares_memory(first.pixels, second.pixels)
        with pytest.raises(ValueError, match="read-only"):
            first.pixels[0, 0, 0] = 1


def test_pictures_of_different_sizes_share_slots() -> None:
    ring = FrameRing(1, 100)
    for height, width in [(2, 3), (5, 6), (1, 1)]:
        handle = ring.write(picture(9, height, width))
        assert handle is not None
        with ring.lease(*handle) as lease:
            assert lease.pixels.shape == (height, width, 3)
            assert (lease.pixels == 9).all()


def test_the_oldest_is_overwritten_first() -> None:
    ring = FrameRing(3, 100)
    handles = [written(ring, value) for value in range(5)]
    assert [slot for slot, _ in handles] == [0, 1, 2, 0, 1]
    for handle in handles[:2]:
        with pytest.raises(LookupError), ring.lease(*handle):
            pass
    for value, handle in list(enumerate(handles))[2:]:
        with ring.lease(*handle) as lease:
            assert (lease.pixels == value).all()


def test_a_leased_picture_stays_as_it_is() -> None:
    ring = FrameRing(2, 100)
    kept = written(ring, 1)
    with ring.lease(*kept) as lease:
        for value in range(2, 9):
            written(ring, value)
        assert (lease.pixels == 1).all()
        assert ring.leased == 1
    assert ring.leased == 0
    assert ring.dropped == 0


def test_with_every_slot_leased_a_picture_is_dropped_and_counted() -> None:
    ring = FrameRing(2, 100)
    first, second = written(ring, 1), written(ring, 2)
    with ring.lease(*first):
        with ring.lease(*second):
            assert ring.write(picture(3)) is None
            assert ring.dropped == 1
        slot, _ = written(ring, 4)
        assert slot == second[0]


def test_a_lease_comes_back_even_from_a_reader_that_fails() -> None:
    ring = FrameRing(1, 100)
    handle = written(ring, 1)
    with pytest.raises(ZeroDivisionError), ring.lease(*handle):
        raise ZeroDivisionError
    assert ring.leased == 0


def test_an_empty_slot_cannot_be_leased() -> None:
    ring = FrameRing(1, 100)
    with pytest.raises(LookupError), ring.lease(0, 0):
        pass
    with pytest.raises(LookupError), ring.lease(1, 1):
        pass


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((2, 3), np.uint8),
        np.zeros((2, 3, 4), np.uint8),
        np.zeros((2, 3, 3), np.float32),
        np.zeros((7, 7, 3), np.uint8),
    ],
    ids=["grey", "with alpha", "float", "too large"],
)
def test_what_is_no_picture_of_ours_is_refused_and_harms_nothing(pixels: Any) -> None:
    ring = FrameRing(1, 100)
    handle = written(ring, 1)
    with pytest.raises(ValueError, match=r"picture|uint8"):
        ring.write(pixels)
    with ring.lease(*handle) as lease:
        assert (lease.pixels == 1).all()


@given(st.lists(st.integers(0, 3), max_size=60), st.integers(1, 3))
def test_leases_and_generations_hold_for_any_order(actions: list[int], slots: int) -> None:
    # 0 writes; 1 leases the newest; 2 leases the oldest ever; 3 gives the first lease back.
    ring = FrameRing(slots, 18)
    handles: list[tuple[tuple[int, int], int]] = []
    leases: list[tuple[Any, Any, int]] = []
    dropped = 0
    for serial, action in enumerate(actions, start=1):
        if action == 0:
            handle = ring.write(picture(serial))
            assert (handle is None) == (len({taken.slot for _, taken, _ in leases}) == slots)
            dropped += handle is None
            if handle is not None:
                assert handle not in [known for known, _ in handles]
                handles.append((handle, serial))
        elif action in (1, 2) and handles:
            handle, value = handles[-1 if action == 1 else 0]
            context = ring.lease(*handle)
            try:
                leases.append((context, context.__enter__(), value))
            except LookupError:
                assert any(slot == handle[0] for (slot, _), _ in handles[1:])
        elif action == 3 and leases:
            leases.pop(0)[0].__exit__(None, None, None)
        assert ring.leased == len(leases)
        assert ring.dropped == dropped
        assert all((lease.pixels == value).all() for _, lease, value in leases)
    for context, _, _ in leases:
        context.__exit__(None, None, None)
    assert ring.leased == 0


def test_readers_on_other_threads_never_see_half_a_picture() -> None:
    ring = FrameRing(3, 3 * 64 * 64)
    newest: list[tuple[int, int]] = []
    torn: list[int] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            if newest:
                try:
                    with ring.lease(*newest[-1]) as lease:
                        if lease.pixels.min() != lease.pixels.max():
                            torn.append(lease.slot)
                except LookupError:
                    continue

    readers = [threading.Thread(target=read, daemon=True) for _ in range(2)]
    for reader in readers:
        reader.start()
    for value in range(300):
        handle = ring.write(picture(value % 256, 64, 64))
        if handle is not None:
            newest[:] = [handle]
    done.set()
    for reader in readers:
        reader.join(5)
    assert torn == []
    assert ring.leased == 0


# ── pictures by when they were taken ─────────────────────────────────────────────────────────


def test_the_nearest_picture_is_found_once_it_is_placed() -> None:
    ring = FrameRing(4, 100)
    handles = [written(ring, value) for value in range(3)]
    assert ring.nearest("camera", 0) is None
    assert ring.newest() is None
    for at_ns, handle in zip((100, 200, 300), handles, strict=True):
        assert ring.place(*handle, at_ns)
    assert ring.nearest("camera", 0) == Placed(*handles[0], 100)
    assert ring.nearest("camera", 249) == Placed(*handles[1], 200)
    assert ring.nearest("camera", 250) == Placed(*handles[2], 300), "of two, the later"
    assert ring.nearest("camera", 10**12) == ring.nearest("camera", -1) == ring.newest()
    assert ring.newest() == Placed(*handles[2], 300)
    assert ring.nearest("screen", 250) is None


def test_what_is_overwritten_can_no_longer_be_placed_or_found() -> None:
    ring = FrameRing(1, 100)
    first = written(ring, 1)
    ring.place(*first, 5)
    second = written(ring, 2)
    assert ring.newest() is None
    assert not ring.place(*first, 6)
    assert ring.place(*second, 7)
    assert ring.newest() == Placed(*second, 7)
    assert not ring.place(0, 0, 8), "an empty slot has no picture"


def test_a_busy_stream_takes_no_slot_of_another() -> None:
    ring = FrameRing(2, 100)
    slide = ring.write(picture(99), "screen")
    assert slide is not None
    ring.place(*slide, 1, "screen")
    for value in range(20):
        ring.place(*written(ring, value), value)
    found = ring.nearest("screen", 1)
    assert found == Placed(*slide, 1)
    with ring.lease(*slide) as lease:
        assert (lease.pixels == 99).all()


def test_a_stream_with_all_its_pictures_leased_leaves_the_other_alone() -> None:
    ring = FrameRing(1, 100)
    with ring.lease(*written(ring, 1)):
        assert ring.write(picture(2)) is None
        assert ring.write(picture(3), "screen") is not None
    assert ring.dropped == 1


def test_the_size_follows_from_rate_and_time() -> None:
    ring = FrameRing.for_rate(640 * 480, 30, 2)
    assert ring.slots() == 60 + SPARE_SLOTS
    assert ring.max_pixels() == 640 * 480
    with pytest.raises(InputError, match=r"take 7.5 GB; lower sight.keep_s"):
        FrameRing.for_rate(1920 * 1080, 120, 10)


def test_each_stream_may_have_room_of_its_own_size() -> None:
    ring = FrameRing.of({"camera": Room(3, 18), "screen": Room(2, 180)})
    assert ring.streams == ("camera", "screen")
    assert (ring.slots("camera"), ring.slots("screen")) == (3, 2)
    assert (ring.max_pixels("camera"), ring.max_pixels("screen")) == (6, 60)
    with pytest.raises(ValueError, match="picture of 180 bytes in slots of 18"):
        ring.write(picture(1, 6, 10))
    slides = [ring.write(picture(value, 6, 10), "screen") for value in range(3)]
    assert [slide and slide[0] for slide in slides] == [3, 4, 3], "behind those of the camera"
    assert [written(ring, value)[0] for value in range(4)] == [0, 1, 2, 0]
    assert slides[1] is not None
    with ring.lease(*slides[1]) as lease:
        assert lease.pixels.shape == (6, 10, 3)
        assert (lease.pixels == 1).all()


def test_a_picture_being_copied_in_holds_nobody_up_and_is_nobody_s() -> None:
    ring = FrameRing(2, 100)
    ring.place(*written(ring, 1), 10)
    ring.place(*written(ring, 2), 20)
    seen: list[Any] = []

    class Watching(np.ndarray[Any, Any]):
        def __setitem__(self, key: Any, value: Any) -> None:
            ring._slots[0] = slot
            seen.append(ring.nearest("camera", 0))
            seen.append(ring.write(picture(4)))
            with pytest.raises(LookupError), ring.lease(0, 2):
                pass
            super().__setitem__(key, value)

    slot, ring._slots[0] = ring._slots[0], ring._slots[0].view(Watching)
    assert ring.write(picture(3)) == (0, 2)
    assert seen[0] == Placed(1, 1, 20), "the old picture is gone, the other stands"
    assert seen[1] == (1, 2), "a second writer gets another slot"


@given(
    st.integers(1, 4),
    st.lists(st.tuples(st.sampled_from(STREAMS), st.integers(0, 1000), st.booleans()), max_size=40),
    st.integers(-1, 1000),
)
def test_nearest_is_the_best_of_the_latest_pictures_of_its_stream(
    slots: int, pictures: list[tuple[str, int, bool]], moment_ns: int
) -> None:
    ring = FrameRing(slots, 18)
    kept: dict[str, list[int | None]] = {stream: [] for stream in STREAMS}
    for stream, at_ns, is_placed in pictures:
        handle = ring.write(picture(at_ns % 256), stream)
        assert handle is not None
        if is_placed:
            assert ring.place(*handle, at_ns, stream)
        kept[stream] = [*kept[stream], at_ns if is_placed else None][-slots:]
    for stream, times in kept.items():
        placed = [at_ns for at_ns in times if at_ns is not None]
        found = ring.nearest(stream, moment_ns)
        if not placed:
            assert found is None
            continue
        assert found is not None
        assert found.captured_ns in placed
        if moment_ns == -1:
            assert found.captured_ns == max(placed)
        else:
            best = min(abs(at_ns - moment_ns) for at_ns in placed)
            assert abs(found.captured_ns - moment_ns) == best
        with ring.lease(found.slot, found.generation) as lease:
            assert (lease.pixels == found.captured_ns % 256).all()
