"""A conversation: a line of real nodes, run in real time or as fast as its engines compute.

Takes parts and a stream of timed source events; gives what the bus carries to whoever taps it.
Invariant: `run` returns once the source has ended and all that it caused is over, or soon after
`stop`; `close` leaves no thread, process or half-written file.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from visavis.flow.bus import Tap
from visavis.flow.clock import SimulatedClock
from visavis.flow.errors import VisavisError
from visavis.flow.events import Event, NodeFailed, SourceEnded, StateChanged
from visavis.flow.loop import Loop
from visavis.flow.simulate import SimulatedLoop
from visavis.source.file import merged
from visavis.speak.output import Ear
from visavis.wiring import Parts, connect

Pace = Literal["real", "fast"]


class Conversation:
    """One session. `pace` real: the system clock; fast: simulated time, billed for real work."""

    def __init__(self, parts: Parts, *, pace: Pace = "real", taps: Iterable[Tap] = ()) -> None:
        self.parts = parts
        self.loop: Loop | SimulatedLoop
        if pace == "real":
            self.loop = Loop(strict=parts.strict)
        else:
            self.loop = SimulatedLoop(SimulatedClock(bill_work=True), strict=parts.strict)
        self.nodes = connect(self.loop, parts)
        self.state = "idle"
        self._source_ended = False
        for tap in (self._watch, *taps):
            self.loop.bus.tap(tap)

    @property
    def sink_failure(self) -> VisavisError | None:
        """Why the answers are not, or not wholly, where they were to sound. Final after `close`."""
        ear = self.nodes.get(Ear.name)
        return ear.failure if isinstance(ear, Ear) else None

    def run(self, *sources: Iterable[Event]) -> None:
        """Talks until the sound has ended and the last reply has been played, or `stop`.

        `sources`: events in order of time, such as a sound's and a film's; they are merged.
        """
        self.loop.feed(merged(*sources) if len(sources) > 1 else sources[0])
        self.loop.run(self._is_over)

    def stop(self) -> None:
        """Makes `run` return within a period. Safe from a signal handler."""
        self.loop.stop()

    def close(self) -> None:
        """Ends threads and engines and completes files."""
        self.loop.close()
        for engine in (
            self.parts.vad,
            self.parts.asr,
            self.parts.turn,
            self.parts.llm,
            self.parts.tts,
            self.parts.spare_tts,
            self.parts.codec,
            self.parts.ocr,
            self.parts.embedder,
        ):
            if engine is not None:
                engine.close()

    def _is_over(self) -> bool:
        return self._source_ended and self.state == "idle" and not self.loop.busy

    def _watch(self, event: Event) -> None:
        match event:
            case StateChanged():
                self.state = event.state
            case SourceEnded(source="audio") | NodeFailed(node="source"):
                self._source_ended = True
