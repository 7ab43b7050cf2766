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
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Protocol

from visavis.flow.bus import Bus
from visavis.flow.clock import NS_PER_MS, NS_PER_S, Clock, SystemClock
from visavis.flow.events import ClockTicked, Event, NodeFailed
from visavis.flow.lane import Lane
from visavis.flow.mailbox import Mailbox, Subscription
from visavis.flow.node import Cancellable, Closable, Node, failure

log = logging.getLogger(__name__)
PERIOD_MS = 20
"""One output period: the grain of playback and of a stop."""

INBOX_DEPTH = 4096
# What waits in the inbox gets at least so many turns a period, however late the loop is.
MIN_TURNS = 64
# A stall longer than this many periods (a suspended laptop) is skipped, not caught up with.
MAX_LATE_TICKS = 100
# One outside event leads to a few dozen others; more than this are nodes that feed each other.
MAX_CASCADE = 100_000


class Workplace(Protocol):
    """A lane as the line sees it: where a node's events wait."""

    @property
    def mailbox(self) -> Mailbox: ...


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
        """Whether a lane works or has work waiting. Exact on the loop's thread, as in `until`."""
        return any(lane.mailbox.busy for lane in self.lanes.values())

    def publish(self, event: Event) -> None:
        """Publishes an outside event and runs inline nodes until all is quiet."""
        self.bus.publish(event)
        self.settle()

    def settle(self) -> None:
        """Runs inline nodes until none has an event waiting, and nothing has gone wrong."""
        bus, ready = self.bus, self._ready
        for _ in range(MAX_CASCADE):
            if (entry := ready.take()) is not None:
                subscription, event = entry
                if bus.deliverable(subscription, event, bus.now_ns):
                    for outcome in self.guarded(subscription, event):
                        bus.publish(outcome)
            elif (failed := bus.next_failure()) is not None:
                bus.publish(failed)
            else:
                return
        entry = ready.take()
        raise AssertionError(f"nodes feed each other without end, now {entry and entry[1].topic}")

    def guarded(self, subscription: Subscription, event: Event) -> Generator[Event, None, None]:
        """What the node gives for the event; an exception becomes one more event."""
        node = subscription.node
        try:
            yield from node.on(event)
        except Exception as error:
            # No exception crosses the bus: whatever a node does, the session lives on.
            if self.strict:
                raise
            log.exception("node %s failed on %s", node.name, event.topic)
            if not isinstance(event, NodeFailed):  # its own failure would come back for ever
                yield failure(node.name, event, error)

    def close(self) -> None:
        """Gives back what the nodes hold; the last in the line first. May be called twice."""
        for node in reversed(self.nodes):
            if isinstance(node, Closable):
                try:
                    node.close()
                except Exception:  # the others must be closed all the same
                    log.exception("node %s failed to close", node.name)

    def _sourced(self, events: Iterator[Event]) -> Generator[Event, None, None]:
        # A source's events; its exception becomes the last of them, as with any node.
        try:
            yield from events
        except Exception as error:
            if self.strict:
                raise
            log.exception("the source failed")
            yield NodeFailed(t_ns=self.bus.now_ns, node="source", on="", error=str(error))

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
        """The oldest entry; None when there is none within the time."""
        with self._changed:
            if not self._items and timeout_s > 0:
                self._changed.wait(timeout_s)
            if not self._items:
                return None
            item = self._items.popleft()
            self._changed.notify_all()
            return item

    def close(self) -> None:
        """Lets waiting posters go and takes nothing more."""
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
        self._crash: BaseException | None = None
        self._ticks = 0

    @property
    def busy(self) -> bool:
        # Lanes first: a lane is busy until what it gave is in the inbox.
        return super().busy or len(self._inbox) > 0

    def post(self, event: Event, *, stamp: bool = True) -> None:
        """Hands in an event from another thread; waits while the inbox is full."""
        self._inbox.put(event, stamp=stamp)

    def feed(self, events: Iterable[Event]) -> None:
        """Posts timed events when their time has come, on a thread of their own.

        An iterator that waits for a device must come back now and then, or `close` leaves it.
        """
        thread = threading.Thread(target=self._feed, args=(iter(events),), name="source")
        thread.daemon = True
        thread.start()
        self._threads.append(thread)

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Moves events until `until()` holds (asked once a period) or `stop` is called.

        The first tick is that of the period in which `run` is called. Raises what a lane or a
        source raised if it was no node's failure, or the loop is strict.
        """
        self._ticks = max(self._ticks, self._period())
        while not self._stopped.is_set() and not until():
            self._tick()
            self._move_until(self._ticks * PERIOD_MS * NS_PER_MS)
        if self._crash is not None:
            raise self._crash

    def stop(self) -> None:
        """Makes `run` return within a period. For good: a stopped loop does not run again.

        From any thread, and from a signal handler.
        """
        if not self._stopped.is_set():  # a second Ctrl-C may come while the first holds its lock
            self._stopped.set()

    def crash(self, error: BaseException) -> None:
        """Makes `run` raise `error`. From any thread."""
        self._crash = self._crash or error
        self._stopped.set()

    def close(self) -> None:
        """Ends all threads, then the nodes. After `run` has returned."""
        self._stopped.set()
        self._inbox.close()
        lanes = [lane for lane in self.lanes.values() if isinstance(lane, Lane)]
        for lane in lanes:
            lane.mailbox.close()
        try:
            self.bus.cancel_all()
        finally:
            for lane in lanes:
                lane.close()
            for thread in self._threads:
                thread.join(timeout=2)
            super().close()

    def _period(self) -> int:
        return self.clock.now_ns() // (PERIOD_MS * NS_PER_MS)

    def _tick(self) -> None:
        due = self._period()
        if due - self._ticks > MAX_LATE_TICKS:
            log.warning("stalled for %d ms", (due - self._ticks) * PERIOD_MS)
            self._ticks = due
        now_ns = self.clock.now_ns()
        while self._ticks <= due:
            self.publish(ClockTicked(t_ns=now_ns, index=self._ticks))
            self._ticks += 1

    def _move_until(self, t_ns: int) -> None:
        turns = min(len(self._inbox), MIN_TURNS)
        while not self._stopped.is_set():
            left_ns = t_ns - self.clock.now_ns()
            if left_ns <= 0 and turns <= 0:
                return
            self._move(max(0, left_ns) / NS_PER_S)
            turns -= 1

    def _move(self, timeout_s: float) -> None:
        item = self._inbox.take(timeout_s)
        if item is None:
            return
        event, stamp = item
        now_ns = self.clock.now_ns()
        # A device's clock may run ahead of ours; nothing comes from the future.
        self.publish(replace(event, t_ns=now_ns) if stamp or event.t_ns > now_ns else event)

    def _feed(self, events: Iterator[Event]) -> None:
        try:
            with closing(self._sourced(events)) as sourced:
                for event in sourced:
                    wait_ns = max(0, event.t_ns - self.clock.now_ns())
                    if self._stopped.wait(wait_ns / NS_PER_S):
                        return
                    self.post(event, stamp=False)
        except BaseException as error:  # noqa: BLE001 - handed to the thread that runs the loop
            self.crash(error)

    def _open_lane(self, name: str) -> Lane:
        return Lane(name, self)
