"""The loop: moves events from who gives them to who takes them, on one thread, in real time.

System clock, a thread a lane, a thread a source, a tick each output period. Its simulated twin is
in flow/simulate.py. Invariant: no node of one lane ever runs twice at a time, and the loop's
thread never waits for a lane.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import replace

from visavis.flow.clock import NS_PER_MS, NS_PER_S, Clock, SystemClock
from visavis.flow.events import ClockTicked, Event
from visavis.flow.inbox import Inbox
from visavis.flow.lane import Lane
from visavis.flow.line import Line

log = logging.getLogger(__name__)
PERIOD_MS = 20
"""One output period: the grain of playback and of a stop."""

# What waits in the inbox gets at least so many turns a period, however late the loop is.
MIN_TURNS = 64
# A stall longer than this many periods (a suspended laptop) is skipped, not caught up with.
MAX_LATE_TICKS = 10


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

    def _open_lane(self, name: str, background: bool) -> Lane:
        return Lane(name, self, background=background)
