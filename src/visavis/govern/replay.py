"""Replay: feeds a recording to the same stations and compares what they publish with the record.

The line publishes one event from outside and runs its inline nodes until quiet before the next;
so the outside events, in their order, fully determine what every inline node gives. They come from
the recording (the clock, the aligned audio, what the lanes' models gave: see govern/table.py); the
rest is made anew and must be the same, field by field, floats exactly, sound by its hash.

What it needs from the wiring is one function, a `Builder`:

    def replay_line(settings: Mapping[str, Any]) -> Rebuilt

It makes a `Line(SimulatedClock())` with those inline nodes that take only what is recorded, in the
table's order, configured as `settings` (what the `Recorder` was given) say.

Invariant: `identical` is never claimed of a recording that lost an event or is damaged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from visavis.flow.clock import NS_PER_S, SimulatedClock
from visavis.flow.errors import InputError
from visavis.flow.events import AudioAligned, Event, NodeFailed
from visavis.flow.line import Line
from visavis.flow.ring import AudioRing
from visavis.govern.form import Form, Json
from visavis.govern.recording import MAKE_ONE, Entry, Recording, Unusable, read
from visavis.govern.table import Row, Table

__all__ = ["Builder", "Difference", "Rebuilt", "Recording", "Report", "read", "replay"]


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A line to replay with, the rows of the whole table, and the ring its nodes read, if any."""

    line: Line
    rows: Sequence[Row]
    ring: AudioRing | None = None


Builder = Callable[[Mapping[str, Any]], Rebuilt]
CONTEXT = 5
"""How many events before a difference are shown."""

# Several events that a replaced node gave for one cause were published before any was delivered;
# they are fed so too. (Their queues hold more than this.)
BATCH = 256


@dataclass(frozen=True, slots=True)
class Difference:
    """The first event that came out otherwise. None as `expected` or `got` = no event at all.

    `before` are the events that led here.
    """

    number: int
    t_ns: int
    topic: str
    node: str
    expected: Json | None
    got: Json | None
    before: tuple[str, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that differ, of two events of one topic."""
        expected, got = self.expected or {}, self.got or {}
        if expected.get("topic") != got.get("topic"):
            return ()
        return tuple(name for name in expected if expected[name] != got.get(name))


@dataclass(frozen=True, slots=True)
class Report:
    """What a replay found.

    `nodes` ran again; `events` were read, `compared` of them made again and compared.

    `broken`, `damaged`, `dropped`, `cut`, `inexact`: as in `Recording`.
    """

    nodes: tuple[str, ...]
    events: int
    compared: int
    end_ns: int
    difference: Difference | None
    broken: str
    damaged: bool
    dropped: int
    cut: bool
    inexact: int

    @property
    def identical(self) -> bool:
        """Whether all came out as it was, and nothing is missing in between."""
        return self.difference is None and self.dropped == 0 and not self.damaged


def replay(recording: Recording, build: Builder) -> Report:
    """Replays up to the first difference.

    Raises `InputError` when the recording holds no events or cannot be understood, and what
    `build` raises of its own, such as `BundleError`.
    """
    rebuilt = _built(recording, build)
    run = _Run(rebuilt)
    difference: Difference | None = None
    try:
        for entry in recording:
            difference = run.take(entry)
            if difference is not None:
                break
        else:
            # Broken off: what followed from the last event may not have been written any more.
            ragged = bool(recording.broken) or recording.cut or recording.dropped > 0
            difference = run.finish(ragged=ragged)
    except Unusable as error:
        raise InputError(recording.path, str(error), "replay it with its own version") from error
    finally:
        rebuilt.line.close()
    if not run.events:
        raise InputError(recording.path, "holds no events", MAKE_ONE)
    return Report(
        nodes=tuple(node.name for node in rebuilt.line.nodes),
        events=run.events,
        compared=run.compared,
        end_ns=run.end_ns,
        difference=difference,
        broken=recording.broken,
        damaged=recording.damaged,
        dropped=recording.dropped,
        cut=recording.cut,
        inexact=recording.inexact,
    )


def _built(recording: Recording, build: Builder) -> Rebuilt:
    try:
        return build(recording.settings)
    except (KeyError, TypeError, ValueError, msgspec.MsgspecError) as error:
        problem = f"its settings do not tell how to build the line again ({error!r})"
        raise InputError(recording.path, problem, MAKE_ONE) from error


class _Run:
    """A replay under way."""

    def __init__(self, rebuilt: Rebuilt) -> None:
        line = rebuilt.line
        assert isinstance(line.clock, SimulatedClock)
        self.events = self.compared = self.end_ns = 0
        self._clock = line.clock
        self._line = line
        self._ring = rebuilt.ring
        self._table = Table(rebuilt.rows, (node.name for node in line.nodes))
        self._batch: list[Event] = []
        self._made: deque[Event] = deque()
        self._before: deque[Entry] = deque(maxlen=CONTEXT)
        line.bus.tap(self._see)

    def take(self, entry: Entry) -> Difference | None:
        """Feeds the entry, or compares it with what was made."""
        failed = ""
        if entry.topic == NodeFailed.topic:
            failed = getattr(entry.event(), "node", "")
        if self._table.inside(entry.topic, failed):
            self._settle()
            self.compared += 1
            difference = self._compare(entry)
        else:
            difference = self._feed(entry)
        if difference is None:
            self._before.append(entry)
            self.events += 1
            self.end_ns = entry.t_ns
        return difference

    def finish(self, *, ragged: bool) -> Difference | None:
        """After the last entry. `ragged`: more may have followed than was recorded."""
        self._settle()
        return None if ragged else self._surplus()

    def _feed(self, entry: Entry) -> Difference | None:
        joins = (
            self._batch
            and self._table.follows(entry.topic)
            and entry.topic == self._batch[-1].topic
            and entry.t_ns == self._batch[-1].t_ns
            and len(self._batch) < BATCH
        )
        if not joins:
            self._settle()
            if (difference := self._surplus()) is not None:
                return difference
        self._batch.append(self._laid(entry.event()))
        return None

    def _laid(self, event: Event) -> Event:
        """An event of the input axis as it was: a view into the ring."""
        if self._ring is None or not isinstance(event, AudioAligned):
            return event
        if event.start != self._ring.end or len(event.samples) > self._ring.capacity:
            raise Unusable(f"the sound at sample {event.start} does not follow what came before")
        return replace(event, samples=self._ring.write(event.samples))

    def _settle(self) -> None:
        batch, self._batch = self._batch, []
        for event in batch:
            if event.t_ns < self._clock.now_ns():
                raise Unusable(f"time runs backwards at {event.t_ns / NS_PER_S:.3f} s")
            self._clock.move_to(event.t_ns)
            self._line.bus.publish(event)
        self._line.settle()

    def _see(self, event: Event) -> None:
        failed = event.node if isinstance(event, NodeFailed) else ""
        if self._table.inside(event.topic, failed):
            self._made.append(event)

    def _compare(self, entry: Entry) -> Difference | None:
        event = self._made.popleft() if self._made else None
        same_topic = event is not None and event.topic == entry.topic
        if event is not None and same_topic and entry.form.encode(event) == entry.data:
            return None
        return self._difference(entry, event)

    def _surplus(self) -> Difference | None:
        return self._difference(None, self._made.popleft()) if self._made else None

    def _difference(self, entry: Entry | None, event: Event | None) -> Difference:
        expected = {"topic": entry.topic, **_fields(entry.data)} if entry else None
        got = {"topic": event.topic, **_fields(Form(type(event)).encode(event))} if event else None
        topic = str((expected or got or {})["topic"])
        return Difference(
            number=self.events,
            t_ns=self._clock.now_ns(),
            topic=topic,
            node=self._table.giver(topic),
            expected=expected,
            got=got,
            before=tuple(_line(entry) for entry in self._before),
        )


def _fields(data: bytes) -> Json:
    return msgspec.json.decode(data, type=Json)


def _line(entry: Entry) -> str:
    text = entry.data.decode()
    return f"#{entry.number} {entry.t_ns / NS_PER_S:.3f} s {entry.topic} {text}"
