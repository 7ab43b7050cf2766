"""What is known of views, by their ids: the newest `MOST_KNOWN` of them."""

from __future__ import annotations

from typing import TypeVar

MOST_KNOWN = 256
What = TypeVar("What")


class Known(dict[str, What]):
    """A dictionary that forgets what was put first."""

    def put(self, view_id: str, what: What) -> None:
        """What is known of this view from now on."""
        self.pop(view_id, None)
        self[view_id] = what
        while len(self) > MOST_KNOWN:
            del self[next(iter(self))]
