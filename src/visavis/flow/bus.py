"""The bus: takes every event, drops what is stale, hands the rest to who subscribed.

Not thread-safe but for `Mailbox`: only the loop's thread publishes. Invariants: a topic's time
never runs backwards; no queue is longer than its row of the table allows; an event of a reply
that is over is dropped, at publication and again at delivery. All drops are counted.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from visavis.flow.errors import VisavisError
from visavis.flow.events import Event
from visavis.flow.node import Node
from visavis.flow.topics import TOPICS, Topic

log = logging.getLogger(__name__)
Tap = Callable[[Event], None]


class Overflow(VisavisError):
    """A queue that must not lose anything is full."""


class Fence:
    """The epoch below which everything is stale. Read from any thread, raised by the bus only."""

    def __init__(self) -> None:
        self.floor = 0

    def stale(self, epoch: int) -> bool:
        return epoch < self.floor


@dataclass(slots=True, eq=False)
class Subscription:
    """One node's interest in one topic, with its counters."""

    topic: Topic
    node: Node
    mailbox: Mailbox
    waiting: int = 0
    peak: int = 0
    dropped: int = 0


class Mailbox:
    """A bounded first-in-first-out queue over several topics, each bounded by its own row."""

    def __init__(self) -> None:
        self._items: deque[tuple[Subscription, Event]] = deque()
        self._changed = threading.Condition()
        self._in_hand = False

    @property
    def busy(self) -> bool:
        """Whether anything waits, or was taken and is not `done` yet."""
        return self._in_hand or bool(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def offer(self, subscription: Subscription, event: Event) -> None:
        """Adds the event, or does what its topic says when full."""
        with self._changed:
            if subscription.waiting >= subscription.topic.depth and not self._room(subscription):
                return
            subscription.waiting += 1
            subscription.peak = max(subscription.peak, subscription.waiting)
            self._items.append((subscription, event))
            self._changed.notify()

    def take(self, timeout_s: float | None = 0) -> tuple[Subscription, Event] | None:
        """The oldest entry; None when there is none within the time (None = wait for ever)."""
        with self._changed:
            if not self._items and timeout_s != 0:
                self._changed.wait(timeout_s)
            if not self._items:
                return None
            subscription, event = self._items.popleft()
            subscription.waiting -= 1
            self._in_hand = True
            return subscription, event

    def done(self) -> None:
        """The entry last taken has been dealt with."""
        self._in_hand = False

    def wake(self) -> None:
        """Makes a waiting `take` return."""
        with self._changed:
            self._changed.notify_all()

    def _room(self, subscription: Subscription) -> bool:
        full = subscription.topic.full
        if full == "refuse":
            raise Overflow(
                f"{subscription.node.name}: {subscription.topic.depth} {subscription.topic.name}"
                " events wait already; the node is stuck or far too slow"
            )
        subscription.dropped += 1
        if full == "drop_newest":
            return False
        oldest = next(i for i, (owner, _) in enumerate(self._items) if owner is subscription)
        del self._items[oldest]
        subscription.waiting -= 1
        return True


@dataclass(slots=True)
class TopicCount:
    """What became of a topic's events."""

    published: int = 0
    stale: int = 0
    expired: int = 0


@dataclass(slots=True, eq=False)
class _Route:
    topic: Topic
    count: TopicCount = field(default_factory=TopicCount)
    subscriptions: list[Subscription] = field(default_factory=list)


class Bus:
    """Routes events by the topic table. `now_ns` is the newest time seen: time never goes back."""

    def __init__(self, topics: Iterable[Topic] = TOPICS, *, strict: bool = False) -> None:
        self.fence = Fence()
        self._strict = strict
        self.now_ns = 0
        self._routes = {topic.event: _Route(topic) for topic in topics}
        self._by_name = {route.topic.name: route for route in self._routes.values()}
        self._taps: list[Tap] = []
        self._cancels: list[Callable[[int], None]] = []

    def subscribe(self, node: Node, topic_name: str, mailbox: Mailbox) -> Subscription:
        """Delivers the topic's events to `mailbox` for `node`. Raises `KeyError` if unknown."""
        route = self._by_name[topic_name]
        subscription = Subscription(route.topic, node, mailbox)
        route.subscriptions.append(subscription)
        return subscription

    def tap(self, tap: Tap) -> None:
        """Calls `tap` with every accepted event, in order, before anyone receives it."""
        self._taps.append(tap)

    def on_raise(self, cancel: Callable[[int], None]) -> None:
        """Calls `cancel(epoch)` at once when replies up to `epoch` have become stale."""
        self._cancels.append(cancel)

    def publish(self, event: Event) -> bool:
        """Sends an event on its way; False when it was stale."""
        route = self._routes[type(event)]
        topic = route.topic
        if topic.fenced and event.epoch < self.fence.floor:
            route.count.stale += 1
            return False
        if event.t_ns < self.now_ns:
            # Stamped before something that overtook it: it becomes known only now.
            event = replace(event, t_ns=self.now_ns)
        else:
            self.now_ns = event.t_ns
        route.count.published += 1
        for tap in self._taps:
            tap(event)
        if topic.raises:
            self._raise_to(event.epoch + (topic.raises == "next"))
        for subscription in route.subscriptions:
            self._offer(subscription, event)
        return True

    def deliverable(self, subscription: Subscription, event: Event, now_ns: int) -> bool:
        """Whether a queued event is still worth delivering; counts it when not."""
        topic = subscription.topic
        if topic.fenced and event.epoch < self.fence.floor:
            self._routes[topic.event].count.stale += 1
            return False
        if topic.max_age_ms is not None and now_ns - event.t_ns > topic.max_age_ms * 1_000_000:
            self._routes[topic.event].count.expired += 1
            return False
        return True

    def counts(self) -> dict[str, TopicCount]:
        """Published, stale and expired, by topic."""
        return {name: route.count for name, route in self._by_name.items()}

    def subscriptions(self) -> list[Subscription]:
        """Every subscription, with its queue's peak and drops."""
        return [entry for route in self._routes.values() for entry in route.subscriptions]

    def _offer(self, subscription: Subscription, event: Event) -> None:
        try:
            subscription.mailbox.offer(subscription, event)
        except Overflow as error:
            if self._strict:
                raise
            subscription.dropped += 1
            log.error("%s", error)

    def _raise_to(self, floor: int) -> None:
        if floor <= self.fence.floor:
            return
        self.fence.floor = floor
        for cancel in self._cancels:
            cancel(floor - 1)
