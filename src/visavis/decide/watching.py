"""The session's watching side: what is seen, and what follows from it.

Takes the facts of the eyes and of the memory of what they saw; gives commands. Invariant: what is
seen never starts a reply; it only decides what goes with one, and ends the wait for it. The other
two sides follow up (`listening.on_sight`, `answering.on_sight`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from visavis.decide.answering import Answering
from visavis.decide.floor import Floor
from visavis.decide.listening import Listening
from visavis.flow import events as e


class Watching:
    """Drives the floor with facts about what is seen."""

    def __init__(self, floor: Floor, listening: Listening, answering: Answering) -> None:
        self._floor = floor
        self._sight = floor.sight
        self._listening = listening
        self._answering = answering

    def on_change(self, event: e.SceneChanged) -> Iterable[e.Event]:
        speaking = self._floor.machines.user.state == "speaking"
        return self._sight.on_change(event, speaking=speaking)

    def on_camera(self, event: e.CameraChanged) -> Iterator[e.Event]:
        yield from self._sight.see(event)
        yield from self._follow(event, changed=False)

    def on_taken(self, event: e.ViewTaken) -> Iterable[e.Event]:
        return self._follow(event, changed=self._sight.take(event))

    def on_missed(self, event: e.ViewMissed) -> Iterable[e.Event]:
        self._sight.miss(event)
        return self._follow(event, changed=False)

    def on_read(self, event: e.ViewRead) -> Iterable[e.Event]:
        self._sight.read(event.id, event.text)
        return self._follow(event, changed=bool(event.text))

    def on_described(self, event: e.ViewDescribed) -> Iterator[e.Event]:
        self._sight.describe(event.id, event.text)
        if self._floor.machines.floor_is_free:
            # The engine has left the conversation for it: back to where it was.
            yield self._floor.prefill(event)

    def on_recalled(self, event: e.MemoryRecalled) -> Iterable[e.Event]:
        self._sight.recall(event)
        return self._follow(event, changed=False)

    def on_tick(self, event: e.ClockTicked) -> Iterator[e.Event]:
        yield from self._sight.on_tick(event)
        if self._sight.gave_up(event.t_ns):
            yield from self._follow(event, changed=False)
        yield from self._describe(event)

    def _follow(self, event: e.Event, *, changed: bool) -> Iterator[e.Event]:
        yield from self._listening.on_sight(event, changed=changed)
        yield from self._answering.on_sight(event)

    def _describe(self, event: e.Event) -> Iterator[e.Event]:
        """Nothing goes on: what is seen is put into words, for when something else is.

        Without the history: a small model describes what it has just said, not what it sees.
        """
        free = self._floor.machines.floor_is_free and not self._floor.over
        view = self._sight.undescribed(event.t_ns, free=free)
        if view is not None:
            yield e.ViewDescribe(t_ns=event.t_ns, view=view, messages=())
