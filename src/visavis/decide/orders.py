"""The commands: what a row of the tables orders, given its epoch, texts and times.

Takes a symbol for one of the machines; gives the commands of its row, ready to go. Invariants: a
command comes from a table alone; each `reply.start` has an epoch of its own, above all before it;
a command to the player that would change nothing is not issued.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from visavis.decide.state import Machine, Machines
from visavis.flow import events as e

SEEN = ("view_id", "view_captured_ns", "view_offset_ms")
TO_PLAYER = (e.PlaybackDuck, e.PlaybackRestore, e.PlaybackHold, e.PlaybackRelease, e.PlaybackStop)


class Orders:
    """Drives the machines. `epoch`: of the newest reply; 0 before the first. `over`: cancelled."""

    def __init__(self) -> None:
        self.machines = Machines()
        self.epoch = 0
        self.over = False

    def step(
        self, machine: Machine, symbol: str, cause: e.Event, **start: Any
    ) -> Iterator[e.Event]:
        """Moves `machine` on, if it has a row. `start`: the fields of a `reply.start`."""
        if not machine.takes(symbol):
            return
        for kind in machine.step(symbol):
            if kind in TO_PLAYER and not self.machines.playback.takes(kind.topic):
                continue
            self.machines.command(kind.topic, machine)
            fields: dict[str, Any] = {}
            if kind is e.ReplyStart:
                self.epoch += 1
                self.over = False
                fields = start
            elif kind is e.ReplyAdopt:
                fields = {name: value for name, value in start.items() if name in SEEN}
            elif kind is e.ReplyCancel:
                self.over = True
                fields = {"reason": symbol}
            yield kind(t_ns=cause.t_ns, trace=cause.trace, epoch=self.epoch, **fields)
