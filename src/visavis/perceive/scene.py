"""The scene: whether what a stream shows is no longer what it showed.

Takes `frame.aligned`, and `speech.started`, `turn.ended`, `turn.dropped` to look more often while
the user speaks; gives `scene.changed`, `sight.judged`. Runs in the lane `vision`: 0.5 ms a frame,
of which most are not looked at while nothing happens. One change is one event, at its beginning,
and one more when it has settled, if it then looks different; what goes on and on is told every
two seconds. Invariant: the picture that is compared with is the last one that was told of, so
that no change is too slow.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from visavis.flow.clock import NS_PER_MS
from visavis.flow.events import (
    SCREEN,
    Event,
    FrameAligned,
    SceneChanged,
    SightJudged,
    SpeechStarted,
    TurnDropped,
    TurnEnded,
)
from visavis.flow.ring import FrameRing, Pixels
from visavis.perceive.blocks import Blocks, halved, luma, sampled
from visavis.perceive.clarity import Clarity
from visavis.perceive.difference import FLOOR, RESTLESS, Reference, changed
from visavis.perceive.screen import Screen

CHANGED = 0.01
"""The least share of a picture that matters: a third of what a small object takes."""
STILL_EVERY_NS = 90 * NS_PER_MS
MOVING_EVERY_NS = 20 * NS_PER_MS
SETTLED_NS = 400 * NS_PER_MS
AGAIN_NS = 2_000 * NS_PER_MS
EXPOSED, EXPOSED_NS = 1.25, 1_000 * NS_PER_MS
GROW_NS, CALM_NS = 10_000 * NS_PER_MS, 3_000 * NS_PER_MS
"""How long it takes to get used to what is restless, and that it no longer is."""
MOST_RESTLESS = 30.0
FIRST_RESTLESS = 1.5


class Scene:
    """What one stream shows. `told`: the picture of the last event, or one like it."""

    def __init__(self) -> None:
        self.clarity = Clarity()
        self._told: Reference | None = None
        self._told_ns = 0
        self._before: Blocks | None = None
        self._looked_ns = -STILL_EVERY_NS
        self._restless = np.full((24, 32), FIRST_RESTLESS, np.float32)
        self._learnt = 0
        self._moving = False
        self._anchor: Reference | None = None  # it moves as long as this does not stand
        self._anchor_ns = 0
        self._suspect_ns = -1  # when the frame was taken in which something seemed to change
        self._exposed_ns = -1

    def wants(self, t_ns: int, *, often: bool) -> bool:
        """Whether to look at a frame now."""
        often = often or self._moving or self._suspect_ns >= 0
        return t_ns - self._looked_ns >= (MOVING_EVERY_NS if often else STILL_EVERY_NS)

    def look(self, pixels: Pixels, t_ns: int, captured_ns: int) -> tuple[float, int, bool]:
        """Takes a picture.

        Gives the share that changed if that is to be told (else 0), from which capture on, and
        whether the condition is another one.
        """
        fine = sampled(pixels)
        blocks = halved(fine)
        still = self._learn(blocks, t_ns)
        judged = self.clarity.look(pixels, fine, t_ns, captured_ns, still=still)
        self._looked_ns = t_ns
        share, since_ns = 0.0, captured_ns
        if not self.clarity.in_the_dark:  # there nothing is told of, and nothing forgotten
            share, since_ns = self._compare(blocks, t_ns, captured_ns)
        return share, since_ns, judged

    def _compare(self, blocks: Blocks, t_ns: int, captured_ns: int) -> tuple[float, int]:
        if self._told is None:
            self._tell(blocks, t_ns, moving=True)
            return 1.0, captured_ns
        share = changed(self._told, blocks, self._restless)
        if self._moving:
            settled = self._has_settled(blocks, t_ns)
            if share >= CHANGED and (settled or t_ns - self._told_ns >= AGAIN_NS):
                self._tell(blocks, t_ns, moving=not settled)
                return share, captured_ns
            self._moving = not settled
        elif share < CHANGED:
            self._suspect_ns = -1
            self._follow_exposure(blocks, t_ns)
        elif self._suspect_ns < 0:
            self._suspect_ns = captured_ns  # once may be a flash; twice is a change
        else:
            since_ns = self._suspect_ns
            self._tell(blocks, t_ns, moving=True)
            return share, since_ns
        return 0.0, captured_ns

    def _tell(self, blocks: Blocks, t_ns: int, *, moving: bool) -> None:
        self._told = self._anchor = Reference.of(blocks)
        self._told_ns = self._anchor_ns = t_ns
        self._moving, self._suspect_ns, self._exposed_ns = moving, -1, -1

    def _has_settled(self, blocks: Blocks, t_ns: int) -> bool:
        assert self._anchor is not None
        if changed(self._anchor, blocks, self._restless) >= CHANGED / 2:
            self._anchor, self._anchor_ns = Reference.of(blocks), t_ns
        return t_ns - self._anchor_ns >= SETTLED_NS

    def _follow_exposure(self, blocks: Blocks, t_ns: int) -> None:
        """Compares from now on with this picture, if it has long been the same in another light.

        What is told from far away in brightness is told badly.
        """
        assert self._told is not None
        ratio = (luma(blocks).mean() + 1) / (luma(self._told.blocks).mean() + 1)
        if max(ratio, 1 / ratio) < EXPOSED:
            self._exposed_ns = -1
        elif self._exposed_ns < 0:
            self._exposed_ns = t_ns
        elif t_ns - self._exposed_ns >= EXPOSED_NS:
            self._told, self._exposed_ns = Reference.of(blocks), -1

    def _learn(self, blocks: Blocks, t_ns: int) -> bool:
        """How much each block differs from one look to the next; whether it is but noise now."""
        before, self._before = self._before, blocks
        if before is None:
            return False
        moved = np.abs(blocks - before).max(axis=2)
        still = float((moved > FLOOR + RESTLESS * self._restless).mean()) < CHANGED
        self._learnt += 1
        more = np.minimum(moved, MOST_RESTLESS) - self._restless
        part = (t_ns - self._looked_ns) / np.where(more > 0, GROW_NS, CALM_NS)
        at_first = 1 / (1 + self._learnt)
        self._restless += more * np.clip(part, at_first, 1)
        return still


class SceneWatcher:
    """One scene a stream; a screen is watched in its own way (perceive/screen.py)."""

    name = "perceive.scene"

    def __init__(self, ring: FrameRing) -> None:
        self._ring = ring
        self._scenes: dict[str, Scene | Screen] = {}
        self._speaking = False

    def on(self, event: Event) -> Iterator[Event]:
        match event:
            case SpeechStarted():
                self._speaking = True
            case TurnEnded() | TurnDropped():
                self._speaking = False
            case FrameAligned():
                yield from self._watch(event)

    def _watch(self, event: FrameAligned) -> Iterator[Event]:
        scene = self._scenes.get(event.stream)
        if scene is None:
            scene = self._scenes[event.stream] = Screen() if event.stream == SCREEN else Scene()
        if not scene.wants(event.t_ns, often=self._speaking):
            return
        try:
            with self._ring.lease(event.slot, event.generation) as lease:
                share, since_ns, judged = scene.look(lease.pixels, event.t_ns, event.captured_ns)
        except LookupError:
            return  # overwritten: another one comes
        if judged and isinstance(scene, Scene):
            yield SightJudged(
                t_ns=event.t_ns,
                trace=event.trace,
                condition=scene.clarity.condition,
                since_ns=scene.clarity.since_ns,
                stream=event.stream,
            )
        if share > 0:
            yield SceneChanged(
                t_ns=event.t_ns,
                trace=event.trace,
                captured_ns=since_ns,
                share=share,
                stream=event.stream,
            )
