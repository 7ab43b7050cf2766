"""Video alignment: each source's own stamps → the session axis, which is the axis of the sound.

Takes `frame.captured` of any stream, and `audio.aligned`, which tells how far the sound has come.
Gives `frame.aligned`, once the picture can be found in the frame ring by its time.
Invariant: within a stream times never go back, and none is later than the frame's arrival.
Stale and overtaken frames are dropped and counted. Knows nothing of what a picture shows.

A frame is taken some unknown time before it arrives, and no two take equally long. The quickest
ones tell how the source's clock lies to ours (see align/envelope.py); the others are put where
their stamps say. The microphone's clock may run fast against ours as well: then sound is there
before its time, and the frames go along with it. Where it runs slow, align.audio fills the gap.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from visavis.align.stamps import Stamps
from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.flow.events import (
    INPUT_RATE_HZ,
    AudioAligned,
    Event,
    FrameAligned,
    FrameCaptured,
)
from visavis.flow.ring import FrameRing

LEADS = 10
"""How many seconds the lead of the sound is remembered."""
ROUNDING_NS = 20 * NS_PER_MS
"""A lead that is less is none: blocks of resampling end where they end."""


class FrameAligner:
    """The node. Runs inline. `frames` None: nobody asks for pictures by their time, as in a replay.

    `stale` and `disordered` count the frames that were dropped, `gone` those that were overwritten
    before they could be placed.
    """

    name = "align.video"

    def __init__(self, frames: FrameRing | None = None) -> None:
        self._frames = frames
        self._stamps: dict[str, Stamps] = {}
        self._latest_ns: dict[str, int] = {}
        self._lead = Lead()
        self.stale = self.disordered = self.gone = 0

    @property
    def dropped(self) -> int:
        """All frames that were dropped."""
        return self.stale + self.disordered + self.gone

    def on(self, event: Event) -> Iterator[Event]:
        if isinstance(event, AudioAligned):
            self._lead.see(event)
        elif isinstance(event, FrameCaptured):
            taken_ns = self._taken_ns(event)
            if taken_ns is not None:
                latest_ns = self._latest_ns.get(event.stream, 0)
                captured_ns = max(taken_ns + self._lead.ns, latest_ns)
                self._latest_ns[event.stream] = captured_ns
                yield self._place(event, captured_ns)

    def _taken_ns(self, event: FrameCaptured) -> int | None:
        """By our clock; None for a frame that is to be dropped."""
        if event.stamp < 0:
            return event.t_ns
        stamps = self._stamps.get(event.stream)
        if stamps is None or stamps.form != (event.stamp_hz, event.stamp_bits):
            stamps = Stamps(event.stamp_hz, event.stamp_bits)
            self._stamps[event.stream] = stamps
        taken_ns = stamps.place(event.stamp, event.t_ns)
        if isinstance(taken_ns, int):
            return taken_ns
        self.stale += taken_ns == "stale"
        self.disordered += taken_ns == "disordered"
        return None

    def _place(self, event: FrameCaptured, captured_ns: int) -> FrameAligned:
        slot, generation, stream = event.slot, event.generation, event.stream
        if self._frames is not None:
            # Given on all the same: a replay, which has no ring, must say what the run said.
            self.gone += not self._frames.place(slot, generation, captured_ns, stream)
        return FrameAligned(
            t_ns=event.t_ns,
            trace=event.trace,
            epoch=event.epoch,
            slot=slot,
            generation=generation,
            width=event.width,
            height=event.height,
            captured_ns=captured_ns,
            stream=stream,
        )


class Lead:
    """How far the sound is ahead of the clock: sound cannot be early, so its clock runs fast.

    `ns`: the most of the last seconds; it is late by jitter only.
    """

    def __init__(self) -> None:
        self.ns = 0
        self._seconds: deque[tuple[int, int]] = deque(maxlen=LEADS)

    def see(self, event: AudioAligned) -> None:
        end_ns = (event.start + len(event.samples)) * NS_PER_S // INPUT_RATE_HZ
        lead_ns, second = end_ns - event.t_ns, event.t_ns // NS_PER_S
        if not self._seconds or second != self._seconds[-1][0]:
            self._seconds.append((second, lead_ns))
        elif lead_ns > self._seconds[-1][1]:
            self._seconds[-1] = second, lead_ns
        else:
            return
        most_ns = max(most for _, most in self._seconds)
        self.ns = most_ns if most_ns > ROUNDING_NS else 0
