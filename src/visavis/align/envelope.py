"""The envelope: how a source's clock lies to ours, told from when its frames arrive.

Takes pairs of a stamp and how much later than the stamp it arrived; gives the line beneath them
all, which is the offset between the clocks and how it changes. Invariant: no pair of the window
lies below the line by as much as a millisecond. What is the same delay for all cannot be told from
the offset, and counts as none.

The line below all pairs that lies closest to them over all (Moon, Skelly and Towsley, Infocom
1999) is the edge of their lower hull above the middle of the window.
"""

from __future__ import annotations

from collections import deque

from visavis.flow.clock import NS_PER_MS, NS_PER_S

BIN_NS = NS_PER_S // 4
"""Of the pairs in one bin, only the lowest counts."""
WINDOW_NS = 20 * NS_PER_S
SPAN_NS = 4 * NS_PER_S
"""From a window shorter than this no drift can be told."""
MOST = 1.5e-3
"""Drift; frames counted as 30 a second that are 29.97 make 1.0e-3."""
JOLT_NS = 20 * NS_PER_MS
"""A pair so far below the line tells that all before it were held up, or that a clock stepped."""

Pair = tuple[int, int]


class Envelope:
    """Of the last 20 s. `drift`: how much slower than ours the source's clock runs."""

    def __init__(self) -> None:
        self.drift = 0.0
        self._bins: deque[Pair] = deque()
        self._base = 0.0

    def reset(self) -> None:
        """Forgets the offset; the drift stays, for it is the same oscillator."""
        self._bins.clear()

    def see(self, stamp_ns: int, later_ns: int) -> None:
        """A frame stamped `stamp_ns` arrived `later_ns` after that, by our clock. In order."""
        if self._bins and later_ns < self.at(stamp_ns) - JOLT_NS:
            self._bins.clear()
        if not self._bins or stamp_ns - self._bins[-1][0] >= BIN_NS:
            self._bins.append((stamp_ns, later_ns))
        elif later_ns < self._bins[-1][1]:
            # It keeps the place of its bin, so that bins do not wander.
            self._bins[-1] = self._bins[-1][0], later_ns
        else:
            return
        while stamp_ns - self._bins[0][0] > WINDOW_NS:
            self._bins.popleft()
        self._fit()

    def at(self, stamp_ns: int) -> int:
        """The least that a frame of this stamp can arrive later than it, or could have."""
        assert self._bins, "nothing was seen yet"
        return round(self._base + self.drift * (stamp_ns - self._bins[0][0]))

    def _fit(self) -> None:
        begin = self._bins[0][0]
        if self._bins[-1][0] - begin >= SPAN_NS:
            self.drift = min(max(_slope(list(self._bins)), -MOST), MOST)
        self._base = min(later - self.drift * (stamp - begin) for stamp, later in self._bins)


def _slope(pairs: list[Pair]) -> float:
    """Of the edge of their lower hull above their middle; pairs in order of the first number."""
    middle = sum(x for x, _ in pairs) / len(pairs)
    hull: list[Pair] = []
    for pair in pairs:
        while len(hull) >= 2 and _turns_down(hull[-2], hull[-1], pair):
            hull.pop()
        hull.append(pair)
    right = next(index for index, (x, _) in enumerate(hull) if x >= middle)
    (x0, y0), (x1, y1) = hull[right - 1], hull[right]
    return (y1 - y0) / (x1 - x0)


def _turns_down(first: Pair, second: Pair, third: Pair) -> bool:
    """Whether the second lies on or above the line from the first to the third."""
    run, rise = third[0] - first[0], third[1] - first[1]
    return (second[1] - first[1]) * run >= rise * (second[0] - first[0])
