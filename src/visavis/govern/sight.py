"""Sight: what each reply looked at, and what the eyes did meanwhile.

Takes what the meter sees. Gives a `Look` for each reply that had a picture, and counts.
Invariant: a picture counts as seen early only if the engine had taken it in before the turn was
over, with this question or with the one before; one that another has replaced since must be taken
in again.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS

CONDITIONS = 1000


@dataclass(frozen=True, slots=True)
class Look:
    """The picture of a reply. Times in milliseconds.

    `captured_ms`: when the camera saw it, on the session axis; `offset_ms`: how much later than
    the question's moment that was (None = the moment is not known); `early`: whether the engine
    had evaluated it when the turn ended. `text`, `written`: what the engine was told of it in
    words, and of what is written there.
    """

    epoch: int
    view_id: str
    captured_ms: float | None
    offset_ms: float | None
    early: bool
    text: str = ""
    written: str = ""


@dataclass(slots=True)
class Eyes:
    """What the eyes did. `frames_dropped`: captured and never given a place in time.

    `looks`: how often something was to be looked at, of which `missed` found no frame; `encodes`:
    how many of them made a new picture of it.
    """

    frames_captured: int = 0
    frames_dropped: int = 0
    changes: int = 0
    looks: int = 0
    missed: int = 0
    encodes: int = 0
    conditions: deque[e.CameraChanged] = field(default_factory=lambda: deque(maxlen=CONDITIONS))


class SightAccount:
    """Counts, and knows which pictures the engine has taken in."""

    def __init__(self) -> None:
        self.eyes = Eyes()
        self._prefills: list[frozenset[str]] = []  # under way, and the newest one that waits
        self._reply = (0, "")  # epoch, view
        self._evaluated: frozenset[str] = frozenset()  # the newest ones
        self._early: frozenset[str] = frozenset()  # at the end of the last turn

    def on_frame(self, event: e.FrameCaptured) -> None:
        self.eyes.frames_captured += 1
        self.eyes.frames_dropped += 1

    def on_aligned(self, event: e.FrameAligned) -> None:
        self.eyes.frames_dropped -= 1

    def on_change(self, event: e.SceneChanged) -> None:
        self.eyes.changes += 1

    def on_camera(self, event: e.CameraChanged) -> None:
        self.eyes.conditions.append(event)

    def on_taken(self, event: e.ViewTaken) -> None:
        self.eyes.looks += 1
        self.eyes.encodes += bool(event.data)

    def on_missed(self, event: e.ViewMissed) -> None:
        self.eyes.looks += 1
        self.eyes.missed += 1

    def on_prefill(self, event: e.PromptPrefill) -> None:
        asked = event.messages[-1:]
        views = frozenset(view.id for message in asked for view in message.views)
        self._prefills = [*self._prefills[:1], views]

    def on_prefilled(self, event: e.PromptPrefilled) -> None:
        for done in self._prefills[:1]:
            # A prompt that ends with our own words shows no picture anew.
            self._evaluated = done if event.complete and done else self._evaluated
        self._prefills = self._prefills[1:]

    def on_start(self, event: e.ReplyStart) -> None:
        self._prefills = []  # abandoned
        self._reply = event.epoch, event.view_id

    def on_token(self, event: e.TokenMade) -> None:
        epoch, view_id = self._reply
        if event.epoch == epoch and view_id:
            self._evaluated = frozenset((view_id,))

    def on_turn(self, event: e.TurnEnded) -> None:
        self._early = self._evaluated

    def look(self, start: e.ReplyStart, command: e.ReplyStart | e.ReplyAdopt) -> Look | None:
        """What a reply looked at that answers the last turn; None = nothing.

        `command`: the one that made it the answer, for a draft its adoption.
        """
        if not command.view_id:
            return None
        asked = start.messages[-1].views if start.messages else ()
        told = next((view for view in asked if view.id == command.view_id), e.View(""))
        captured_ns, offset_ms = command.view_captured_ns, command.view_offset_ms
        return Look(
            epoch=command.epoch,
            view_id=command.view_id,
            captured_ms=captured_ns / NS_PER_MS if captured_ns >= 0 else None,
            offset_ms=None if math.isnan(offset_ms) else offset_ms,
            early=command.view_id in self._early,
            text=told.text,
            written=told.written,
        )
