"""The small machines, as tables: (state, symbol) → (next state, commands to issue).

Four say where the session stands (user, reply, engine, playback); two more stand beside the reply:
the draft that is held until the turn is over, and the murmur with which we listen. A symbol is a
topic's name, or one of the session's own words:
    voice        the user's voice began while a reply was under way
    insisted     that voice goes on and does not sound like listening
    false.alarm  that voice meant nothing to us: noise, a backchannel, a word to someone else
    barged       it means us: stop
    adopted      the draft is the answer to the turn that has ended
    dropped      it is not
    sounded      the first sample of the reply was played
    finished     the reply was played to its end
    failed       the engine gave up before anything could be said
    gave.up      no progress for longer than anyone would wait
    unheard      it was stopped before a single word of it was heard
    unasked      what was withdrawn was no answer, so there is nothing to ask again
    remark       we have something to say unasked, and the floor is free
    notice       something must be said now, whatever goes on
    told         the tools that a reply called have all answered
    hushed       it asked us to be silent, and for nothing else
    owed         what is asked could not be answered yet, and the user is speaking again

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

BACK: Commands = (e.PlaybackRelease, e.PlaybackRestore)
"""Go on where we stood still, then at full volume. What does not apply is not issued."""

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
        ("none", "adopted"): ("pending", (e.ReplyAdopt,)),
        ("none", "turn.dropped"): ("none", ()),
        ("none", "told"): ("pending", (e.ReplyStart,)),
        ("none", "remark"): ("pending", (e.ReplyStart,)),
        ("none", "notice"): ("notice", (e.ReplyStart,)),
        ("none", "owed"): ("withdrawn", ()),
        # Asked, nothing sounded yet: the user's voice holds the sound back until it is understood.
        ("pending", "voice"): ("pending", (e.PlaybackHold,)),
        ("pending", "false.alarm"): ("pending", (e.PlaybackRelease,)),
        ("pending", "barged"): ("withdrawn", STOP),
        ("pending", "sounded"): ("sounding", ()),
        ("pending", "finished"): ("none", ()),
        ("pending", "failed"): ("pending", (e.ReplyStart,)),
        ("pending", "gave.up"): ("none", STOP),
        ("pending", "notice"): ("withdrawn", STOP),
        # Being heard: lower the volume at once, stand still when it goes on, then know what for.
        ("sounding", "voice"): ("sounding", (e.PlaybackDuck,)),
        ("sounding", "insisted"): ("sounding", (e.PlaybackHold,)),
        ("sounding", "false.alarm"): ("sounding", BACK),
        ("sounding", "barged"): ("cut", STOP),
        ("sounding", "finished"): ("none", ()),
        ("sounding", "gave.up"): ("none", STOP),
        ("sounding", "notice"): ("cut", STOP),
        # Stopped in mid-reply: the user has the floor.
        ("cut", "turn.ended"): ("pending", (e.ReplyStart,)),
        ("cut", "adopted"): ("pending", (e.ReplyAdopt,)),
        ("cut", "turn.dropped"): ("none", ()),
        ("cut", "hushed"): ("none", ()),
        ("cut", "unheard"): ("withdrawn", ()),
        ("cut", "notice"): ("notice", (e.ReplyStart,)),
        ("cut", "owed"): ("withdrawn", ()),
        # Stopped before a sound: the new words join the old, or the old ones are asked again.
        ("withdrawn", "turn.ended"): ("pending", (e.ReplyStart,)),
        ("withdrawn", "adopted"): ("pending", (e.ReplyAdopt,)),
        ("withdrawn", "turn.dropped"): ("pending", (e.ReplyStart,)),
        ("withdrawn", "unasked"): ("none", ()),
        ("withdrawn", "hushed"): ("none", ()),
        ("withdrawn", "owed"): ("withdrawn", ()),
        ("withdrawn", "notice"): ("notice", (e.ReplyStart,)),
        # A warning: no voice stops it.
        ("notice", "sounded"): ("notice", ()),
        ("notice", "finished"): ("none", ()),
        ("notice", "gave.up"): ("none", STOP),
    }
)

DRAFT: Table = MappingProxyType(
    {
        ("none", "turn.expected"): ("held", (e.ReplyStart,)),
        ("held", "adopted"): ("none", ()),  # the reply's machine lets it sound
        ("held", "dropped"): ("none", (e.ReplyCancel,)),
    }
)

MURMUR: Table = MappingProxyType(
    {
        ("none", "turn.lingered"): ("sounding", (e.ReplyStart,)),
        ("sounding", "finished"): ("none", ()),
        # The user goes on, or whatever is said next takes its place.
        ("sounding", "voice"): ("stopping", STOP),
        ("sounding", "reply.start"): ("none", ()),
        ("stopping", "finished"): ("none", ()),
        ("stopping", "reply.start"): ("none", ()),
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
        ("held", "finished"): ("silent", ()),
        ("playing", "finished"): ("silent", ()),
        ("playing", "playback.duck"): ("ducked", ()),
        ("playing", "playback.stop"): ("stopping", ()),
        ("ducked", "finished"): ("silent", ()),
        ("ducked", "playback.restore"): ("playing", ()),
        ("ducked", "playback.hold"): ("paused", ()),
        ("ducked", "playback.stop"): ("stopping", ()),
        ("paused", "finished"): ("silent", ()),
        ("paused", "playback.release"): ("ducked", ()),
        ("paused", "playback.stop"): ("stopping", ()),
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
    """Where the four machines stand, and the state that users see, derived from them.

    `owes`: a question is over, and is not asked yet since something must come first.
    """

    user: str
    reply: str
    engine: str
    playback: str
    owes: bool = False

    @property
    def state(self) -> str:
        """idle · perceiving · reasoning · streaming · interrupted."""
        if self.reply in ("sounding", "notice"):
            return "streaming"
        if self.reply == "cut":
            return "interrupted"
        if self.user != "quiet":
            return "perceiving"
        return "idle" if self.reply == "none" and not self.owes else "reasoning"


class Machines:
    """All of them together."""

    def __init__(self) -> None:
        self.user = Machine(USER, "quiet")
        self.reply = Machine(REPLY, "none")
        self.draft = Machine(DRAFT, "none")
        self.murmur = Machine(MURMUR, "none")
        self.engine = Machine(ENGINE, "free")
        self.playback = Machine(PLAYBACK, "silent")

    def standing(self, *, owes: bool = False) -> Standing:
        """`owes`: see `Standing`."""
        user, reply = self.user.state, self.reply.state
        return Standing(user, reply, self.engine.state, self.playback.state, owes)

    def command(self, topic: str, by: Machine) -> None:
        """Moves the other machines that a command, ordered `by` one of them, moves."""
        for machine in (self.engine, self.playback, self.murmur):
            if machine is not by and machine.takes(topic):
                machine.step(topic)

    @property
    def floor_is_free(self) -> bool:
        """Nobody speaks, and nothing is under way that would."""
        machines = (self.draft, self.murmur, self.reply)
        at_rest = all(machine.state == "none" for machine in machines)
        return at_rest and self.user.state == "quiet" and self.playback.state == "silent"
