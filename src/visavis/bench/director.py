"""The director: gives the user of an episode each cue of its script, and says when it is over.

Told what happens (a reply sounds, all is idle, time passes) by whoever plays the script; calls
`say` for each line. The same for our own line and for a server's. Invariants: lines are said in
order, each once; an episode ends, at the latest `patience_s` after the last thing it waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from visavis.bench.result import Stretch
from visavis.bench.script import Script
from visavis.bench.voice import Spoken
from visavis.flow.events import Samples

Say = Callable[[Samples, float], None]
"""Speak these samples at this time, or as soon after as can be."""


class Director:
    """Takes `sounded`, `idled` and `passed` in order of time, in seconds of the episode."""

    def __init__(self, script: Script, spoken: Sequence[Spoken], say: Say) -> None:
        assert len(spoken) == len(script.lines)
        self.over = False
        self.error = ""
        self._script, self._spoken, self._say = script, spoken, say
        self._next = 0  # the line that waits for its cue
        self._due_s: float | None = None  # when its cue was given; None = not yet
        self._said_s: list[float] = []  # when each line was to begin
        self._free_s = 0.0  # the end of the newest line
        self._begun_s: dict[int, float] = {}  # when each reply was first heard
        self._cued: set[int] = set()  # the replies that gave a cue
        self._try("start", 0.0)

    def sounded(self, reply: int, t_s: float) -> None:
        """A sample of this reply was heard."""
        begun_s = self._begun_s.setdefault(reply, t_s)
        if reply in self._cued or t_s < self._free_s:
            return  # a reply into our own words counts when these are over, if it still sounds
        self._cued.add(reply)
        if begun_s > self._said_s[-1]:
            self._try("reply", t_s)

    def idled(self, t_s: float) -> None:
        """Nothing sounds and nothing is being worked on."""
        if t_s >= self._free_s:
            self._try("idle", t_s)

    def passed(self, t_s: float) -> None:
        """It is `t_s` now."""
        if self._due_s is not None and t_s >= self._due_s and self._next == len(self._spoken):
            self.over = True
        elif self._due_s is None and t_s > self._free_s + self._script.patience_s:
            self._give_up()

    def truth(self, begun_s: Sequence[float]) -> list[Stretch]:
        """What sounded, given when the lines that were said really began."""
        return [
            replace(part, start_s=begin_s + part.start_s, end_s=begin_s + part.end_s)
            for begin_s, spoken in zip(begun_s, self._spoken, strict=False)
            for part in spoken.stretches
        ]

    def _try(self, moment: str, t_s: float) -> None:
        cue = self._script.end if self._at_end else self._script.lines[self._next].cue
        wanted = ("reply", "idle") if cue.after == "answer" else (cue.after,)
        if self._due_s is not None or moment not in wanted:
            return
        self._due_s = t_s + cue.wait_s
        if not self._at_end:
            self._speak(self._due_s)

    def _speak(self, at_s: float) -> None:
        spoken = self._spoken[self._next]
        begin_s = max(at_s, self._free_s)
        self._say(spoken.samples, begin_s)
        self._said_s.append(begin_s)
        self._free_s = begin_s + spoken.length_s
        self._next, self._due_s = self._next + 1, None
        self._try("line", self._free_s)

    def _give_up(self) -> None:
        self.over = True
        if not self._at_end:
            line = self._script.lines[self._next]
            self.error = f"no {line.cue.after} came for {line.text!r}"

    @property
    def _at_end(self) -> bool:
        return self._next == len(self._script.lines)
