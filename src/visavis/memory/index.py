"""The views that are kept: when each was seen, what is known of it in words, and its bytes.

Invariant: the bytes of all views stay within the budget, and so does their number. What has to go
is taken from where the past is dense: the view whose neighbours in time are nearest, for its age,
so that far back there is still one now and then. The first view and the newest are never taken
for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from visavis.flow.clock import NS_PER_S
from visavis.flow.events import View
from visavis.memory.text import Terms, terms

MOST_SPANS, MOST_SAID = 8, 400
LEAST_KEPT = 2
NEAR_S = 10
ALIKE = 0.5
ENTRY_BYTES = 400
"""What an entry costs beside its picture and its words, about."""


@dataclass(slots=True)
class Kept:
    """A view in the memory.

    `spans`: when it was seen, from and to, in ns of the session axis, oldest first. `written`,
    `described`, `said`: what is known of it in words; `said` is what was spoken while it was seen.
    `known`: the terms of the first two; `either`: of all three.
    """

    view: View
    data: bytes
    spans: list[tuple[int, int]]
    written: str = ""
    described: str = ""
    said: str = ""
    known: Terms = field(default_factory=frozenset)
    either: Terms = field(default_factory=frozenset)
    meaning: NDArray[np.float32] | None = None

    @property
    def first_ns(self) -> int:
        return self.spans[0][0]

    @property
    def last_ns(self) -> int:
        return self.spans[-1][1]

    @property
    def seen_ns(self) -> int:
        """For how long it has been seen, all in all."""
        return sum(end - start for start, end in self.spans)

    @property
    def text(self) -> str:
        """What is known of it in words, a line each."""
        return "\n".join(filter(None, (self.described, self.written)))

    @property
    def bytes_kept(self) -> int:
        words = len(self.text) + len(self.said)
        return len(self.data) + 4 * words + ENTRY_BYTES

    def tell(self, *, written: str | None = None, described: str | None = None) -> None:
        """Takes what became known of it."""
        self.written = self.written if written is None else written
        self.described = self.described if described is None else described
        self.known = terms(self.text)
        self.either = self.known | terms(self.said)

    def hear(self, words: str) -> None:
        """Takes what was said while it was seen; the newest of that stays."""
        self.said = f"{self.said}\n{words}".strip()[-MOST_SAID:]
        self.either = self.known | terms(self.said)

    def tells_as(self, other: Kept) -> bool:
        """Whether the same is known of both in words, or of one of them nothing."""
        either = self.known | other.known
        both = self.known & other.known
        return not self.known or not other.known or len(both) >= ALIKE * len(either)

    def take_in(self, other: Kept) -> None:
        """Takes over what is known of a view of the same scene, seen later."""
        self.stay(other.last_ns)
        self.tell(
            written=self.written or other.written, described=self.described or other.described
        )
        if other.said:
            self.hear(other.said)
        self.meaning = other.meaning if self.meaning is None else self.meaning

    def stay(self, until_ns: int) -> None:
        """It has been seen without a break until this moment."""
        start, end = self.spans[-1]
        self.spans[-1] = start, max(end, until_ns)

    def see(self, at_ns: int) -> None:
        """It is seen again, from this moment on."""
        if at_ns <= self.last_ns:
            return
        self.spans.append((at_ns, at_ns))
        if len(self.spans) > MOST_SPANS:
            gaps = [after[0] - before[1] for before, after in pairwise(self.spans)]
            at = gaps.index(min(gaps))
            self.spans[at : at + 2] = [(self.spans[at][0], self.spans[at + 1][1])]

    def as_seen(self) -> View:
        """The view as it was last seen, with its text."""
        return replace(self.view, captured_ns=self.last_ns, text=self.text)


class Index:
    """At most `most_bytes` of views, and at most `most_views`."""

    def __init__(self, most_bytes: int, most_views: int = 2_000) -> None:
        self._most_bytes, self._most_views = most_bytes, most_views
        self._kept: dict[str, Kept] = {}

    def __iter__(self) -> Iterator[Kept]:
        return iter(self._kept.values())

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def bytes_kept(self) -> int:
        return sum(entry.bytes_kept for entry in self)

    def get(self, view_id: str) -> Kept | None:
        return self._kept.get(view_id)

    def add(self, entry: Kept) -> bool:
        """Keeps a view; false if it alone is beyond the budget."""
        if entry.bytes_kept > self._most_bytes:
            return False
        self._kept[entry.view.id] = entry
        self.thin()
        return entry.view.id in self._kept

    def drop(self, view_id: str) -> None:
        self._kept.pop(view_id, None)

    def thin(self) -> None:
        """Lets views go until the rest is within the bounds."""
        excess = self.bytes_kept - self._most_bytes
        while self._kept and (excess > 0 or len(self._kept) > self._most_views):
            gone = self._kept.pop(_least_missed(list(self)).view.id)
            excess -= gone.bytes_kept


def _least_missed(entries: Sequence[Kept]) -> Kept:
    """The view without which the past is best covered still."""
    ordered = sorted(entries, key=lambda entry: entry.last_ns)
    if len(ordered) <= LEAST_KEPT:
        return ordered[0]
    now_ns = ordered[-1].last_ns
    within = range(1, len(ordered) - 1)
    losses = {
        at: _loss(ordered[at - 1], ordered[at], ordered[at + 1], now_ns=now_ns) for at in within
    }
    return ordered[min(losses, key=lambda at: losses[at])]


def _loss(before: Kept, entry: Kept, after: Kept, *, now_ns: int) -> float:
    """What would be lost with the view: the gap that it would leave, by how long ago that was."""
    gap_s = max(after.first_ns - before.last_ns, 0) / NS_PER_S
    age_s = (now_ns - entry.last_ns) / NS_PER_S
    worth = 1 + bool(entry.text) + 0.5 * bool(entry.said)
    return gap_s * worth / (age_s + NEAR_S)
