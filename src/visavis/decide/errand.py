"""Errands: tools that a reply has called, and what they brought.

Takes calls and results; gives the commands to run them and the news for the history. Invariants:
a call of a reply that is over is never sent, nor one of a draft before the draft is the answer;
what comes back is news once, also when the reply it was for was interrupted; a reply is continued
when all of its calls have answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from visavis.flow.events import ToolCalled, ToolFinished, ToolRun

MOST_CALLS = 8
"""A reply that asks for more is a model that has lost its way: the others are not sent."""


class Errands:
    """The calls of the newest reply, and whether their answers wait to be told."""

    def __init__(self) -> None:
        self._epoch = 0
        self._sent: set[int] = set()
        self._back: set[int] = set()
        self._waiting: list[ToolCalled] = []  # of a draft

    def wait(self, event: ToolCalled) -> None:
        """A draft calls; nothing is done before it is the answer."""
        if self._waiting and self._waiting[0].epoch != event.epoch:
            self._waiting = []
        if len(self._waiting) < MOST_CALLS:
            self._waiting.append(event)

    def release(self, epoch: int, t_ns: int, *, over: bool = False) -> Iterator[ToolRun]:
        """Reply `epoch` is the answer, or `over`: the commands for what waited, if it is that."""
        waited, self._waiting = self._waiting, []
        for event in waited:
            if event.epoch == epoch and not over:
                yield from self.send(replace(event, t_ns=t_ns))

    def send(self, event: ToolCalled) -> Iterator[ToolRun]:
        """The command for a call."""
        if event.epoch != self._epoch:
            self._epoch, self._sent, self._back = event.epoch, set(), set()
        if len(self._sent) >= MOST_CALLS:
            return
        self._sent.add(event.call)
        yield ToolRun(
            t_ns=event.t_ns,
            trace=event.trace,
            epoch=event.epoch,
            call=event.call,
            name=event.name,
            arguments=event.arguments,
        )

    def news(self, event: ToolFinished) -> str:
        """What the history says of it."""
        if event.error:
            return f"The tool {event.name} failed: {event.error}"
        return f"The tool {event.name} says: {event.result}"

    def came_back(self, event: ToolFinished, epoch: int) -> bool:
        """Whether with this, all calls of reply `epoch` have answered."""
        if event.epoch != self._epoch or epoch != self._epoch:
            return False
        self._back.add(event.call)
        return self._told

    def take_told(self, epoch: int) -> bool:
        """Whether there are answers to tell in place of reply `epoch`; asked once."""
        told = self._told and epoch == self._epoch
        if told:
            self._sent, self._back = set(), set()
        return told

    def out(self, epoch: int) -> bool:
        """Whether a call of reply `epoch` has not come back, or its answer has not been told."""
        return bool(self._waiting) or (epoch == self._epoch and bool(self._sent))

    @property
    def _told(self) -> bool:
        return bool(self._sent) and self._sent <= self._back
