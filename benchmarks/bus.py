"""The bus: events a second through one topic, and how long an event takes to reach a node.

    python benchmarks/bus.py

Throughput: one topic, one inline subscriber, best of five rounds. Dispatch: every node of the
wiring table is replaced by one that only notes the time, in the lane of its row; the outside events
of a session come at their rates, ten times faster than real; the time from `publish` to the
node's `on` is noted for each delivery, waiting in the cascade included. Lane: the same for a
delivery to a lane's thread.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Sequence

import numpy as np

from row import print_row
from visavis.flow import events as e
from visavis.flow.loop import Loop
from visavis.flow.topics import BY_NAME
from visavis.wiring import SOURCES, WIRING

EVENTS = 200_000
SESSION_S = 40
SPEED = 10
# What the inline nodes give for what they take, so that there are cascades as in a session.
GIVES = {
    ("align.audio", "audio.captured"): ("audio.aligned",),
    ("perceive.turn", "words.heard"): ("turn.ended",),
    ("decide.session", "turn.ended"): ("state.changed", "item.kept", "reply.start"),
    ("decide.session", "words.heard"): ("prompt.prefill",),
    ("speak.segment", "reply.written"): ("phrase.ready",),
    ("speak.ahead", "phrase.ready"): ("phrase.released",),
    ("speak.player", "clock.ticked"): ("sound.played",),
}


class Counter:
    """Counts, and does nothing else."""

    name = "counter"

    def __init__(self) -> None:
        self.count = 0

    def on(self, event: e.Event) -> Sequence[e.Event]:
        self.count += 1
        return ()


def example(topic: str, t_ns: int) -> e.Event:
    """An event of the topic; what its fields hold does not matter here."""
    kind = BY_NAME[topic].event
    required = [
        field.name for field in dataclasses.fields(kind) if field.default is dataclasses.MISSING
    ]
    return kind(**{**dict.fromkeys(required, 0), "t_ns": t_ns})


def throughput() -> float:
    """Events a second through one topic to one inline subscriber."""
    best = 0.0
    for _ in range(5):
        loop, counter = Loop(), Counter()
        loop.add(counter, ["clock.ticked"])
        events = [e.ClockTicked(t_ns=index, index=index) for index in range(EVENTS)]
        began = time.perf_counter()
        for event in events:
            loop.publish(event)
        best = max(best, EVENTS / (time.perf_counter() - began))
        assert counter.count == EVENTS
        loop.close()
    return best


class Stopwatch:
    """When each event was published, and how long its deliveries took."""

    def __init__(self, loop: Loop) -> None:
        self._bus_publish = loop.bus.publish
        self._published_ns: dict[int, int] = {}
        self.inline_ns: list[int] = []
        self.lane_ns: list[int] = []
        loop.bus.publish = self._publish  # type: ignore[method-assign]

    def _publish(self, event: e.Event) -> bool:
        self._published_ns[id(event)] = time.perf_counter_ns()
        return self._bus_publish(event)

    def arrived(self, event: e.Event, noted: list[int]) -> None:
        noted.append(time.perf_counter_ns() - self._published_ns[id(event)])


class Dummy:
    """Stands for a node of the table."""

    def __init__(self, name: str, watch: Stopwatch, noted: list[int]) -> None:
        self.name = name
        self._watch, self._noted = watch, noted

    def on(self, event: e.Event) -> Sequence[e.Event]:
        self._watch.arrived(event, self._noted)
        topics = GIVES.get((self.name, event.topic), ())
        return [example(topic, event.t_ns) for topic in topics]


def outside() -> Iterator[str]:
    """The topics of a session's outside events, in an order as in a session."""
    lanes = [topic for row in WIRING if row.lane for topic in row.gives]
    sources = [topic for topics in SOURCES.values() for topic in topics]
    rates = {topic: BY_NAME[topic].rate_hz for topic in (*sources, *lanes)}
    order = [
        (index / rate, topic)
        for topic, rate in rates.items()
        for index in range(round(SESSION_S * rate))
    ]
    return (topic for _, topic in sorted(order))


def dispatch() -> tuple[list[int], list[int]]:
    """Nanoseconds from `publish` to `on`, inline and in lanes, with every node wired."""
    loop = Loop()
    watch = Stopwatch(loop)
    for row in WIRING:
        noted = watch.lane_ns if row.lane else watch.inline_ns
        loop.add(Dummy(row.name, watch, noted), row.takes, row.lane)
    topics = list(outside())
    pause_s = SESSION_S / SPEED / len(topics)
    for topic in topics:
        time.sleep(pause_s)
        loop.publish(example(topic, loop.clock.now_ns()))
    loop.close()
    return watch.inline_ns, watch.lane_ns


def percentiles(times_ns: list[int]) -> str:
    """p50 and p99 in microseconds."""
    p50, p99 = np.percentile(np.array(times_ns) / 1000, [50, 99])
    return f"p50 {p50:.0f} µs, p99 {p99:.0f} µs"


def main() -> None:
    per_second = throughput()
    inline_ns, lane_ns = dispatch()
    print_row(
        "python benchmarks/bus.py",
        f"{per_second:,.0f} events/s; dispatch {percentiles(inline_ns)} over {len(inline_ns)}"
        f" deliveries to {len(WIRING)} nodes; to a lane {percentiles(lane_ns)}",
    )


if __name__ == "__main__":
    main()
