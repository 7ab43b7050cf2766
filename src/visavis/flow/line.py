"""The line: nodes on a bus, and the rule by which they take turns. What every loop shares.

Nodes that run inline are called one event at a time until all is quiet, and only then comes the
next event from outside. So the order of a run is fully given by the order of the outside events,
which is what makes a recording replayable. Knows nothing of threads, nor of where time comes from.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable, Iterator
from typing import Protocol

from visavis.flow.bus import Bus
from visavis.flow.clock import Clock
from visavis.flow.errors import VisavisError
from visavis.flow.events import Event, NodeFailed
from visavis.flow.mailbox import Mailbox, Subscription
from visavis.flow.node import Cancellable, Closable, Node, Overtaken, failure

log = logging.getLogger(__name__)

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

    def add(
        self, node: Node, takes: Iterable[str], lane: str = "", *, background: bool = False
    ) -> None:
        """Subscribes `node` to topics; it runs inline, or in the lane of that name.

        `background`: the lane, if it is opened here, gives way to all others.
        """
        self.nodes.append(node)
        mailbox = self._ready
        if lane:
            if lane not in self.lanes:
                self.lanes[lane] = self._open_lane(lane, background)
            mailbox = self.lanes[lane].mailbox
            if isinstance(node, Cancellable):
                self.bus.on_raise(node.cancel)
            if isinstance(node, Overtaken):
                self.bus.tap(node.coming)
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
            _log(error, "node %s failed on %s", node.name, event.topic)
            if not isinstance(event, NodeFailed):  # its own failure would come back for ever
                yield failure(node.name, event, error)

    def close(self) -> None:
        """Gives back what the nodes hold; the last in the line first. May be called twice."""
        for node in reversed(self.nodes):
            if isinstance(node, Closable):
                try:
                    node.close()
                except Exception as error:  # noqa: BLE001 - the others must be closed as well
                    _log(error, "node %s failed to close", node.name)

    def _sourced(self, events: Iterator[Event]) -> Generator[Event, None, None]:
        # A source's events; its exception becomes the last of them, as with any node.
        try:
            yield from events
        except Exception as error:
            if self.strict:
                raise
            _log(error, "the source failed")
            yield NodeFailed(t_ns=self.bus.now_ns, node="source", on="", error=str(error))

    def _open_lane(self, name: str, background: bool) -> Workplace:
        raise NotImplementedError


def _log(error: Exception, what: str, *names: str) -> None:
    """An error that the world caused in a line; our own bugs with the way to them."""
    expected = isinstance(error, VisavisError)
    log.error(f"{what}: %s", *names, error, exc_info=None if expected else error)
