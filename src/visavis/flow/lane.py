"""A lane: one thread that runs one heavy call at a time.

Takes events from its bounded mailbox, runs their node, and posts what the node gives back to the
loop. Invariant: stale work is not begun, and what a stale worker gives is dropped by the bus.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Protocol

from visavis.flow.bus import Bus, Mailbox, Subscription
from visavis.flow.clock import Clock
from visavis.flow.events import Event


class Host(Protocol):
    """The loop, as a lane needs it."""

    clock: Clock
    bus: Bus

    def post(self, event: Event, *, stamp: bool = True) -> None: ...

    def guarded(self, subscription: Subscription, event: Event) -> Iterator[Event]: ...


class Lane:
    """A thread with a mailbox."""

    def __init__(self, name: str, host: Host) -> None:
        self.mailbox = Mailbox()
        self._host = host
        self._closing = False
        self._thread = threading.Thread(target=self._work, name=f"lane-{name}", daemon=True)
        self._thread.start()

    def close(self, timeout_s: float = 5) -> None:
        """Ends the thread after the call in progress."""
        self._closing = True
        self.mailbox.wake()
        self._thread.join(timeout_s)

    def _work(self) -> None:
        while not self._closing:
            entry = self.mailbox.take(timeout_s=None)
            if entry is None:
                continue
            subscription, event = entry
            if self._host.bus.deliverable(subscription, event, self._host.clock.now_ns()):
                for outcome in self._host.guarded(subscription, event):
                    self._host.post(outcome)
            self.mailbox.done()
