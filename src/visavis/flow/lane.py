"""A lane: one thread that runs one heavy call at a time.

Takes events from its bounded mailbox, runs their node, and posts what the node gives back to the
loop. Invariant: stale work is not begun, and what a stale worker gives is dropped by the bus.
A lane in the background has the cores that the others leave, where a system (Linux) can do that
for a thread.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Generator
from contextlib import closing, suppress
from typing import Protocol

from visavis.flow.bus import Bus
from visavis.flow.clock import Clock
from visavis.flow.events import Event
from visavis.flow.mailbox import Entry, Mailbox, Subscription

log = logging.getLogger(__name__)
NICE = 10
"""Of a lane in the background: a tenth of a core beside a thread that wants the whole."""


class Host(Protocol):
    """The loop, as a lane needs it."""

    @property
    def clock(self) -> Clock: ...

    @property
    def bus(self) -> Bus: ...

    def post(self, event: Event, *, stamp: bool = True) -> None: ...

    def guarded(self, subscription: Subscription, event: Event) -> Generator[Event, None, None]: ...

    def crash(self, error: BaseException) -> None: ...


class LaneMailbox(Mailbox):
    """A mailbox that the loop's thread fills and the lane's thread empties."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = False
        self._changed = threading.Condition()

    @property
    def busy(self) -> bool:
        with self._changed:
            return super().busy

    def offer(self, subscription: Subscription, event: Event) -> None:
        with self._changed:
            super().offer(subscription, event)
            self._changed.notify()

    def take(self) -> Entry | None:
        """Waits for the oldest entry; None once closed, whatever still waits."""
        with self._changed:
            while not self._items and not self.closed:
                self._changed.wait()
            return None if self.closed else super().take()

    def done(self) -> None:
        with self._changed:
            super().done()

    def close(self) -> None:
        """Ends the waiting of `take`, for good."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()


class Lane:
    """A thread with a mailbox."""

    def __init__(self, name: str, host: Host, *, background: bool = False) -> None:
        self.mailbox = LaneMailbox()
        self._host = host
        self._background = background
        self._thread = threading.Thread(target=self._work, name=f"lane-{name}", daemon=True)
        self._thread.start()

    def close(self, timeout_s: float = 5) -> None:
        """Ends the thread after the call in progress, or leaves it behind after `timeout_s`."""
        self.mailbox.close()
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            log.error("%s is stuck in a call and was left behind", self._thread.name)

    def _work(self) -> None:
        try:
            if self._background:
                _give_way()
            while (entry := self.mailbox.take()) is not None:
                self._serve(*entry)
                # Only now: what it gave is in the loop's inbox, so the line never looks idle.
                self.mailbox.done()
        except BaseException as error:  # noqa: BLE001 - a bug: handed to the thread that runs the loop
            self._host.crash(error)

    def _serve(self, subscription: Subscription, event: Event) -> None:
        host = self._host
        if not host.bus.deliverable(subscription, event, host.clock.now_ns()):
            return
        with closing(host.guarded(subscription, event)) as outcomes:
            for outcome in outcomes:
                if self.mailbox.closed:
                    return
                host.post(outcome)


def _give_way() -> None:
    """Lowers the priority of this thread alone."""
    if sys.platform == "linux":
        with suppress(OSError):  # a container may forbid it
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
