from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from tests.flow.nodes import HandClock, Probe, indices, paused, tick
from visavis.flow import events as e
from visavis.flow.bus import Bus
from visavis.flow.lane import Lane, LaneMailbox
from visavis.flow.mailbox import Entry, Subscription


class Host:
    """A loop that only keeps what lanes give it."""

    def __init__(self) -> None:
        self.clock = HandClock()
        self.bus = Bus()
        self.posted: list[e.Event] = []
        self.crashes: list[BaseException] = []

    def post(self, event: e.Event, *, stamp: bool = True) -> None:
        assert stamp, "what a lane gives gets its time when it arrives"
        self.posted.append(event)

    def guarded(self, subscription: Subscription, event: e.Event) -> Generator[e.Event, None, None]:
        yield from subscription.node.on(event)

    def crash(self, error: BaseException) -> None:
        self.crashes.append(error)


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def lane(host: Host) -> Iterator[Lane]:
    made = Lane("test", host)
    yield made
    made.close()
    assert not made._thread.is_alive()


def subscribe(host: Host, lane: Lane, node: Probe, topic: str = "clock.ticked") -> None:
    host.bus.subscribe(node, topic, lane.mailbox)


def test_one_call_at_a_time_in_order_of_arrival(host: Host, lane: Lane) -> None:
    running: list[str] = []
    order: list[str] = []
    finished = threading.Event()

    def work(name: str) -> Any:
        def on(event: e.Event) -> list[e.Event]:
            assert not running
            running.append(name)
            order.append(name + str(indices([event])[0]))
            running.remove(name)
            if order[-1] == "b4":
                finished.set()
            return []

        return on

    subscribe(host, lane, Probe("a", work("a")))
    subscribe(host, lane, Probe("b", work("b")))
    for index in range(5):
        host.bus.publish(tick(index))
    assert finished.wait(5)
    assert order == [name + str(index) for index in range(5) for name in "ab"]
    assert host.crashes == []


def test_what_a_node_yields_is_posted_at_once(host: Host, lane: Lane) -> None:
    finished = threading.Event()
    seen: list[int] = []

    def slowly(event: e.Event) -> Iterator[e.Event]:
        for end in range(3):
            yield paused(end=end)
            seen.append(len(host.posted))
        finished.set()

    subscribe(host, lane, Probe("slow", slowly))
    host.bus.publish(tick())
    assert finished.wait(5)
    assert seen == [1, 2, 3]


def test_stale_and_aged_work_is_not_begun(host: Host, lane: Lane) -> None:
    gate, finished = threading.Event(), threading.Event()

    def first(event: e.Event) -> list[e.Event]:
        assert gate.wait(5)
        return []

    eye = Probe("eye")

    def last(event: e.Event) -> list[e.Event]:
        finished.set()
        return []

    subscribe(host, lane, Probe("first", first), "clock.ticked")
    subscribe(host, lane, eye, "frame.captured")
    subscribe(host, lane, eye, "phrase.released")
    subscribe(host, lane, Probe("last", last), "speech.paused")
    host.bus.publish(tick())
    host.bus.publish(e.FrameCaptured(t_ns=0, slot=0, generation=1, width=1, height=1))
    host.bus.publish(
        e.PhraseReleased(t_ns=0, epoch=1, index=0, written="", spoken="", char_start=0)
    )
    host.bus.publish(paused())
    host.bus.publish(e.ReplyCancel(t_ns=0, epoch=1, reason=""))
    host.clock.t_ns = 501_000_000
    gate.set()
    assert finished.wait(5)
    assert eye.got == []
    counts = host.bus.counts()
    assert (counts["frame.captured"].expired, counts["phrase.released"].stale) == (1, 1)


def test_close_abandons_what_waits_and_what_is_still_to_come(host: Host, lane: Lane) -> None:
    begun, gate, closed = threading.Event(), threading.Event(), threading.Event()

    def endless(event: e.Event) -> Iterator[e.Event]:
        try:
            begun.set()
            assert gate.wait(5)
            while True:
                yield paused()
        finally:
            closed.set()

    node = Probe("endless", endless)
    subscribe(host, lane, node)
    host.bus.publish(tick(0))
    host.bus.publish(tick(1))
    assert begun.wait(5)
    lane.mailbox.close()
    gate.set()
    lane.close()
    assert closed.is_set()
    assert indices(node.got) == [0]
    assert host.posted == []


def test_a_stuck_lane_is_left_behind_and_named(
    host: Host, lane: Lane, caplog: pytest.LogCaptureFixture
) -> None:
    begun, gate = threading.Event(), threading.Event()

    def stuck(event: e.Event) -> list[e.Event]:
        begun.set()
        gate.wait(10)
        return []

    subscribe(host, lane, Probe("stuck", stuck))
    host.bus.publish(tick())
    assert begun.wait(5)
    lane.close(timeout_s=0)
    assert "lane-test is stuck" in caplog.text
    gate.set()


def test_what_is_no_nodes_failure_goes_to_the_loop(host: Host, lane: Lane) -> None:
    def broken(event: e.Event) -> list[e.Event]:
        raise KeyboardInterrupt

    subscribe(host, lane, Probe("broken", broken))
    host.bus.publish(tick())
    lane._thread.join(5)
    assert [type(error) for error in host.crashes] == [KeyboardInterrupt]


# ── its mailbox ──────────────────────────────────────────────────────────────────────────────


class Watched(deque[Entry]):
    """Asks from another thread, in the very middle of a `take`, whether the mailbox is busy."""

    def __init__(self, mailbox: LaneMailbox, answers: list[bool]) -> None:
        super().__init__()
        self._asking = threading.Thread(target=lambda: answers.append(mailbox.busy))

    def popleft(self) -> Entry:
        entry = super().popleft()
        self._asking.start()
        self._asking.join(0.05)
        return entry

    def joined(self) -> None:
        self._asking.join(5)


def test_it_is_busy_even_in_the_middle_of_a_take() -> None:
    mailbox = LaneMailbox()
    answers: list[bool] = []
    mailbox._items = watched = Watched(mailbox, answers)
    mailbox.offer(Bus().subscribe(Probe(), "clock.ticked", mailbox), tick())
    mailbox.take()
    watched.joined()
    assert answers == [True]
    mailbox.done()
    assert not mailbox.busy


def test_it_loses_nothing_between_two_threads() -> None:
    mailbox = LaneMailbox()
    subscription = Bus().subscribe(Probe(), "token.made", mailbox)
    taken: list[int] = []
    total = 500

    def work() -> None:
        while len(taken) < total and (entry := mailbox.take()) is not None:
            taken.extend(indices([entry[1]]))
            mailbox.done()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    for index in range(total):
        mailbox.offer(subscription, e.TokenMade(t_ns=0, text="", index=index))
    thread.join(10)
    assert taken == list(range(total))
    assert subscription.waiting == 0


def test_closed_it_gives_nothing_more() -> None:
    mailbox = LaneMailbox()
    mailbox.offer(Bus().subscribe(Probe(), "clock.ticked", mailbox), tick())
    mailbox.close()
    assert mailbox.take() is None


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority of their own")
@pytest.mark.parametrize("background", [False, True])
def test_a_lane_in_the_background_gives_way_and_no_other_thread_does(
    host: Host, background: bool
) -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    found: list[int] = []

    class Asking:
        name = "asking"

        def on(self, event: e.Event) -> Iterator[e.Event]:
            found.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
            yield event

    lane = Lane("light", host, background=background)
    host.bus.subscribe(Asking(), "clock.ticked", lane.mailbox)
    host.bus.publish(tick(0))
    while not found and not host.crashes:
        threading.Event().wait(0.001)
    lane.close()
    assert (found[0] > before) == background
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
