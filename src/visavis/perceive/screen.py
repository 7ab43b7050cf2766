"""A screen: whether it shows something else than it did. A second stream, which must cost little.

The same as a `Scene` (perceive/scene.py) for pictures without noise, light or focus: they differ
where something differs, so much less is a change, and it is one at once; and one that stands still
or is black is well all the same. A look every half second is enough, whatever goes on. What plays
on and on in one place, such as a film, is got used to within seconds. Invariant: the picture that
is compared with is the last one that was told of.
"""

from __future__ import annotations

import numpy as np

from visavis.flow.clock import NS_PER_MS
from visavis.flow.ring import Pixels
from visavis.perceive.blocks import Blocks, halved, sampled

EVERY_NS = 450 * NS_PER_MS
CHANGED = 0.005
"""The least share that is told of: a word of a slide. A letter, or a blinking mark, is less."""
FLOOR = 4.0
"""So much may any block differ, of 255: compression does. Of a word of 9 pixels each does by 5."""
RESTLESS = 4.5
MOST_RESTLESS = 64.0
GROW_NS, CALM_NS = 10_000 * NS_PER_MS, 3_000 * NS_PER_MS
AGAIN_NS = 2_000 * NS_PER_MS


class Screen:
    """What a screen shows. `told`: the picture of the last event."""

    def __init__(self) -> None:
        self._told: Blocks | None = None
        self._told_ns = 0
        self._before: Blocks | None = None
        self._looked_ns = -EVERY_NS
        self._restless = np.zeros((24, 32), np.float32)
        self._moving = False

    def wants(self, t_ns: int, *, often: bool) -> bool:
        """Whether to look at a frame now; never `often`."""
        return t_ns - self._looked_ns >= EVERY_NS

    def look(self, pixels: Pixels, t_ns: int, captured_ns: int) -> tuple[float, int, bool]:
        """Takes a picture.

        Gives the share that changed if that is to be told (else 0), and from which capture on;
        never another condition.
        """
        blocks, passed_ns = halved(sampled(pixels)), t_ns - self._looked_ns
        before, self._before, self._looked_ns = self._before, blocks, t_ns
        if self._told is None or before is None:
            self._told, self._told_ns = blocks, t_ns
            return 1.0, captured_ns, False
        was_moving, self._moving = self._moving, self._differs(before, blocks) >= CHANGED
        share = self._differs(self._told, blocks)
        self._learn(before, blocks, passed_ns)
        settled, begins = not self._moving, not was_moving
        if share < CHANGED or not (settled or begins or t_ns - self._told_ns >= AGAIN_NS):
            return 0.0, captured_ns, False
        self._told, self._told_ns = blocks, t_ns
        return share, captured_ns, False

    def _differs(self, one: Blocks, other: Blocks) -> float:
        """The share of blocks that differ by more than is usual there."""
        allowed = FLOOR + RESTLESS * self._restless
        return float((np.abs(other - one).max(axis=2) > allowed).mean())

    def _learn(self, before: Blocks, blocks: Blocks, passed_ns: int) -> None:
        moved = np.minimum(np.abs(blocks - before).max(axis=2), MOST_RESTLESS)
        more = moved - self._restless
        self._restless += more * np.minimum(1, passed_ns / np.where(more > 0, GROW_NS, CALM_NS))
