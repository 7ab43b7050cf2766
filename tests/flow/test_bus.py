from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.flow.nodes import Probe, cancel, indices, paused, start, tick, token
from visavis.flow import events as e
from visavis.flow.bus import MAX_FAILURES, Bus
from visavis.flow.mailbox import Mailbox, Overflow, Subscription
from visavis.flow.topics import BY_NAME, Topic

MS = 1_000_000


def subscribe(bus: Bus, topic: str, name: str = "probe") -> tuple[Mailbox, Subscription]:
    mailbox = Mailbox()
    return mailbox, bus.subscribe(Probe(name), topic, mailbox)


def waiting(mailbox: Mailbox) -> list[e.Event]:
    found = []
    while (entry := mailbox.take()) is not None:
        found.append(entry[1])
    return found


def test_an_event_goes_to_every_subscriber_of_its_topic_and_to_no_other() -> None:
    bus = Bus()
    first, _ = subscribe(bus, "clock.ticked")
    second, _ = subscribe(bus, "clock.ticked")
    other, _ = subscribe(bus, "token.made")
    assert bus.publish(tick(7))
    assert indices(waiting(first)) == indices(waiting(second)) == [7]
    assert waiting(other) == []


def test_an_unknown_topic_is_a_bug_at_once() -> None:
    with pytest.raises(KeyError):
        subscribe(Bus(), "clock.tikced")


def test_time_never_runs_backwards_across_topics() -> None:
    bus = Bus()
    seen: list[e.Event] = []
    bus.tap(seen.append)
    bus.publish(tick(t_ns=50))
    late = paused(t_ns=20)
    bus.publish(late)
    bus.publish(tick(t_ns=60))
    assert [event.t_ns for event in seen] == [50, 50, 60]
    assert late.t_ns == 20
    assert replace(seen[1], t_ns=20) == late
    assert bus.now_ns == 60


def test_an_event_in_order_travels_untouched() -> None:
    bus = Bus()
    mailbox, _ = subscribe(bus, "clock.ticked")
    event = tick(t_ns=5)
    bus.publish(event)
    assert waiting(mailbox)[0] is event


def test_stale_work_is_dropped_when_published() -> None:
    bus = Bus()
    mailbox, _ = subscribe(bus, "token.made")
    bus.publish(start(epoch=2))
    assert not bus.publish(token(epoch=1))
    assert bus.publish(token(epoch=2))
    assert len(waiting(mailbox)) == 1
    assert bus.counts()["token.made"].published == 1
    assert bus.counts()["token.made"].stale == 1


def test_stale_work_is_dropped_when_delivered() -> None:
    bus = Bus()
    mailbox, subscription = subscribe(bus, "token.made")
    bus.publish(start(epoch=1))
    bus.publish(token(epoch=1))
    bus.publish(cancel(epoch=1))
    (event,) = waiting(mailbox)
    assert not bus.deliverable(subscription, event, 0)
    assert subscription.stale == bus.counts()["token.made"].stale == 1


def test_what_is_not_fenced_outlives_its_reply() -> None:
    bus = Bus()
    mailbox, subscription = subscribe(bus, "reply.written")
    bus.publish(cancel(epoch=3))
    assert bus.publish(e.ReplyWritten(t_ns=0, epoch=3, reason="cancelled"))
    assert bus.deliverable(subscription, waiting(mailbox)[0], 0)


def test_a_start_makes_older_replies_stale_and_a_cancel_its_own_too() -> None:
    bus = Bus()
    bus.publish(start(epoch=4))
    assert [bus.fence.stale(epoch) for epoch in (3, 4, 5)] == [True, False, False]
    bus.publish(cancel(epoch=4))
    assert [bus.fence.stale(epoch) for epoch in (4, 5)] == [True, False]


def test_an_epoch_never_comes_back() -> None:
    bus = Bus()
    bus.publish(cancel(epoch=7))
    for late in (start(epoch=2), cancel(epoch=3), start(epoch=7)):
        bus.publish(late)
        assert bus.fence.floor == 8
    assert not bus.publish(token(epoch=7))


def test_what_waited_too_long_is_not_delivered() -> None:
    bus = Bus()
    _, subscription = subscribe(bus, "frame.captured")
    frame = e.FrameCaptured(t_ns=0, slot=0, generation=1, width=1, height=1)
    limit_ms = BY_NAME["frame.captured"].max_age_ms
    assert limit_ms is not None
    assert bus.deliverable(subscription, frame, limit_ms * MS)
    assert not bus.deliverable(subscription, frame, limit_ms * MS + 1)
    assert subscription.expired == bus.counts()["frame.captured"].expired == 1


def test_a_tap_sees_each_accepted_event_before_it_is_delivered() -> None:
    bus = Bus()
    mailbox, _ = subscribe(bus, "token.made")
    seen: list[tuple[str, int]] = []
    bus.tap(lambda event: seen.append((event.topic, len(mailbox))))
    bus.publish(start(epoch=2))
    bus.publish(token(epoch=2))
    bus.publish(token(epoch=1))
    assert seen == [("reply.start", 0), ("token.made", 0)]


def test_raising_tells_the_workers_at_once() -> None:
    bus = Bus()
    mailbox, _ = subscribe(bus, "reply.cancel")
    told: list[tuple[int, bool, int]] = []
    bus.on_raise(lambda epoch: told.append((epoch, bus.fence.stale(epoch), len(mailbox))))
    bus.publish(cancel(epoch=1))
    assert told == [(1, True, 0)], "stale already, and before anyone receives the command"
    bus.publish(start(epoch=2))
    assert told[-1][0] == 1, "what was prefilled between two replies is over too"
    bus.publish(start(epoch=5))
    assert told[-1][0] == 4
    bus.publish(cancel(epoch=2))
    assert len(told) == 3, "an old command says nothing new"


def test_at_the_end_of_the_session_every_reply_is_cancelled() -> None:
    bus = Bus()
    told: list[int] = []
    bus.on_raise(told.append)
    bus.cancel_all()
    assert told == [sys.maxsize - 1]
    assert not bus.publish(token(epoch=10**12))


def tiny_bus(*, strict: bool) -> tuple[Bus, Mailbox]:
    topics = [Topic(e.TokenMade, 1, 2), Topic(e.ClockTicked, 1, 2), Topic(e.NodeFailed, 1, 2)]
    bus = Bus(topics, strict=strict)
    mailbox, _ = subscribe(bus, "token.made", "slow")
    return bus, mailbox


def test_an_overload_is_counted_and_reported_and_reaches_the_others() -> None:
    bus, mailbox = tiny_bus(strict=False)
    other = Mailbox()
    bus.subscribe(Probe("fast"), "token.made", other)
    for index in range(3):
        bus.publish(token(index))
        if index < 2:
            other.take()
    assert indices(waiting(mailbox)) == [0, 1]
    assert indices(waiting(other)) == [2]
    failed = bus.next_failure()
    assert failed is not None
    assert (failed.node, failed.on, failed.epoch) == ("slow", "token.made", 1)
    assert bus.next_failure() is None
    assert bus.counts()["token.made"].dropped == 1


def test_strict_raises_an_overload() -> None:
    bus, _ = tiny_bus(strict=True)
    bus.publish(token(0))
    bus.publish(token(1))
    with pytest.raises(Overflow):
        bus.publish(token(2))


def test_unpublished_failures_are_bounded() -> None:
    bus, _ = tiny_bus(strict=False)
    for index in range(3 * MAX_FAILURES):
        bus.publish(token(index))
    kept = 0
    while bus.next_failure() is not None:
        kept += 1
    assert kept == MAX_FAILURES


class FullDisk:
    name = "record"

    def __init__(self) -> None:
        self.calls = 0

    def write(self, event: e.Event) -> None:
        self.calls += 1
        raise OSError("no space left")


def test_a_tap_that_raises_is_reported_and_not_called_again() -> None:
    bus = Bus()
    mailbox, _ = subscribe(bus, "clock.ticked")
    disk, seen = FullDisk(), list[e.Event]()
    bus.tap(disk.write)
    bus.tap(seen.append)
    bus.publish(tick(0))
    bus.publish(tick(1))
    assert disk.calls == 1
    assert indices(seen) == indices(waiting(mailbox)) == [0, 1]
    failed = bus.next_failure()
    assert failed is not None
    assert (failed.node, failed.on, failed.error) == ("record", "clock.ticked", "no space left")


def raising(told: list[int]) -> Callable[[int], None]:
    def hook(epoch: int) -> None:
        told.append(epoch)
        raise RuntimeError("cannot stop")

    return hook


def test_a_cancel_hook_that_raises_does_not_keep_the_others_from_being_told() -> None:
    bus = Bus()
    mailbox, _ = subscribe(bus, "reply.cancel")
    told: list[int] = []
    bus.on_raise(raising(told))
    bus.on_raise(told.append)
    bus.publish(cancel(epoch=1))
    assert told == [1, 1]
    assert len(waiting(mailbox)) == 1
    failed = bus.next_failure()
    assert failed is not None
    assert failed.error == "cannot stop"


def test_strict_raises_what_a_tap_or_hook_raises() -> None:
    bus = Bus(strict=True)
    bus.on_raise(raising([]))
    with pytest.raises(RuntimeError, match="cannot stop"):
        bus.publish(cancel(epoch=1))
    bus.tap(FullDisk().write)
    with pytest.raises(OSError, match="no space"):
        bus.publish(tick())


def test_every_subscription_shows_its_peak() -> None:
    bus = Bus()
    subscribe(bus, "clock.ticked")
    for index in range(4):
        bus.publish(tick(index))
    (subscription,) = bus.subscriptions()
    assert subscription.peak == 4
