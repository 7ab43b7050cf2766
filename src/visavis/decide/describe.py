"""Which view to put into words, and when: once nothing goes on and the engine is not wanted.

Takes what is in view and whether the floor is free; gives the view to describe now, and keeps what
was said of each. Invariants: bounded; a view is tried a few times at most. Issues no command.
"""

from __future__ import annotations

from visavis.decide.known import Known
from visavis.flow.clock import NS_PER_S
from visavis.flow.events import View

QUIET_NS, BETWEEN_NS, MOST_TRIES = 2 * NS_PER_S, 10 * NS_PER_S, 2
"""A view is described once it has been quiet for so long, not sooner after another one than that,
and tried so often: someone may begin to speak. Each takes the engine some tenths of a second."""


class Descriptions:
    """What views show, in words."""

    def __init__(self) -> None:
        self._texts: Known[str] = Known()
        self._tries: Known[int] = Known()
        self._tried_ns = -BETWEEN_NS
        self._free_ns: int | None = None  # since when nothing goes on

    def put(self, view_id: str, text: str) -> None:
        """The view shows this."""
        self._texts.put(view_id, text.strip())

    def of(self, view_id: str) -> str:
        """What the view shows; empty = not known."""
        return self._texts.get(view_id, "")

    def due(self, view: View | None, t_ns: int, *, free: bool) -> View | None:
        """The view in front of the camera, if it is to be described now; asked every period."""
        self._free_ns = (t_ns if self._free_ns is None else self._free_ns) if free else None
        if self._free_ns is None or view is None or self.of(view.id):
            return None
        tries = self._tries.get(view.id, 0)
        soon = t_ns - self._free_ns < QUIET_NS or t_ns - self._tried_ns < BETWEEN_NS
        if soon or tries >= MOST_TRIES:
            return None
        self._tried_ns = t_ns
        self._tries.put(view.id, tries + 1)
        return view
