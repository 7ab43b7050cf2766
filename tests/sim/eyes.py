"""A scripted camera for the simulator, and the invariant of seeing.

The camera films numbered scenes: coarse patterns of colour under noise, changed at instants drawn
from the seed. It may be late, unplugged for a while, or give pictures that are none. `Seeing` knows
what was filmed when, and holds every reply to it:

9. what an answer sees is what the camera filmed at the time that its view claims, and that is the
   time of the question, as near as the camera allows
10. no view is evaluated or kept that was not asked for by a command to look
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

import numpy as np

from visavis.backends.picture.fake import FakePictureCodec
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.flow.ring import FrameRing, Pixels

WIDTH, HEIGHT, BLOCK = 48, 36, 12
RATE_HZ = 15
JITTER_MS = 40
TOLERANCE_NS = (JITTER_MS + 1000 // RATE_HZ) * NS_PER_MS
"""Between the time of a frame as it was and as the aligner takes it to be."""
NEAREST_NS = 500 * NS_PER_MS
"""A frame that is further from its moment than this is not looked at."""
FIRST, LAST = 0.5, 8.0


def pattern(scene: int) -> Pixels:
    """What scene number `scene` looks like, without noise."""
    random = np.random.default_rng(scene)
    coarse = random.integers(40, 216, (HEIGHT // BLOCK, WIDTH // BLOCK, 3), dtype=np.uint8)
    return np.repeat(np.repeat(coarse, BLOCK, 0), BLOCK, 1)


class Camera:
    """`changes`: whether the scene changes at all. `gaps`: whether it is unplugged now and then."""

    def __init__(self, random: Random, *, changes: bool = True, gaps: bool = False) -> None:
        self.frames = FrameRing(slots=40, max_bytes=WIDTH * HEIGHT * 3)
        self.filmed: list[tuple[int, int]] = []
        """When, and which scene, frame by frame."""
        self._random = random
        self._noise = np.random.default_rng(random.randrange(2**32))
        self._changes, self._gaps = changes, gaps
        self._ended = False

    def end(self) -> None:
        """No more frames."""
        self._ended = True

    def events(self) -> Iterator[e.Event]:
        """Frames for ever, each delivered late, in order."""
        random, scene, taken_ns, t_ns = self._random, random_scene(self._random), 0, 0
        change_ns = self._until(FIRST, LAST)
        gap_ns = self._until(2, 20) if self._gaps else None
        while not self._ended:
            if taken_ns >= change_ns and self._changes:
                scene, change_ns = random_scene(random), taken_ns + self._until(FIRST, LAST)
            t_ns = max(t_ns, taken_ns + round(random.uniform(2, JITTER_MS) * NS_PER_MS))
            if (place := self.frames.write(self._film(scene, taken_ns))) is not None:
                yield e.FrameCaptured(
                    t_ns=t_ns,
                    slot=place[0],
                    generation=place[1],
                    width=WIDTH,
                    height=HEIGHT,
                    stamp=taken_ns + 7 * NS_PER_S,  # a clock of its own
                )
            taken_ns += NS_PER_S // RATE_HZ
            if gap_ns is not None and taken_ns >= gap_ns:
                taken_ns += self._until(0.3, 7)
                gap_ns = taken_ns + self._until(2, 20)

    def _until(self, least_s: float, most_s: float) -> int:
        return round(self._random.uniform(least_s, most_s) * NS_PER_S)

    def _film(self, scene: int, taken_ns: int) -> Pixels:
        self.filmed.append((taken_ns, scene))
        noise = self._noise.integers(-3, 4, (HEIGHT, WIDTH, 3))
        return np.clip(pattern(scene) + noise, 0, 255).astype(np.uint8)


def random_scene(random: Random) -> int:
    return random.randrange(1_000_000)


@dataclass
class Seeing:
    """A tap that knows what was filmed."""

    camera: Camera
    shown: dict[str, int] = field(default_factory=dict)  # the scene in each view, by id
    looks: int = 0
    taken: int = 0
    answers: int = 0
    offsets_ms: list[float] = field(default_factory=list)

    def watch(self, event: e.Event) -> None:
        """Takes one event; raises `AssertionError` at the first breach."""
        if isinstance(event, e.LookStart):
            self.looks += 1
        elif isinstance(event, e.ViewTaken):
            self._take(event)
        elif isinstance(event, e.ReplyStart) and not event.say:
            self._check(event)
        # A draft may be of a frame seen before the moment; what counts is what is seen in it.
        answers = isinstance(event, e.ReplyAdopt) or (
            isinstance(event, e.ReplyStart) and not event.held
        )
        if answers and not math.isnan(event.view_offset_ms):
            self.offsets_ms.append(event.view_offset_ms)

    def _take(self, event: e.ViewTaken) -> None:
        self.taken += 1
        assert self.taken <= self.looks, "a view that nobody asked for"
        if event.data:
            pixels = FakePictureCodec().decode(event.data)
            self.shown[event.view.id] = self._scene_in(pixels, event.view.captured_ns)
        assert event.view.id in self.shown, "a view without a picture"
        self._check_view(event.view)

    def _check(self, event: e.ReplyStart) -> None:
        views = event.messages[-1].views
        assert (views[-1].id if views else "") == event.view_id
        if views:
            self.answers += 1
            self._check_view(views[-1])

    def _check_view(self, view: e.View) -> None:
        """The view shows what was filmed at the time that it claims."""
        near = {scene for taken_ns, scene in self._around(view.captured_ns)}
        assert self.shown[view.id] in near, f"view {view.id} does not show {near}"

    def _scene_in(self, pixels: Pixels, captured_ns: int) -> int:
        """Which of the scenes filmed around then this is."""
        found = [
            scene
            for _, scene in self._around(captured_ns)
            if np.abs(pixels.astype(int) - pattern(scene)).max() <= 4
        ]
        assert found, "a picture of nothing that was filmed then"
        return found[0]

    def _around(self, captured_ns: int) -> list[tuple[int, int]]:
        low = bisect.bisect_left(self.camera.filmed, (captured_ns - TOLERANCE_NS, -1))
        high = bisect.bisect_right(self.camera.filmed, (captured_ns + TOLERANCE_NS, 1 << 40))
        return self.camera.filmed[low:high]
