"""The bus: takes every event, drops what is stale, hands the rest to who subscribed.

Only the loop's thread publishes. Invariants: time never runs backwards; no queue is longer than
its row of the table allows; an event of a reply that is over is dropped, at publication and again
at delivery. All drops are counted. What a tap, a cancel hook or a full queue goes wrong with is
kept as a `node.failed` for the loop to publish: no exception crosses the bus, unless `strict`.
"""

from __future__ import annotations

import logging
import sys
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from visavis.flow.events import Event, NodeFailed, ReplyCancel
from visavis.flow.mailbox import Mailbox, Overflow, Subscription
from visavis.flow.node import Node, failure
from visavis.flow.topics import TOPICS, Topic

log = logging.getLogger(__name__)
Argument = TypeVar("Argument")
Tap = Callable[[Event], None]

MAX_FAILURES = 64


class Fence:
    """The epoch below which everything is stale. Read from any thread, raised by the bus only."""

    def __init__(self) -> None:
        self.floor = 0

    def stale(self, epoch: int) -> bool:
        return epoch < self.floor


@dataclass(slots=True)
class TopicCount:
    """What became of a topic's events; all but `published` count its subscriptions together.

    `stale` includes what was stale already when it was published.
    """

    published: int = 0
    stale: int = 0
    expired: int = 0
    dropped: int = 0


@dataclass(slots=True, eq=False)
class _Route:
    topic: Topic
    published: int = 0
    stale: int = 0
    subscriptions: list[Subscription] = field(default_factory=list)

    def count(self) -> TopicCount:
        entries = self.subscriptions
        return TopicCount(
            published=self.published,
            stale=self.stale + sum(entry.stale for entry in entries),
            expired=sum(entry.expired for entry in entries),
            dropped=sum(entry.dropped for entry in entries),
        )


class Bus:
    """Routes events by the topic table. `now_ns` is the newest time seen: time never goes back."""

    def __init__(self, topics: Iterable[Topic] = TOPICS, *, strict: bool = False) -> None:
        self.fence = Fence()
        self.now_ns = 0
        self._strict = strict
        self._routes = {topic.event: _Route(topic) for topic in topics}
        self._by_name = {route.topic.name: route for route in self._routes.values()}
        self._taps: list[Tap] = []
        self._cancels: list[Callable[[int], None]] = []
        self._failures: deque[NodeFailed] = deque(maxlen=MAX_FAILURES)

    def subscribe(self, node: Node, topic_name: str, mailbox: Mailbox) -> Subscription:
        """Delivers the topic's events to `mailbox` for `node`. Raises `KeyError` if unknown."""
        route = self._by_name[topic_name]
        subscription = Subscription(route.topic, node, mailbox)
        route.subscriptions.append(subscription)
        return subscription

    def tap(self, tap: Tap) -> None:
        """Calls `tap` with every accepted event, in order, before anyone receives it.

        A tap that raises is not called again.
        """
        self._taps.append(tap)

    def on_raise(self, cancel: Callable[[int], None]) -> None:
        """Calls `cancel(epoch)` at once when replies up to `epoch` have become stale."""
        self._cancels.append(cancel)

    def publish(self, event: Event) -> bool:
        """Sends an event on its way; False when it was stale."""
        route = self._routes[type(event)]
        topic = route.topic
        if topic.fenced and event.epoch < self.fence.floor:
            route.stale += 1
            return False
        if event.t_ns < self.now_ns:
            # Stamped before something that overtook it: it becomes known only now.
            event = replace(event, t_ns=self.now_ns)
        else:
            self.now_ns = event.t_ns
        route.published += 1
        for tap in self._taps:
            if not self._attempt(tap, event, event):
                self._taps = [other for other in self._taps if other is not tap]
        if topic.raises:
            self._raise_to(event.epoch + (topic.raises == "next"), event)
        for subscription in route.subscriptions:
            try:
                subscription.mailbox.offer(subscription, event)
            except Overflow as error:
                self._failed(subscription.node.name, event, error)
        return True

    def deliverable(self, subscription: Subscription, event: Event, now_ns: int) -> bool:
        """Whether a queued event is still worth delivering; counts it when not."""
        topic = subscription.topic
        if topic.fenced and event.epoch < self.fence.floor:
            subscription.stale += 1
            return False
        if topic.max_age_ms is not None and now_ns - event.t_ns > topic.max_age_ms * 1_000_000:
            subscription.expired += 1
            return False
        return True

    def next_failure(self) -> NodeFailed | None:
        """What went wrong on the bus itself and has not been published yet, oldest first."""
        return self._failures.popleft() if self._failures else None

    def cancel_all(self) -> None:
        """Makes every reply stale and tells whoever works on one: the session is over."""
        last = sys.maxsize
        self._raise_to(last, ReplyCancel(t_ns=self.now_ns, epoch=last, reason="closed"))

    def counts(self) -> dict[str, TopicCount]:
        """What became of the events so far, by topic."""
        return {name: route.count() for name, route in self._by_name.items()}

    def subscriptions(self) -> list[Subscription]:
        """Every subscription, with its queue's peak and drops."""
        return [entry for route in self._routes.values() for entry in route.subscriptions]

    def _raise_to(self, floor: int, cause: Event) -> None:
        # At the same floor too: a reply that begins after a cancel ends what was prefilled since.
        if floor < self.fence.floor:
            return
        self.fence.floor = floor
        for cancel in self._cancels:
            self._attempt(cancel, floor - 1, cause)

    def _attempt(self, call: Callable[[Argument], None], argument: Argument, cause: Event) -> bool:
        try:
            call(argument)
        except Exception as error:  # noqa: BLE001 - reported as an event
            owner = getattr(call, "__self__", call)
            self._failed(str(getattr(owner, "name", type(owner).__name__)), cause, error)
            return False
        return True

    def _failed(self, who: str, cause: Event, error: Exception) -> None:
        if self._strict:
            raise error
        log.error("%s failed on %s", who, cause.topic, exc_info=error)
        self._failures.append(failure(who, cause, error))
