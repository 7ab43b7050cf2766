"""A server's responses, by their ids: what each is made of, and whether it is over.

Invariant: there are at most 500 responses in a session and items in a response.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from visavis.bench.remote.playback import Item
from visavis.bench.remote.wire import Malformed

MOST = 500


@dataclass(slots=True)
class Reply:
    """A response. `made`: all its sound has come. `dropped`: what comes is not played any more.

    `ending`: how it ended for a listener; empty while it goes on.
    """

    number: int
    items: dict[str, Item] = field(default_factory=dict)
    made: bool = False
    cancelled: bool = False
    dropped: bool = False
    ending: Literal["", "whole", "cut", "unheard"] = ""
    heard_until_s: float | None = None

    @property
    def waiting(self) -> bool:
        """Whether sound of it is queued."""
        return any(item.waiting for item in self.items.values())

    def item(self, id: str, content_index: object) -> Item:
        """The item of this id, a new one if need be. Raises `Malformed` for too many."""
        if id not in self.items:
            if len(self.items) >= MOST:
                raise Malformed(f"more than {MOST} items in one response")
            index = content_index if isinstance(content_index, int) else 0
            self.items[id] = Item(self.number, id, index)
        return self.items[id]

    def unfinished(self) -> list[Item]:
        """The items not heard to their end; of a reply that is not yet made, also its newest."""
        items = list(self.items.values())
        last = [] if self.made else items[-1:]
        return [item for item in items if item.waiting or item in last]


class Replies:
    """All of a session, numbered from 1 in the order in which they came."""

    def __init__(self) -> None:
        self._by_id: dict[str, Reply] = {}
        self._numbered: list[Reply] = []

    def of(self, id: str) -> Reply:
        """The reply of this id; of a server that gives none, the newest that is not over.

        Raises `Malformed` for too many.
        """
        if not id:
            if self._numbered and not self._numbered[-1].ending:
                return self._numbered[-1]
            id = f"unnamed {len(self._numbered)}"
        if id not in self._by_id:
            if len(self._numbered) >= MOST:
                raise Malformed(f"more than {MOST} responses")
            self._by_id[id] = Reply(len(self._numbered) + 1)
            self._numbered.append(self._by_id[id])
        return self._by_id[id]

    def number(self, number: int) -> Reply:
        return self._numbered[number - 1]

    def going_on(self) -> list[Reply]:
        """Those that are not over."""
        return [reply for reply in self._numbered if not reply.ending]

    def __iter__(self) -> Iterator[Reply]:
        return iter(self._numbered)
