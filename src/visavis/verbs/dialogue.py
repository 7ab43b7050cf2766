"""A scripted dialogue: what the user says and what is shown meanwhile, line by line.

Takes what the bus carries; cues the speaker and the camera. Invariant: a line is cued once, when
the answer to the one before is over, or, if it cuts, while that sounds.
"""

from __future__ import annotations

from dataclasses import dataclass

from visavis.flow.clock import NS_PER_S
from visavis.flow.events import (
    INPUT_RATE_HZ,
    Event,
    Samples,
    SoundPlayed,
    StateChanged,
    TurnDropped,
    TurnEnded,
)
from visavis.source.scene import Scene
from visavis.source.script import ScriptedSpeaker
from visavis.source.stage import ScriptedCamera

THINK_S = 0.9
"""How long the user waits after an answer before going on."""

SLACK_S = 0.5
"""So much of a line's sound may be silence, or soft, at its end."""

CUT_S = 2.0
"""How long the user lets an unwanted answer run."""


@dataclass(frozen=True, slots=True)
class Line:
    """What the user says: after the last answer, or (`cuts`) into it.

    `looks`: it asks about what is in view. `shows`: in the middle of it the scene becomes this.
    """

    text: str
    cuts: bool = False
    looks: bool = False
    shows: Scene | None = None


@dataclass(frozen=True, slots=True)
class Truth:
    """What really was in view when a question ended, and for how long it had been."""

    question: str
    scene: str
    for_s: float

    def __str__(self) -> str:
        return f"in view: {self.scene} (for {self.for_s:.1f} s)"


class Director:
    """A tap that gives the user a cue when an answer is over, or is to be cut off."""

    def __init__(
        self,
        lines: list[tuple[Line, Samples]],
        speaker: ScriptedSpeaker,
        camera: ScriptedCamera | None = None,
    ) -> None:
        self.truths: list[Truth] = []
        """Of the lines that ask about what is in view."""
        self._lines = lines
        self._speaker, self._camera = speaker, camera
        self._line = lines[0][0]  # the last one that was cued
        self._cued = False  # a line was given that has not been answered yet
        self._sounded = 0  # epoch
        self._cue(round(THINK_S * NS_PER_S))

    def watch(self, event: Event) -> None:
        """Takes one event."""
        match event:
            case TurnEnded():
                self._cued &= not self._has_said_it(event)
                self._note(event)
            case TurnDropped():
                self._cued &= not self._has_said_it(event)
            case SoundPlayed() if event.epoch > self._sounded:
                self._sounded = event.epoch
                if self._lines and self._lines[0][0].cuts:
                    self._cue(event.t_ns + round(CUT_S * NS_PER_S))
            case StateChanged() if event.state == "idle" != event.previous and not self._cued:
                self._go_on(event.t_ns)

    def remark(self, event: Event) -> str:
        """What is to be told after this event, which was watched: the truth beside a question."""
        told = isinstance(event, TurnEnded) and self._line.looks and self.truths
        return str(self.truths[-1]) if told else ""

    def _has_said_it(self, event: TurnEnded | TurnDropped) -> bool:
        """Whether the turn is that of the whole line: "Stop." may be one before the rest of it."""
        end_ns = event.end * NS_PER_S // INPUT_RATE_HZ
        return end_ns >= self._end_ns - round(SLACK_S * NS_PER_S)

    def _note(self, event: TurnEnded) -> None:
        if self._camera is None or not self._line.looks:
            return
        asked_ns = event.end * NS_PER_S // INPUT_RATE_HZ
        since_ns, scene = self._camera.shown_at(asked_ns)
        truth = Truth(self._line.text, str(scene), (asked_ns - since_ns) / NS_PER_S)
        self.truths.append(truth)

    def _go_on(self, t_ns: int) -> None:
        if self._lines:
            self._cue(t_ns + round(THINK_S * NS_PER_S))
            return
        self._speaker.end()
        if self._camera is not None:
            self._camera.end()

    def _cue(self, t_ns: int) -> None:
        self._cued = True
        self._line, samples = self._lines.pop(0)
        length_ns = len(samples) * NS_PER_S // self._speaker.rate_hz
        self._end_ns = t_ns + length_ns
        self._speaker.say(samples, t_ns)
        if self._camera is not None and self._line.shows is not None:
            self._camera.show(self._line.shows, t_ns + length_ns // 2)
