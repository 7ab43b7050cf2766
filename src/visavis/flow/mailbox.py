"""The mailbox: where a node's events wait for it, each topic within the bound of its row.

Takes events from the bus, gives them in order of arrival to whoever runs the node. Invariant: no
more than `topic.depth` events of one subscription wait; what is dropped is counted. For one
thread; the one that a lane's thread shares with the loop is in flow/lane.py.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from visavis.flow.errors import VisavisError
from visavis.flow.events import Event
from visavis.flow.node import Node
from visavis.flow.topics import Topic


class Overflow(VisavisError):
    """A queue that must not lose anything is full."""


@dataclass(slots=True, eq=False)
class Subscription:
    """One node's interest in one topic, with its counters.

    `dropped`: no room. `stale`, `expired`: waited until they were worth nothing; written by the
    thread that runs the node, all else by the loop's.
    """

    topic: Topic
    node: Node
    mailbox: Mailbox
    waiting: int = 0
    peak: int = 0
    dropped: int = 0
    stale: int = 0
    expired: int = 0


Entry = tuple[Subscription, Event]


class Mailbox:
    """A first-in-first-out queue over several topics."""

    def __init__(self) -> None:
        self._items: deque[Entry] = deque()
        self._in_hand = False

    @property
    def busy(self) -> bool:
        """Whether anything waits, or was taken and is not `done` yet."""
        return self._in_hand or bool(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def offer(self, subscription: Subscription, event: Event) -> None:
        """Adds the event, or does what its topic says when full. Raises `Overflow`."""
        if subscription.waiting >= subscription.topic.depth and not self._room(subscription):
            return
        subscription.waiting += 1
        subscription.peak = max(subscription.peak, subscription.waiting)
        self._items.append((subscription, event))

    def take(self) -> Entry | None:
        """The oldest entry, or None."""
        if not self._items:
            return None
        entry = self._items.popleft()
        entry[0].waiting -= 1
        self._in_hand = True
        return entry

    def done(self) -> None:
        """The entry last taken has been dealt with."""
        self._in_hand = False

    def _room(self, subscription: Subscription) -> bool:
        full = subscription.topic.full
        subscription.dropped += 1
        if full == "refuse":
            raise Overflow(
                f"{subscription.node.name}: {subscription.topic.depth} {subscription.topic.name}"
                " events wait already; the node is stuck or far too slow"
            )
        if full == "drop_newest":
            return False
        oldest = next(i for i, (owner, _) in enumerate(self._items) if owner is subscription)
        del self._items[oldest]
        subscription.waiting -= 1
        return True
