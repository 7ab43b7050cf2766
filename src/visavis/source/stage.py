"""A stage: drawn scenes that change at given moments, as a camera would film them.

Takes scenes, before the run and while it runs (`show`). Gives `frame.captured` at a steady rate,
stamped in nanoseconds of the session, then `source.ended`. Invariant: it can always be asked what
really was in view. No two frames are the same to the bit: a sensor has grain.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from visavis.flow.clock import NS_PER_S
from visavis.flow.events import Event, FrameCaptured, SourceEnded
from visavis.flow.ring import FrameRing, Pixels
from visavis.source.paint import paint
from visavis.source.scene import Scene

MAX_CHANGES = 1000
GRAIN = 6
"""The grain of the sensor, in levels of 255 up or down."""
SHIFTS = 16
"""The grain lies differently in each frame, by up to so many pixels."""


class ScriptedCamera:
    """Films the first of `scenes` from session time zero, then what it is told to `show`.

    All of them are painted at once: later, while there is sound to give, it would take too long.
    """

    def __init__(
        self,
        ring: FrameRing,
        scenes: Sequence[Scene],
        *,
        width: int = 320,
        height: int = 240,
        rate_hz: float = 30,
    ) -> None:
        self._ring = ring
        self._rate_hz = rate_hz
        self._plates = {scene: paint(scene, width, height).astype(np.int16) for scene in scenes}
        size = (height + SHIFTS, width + SHIFTS, 3)
        self._grain = np.random.default_rng(0).integers(-GRAIN, GRAIN + 1, size, np.int16)
        self._lock = threading.Lock()
        self._due: list[tuple[int, Scene]] = []
        self._shown: deque[tuple[int, Scene]] = deque([(0, scenes[0])], MAX_CHANGES)
        self._ended = False

    def show(self, scene: Scene, at_ns: int = 0) -> None:
        """Changes to one of the scenes at `at_ns`, or with the next frame. Thread-safe."""
        assert scene in self._plates, f"not painted: {scene}"
        with self._lock:
            assert len(self._due) < MAX_CHANGES
            self._due.append((at_ns, scene))
            self._due.sort(key=lambda change: change[0])

    def end(self) -> None:
        """Takes no more frames. Thread-safe."""
        with self._lock:
            self._ended = True

    def shown_at(self, t_ns: int) -> tuple[int, Scene]:
        """What the last frame up to then showed, and from when on. Thread-safe."""
        with self._lock:
            known = [shown for shown in self._shown if shown[0] <= t_ns]
            return known[-1] if known else self._shown[0]

    def events(self) -> Iterator[Event]:
        """Frames in order of time; each is taken when it is asked for."""
        t_ns = number = 0
        while not self._ended:
            t_ns = math.ceil(number * NS_PER_S / self._rate_hz)
            pixels = self._grained(self._plates[self._turn_to(t_ns)], number)
            if (place := self._ring.write(pixels)) is not None:
                yield _captured(t_ns, place, pixels)
            number += 1
        yield SourceEnded(t_ns=t_ns, source="video")

    def _turn_to(self, t_ns: int) -> Scene:
        """The scene of the frame taken now."""
        with self._lock:
            while self._due and self._due[0][0] <= t_ns:
                self._shown.append((t_ns, self._due.pop(0)[1]))
            return self._shown[-1][1]

    def _grained(self, plate: NDArray[np.int16], number: int) -> Pixels:
        across, down = number % SHIFTS, number * 7 // SHIFTS % SHIFTS
        height, width, _ = plate.shape
        lit = plate + self._grain[down : down + height, across : across + width]
        pixels: Pixels = np.clip(lit, 0, 255, out=lit).astype(np.uint8)
        return pixels


def _captured(t_ns: int, place: tuple[int, int], pixels: Pixels) -> FrameCaptured:
    slot, generation = place
    height, width, _ = pixels.shape
    return FrameCaptured(
        t_ns=t_ns, slot=slot, generation=generation, width=width, height=height, stamp=t_ns
    )
