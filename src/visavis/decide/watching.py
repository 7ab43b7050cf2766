"""The session's watching side: what is seen, and what follows from it.

Takes the facts of the eyes and of the memory of what they saw; gives commands. Invariant: what is
seen never starts a reply; it only decides what goes with one, and ends the wait for it. The other
two sides follow up (`listening.on_sight`, `answering.on_sight`). What comes from beside the camera,
such as of a screen, never changes a question that is being answered: it waits until that sounds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from visavis.decide.answering import Answering
from visavis.decide.floor import Floor
from visavis.decide.listening import Listening
from visavis.flow import events as e

MOST_LATE = 16
Beside = e.ViewTaken | e.ViewRead | e.CameraChanged


class Watching:
    """Drives the floor with facts about what is seen."""

    def __init__(self, floor: Floor, listening: Listening, answering: Answering) -> None:
        self._floor = floor
        self._sight = floor.sight
        self._listening = listening
        self._answering = answering
        self._late: deque[Beside] = deque(maxlen=MOST_LATE)

    def on_change(self, event: e.SceneChanged) -> Iterable[e.Event]:
        speaking = self._floor.machines.user.state == "speaking"
        return self._sight.on_change(event, speaking=speaking)

    def on_camera(self, event: e.CameraChanged) -> Iterator[e.Event]:
        if event.stream != e.CAMERA:
            yield from self._on_beside(event)
            return
        yield from self._sight.see(event)
        yield from self._follow(event, changed=False)

    def on_taken(self, event: e.ViewTaken) -> Iterable[e.Event]:
        if event.view.stream != e.CAMERA:
            return self._on_beside(event)
        # The same picture may have to be shown anew with new words: it is evaluated under them.
        changed = self._sight.take(event) or event.reason == "speech"
        return self._follow(event, changed=changed)

    def on_missed(self, event: e.ViewMissed) -> Iterable[e.Event]:
        self._sight.miss(event)
        return self._follow(event, changed=False)

    def on_read(self, event: e.ViewRead) -> Iterable[e.Event]:
        if event.stream != e.CAMERA:
            return self._on_beside(event)
        self._sight.read(event.id, event.text)
        return self._follow(event, changed=bool(event.text))

    def on_described(self, event: e.ViewDescribed) -> Iterator[e.Event]:
        self._sight.descriptions.put(event.id, event.text)
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
        if not self._is_settled:
            yield from self._look_beside(event)

    # ── beside the camera ────────────────────────────────────────────────────────────────────

    @property
    def _is_settled(self) -> bool:
        """Whether what is asked is what has been asked, and nothing is heard of its answer yet."""
        user, reply = self._floor.machines.user.state, self._floor.machines.reply.state
        waits = reply == "pending" or bool(self._floor.over)
        return user == "paused" or (user == "quiet" and waits) or self._floor.draft_is_held

    def _on_beside(self, event: Beside) -> Iterable[e.Event]:
        if self._is_settled or self._late:
            self._late.append(event)
            return ()
        return self._take_beside(event)

    def _look_beside(self, event: e.Event) -> Iterator[e.Event]:
        while self._late:
            yield from self._take_beside(replace(self._late.popleft(), t_ns=event.t_ns))
        speaking = self._floor.machines.user.state == "speaking"
        yield from self._sight.look_beside(event, speaking=speaking)

    def _take_beside(self, event: Beside) -> Iterator[e.Event]:
        sight, before, is_news = self._sight, self._sight.views(), False
        match event:
            case e.ViewTaken():
                sight.take(event)
                is_news = event.reason == "speech"
            case e.ViewRead():
                sight.read(event.id, event.text)
                is_news = bool(event.text)
            case e.CameraChanged():
                yield from sight.see(event)
        if is_news or sight.views() != before:
            yield from self._listening.on_sight(event, changed=True)

    # ── what both do ─────────────────────────────────────────────────────────────────────────

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
