"""The simulated loop: the same nodes, one thread, a clock that jumps to whatever comes next.

A lane is a queue with one server: its job takes the simulated time that the backend spends (a
fake's `clock.spend`) or, with real models, the time its work really took (`bill_work`). So a
ten-minute conversation runs as fast as its models compute, and with fakes the same seed gives the
same run to the bit. Invariant: nothing here depends on real time or on thread scheduling.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace

from visavis.flow.clock import NS_PER_MS, SimulatedClock
from visavis.flow.events import ClockTicked, Event
from visavis.flow.line import Line
from visavis.flow.loop import PERIOD_MS
from visavis.flow.mailbox import Mailbox


class SimulatedLane:
    """A lane without a thread."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self.mailbox = Mailbox()
        self._loop = loop
        self._steps: Generator[Event, None, None] | None = None

    def kick(self) -> None:
        """Begins the next job if idle."""
        while self._steps is None and (entry := self.mailbox.take()) is not None:
            subscription, event = entry
            if self._loop.bus.deliverable(subscription, event, self._loop.clock.now_ns()):
                self._steps = self._loop.guarded(subscription, event)
                self._step()
            else:
                self.mailbox.done()

    def close(self) -> None:
        """Abandons the job in hand."""
        if self._steps is not None:
            self._steps.close()

    def _step(self) -> None:
        assert self._steps is not None
        steps = self._steps
        outcome, bill_ns = self._loop.clock.measure(lambda: next(steps, None))
        self._loop.after(bill_ns, lambda: self._deliver(outcome))

    def _deliver(self, outcome: Event | None) -> None:
        if outcome is None:
            self._steps = None
            self.mailbox.done()
            return
        self._loop.publish(replace(outcome, t_ns=self._loop.clock.now_ns()))
        self._step()


class SimulatedLoop(Line):
    """A loop in simulated time. Everything happens inside `run`."""

    clock: SimulatedClock

    def __init__(self, clock: SimulatedClock | None = None, *, strict: bool = True) -> None:
        super().__init__(clock or SimulatedClock(), strict=strict)
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._ticks = 0
        self._stopped = False
        self.after(0, self._tick)

    def at(self, t_ns: int, action: Callable[[], None]) -> None:
        """Schedules `action` at a time on the session axis, or now if that is past."""
        due_ns = max(t_ns, self.clock.now_ns())
        heapq.heappush(self._agenda, (due_ns, next(self._order), action))

    def after(self, delay_ns: int, action: Callable[[], None]) -> None:
        """Schedules `action` so many nanoseconds from now."""
        self.at(self.clock.now_ns() + delay_ns, action)

    def post(self, event: Event, *, stamp: bool = True) -> None:
        """Hands in an event: now (`stamp`), or at its own time."""
        if stamp:
            self.after(0, lambda: self.publish(replace(event, t_ns=self.clock.now_ns())))
        else:
            self.at(event.t_ns, lambda: self.publish(event))

    def feed(self, events: Iterable[Event]) -> None:
        """Publishes timed events when their time comes; the next is asked for only then."""
        self._feed(self._sourced(iter(events)))

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Runs until `until()` holds (asked after every action) or `stop` is called."""
        while self._agenda and not self._stopped and not until():
            due_ns, _, action = heapq.heappop(self._agenda)
            self.clock.move_to(due_ns)
            action()
            self.settle()
            for lane in self.lanes.values():
                assert isinstance(lane, SimulatedLane)
                lane.kick()

    def stop(self) -> None:
        """Makes `run` return after the action in progress. For good, as with the real loop."""
        self._stopped = True

    def close(self) -> None:
        """Abandons what lanes have in hand, then closes the nodes."""
        self._stopped = True
        for lane in self.lanes.values():
            assert isinstance(lane, SimulatedLane)
            lane.close()
        super().close()

    def _tick(self) -> None:
        self.publish(ClockTicked(t_ns=self.clock.now_ns(), index=self._ticks))
        self._ticks += 1
        self.at(self._ticks * PERIOD_MS * NS_PER_MS, self._tick)

    def _feed(self, events: Iterator[Event]) -> None:
        event = next(events, None)
        if event is None:
            return
        found = event

        def deliver() -> None:
            self.publish(found)
            self._feed(events)

        self.at(found.t_ns, deliver)

    def _open_lane(self, name: str, background: bool) -> SimulatedLane:
        return SimulatedLane(self)
