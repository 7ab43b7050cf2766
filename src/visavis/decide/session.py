"""The session: the one place that decides. Facts come in, commands go out.

`listening.py` says what follows from what the user does, `answering.py` what follows from what
becomes of our reply, `watching.py` what follows from what is seen; all move the machines of
`state.py` on the same `floor.py`. Invariants: commands come from the tables alone; every state is
left again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from visavis.decide.answering import Answering
from visavis.decide.floor import Floor, Manners
from visavis.decide.listening import Listening
from visavis.decide.state import NoSuchRow
from visavis.decide.watching import Watching
from visavis.flow import events as e

log = logging.getLogger(__name__)


class Session:
    """decide as a node. `strict`: an event without a row raises instead of being logged."""

    name = "decide.session"

    def __init__(self, manners: Manners | None = None, *, strict: bool = False) -> None:
        manners = manners or Manners()
        self.floor = Floor(manners)
        self._strict = strict
        self._shown = self.floor.standing
        self._begun = False
        user = self._listening = Listening(self.floor)
        ours = self._answering = Answering(self.floor, manners.patience_ms)
        eyes = self._watching = Watching(self.floor, user, ours)
        self._facts: dict[str, Callable[[Any], Iterable[e.Event]]] = {
            "clock.ticked": self._on_tick,
            "notice.raised": ours.on_notice,
            "speech.started": user.on_voice,
            "speech.paused": user.on_pause,
            "voice.measured": user.on_measured,
            "words.heard": user.on_words,
            "turn.expected": user.on_expected,
            "turn.lingered": user.on_lingered,
            "turn.ended": user.on_turn,
            "turn.dropped": user.on_turn_dropped,
            "reply.written": ours.on_written,
            "tool.called": ours.on_tool_called,
            "tool.finished": ours.on_tool_finished,
            "sound.played": ours.on_sound,
            "node.failed": ours.on_failure,
            "scene.changed": eyes.on_change,
            "camera.changed": eyes.on_camera,
            "view.taken": eyes.on_taken,
            "view.missed": eyes.on_missed,
            "view.read": eyes.on_read,
            "view.described": eyes.on_described,
            "memory.recalled": eyes.on_recalled,
        }

    def on(self, event: e.Event) -> Iterator[e.Event]:
        """Commands that follow from the event, then the new state if it changed."""
        try:
            yield from self._facts[event.topic](event)
        except NoSuchRow as error:
            if self._strict:
                raise
            log.warning("%s: %s; ignored", event.topic, error)
        yield from self._state_change(event)

    def _on_tick(self, event: e.ClockTicked) -> Iterator[e.Event]:
        if not self._begun:
            self._begun = True
            yield self.floor.prefill(event)
        yield from self._answering.on_tick(event)
        yield from self._listening.on_tick(event)
        yield from self._watching.on_tick(event)

    def _state_change(self, event: e.Event) -> Iterator[e.Event]:
        standing, previous = self.floor.standing, self._shown
        if standing == previous:
            return
        self._shown = standing
        yield e.StateChanged(
            t_ns=event.t_ns,
            trace=event.trace,
            epoch=self.floor.epoch,
            state=standing.state,
            previous=previous.state,
            user=standing.user,
            reply=standing.reply,
            engine=standing.engine,
            playback=standing.playback,
        )
