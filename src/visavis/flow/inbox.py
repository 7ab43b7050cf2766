"""The inbox: how events from other threads reach the loop's.

Invariant: no more than `depth` wait; a poster waits for room, and is let go when the loop closes.
"""

from __future__ import annotations

import threading
from collections import deque

from visavis.flow.events import Event

INBOX_DEPTH = 4096


class Inbox:
    """Events from other threads, at most `depth`; a poster waits for room."""

    def __init__(self, depth: int = INBOX_DEPTH) -> None:
        self._items: deque[tuple[Event, bool]] = deque()
        self._depth = depth
        self._changed = threading.Condition()
        self._closed = False

    def put(self, event: Event, *, stamp: bool) -> None:
        """Adds an event; `stamp`: it gets its time on arrival. Dropped once closed."""
        with self._changed:
            while len(self._items) >= self._depth and not self._closed:
                self._changed.wait()
            if not self._closed:
                self._items.append((event, stamp))
                self._changed.notify_all()

    def take(self, timeout_s: float) -> tuple[Event, bool] | None:
        """The oldest entry; None when there is none within the time."""
        with self._changed:
            if not self._items and timeout_s > 0:
                self._changed.wait(timeout_s)
            if not self._items:
                return None
            item = self._items.popleft()
            self._changed.notify_all()
            return item

    def close(self) -> None:
        """Lets waiting posters go and takes nothing more."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def __len__(self) -> int:
        return len(self._items)
