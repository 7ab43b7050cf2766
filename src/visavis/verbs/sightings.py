"""What the eyes do, in words for a terminal: what was looked at, when, and how well it is seen.

Takes an event or a look; gives a line, empty when there is nothing worth a line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S
from visavis.govern.sight import Look

WIDTH = 160
"""Of what is read, on a terminal."""
WHY = {
    "speech": "you speak",
    "question": "you asked",
    "pointed": "you pointed",
    "change": "it changed",
    "heartbeat": "now and then",
}


def looked(look: Look) -> str:
    """`looked at the picture of 3.42 s, 8 ms before the moment of the question, seen early`."""
    when = (
        "a picture"
        if look.captured_ms is None
        else f"the picture of {look.captured_ms / 1e3:.2f} s"
    )
    parts = [f"looked at {when}"]
    if look.offset_ms is not None:
        side = "before" if look.offset_ms < 0 else "after"
        parts.append(f"{abs(look.offset_ms):.0f} ms {side} the moment of the question")
    if look.early:
        parts.append("taken in before the turn was over")
    return ", ".join(parts)


def _taken(event: e.ViewTaken) -> str:
    if not event.data:
        return ""
    which = "" if event.view.stream == e.CAMERA else f" of the {event.view.stream}"
    size = f"{event.view.width}×{event.view.height}"
    why = WHY.get(event.reason, event.reason)
    at_s = event.view.captured_ns / NS_PER_S
    return f"◉ a new picture{which}, {size}, of {at_s:.2f} s: {why}"


def _missed(event: e.ViewMissed) -> str:
    return "◌ nothing to look at" if event.reason in ("question", "pointed") else ""


def _condition(event: e.CameraChanged) -> str:
    return f"◌ the {event.stream} is {event.condition}"


def _read(event: e.ViewRead) -> str:
    who = "it" if event.stream == e.CAMERA else f"the {event.stream}"
    line = " / ".join(event.text.splitlines())
    if len(line) > WIDTH:
        line = f"{line[: WIDTH - 1]}…"
    return f"◉ {who} says: {line}" if line else ""


def _described(event: e.ViewDescribed) -> str:
    return f"◉ in words: {event.text}" if event.text else ""


def _recalled(event: e.MemoryRecalled) -> str:
    return f"◉ remembers what was seen {event.ago_ms / 1e3:.0f} s ago"


SIGHTINGS: dict[str, Callable[[Any], str]] = {
    "view.taken": _taken,
    "view.missed": _missed,
    "view.read": _read,
    "view.described": _described,
    "camera.changed": _condition,
    "memory.recalled": _recalled,
}
