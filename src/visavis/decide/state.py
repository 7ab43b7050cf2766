"""The four small machines, as tables: (state, symbol) → (next state, commands to issue).

A symbol is a topic's name, or one of the session's own words:
    voice        the user's voice began while a reply was under way
    false.alarm  that voice meant nothing to us: noise, or a backchannel
    barged       it means us: stop
    sounded      the first sample of the reply was played
    finished     the reply was played to its end
    failed       the engine gave up before anything could be said
    gave.up      no progress for longer than anyone would wait
    unheard      it was stopped before a single word of it was heard

Invariant: a pair without a row changes nothing; it raises `NoSuchRow`, which tests let pass
through and production logs. Knows nothing of texts, times or epochs.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from visavis.flow import events as e

Commands = tuple[type[e.Event], ...]
Table = MappingProxyType[tuple[str, str], tuple[str, Commands]]


class NoSuchRow(Exception):
    """The machine is in a state in which this symbol should not come."""


STOP: Commands = (e.PlaybackStop, e.ReplyCancel)
"""Sound first, then the epoch and with it the engine: what is audible stops soonest."""

USER: Table = MappingProxyType(
    {
        ("quiet", "speech.started"): ("speaking", ()),
        ("speaking", "speech.paused"): ("paused", ()),
        ("paused", "speech.started"): ("speaking", ()),
        ("paused", "turn.ended"): ("quiet", ()),
        ("paused", "turn.dropped"): ("quiet", ()),
    }
)

REPLY: Table = MappingProxyType(
    {
        ("none", "turn.ended"): ("pending", (e.ReplyStart,)),
        ("none", "turn.dropped"): ("none", ()),
        # Asked, nothing sounded yet: the user's voice holds the sound back until it is understood.
        ("pending", "voice"): ("pending", (e.PlaybackHold,)),
        ("pending", "false.alarm"): ("pending", (e.PlaybackRelease,)),
        ("pending", "barged"): ("withdrawn", STOP),
        ("pending", "sounded"): ("sounding", ()),
        ("pending", "finished"): ("none", ()),
        ("pending", "failed"): ("pending", (e.ReplyStart,)),
        ("pending", "gave.up"): ("none", STOP),
        # Being heard.
        ("sounding", "voice"): ("sounding", (e.PlaybackDuck,)),
        ("sounding", "false.alarm"): ("sounding", (e.PlaybackRestore,)),
        ("sounding", "barged"): ("cut", STOP),
        ("sounding", "finished"): ("none", ()),
        ("sounding", "gave.up"): ("none", STOP),
        # Stopped in mid-reply: the user has the floor.
        ("cut", "turn.ended"): ("pending", (e.ReplyStart,)),
        ("cut", "turn.dropped"): ("none", ()),
        ("cut", "unheard"): ("withdrawn", ()),
        # Stopped before a sound: the new words join the old, or the old ones are asked again.
        ("withdrawn", "turn.ended"): ("pending", (e.ReplyStart,)),
        ("withdrawn", "turn.dropped"): ("pending", (e.ReplyStart,)),
    }
)

ENGINE: Table = MappingProxyType(
    {
        ("free", "reply.start"): ("writing", ()),
        ("writing", "reply.start"): ("writing", ()),
        ("stopping", "reply.start"): ("writing", ()),
        ("writing", "reply.cancel"): ("stopping", ()),
        ("free", "reply.cancel"): ("free", ()),
        ("writing", "reply.written"): ("free", ()),
        ("stopping", "reply.written"): ("free", ()),
    }
)

# After a stop the player says how far it was heard; only then may the next reply begin.
PLAYBACK: Table = MappingProxyType(
    {
        ("silent", "sounded"): ("playing", ()),
        ("silent", "finished"): ("silent", ()),
        ("silent", "playback.hold"): ("held", ()),
        ("silent", "playback.stop"): ("stopping", ()),
        ("held", "playback.release"): ("silent", ()),
        ("held", "playback.stop"): ("stopping", ()),
        ("playing", "finished"): ("silent", ()),
        ("playing", "playback.duck"): ("ducked", ()),
        ("playing", "playback.stop"): ("stopping", ()),
        ("ducked", "finished"): ("silent", ()),
        ("ducked", "playback.restore"): ("playing", ()),
        ("ducked", "playback.stop"): ("stopping", ()),
        ("stopping", "finished"): ("silent", ()),
    }
)


@dataclass(slots=True)
class Machine:
    """One machine: a table and where it stands."""

    table: Table
    state: str

    def step(self, symbol: str) -> Commands:
        """Moves on; returns the commands of the row. Raises `NoSuchRow` and stays put."""
        row = self.table.get((self.state, symbol))
        if row is None:
            raise NoSuchRow(f"{symbol!r} in state {self.state!r}")
        self.state, commands = row
        return commands

    def takes(self, symbol: str) -> bool:
        """Whether there is a row for the symbol now."""
        return (self.state, symbol) in self.table


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the four machines stand, and the state that users see, derived from them."""

    user: str
    reply: str
    engine: str
    playback: str

    @property
    def state(self) -> str:
        """idle · perceiving · reasoning · streaming · interrupted."""
        if self.reply == "sounding":
            return "streaming"
        if self.reply == "cut":
            return "interrupted"
        if self.user != "quiet":
            return "perceiving"
        return "reasoning" if self.reply == "pending" else "idle"


class Machines:
    """The four together."""

    def __init__(self) -> None:
        self.user = Machine(USER, "quiet")
        self.reply = Machine(REPLY, "none")
        self.engine = Machine(ENGINE, "free")
        self.playback = Machine(PLAYBACK, "silent")

    def standing(self) -> Standing:
        return Standing(self.user.state, self.reply.state, self.engine.state, self.playback.state)

    def command(self, topic: str) -> None:
        """Moves the machines that a command of ours moves."""
        for machine in (self.engine, self.playback):
            if machine.takes(topic):
                machine.step(topic)
