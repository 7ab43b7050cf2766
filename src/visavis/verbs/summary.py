"""What a run leaves behind for people and programs: turns, latencies, losses, as JSON."""

from __future__ import annotations

from collections import deque
from dataclasses import asdict, replace
from typing import Any

from visavis.flow import events as e
from visavis.flow.bus import Bus
from visavis.flow.clock import NS_PER_MS
from visavis.govern.meter import Meter
from visavis.govern.sight import Eyes, Look

MAX_TURNS = 10_000


class Minutes:
    """A tap that keeps the last turns of both sides and what failed."""

    def __init__(self) -> None:
        self.items: deque[e.ItemKept] = deque(maxlen=MAX_TURNS)
        self.failures: deque[str] = deque(maxlen=100)
        self.source_error = ""

    def watch(self, event: e.Event) -> None:
        match event:
            case e.ItemKept():
                self.items.append(event)
            case e.NodeFailed():
                self.failures.append(f"{event.node}: {event.error}")
            case e.ReplyWritten(reason="failed"):
                self.failures.append(f"no answer: {event.error}")
            case e.SourceEnded():
                self.source_error = self.source_error or event.error


def summary(minutes: Minutes, meter: Meter, bus: Bus, pace: str) -> dict[str, Any]:
    """The run as plain data; times in milliseconds on the session axis."""
    looks = {look.epoch: _look(look) for look in meter.looks}
    return {
        "pace": pace,
        "session_ms": round(bus.now_ns / NS_PER_MS),
        "history": [
            {
                "role": item.role,
                "text": item.text,
                "start_ms": round(item.start_ns / NS_PER_MS),
                "cut": item.cut,
            }
            for item in minutes.items
        ],
        "replies": [
            {**_rounded(asdict(reply)), "view": looks.get(reply.epoch)} for reply in meter.replies
        ],
        "interruptions": [_rounded(asdict(cut)) for cut in meter.interruptions],
        "drafts": asdict(meter.drafts),
        "eyes": _eyes(meter.eyes) if meter.eyes.frames_captured else None,
        "latency": {name: _rounded(asdict(spread)) for name, spread in meter.summary().items()},
        "failures": list(minutes.failures),
        "source_error": minutes.source_error,
        "dropped": {
            f"{entry.node.name} {entry.topic.name}": entry.dropped
            for entry in bus.subscriptions()
            if entry.dropped
        },
    }


def _look(look: Look) -> dict[str, Any]:
    return {key: value for key, value in _rounded(asdict(look)).items() if key != "epoch"}


def _eyes(eyes: Eyes) -> dict[str, Any]:
    """What they did, and how well they saw from when on."""
    conditions = [
        {
            "at_ms": round(change.since_ns / NS_PER_MS),
            "stream": change.stream,
            "condition": change.condition,
        }
        for change in eyes.conditions
    ]
    return {**asdict(replace(eyes, conditions=deque())), "conditions": conditions}


def _rounded(record: dict[str, Any]) -> dict[str, Any]:
    return {
        key: round(value, 1) if isinstance(value, float) else value for key, value in record.items()
    }
