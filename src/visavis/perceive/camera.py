"""The camera: how well each stream sees, and whether it sees at all.

Takes `frame.aligned`, `clock.ticked`, and `sight.judged` of those who look at the pictures; gives
`camera.changed`. Runs inline, because only the clock knows that nothing came. Invariant: a stream
whose frames come is never absent, and one without a frame for `absent_ms` always is; a screen, of
which few come, for `screen_absent_ms`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from visavis.flow.clock import NS_PER_MS
from visavis.flow.events import (
    CAMERA,
    SCREEN,
    CameraChanged,
    ClockTicked,
    Event,
    FrameAligned,
    SightJudged,
)

ABSENT = "absent"


@dataclass(slots=True)
class Stream:
    """`judged`: what its pictures were last judged to be; `said`: what was last told of it."""

    came_ns: int = 0
    captured_ns: int = 0
    judged: str = "clear"
    said: str = ""


class Camera:
    """All streams. `expected`: those that are absent from the beginning until they come."""

    name = "perceive.camera"

    def __init__(
        self,
        *,
        absent_ms: float = 500,
        screen_absent_ms: float = 3_000,
        expected: tuple[str, ...] = (CAMERA,),
    ) -> None:
        self._absent_ns = round(absent_ms * NS_PER_MS)
        self._screen_absent_ns = round(screen_absent_ms * NS_PER_MS)
        self._streams = {name: Stream() for name in expected}

    def on(self, event: Event) -> Iterator[CameraChanged]:
        match event:
            case FrameAligned():
                stream = self._streams.setdefault(event.stream, Stream())
                stream.came_ns, stream.captured_ns = event.t_ns, event.captured_ns
                if stream.said in ("", ABSENT):
                    yield from self._say(event.stream, stream.judged, event.captured_ns, event)
            case SightJudged():
                stream = self._streams.setdefault(event.stream, Stream())
                stream.judged = event.condition
                if stream.said not in ("", ABSENT):
                    yield from self._say(event.stream, event.condition, event.since_ns, event)
            case ClockTicked():
                for name, stream in self._streams.items():
                    patience_ns = self._screen_absent_ns if name == SCREEN else self._absent_ns
                    if event.t_ns - stream.came_ns >= patience_ns:
                        yield from self._say(name, ABSENT, stream.captured_ns, event)

    def _say(
        self, name: str, condition: str, since_ns: int, cause: Event
    ) -> Iterator[CameraChanged]:
        stream = self._streams[name]
        if condition != stream.said:
            stream.said = condition
            yield CameraChanged(
                t_ns=cause.t_ns,
                trace=cause.trace,
                condition=condition,
                since_ns=since_ns,
                stream=name,
            )
