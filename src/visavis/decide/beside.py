"""What is seen beside the camera: a shared screen, slides. Nothing ever waits for it.

Takes what happens to such streams; says which of them are worth a look now, and what they show.
A look may cost a second of a core, to read what is written there; so in silence there is one at
most every `IDLE_NS`, and while the user speaks, who may be about to ask, every `SPEECH_NS`.
Invariant: what changed is looked at in the end, however soon it changed after the last look.
"""

from __future__ import annotations

from collections.abc import Iterable

from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S

IDLE_NS = 5 * NS_PER_S
SPEECH_NS = NS_PER_S
"""A slide that is turned while it is asked about is the one that is meant."""


class Beside:
    """All streams but the camera's."""

    def __init__(self, streams: Iterable[str], heartbeat_ns: int) -> None:
        self._heartbeat_ns = heartbeat_ns
        self._looked_ns = dict.fromkeys(streams, -IDLE_NS)  # the first change is no late one
        self._changed: set[str] = set()
        self._views: dict[str, e.View] = {}

    @property
    def views(self) -> tuple[e.View, ...]:
        """What they show, as far as it is known."""
        return tuple(self._views.values())

    def change(self, stream: str) -> None:
        """It shows something else since the last look."""
        self._changed.add(stream)

    def due(self, t_ns: int, *, speaking: bool) -> list[str]:
        """Those to be looked at now; they count as looked at."""
        return self._look(t_ns, SPEECH_NS if speaking else IDLE_NS, self._heartbeat_ns)

    def at_onset(self, t_ns: int) -> list[str]:
        """Those to be looked at because the user begins to speak.

        Also after a while without a change: what is too small for one may be what is asked about.
        """
        return self._look(t_ns, 0, IDLE_NS)

    def take(self, view: e.View) -> None:
        """This is what it shows."""
        before = self._views.get(view.stream)
        if before is None or before.captured_ns <= view.captured_ns:
            self._views[view.stream] = view

    def lose(self, stream: str) -> None:
        """It shows nothing any more."""
        self._views.pop(stream, None)

    def _look(self, t_ns: int, changed_ns: int, usual_ns: int) -> list[str]:
        """Those whose last look is so long ago, if they have changed since, and if not."""
        due = [
            stream
            for stream, looked_ns in self._looked_ns.items()
            if t_ns - looked_ns >= (changed_ns if stream in self._changed else usual_ns)
        ]
        self._looked_ns |= dict.fromkeys(due, t_ns)
        self._changed.difference_update(due)
        return due
