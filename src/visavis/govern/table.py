"""What govern reads of the wiring table: which nodes a replay runs again, and which it replaces.

A node is run again when it is inline, gives something, and all that it takes is recorded. What the
others give (a lane's models, the source, a node whose input is not recorded) comes from the
recording: it is *outside*. Knows the table's shape only; the table itself is passed in.
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
    """The wiring table as a replay sees it."""

    def __init__(self, rows: Iterable[Row], topics: Iterable[Topic] = TOPICS) -> None:
        rows = tuple(rows)
        recorded = {topic.name for topic in topics if topic.record != "no"}
        again = [row for row in rows if _runs_again(row, recorded)]
        replaced = [row for row in rows if row not in again and row.takes and not row.lane]
        self.nodes = frozenset(row.name for row in again)
        """Names of the nodes that a replay runs."""
        self._inside = recorded & _given(again)
        self._replaced = _given(replaced)
        self._giver = {topic: row.name for row in rows for topic in row.gives}

    def inside(self, topic: str, failed: str = "") -> bool:
        """Whether a node that is run again gives the topic (or, for `node.failed`, is `failed`)."""
        return failed in self.nodes if failed else topic in self._inside

    def follows(self, topic: str) -> bool:
        """Whether an inline node that is replaced gives it: it may come in the wake of another."""
        return topic in self._replaced

    def giver(self, topic: str) -> str:
        """The node that gives the topic; empty for those that nobody or everybody gives."""
        return self._giver.get(topic, "")


def _runs_again(row: Row, recorded: set[str]) -> bool:
    if row.lane or not row.takes or not row.gives:
        return False
    return all(topic in recorded for topic in row.takes)


def _given(rows: Iterable[Row]) -> set[str]:
    return {topic for row in rows for topic in row.gives}
