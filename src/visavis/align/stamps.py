"""Stamps: the times that a source writes on its frames, and which of them can be believed.

Takes each frame's stamp and when it arrived; gives when it was taken, on the axis of the arrivals,
or why it is to be dropped. Invariant: no time is later than its arrival, and as long as frames
come, no second passes without one that is given a time.

A stamp may wrap, repeat, come out of order, stand still, or jump with somebody's wall clock. One
that does not go with the ones before is not believed, until several in a row go with one another.
"""

from __future__ import annotations

from collections import deque
from typing import Literal

from visavis.align.envelope import Envelope
from visavis.flow.clock import NS_PER_MS, NS_PER_S

Drop = Literal["stale", "disordered"]

EARLY_NS = 100 * NS_PER_MS
"""Below the envelope by more: no frame is so much quicker than all before it."""
STALE_NS = 500 * NS_PER_MS
"""Above the envelope by more: what the frame shows is of no use for what is being said."""
REORDERED_NS = NS_PER_S
"""Behind the latest by less: one that was overtaken; by more: a clock that was put back."""
STILL_NS = NS_PER_S
"""A stamp that stays the same for longer says nothing."""
BLIND_NS = NS_PER_S
"""When everything has been dropped for so long, the next frame is believed whatever it says."""
# When a run of stamps that go with one another is believed.
RUN = 3
RUN_NS = 300 * NS_PER_MS
RUN_SPREAD_NS = 150 * NS_PER_MS


class Stamps:
    """Of one stream. `stamp_hz`, `stamp_bits`: as in `FrameCaptured`."""

    def __init__(self, stamp_hz: int, stamp_bits: int) -> None:
        assert stamp_hz > 0
        assert stamp_bits >= 0
        self.form = stamp_hz, stamp_bits
        self._hz, self._period = stamp_hz, 1 << stamp_bits if stamp_bits else 0
        self._first: int | None = None
        self._latest = 0, 0  # the latest that was believed, in ticks since the first; its arrival
        self._envelope = Envelope()
        self._run: deque[tuple[int, int]] = deque(maxlen=64)
        self._blind_since_ns: int | None = None

    def place(self, stamp: int, arrival_ns: int) -> int | Drop:
        """When the frame was taken, or why it is dropped. `arrival_ns` never goes back."""
        if self._first is None:
            self._first = stamp
            self._latest = 0, arrival_ns
            return self._believe([(0, arrival_ns)])
        ticks = self._unwrapped(stamp, arrival_ns)
        found = self._tried(ticks, arrival_ns)
        if isinstance(found, int):
            self._blind_since_ns = None
        elif self._blind_since_ns is None:
            self._blind_since_ns = arrival_ns
        elif arrival_ns - self._blind_since_ns >= BLIND_NS:
            self._blind_since_ns = None
            return self._begin_anew([(ticks, arrival_ns)])
        return found

    def _tried(self, ticks: int, arrival_ns: int) -> int | Drop:
        judged = self._judge(ticks, arrival_ns)
        if judged == "fits" and self._denies_run(ticks, arrival_ns):
            self._run.clear()
        elif self._is_run(ticks, arrival_ns):
            return self._begin_anew(list(self._run))
        if judged == "fits":
            return self._believe([(ticks, arrival_ns)])
        return arrival_ns if judged == "unlikely" else judged

    def _unwrapped(self, stamp: int, arrival_ns: int) -> int:
        """Ticks since the first stamp: of all it can mean, what is nearest to the clock."""
        assert self._first is not None
        ticks = stamp - self._first
        if not self._period:
            return ticks
        latest, latest_ns = self._latest
        expected = latest + (arrival_ns - latest_ns) * self._hz // NS_PER_S
        half = self._period // 2
        return expected + (ticks - expected + half) % self._period - half

    def _judge(self, ticks: int, arrival_ns: int) -> Drop | Literal["fits", "unlikely"]:
        stamp_ns, latest_ns = self._ns(ticks), self._ns(self._latest[0])
        if stamp_ns <= latest_ns:
            stands_still = ticks == self._latest[0] and arrival_ns - self._latest[1] > STILL_NS
            overtaken = latest_ns - stamp_ns <= REORDERED_NS
            return "disordered" if overtaken and not stands_still else "unlikely"
        late_ns = arrival_ns - stamp_ns - self._envelope.at(stamp_ns)
        if late_ns > STALE_NS:
            return "stale"
        return "fits" if late_ns >= -EARLY_NS else "unlikely"

    def _denies_run(self, ticks: int, arrival_ns: int) -> bool:
        """Whether a stamp that fits lies closer to the envelope than to those not believed.

        A clock put back by little fits again soon, only later than all before.
        """
        stamp_ns = self._ns(ticks)
        least_ns = min((at_ns - self._ns(at) for at, at_ns in self._run), default=0)
        line_ns = self._envelope.at(stamp_ns)
        return not self._run or arrival_ns - stamp_ns < (least_ns + line_ns) // 2

    def _is_run(self, ticks: int, arrival_ns: int) -> bool:
        """Whether the stamps that were not believed tell one and the same story by now."""
        if self._run and ticks <= self._run[-1][0]:
            self._run.clear()
        self._run.append((ticks, arrival_ns))
        later = [at_ns - self._ns(at) for at, at_ns in self._run]
        while max(later) - min(later) > RUN_SPREAD_NS:
            self._run.popleft()
            later.pop(0)
        return len(later) >= RUN and arrival_ns - self._run[0][1] >= RUN_NS

    def _begin_anew(self, seen: list[tuple[int, int]]) -> int:
        self._run.clear()
        self._envelope.reset()
        return self._believe(seen)

    def _believe(self, seen: list[tuple[int, int]]) -> int:
        """The time of the last of them."""
        for ticks, arrival_ns in seen:
            self._envelope.see(self._ns(ticks), arrival_ns - self._ns(ticks))
        self._latest = seen[-1]
        ticks, arrival_ns = seen[-1]
        stamp_ns = self._ns(ticks)
        return min(stamp_ns + self._envelope.at(stamp_ns), arrival_ns)

    def _ns(self, ticks: int) -> int:
        return ticks * NS_PER_S // self._hz
