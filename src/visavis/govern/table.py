"""What govern reads of the wiring table: which events a replay makes again, and which it feeds.

A replay runs the inline nodes that take nothing but what is recorded; what they give is *inside*.
All else (what lanes' models gave, the source, a node whose input is not recorded) is *outside* and
comes from the recording. Knows the table's shape only; the table itself is passed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from visavis.flow.topics import TOPICS, Topic


class Row(Protocol):
    """A row of the wiring table: a node's name, its topics, and its lane (empty = inline)."""

    @property
    def name(self) -> str: ...
    @property
    def takes(self) -> Sequence[str]: ...
    @property
    def gives(self) -> Sequence[str]: ...
    @property
    def lane(self) -> str: ...


class Table:
    """The wiring table as a replay sees it. `running`: the names of the nodes that it runs."""

    def __init__(
        self, rows: Iterable[Row], running: Iterable[str], topics: Iterable[Topic] = TOPICS
    ) -> None:
        rows = tuple(rows)
        recorded = {topic.name for topic in topics if topic.record != "no"}
        self._running = frozenset(running)
        self._inside: set[str] = set()
        self._replaced: set[str] = set()
        for row in rows:
            if row.name in self._running:
                assert not row.lane, f"{row.name} runs in a lane and cannot be replayed"
                assert recorded.issuperset(row.takes), f"{row.name} takes what is not recorded"
                self._inside |= recorded.intersection(row.gives)
            elif not row.lane and row.takes:
                self._replaced.update(row.gives)
        self._giver = {topic: row.name for row in rows for topic in row.gives}

    def inside(self, topic: str, failed: str = "") -> bool:
        """Whether a node that runs gives the topic (or, for `node.failed`, is the one `failed`)."""
        return failed in self._running if failed else topic in self._inside

    def follows(self, topic: str) -> bool:
        """Whether an inline node that does not run gives it: it comes in the wake of another."""
        return topic in self._replaced

    def giver(self, topic: str) -> str:
        """The node that gives the topic; empty for those that nobody or everybody gives."""
        return self._giver.get(topic, "")
