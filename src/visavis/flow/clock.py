"""The clock: the only file that reads one. Times are nanoseconds since the session began.

`spend` is how a fake backend takes time: it sleeps under the system clock and is billed to the
running job under the simulated one. `measure` bills what real work took, so that real models can
run under the simulated clock as if each lane had a core of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


class Clock(Protocol):
    """Where time comes from."""

    def now_ns(self) -> int:
        """Nanoseconds on the session axis; never runs backwards."""

    def spend(self, duration_ns: int) -> None:
        """Takes `duration_ns` of the session's time in the calling job."""


class SystemClock:
    """Monotonic real time."""

    def __init__(self) -> None:
        self._origin_ns = time.monotonic_ns()

    def now_ns(self) -> int:
        return time.monotonic_ns() - self._origin_ns

    def spend(self, duration_ns: int) -> None:
        time.sleep(duration_ns / NS_PER_S)


class SimulatedClock:
    """Time that moves only when the loop moves it. Not for use from several threads.

    `bill_work`: the run time of real jobs is measured and billed; off, jobs are free and only
    `spend` costs, which makes a run repeatable to the bit.
    """

    def __init__(self, *, bill_work: bool = False) -> None:
        self.bill_work = bill_work
        self._now_ns = 0
        self._bill_ns = 0

    def now_ns(self) -> int:
        return self._now_ns

    def spend(self, duration_ns: int) -> None:
        assert duration_ns >= 0
        self._bill_ns += duration_ns

    def move_to(self, t_ns: int) -> None:
        """Moves forward to `t_ns`."""
        assert t_ns >= self._now_ns, f"time ran backwards: {t_ns} < {self._now_ns}"
        self._now_ns = t_ns

    def measure(self, work: Callable[[], T]) -> tuple[T, int]:
        """Runs `work`; returns its result and the nanoseconds to bill for it."""
        self._bill_ns = 0
        began_ns = time.perf_counter_ns()
        result = work()
        if self.bill_work:
            self._bill_ns += time.perf_counter_ns() - began_ns
        bill_ns, self._bill_ns = self._bill_ns, 0
        return result, bill_ns


def wall_time_ns() -> int:
    """Unix time, for naming recordings; never for ordering events."""
    return time.time_ns()
