from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.flow.nodes import Probe, indices, tick
from visavis.flow import events as e
from visavis.flow.mailbox import Mailbox, Overflow, Subscription
from visavis.flow.topics import Full, Topic


def subscribe(mailbox: Mailbox, full: Full, depth: int = 3) -> Subscription:
    return Subscription(Topic(e.ClockTicked, 50, depth, full), Probe(), mailbox)


def drain(mailbox: Mailbox) -> list[int]:
    found = []
    while (entry := mailbox.take()) is not None:
        found.append(entry[1])
    return indices(found)


@pytest.mark.parametrize(
    ("full", "depth", "kept"),
    [
        ("drop_oldest", 3, [2, 3, 4]),
        ("drop_newest", 3, [0, 1, 2]),
        ("latest_only", 1, [4]),
    ],
)
def test_a_full_queue_keeps_what_its_row_says_and_counts_the_rest(
    full: Full, depth: int, kept: list[int]
) -> None:
    mailbox = Mailbox()
    subscription = subscribe(mailbox, full, depth)
    for index in range(5):
        mailbox.offer(subscription, tick(index))
    assert len(mailbox) == subscription.peak == depth
    assert subscription.dropped == 5 - depth
    assert drain(mailbox) == kept
    assert subscription.waiting == 0


def test_a_queue_that_must_not_lose_anything_refuses_and_names_the_stuck_node() -> None:
    mailbox = Mailbox()
    subscription = subscribe(mailbox, "refuse")
    for index in range(3):
        mailbox.offer(subscription, tick(index))
    with pytest.raises(Overflow, match=r"probe: 3 clock\.ticked events wait"):
        mailbox.offer(subscription, tick(3))
    assert subscription.dropped == 1
    assert drain(mailbox) == [0, 1, 2]


def test_a_full_topic_does_not_push_out_another() -> None:
    mailbox = Mailbox()
    first, second = subscribe(mailbox, "drop_oldest", 1), subscribe(mailbox, "drop_oldest", 1)
    mailbox.offer(first, tick(10))
    for index in range(3):
        mailbox.offer(second, tick(index))
    assert drain(mailbox) == [10, 2]
    assert (first.dropped, second.dropped) == (0, 2)


def test_busy_until_the_last_entry_is_done() -> None:
    mailbox = Mailbox()
    assert not mailbox.busy
    mailbox.offer(subscribe(mailbox, "refuse"), tick())
    assert mailbox.busy
    mailbox.take()
    assert mailbox.busy
    mailbox.done()
    assert not mailbox.busy


POLICIES: list[tuple[Full, int]] = [("drop_oldest", 3), ("drop_newest", 2), ("latest_only", 1)]


@given(st.lists(st.one_of(st.integers(0, len(POLICIES) - 1), st.none()), max_size=80))
def test_bounds_order_and_counts_hold_for_any_mix(actions: list[Any]) -> None:
    # A number offers to that subscription, None takes.
    mailbox = Mailbox()
    subscriptions = [subscribe(mailbox, full, depth) for full, depth in POLICIES]
    offered, taken = [0] * len(POLICIES), [0] * len(POLICIES)
    order = []
    for serial, which in enumerate(actions):
        if which is not None:
            offered[which] += 1
            mailbox.offer(subscriptions[which], tick(serial))
        elif (entry := mailbox.take()) is not None:
            order.append(entry[1])
            taken[subscriptions.index(entry[0])] += 1
        for subscription in subscriptions:
            assert 0 <= subscription.waiting <= subscription.topic.depth
        assert len(mailbox) == sum(subscription.waiting for subscription in subscriptions)
    assert indices(order) == sorted(indices(order))
    for which, subscription in enumerate(subscriptions):
        assert offered[which] == taken[which] + subscription.dropped + subscription.waiting
