"""Vision: takes views out of the stream when it is told to look, and never before.

Takes `look.start`; gives `view.taken` or `view.missed`, one for each. Runs in the lane `vision`:
2 ms for a frame of 640 × 480 that is encoded, 0.3 ms for one that shows what the last view shows.
A look that waits while a newer one comes is overtaken, and missed: but one that has a moment
only by another that has one. Invariant: a view is the frame nearest to its moment, at most
`reach_ms` from it; no picture is encoded twice in a row. Of a screen few frames come, and it is
full of small writing: a view of it is as large as its frame, and may be further from its moment.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from visavis.backends.contract import PictureCodec
from visavis.flow.clock import NS_PER_MS
from visavis.flow.events import SCREEN, Event, LookStart, View, ViewMissed, ViewTaken
from visavis.flow.ring import FrameRing, Pixels, Placed
from visavis.perceive.blocks import Blocks, sampled
from visavis.perceive.sameness import same

TRIES = 3
SCREEN_REACH_MS = 2_500
"""So old its newest frame may be: with one a second, one that was left out, and a slow grab."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A stream's last view, and the frame that it was made from."""

    view: View
    blocks: Blocks
    shape: tuple[int, ...]


class Vision:
    """One look after the other. `side`: pixels of a view's longer side, at most."""

    name = "perceive.vision"

    def __init__(
        self, ring: FrameRing, codec: PictureCodec, *, side: int = 640, reach_ms: float = 500
    ) -> None:
        self._ring, self._codec = ring, codec
        self._side, self._reach_ms = side, reach_ms
        self._last: dict[str, Seen] = {}
        # By stream, and whether they have a moment; written on the loop's thread.
        self._newest: dict[tuple[str, bool], LookStart] = {}

    def coming(self, event: Event) -> None:
        """Notes the newest look of each stream, before its turn has come here."""
        if isinstance(event, LookStart):
            has_moment = event.moment_ns >= 0
            for of_moment in {has_moment, False}:
                self._newest[event.stream, of_moment] = event

    def on(self, event: Event) -> Iterator[Event]:
        assert isinstance(event, LookStart)
        newest = self._newest.get((event.stream, event.moment_ns >= 0), event)
        yield self._look(event) if newest is event else _missed(event, "overtaken")

    def close(self) -> None:
        self._codec.close()

    def _look(self, look: LookStart) -> ViewTaken | ViewMissed:
        moment_ns = look.t_ns if look.moment_ns < 0 else look.moment_ns
        for _ in range(TRIES):
            placed = self._ring.nearest(look.stream, look.moment_ns)
            if placed is None:
                return _missed(look, "no frame yet")
            reach_ms = SCREEN_REACH_MS if look.stream == SCREEN else self._reach_ms
            if abs(placed.captured_ns - moment_ns) > reach_ms * NS_PER_MS:
                return _missed(look, f"no frame within {reach_ms:g} ms")
            try:
                with self._ring.lease(placed.slot, placed.generation) as lease:
                    return self._view(look, placed, lease.pixels)
            except LookupError:
                continue  # overwritten just now; the next nearest is another one
        return _missed(look, "overwritten")

    def _view(self, look: LookStart, placed: Placed, pixels: Pixels) -> ViewTaken:
        blocks, data = sampled(pixels), b""
        seen = self._last.get(look.stream)
        if seen is None or seen.shape != pixels.shape or not same(seen.blocks, blocks):
            side = max(pixels.shape) if look.stream == SCREEN else self._side
            data, width, height = self._codec.encode(pixels, side)
            name = hashlib.blake2b(data, digest_size=16).hexdigest()
            view = View(name, width=width, height=height, stream=look.stream)
            seen = self._last[look.stream] = Seen(view, blocks, pixels.shape)
        return ViewTaken(
            t_ns=look.t_ns,
            trace=look.trace,
            epoch=look.epoch,
            view=replace(seen.view, captured_ns=placed.captured_ns),
            moment_ns=look.moment_ns,
            reason=look.reason,
            data=data,
        )


def _missed(look: LookStart, reason: str) -> ViewMissed:
    return ViewMissed(
        t_ns=look.t_ns,
        trace=look.trace,
        epoch=look.epoch,
        moment_ns=look.moment_ns,
        reason=reason,
        stream=look.stream,
    )
