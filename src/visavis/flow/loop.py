"""The loop: moves events from who gives them to who takes them, on one thread.

`Line` is what every loop shares: nodes that run inline are called one event at a time until all
is quiet, and only then comes the next event from outside. So the order of a run is fully given by
the order of the outside events, which is what makes a recording replayable.
`Loop` is the real one: system clock, a thread a lane, ticks each output period. Its simulated
twin is in flow/simulate.py. Invariant: no node of one lane ever runs twice at a time, and the
loop's thread never waits for a lane.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from visavis.flow.bus import Bus, Mailbox, Subscription
from visavis.flow.clock import NS_PER_MS, NS_PER_S, Clock, SystemClock
from visavis.flow.events import ClockTicked, Event, NodeFailed
from visavis.flow.lane import Lane
from visavis.flow.node import Cancellable, Closable, Node

log = logging.getLogger(__name__)
PERIOD_MS = 20
"""One output period: the grain of playback and of a stop."""

INBOX_DEPTH = 4096
# A stall longer than this many periods (a suspended laptop) is skipped, not caught up with.
MAX_LATE_TICKS = 100


class Workplace(Protocol):
    """A lane as the line sees it: where a node's events wait."""

    mailbox: Mailbox


class Line:
    """Nodes on a bus. `strict`: a node's exception is raised instead of becoming `node.failed`."""

    def __init__(self, clock: Clock, *, strict: bool = False) -> None:
        self.clock = clock
        self.bus = Bus(strict=strict)
        self.strict = strict
        self.nodes: list[Node] = []
        self.lanes: dict[str, Workplace] = {}
        self._ready = Mailbox()

    def add(self, node: Node, takes: Iterable[str], lane: str = "") -> None:
        """Subscribes `node` to topics; it runs inline, or in the lane of that name."""
        self.nodes.append(node)
        mailbox = self._ready
        if lane:
            if lane not in self.lanes:
                self.lanes[lane] = self._open_lane(lane)
            mailbox = self.lanes[lane].mailbox
            if isinstance(node, Cancellable):
                self.bus.on_raise(node.cancel)
        for topic in takes:
            self.bus.subscribe(node, topic, mailbox)

    @property
    def busy(self) -> bool:
        """Whether a lane works or has work waiting."""
        return any(lane.mailbox.busy for lane in self.lanes.values())

    def publish(self, event: Event) -> None:
        """Publishes an outside event and runs inline nodes until all is quiet."""
        self.bus.publish(event)
        self.settle()

    def settle(self) -> None:
        """Runs inline nodes until none has an event waiting."""
        while (entry := self._ready.take()) is not None:
            subscription, event = entry
            if not self.bus.deliverable(subscription, event, self.bus.now_ns):
                continue
            for outcome in self.guarded(subscription, event):
                self.bus.publish(outcome)

    def guarded(self, subscription: Subscription, event: Event) -> Iterator[Event]:
        """What the node gives for the event; an exception becomes one more event."""
        try:
            yield from subscription.node.on(event)
        except Exception as error:
            # No exception crosses the bus: whatever a node does, the session lives on.
            if self.strict:
                raise
            log.exception("node %s failed on %s", subscription.node.name, event.topic)
            yield self._failure(subscription.node, event, error)

    def close(self) -> None:
        """Gives back what the nodes hold."""
        for node in self.nodes:
            if isinstance(node, Closable):
                node.close()

    def _failure(self, node: Node, event: Event, error: Exception) -> NodeFailed:
        text = str(error) or type(error).__name__
        return NodeFailed(
            t_ns=event.t_ns,
            trace=event.trace,
            epoch=event.epoch,
            node=node.name,
            on=event.topic,
            error=text,
        )

    def _open_lane(self, name: str) -> Workplace:
        raise NotImplementedError


class Inbox:
    """Events from other threads, at most `depth`; a poster waits for room."""

    def __init__(self, depth: int = INBOX_DEPTH) -> None:
        self._items: deque[tuple[Event, bool]] = deque()
        self._depth = depth
        self._changed = threading.Condition()
        self._closed = False

    def put(self, event: Event, *, stamp: bool) -> None:
        """Adds an event; `stamp`: it gets its time on arrival. Dropped once closed."""
        with self._changed:
            while len(self._items) >= self._depth and not self._closed:
                self._changed.wait()
            if not self._closed:
                self._items.append((event, stamp))
                self._changed.notify_all()

    def take(self, timeout_s: float) -> tuple[Event, bool] | None:
        with self._changed:
            if not self._items and timeout_s > 0:
                self._changed.wait(timeout_s)
            if not self._items:
                return None
            item = self._items.popleft()
            self._changed.notify_all()
            return item

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def __len__(self) -> int:
        return len(self._items)


class Loop(Line):
    """The real loop. `run` is called on one thread; `post` and `stop` from any."""

    def __init__(self, clock: Clock | None = None, *, strict: bool = False) -> None:
        super().__init__(clock or SystemClock(), strict=strict)
        self._inbox = Inbox()
        self._threads: list[threading.Thread] = []
        self._stopped = threading.Event()
        self._ticks = 0

    @property
    def busy(self) -> bool:
        return super().busy or len(self._inbox) > 0

    def post(self, event: Event, *, stamp: bool = True) -> None:
        """Hands in an event from another thread; waits while the inbox is full."""
        self._inbox.put(event, stamp=stamp)

    def feed(self, events: Iterable[Event]) -> None:
        """Posts timed events when their time has come, on a thread of their own."""
        thread = threading.Thread(target=self._feed, args=(iter(events),), name="source")
        thread.daemon = True
        thread.start()
        self._threads.append(thread)

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Moves events until `until()` holds (asked once a period) or `stop` is called."""
        while not self._stopped.is_set() and not until():
            self._tick()
            self._move_until(self._ticks * PERIOD_MS * NS_PER_MS)

    def stop(self) -> None:
        """Makes `run` return within a period."""
        self._stopped.set()

    def close(self) -> None:
        self._stopped.set()
        self._inbox.close()
        for lane in self.lanes.values():
            assert isinstance(lane, Lane)
            lane.close()
        super().close()
        for thread in self._threads:
            thread.join(timeout=2)

    def _tick(self) -> None:
        now_ns = self.clock.now_ns()
        due = now_ns // (PERIOD_MS * NS_PER_MS)
        if due - self._ticks > MAX_LATE_TICKS:
            log.warning("stalled for %d ms", (due - self._ticks) * PERIOD_MS)
            self._ticks = due
        while self._ticks <= due:
            self.publish(ClockTicked(t_ns=now_ns, index=self._ticks))
            self._ticks += 1

    def _move_until(self, t_ns: int) -> None:
        while (left_ns := t_ns - self.clock.now_ns()) > 0:
            item = self._inbox.take(left_ns / NS_PER_S)
            if item is None:
                continue
            event, stamp = item
            self.publish(replace(event, t_ns=self.clock.now_ns()) if stamp else event)

    def _feed(self, events: Iterator[Event]) -> None:
        try:
            for event in events:
                wait_ns = event.t_ns - self.clock.now_ns()
                if wait_ns > 0 and self._stopped.wait(wait_ns / NS_PER_S):
                    return
                self.post(event, stamp=False)
        except Exception as error:  # noqa: BLE001 - reported as an event, like any node's failure
            self.post(NodeFailed(t_ns=0, node="source", on="", error=str(error)))

    def _open_lane(self, name: str) -> Lane:
        return Lane(name, self)
