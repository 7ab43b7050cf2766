from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from tests.flow.nodes import (
    HandClock,
    Probe,
    cancel,
    indices,
    paused,
    start,
    taps,
    tick,
    token,
    topics,
)
from visavis.flow import events as e
from visavis.flow.inbox import INBOX_DEPTH
from visavis.flow.lane import Lane
from visavis.flow.loop import MAX_LATE_TICKS, PERIOD_MS, Loop

MS = 1_000_000
PERIOD_NS = PERIOD_MS * MS


def failing(event: e.Event) -> Iterator[e.Event]:
    yield token(0, t_ns=event.t_ns)
    raise ValueError("no good")


def after(count: int) -> Callable[[], bool]:
    """An `until` that holds when asked for the `count`-th time."""
    asked = iter(range(count - 1))
    return lambda: next(asked, None) is None


@pytest.fixture
def loops() -> Iterator[Callable[..., Loop]]:
    made: list[Loop] = []

    def make(clock: HandClock | None = None, *, strict: bool = True) -> Loop:
        # By default each reading of the clock is a period later: a run never waits.
        made.append(Loop(clock or HandClock(PERIOD_NS), strict=strict))
        return made[-1]

    yield make
    for target in made:
        target.close()
        for lane in target.lanes.values():
            assert isinstance(lane, Lane)
            assert not lane._thread.is_alive()
        assert not any(thread.is_alive() for thread in target._threads)


def test_ticks_count_every_period(loops: Callable[..., Loop]) -> None:
    target = loops()
    seen = taps(target)
    target.run(until=after(20))
    assert len(seen) >= 19
    assert indices(seen) == list(range(indices(seen)[0], indices(seen)[-1] + 1))
    for event in seen:
        assert isinstance(event, e.ClockTicked)
        assert event.t_ns >= event.index * PERIOD_NS, "a period is announced when it has begun"


def test_the_first_tick_is_that_of_now(loops: Callable[..., Loop]) -> None:
    # Models load for seconds between the making of the clock and the run.
    clock = HandClock(PERIOD_NS)
    clock.t_ns = 1_000 * MS
    target = loops(clock)
    seen = taps(target)
    target.run(until=after(2))
    assert indices(seen)[0] == pytest.approx(51, abs=1)
    assert len(seen) <= 3


def test_a_long_stall_is_skipped_and_a_short_one_caught_up(loops: Callable[..., Loop]) -> None:
    target = loops()
    assert isinstance(target.clock, HandClock)
    seen = taps(target)
    target.run(until=after(2))
    target.clock.t_ns += (MAX_LATE_TICKS - 2) * PERIOD_NS
    target._tick()
    assert indices(seen) == list(range(indices(seen)[0], indices(seen)[-1] + 1))
    assert len(seen) >= MAX_LATE_TICKS
    before = len(seen)
    target.clock.t_ns += (MAX_LATE_TICKS + 10) * PERIOD_NS
    target._tick()
    assert len(seen) == before + 1


def test_a_posted_event_gets_the_time_of_its_arrival(loops: Callable[..., Loop]) -> None:
    target = loops()
    seen = taps(target)
    target.post(paused(end=1, t_ns=3))
    target.post(paused(end=2, t_ns=10**15), stamp=False)
    target.run(until=after(4))
    found = [event for event in seen if isinstance(event, e.SpeechPaused)]
    assert indices(found) == [1, 2]
    now_ns = target.clock.now_ns()
    assert all(3 < event.t_ns < now_ns for event in found), "and none comes from the future"


def test_what_waits_is_moved_even_when_ticks_take_all_the_time(loops: Callable[..., Loop]) -> None:
    target = loops()
    seen = taps(target)
    for index in range(10):
        target.post(paused(end=index))
    target.run(until=after(3))
    assert indices(event for event in seen if isinstance(event, e.SpeechPaused)) == list(range(10))


def test_stop_ends_a_run_that_is_flooded(loops: Callable[..., Loop]) -> None:
    target = loops(HandClock())  # time stands still: this period never ends by itself

    def on(event: e.Event) -> list[e.Event]:
        if indices([event]) == [3]:
            target.stop()
        return []

    target.add(Probe("stopper", on), ["speech.paused"])
    for index in range(100):
        target.post(paused(end=index))
    target.run()
    assert len(target._inbox) == 96


def test_a_lane_works_and_its_results_are_outside_events(loops: Callable[..., Loop]) -> None:
    target = loops()
    threads: set[str] = set()

    def work(event: e.Event) -> Iterator[e.Event]:
        threads.add(threading.current_thread().name)
        yield token(indices([event])[0])
        yield token(indices([event])[0] + 100)

    result = Probe("result")
    target.add(Probe("worker", work), ["speech.paused"], lane="llm")
    target.add(result, ["token.made"])
    for index in range(3):
        target.post(paused(end=index))
    target.run(until=lambda: len(result.got) == 6)
    assert indices(result.got) == [0, 100, 1, 101, 2, 102]
    assert threads == {"lane-llm"}
    assert not target.busy


def test_busy_until_everything_a_lane_gave_has_been_moved(loops: Callable[..., Loop]) -> None:
    # Work bounces between two lanes; if the loop ever looked idle too early, some would be missing.
    target = loops(HandClock(MS))
    hops = 200

    def bounce(event: e.Event) -> list[e.Event]:
        index = indices([event])[0]
        if index >= hops:
            return []
        return [token(index + 1)] if isinstance(event, e.SpeechPaused) else [paused(end=index + 1)]

    left, right = Probe("left", bounce), Probe("right", bounce)
    target.add(left, ["speech.paused"], lane="left")
    target.add(right, ["token.made"], lane="right")
    target.post(paused(end=0))
    assert target.busy
    target.run(until=lambda: not target.busy)
    assert len(left.got) + len(right.got) == hops + 1


def test_a_stale_worker_is_told_and_never_heard(loops: Callable[..., Loop]) -> None:
    target = loops()
    begun, told = threading.Event(), threading.Event()

    class Worker(Probe):
        def on(self, event: e.Event) -> Iterator[e.Event]:
            begun.set()
            assert told.wait(5)
            yield token(epoch=event.epoch)
            yield e.ReplyWritten(t_ns=0, epoch=event.epoch, reason="cancelled")

        def cancel(self, epoch: int) -> None:
            if epoch == 1:
                told.set()

    target.add(Worker("llm"), ["reply.start"], lane="llm")
    seen = taps(target)
    target.publish(start(1))
    assert begun.wait(5)
    target.publish(cancel(1))
    target.run(until=lambda: "reply.written" in topics(seen))
    assert "token.made" not in topics(seen)


def test_stale_work_is_not_begun(loops: Callable[..., Loop]) -> None:
    target = loops()
    gate = threading.Event()
    worked: list[int] = []

    def work(event: e.Event) -> list[e.Event]:
        worked.append(event.epoch)
        assert gate.wait(5)
        return []

    target.add(Probe("tts", work), ["phrase.released"], lane="tts")
    for epoch in (1, 1, 2):
        target.publish(
            e.PhraseReleased(t_ns=0, epoch=epoch, index=0, written="", spoken="", char_start=0)
        )
    target.publish(cancel(1))
    gate.set()
    target.run(until=lambda: not target.busy)
    assert worked in ([1, 2], [2]), "the first may have begun before the cancel, the second not"


def test_a_lanes_exception_becomes_an_event(loops: Callable[..., Loop]) -> None:
    target = loops(strict=False)
    seen = taps(target)
    target.add(Probe("poor", failing), ["speech.paused"], lane="asr")
    target.post(paused())
    target.run(until=lambda: "node.failed" in topics(seen))
    target.post(paused())
    target.run(until=lambda: topics(seen).count("node.failed") == 2)


def test_strict_raises_a_lanes_exception_where_the_loop_runs(loops: Callable[..., Loop]) -> None:
    target = loops()
    target.add(Probe("poor", failing), ["speech.paused"], lane="asr")
    target.post(paused())
    with pytest.raises(ValueError, match="no good"):
        target.run()


def test_an_exit_in_a_lane_does_not_leave_the_loop_waiting(loops: Callable[..., Loop]) -> None:
    target = loops(strict=False)

    def leave(event: e.Event) -> list[e.Event]:
        raise SystemExit(3)

    target.add(Probe("leaver", leave), ["speech.paused"], lane="asr")
    target.post(paused())
    with pytest.raises(SystemExit):
        target.run()


def test_close_ends_a_lane_that_waits_for_room(loops: Callable[..., Loop]) -> None:
    target = loops()
    full, ended = threading.Event(), threading.Event()

    def flood(event: e.Event) -> Iterator[e.Event]:
        try:
            for index in range(10**9):
                if index == INBOX_DEPTH:
                    full.set()
                yield paused(end=index)
        finally:
            ended.set()

    target.add(Probe("flood", flood), ["clock.ticked"], lane="llm")
    target.publish(tick())
    assert full.wait(10)
    target.close()
    assert ended.is_set(), "the generator was closed too"


def test_close_cancels_the_call_in_progress(loops: Callable[..., Loop]) -> None:
    target = loops()
    begun, told = threading.Event(), threading.Event()

    class Worker(Probe):
        def on(self, event: e.Event) -> list[e.Event]:
            begun.set()
            assert told.wait(5)
            return []

        def cancel(self, epoch: int) -> None:
            told.set()

    target.add(Worker("llm"), ["clock.ticked"], lane="llm")
    target.publish(tick())
    assert begun.wait(5)
    target.close()
    assert told.is_set()


def test_close_ends_the_lanes_before_it_closes_their_nodes(loops: Callable[..., Loop]) -> None:
    target = loops()
    order: list[str] = []
    begun = threading.Event()

    class Worker(Probe):
        def on(self, event: e.Event) -> list[e.Event]:
            begun.set()
            assert stopped.wait(5)
            order.append("worked")
            return []

        def close(self) -> None:
            order.append("closed")

    stopped = target._stopped
    target.add(Worker("llm"), ["clock.ticked"], lane="llm")
    target.publish(tick())
    assert begun.wait(5)
    target.close()
    assert order == ["worked", "closed"]


# ── the source ───────────────────────────────────────────────────────────────────────────────


class HandWait:
    """Stands for the loop's `stopped`: waiting moves the clock instead of taking time."""

    def __init__(self, clock: HandClock) -> None:
        self._clock = clock
        self.waits_ms: list[int] = []
        self._set = False

    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        self._set = True

    def wait(self, timeout_s: float) -> bool:
        self.waits_ms.append(round(timeout_s * 1000))
        self._clock.t_ns += round(timeout_s * 1000) * MS
        return self._set


def test_a_source_is_paced_by_the_clock(loops: Callable[..., Loop]) -> None:
    clock = HandClock()
    target = loops(clock)
    stopped = HandWait(clock)
    target._stopped = stopped  # type: ignore[assignment]
    target.feed(paused(end=end, t_ns=end * MS) for end in (0, 30, 30, 70))
    target._threads[0].join(5)
    assert stopped.waits_ms == [0, 30, 0, 40]
    moved = [target._inbox.take(0) for _ in range(4)]
    assert [item and item[0].t_ns for item in moved] == [0, 30 * MS, 30 * MS, 70 * MS]
    assert all(item and not item[1] for item in moved), "they keep their own time"


def test_close_ends_a_source_that_waits_for_its_time(loops: Callable[..., Loop]) -> None:
    closed = threading.Event()

    def far() -> Iterator[e.Event]:
        try:
            yield paused(t_ns=10**18)
        finally:
            closed.set()

    target = loops(HandClock())
    target.feed(far())
    target.close()
    assert closed.wait(5), "and the source gave back its file"


def test_close_ends_a_source_that_waits_for_room(loops: Callable[..., Loop]) -> None:
    full = threading.Event()

    def flood() -> Iterator[e.Event]:
        for index in range(10**9):
            if index == INBOX_DEPTH:
                full.set()
            yield paused(end=index)

    target = loops(HandClock())
    target.feed(flood())
    assert full.wait(10)
    target.close()
    target._threads[0].join(0)
    assert not target._threads[0].is_alive()


def broken() -> Iterator[e.Event]:
    yield paused(end=1)
    raise OSError("unplugged")


def test_a_source_that_fails_is_an_event(loops: Callable[..., Loop]) -> None:
    target = loops(strict=False)
    seen = taps(target)
    target.feed(broken())
    target.run(until=lambda: "node.failed" in topics(seen))
    (failed,) = [event for event in seen if isinstance(event, e.NodeFailed)]
    assert (failed.node, failed.error) == ("source", "unplugged")
    assert "speech.paused" in topics(seen)


def test_strict_raises_what_a_source_raises(loops: Callable[..., Loop]) -> None:
    target = loops()
    target.feed(broken())
    with pytest.raises(OSError, match="unplugged"):
        target.run()
