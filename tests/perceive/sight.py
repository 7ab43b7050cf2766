"""Pictures for tests of seeing, and a stream of them into a node."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np

from visavis.flow.events import Event, FrameAligned
from visavis.flow.ring import FrameRing, Pixels

Kind = TypeVar("Kind", bound=Event)
Box = tuple[int, int, int, int]
"""Left, top, width, height."""

WIDTH, HEIGHT = 320, 240
RED, BLUE, GREEN, WHITE = (200, 40, 40), (40, 60, 190), (40, 150, 60), (235, 235, 235)
SMALL: Box = (180, 60, 48, 48)
"""3 % of the picture."""


def room(*objects: tuple[Box, tuple[int, int, int]], width: int = WIDTH) -> Pixels:
    """A lit wall over a dark floor, a door, and coloured boxes before them."""
    height = width * 3 // 4
    x = np.linspace(0, 1, width)[None, :, None]
    y = np.linspace(0, 1, height)[:, None, None]
    picture = np.where(y < 0.7, 175 - 40 * x, 90 + 20 * x) * np.array([1, 0.95, 0.85])
    scale = width / WIDTH
    for (left, top, wide, high), colour in (((30, 40, 50, 128), (110, 80, 60)), *objects):
        edges = [round(scale * at) for at in (top, top + high, left, left + wide)]
        picture[edges[0] : edges[1], edges[2] : edges[3]] = colour
    found: Pixels = picture.astype(np.uint8)
    return found


# Drawn once, because that takes most of the time; each frame is another cut of it.
_NOISE = np.random.default_rng(0).standard_normal((1_100, 1_100, 3), np.float32)


def noisy(picture: Pixels, sigma: float, seed: int) -> Pixels:
    """With a sensor's noise, each colour by itself."""
    height, width = picture.shape[:2]
    top, left = np.random.default_rng(seed).integers(0, (1_100 - height, 1_100 - width))
    cut = _NOISE[top : top + height, left : left + width]
    return np.clip(picture + sigma * cut, 0, 255).astype(np.uint8)


def exposed(picture: Pixels, stops: float, balance: float = 0.0) -> Pixels:
    """As if the shutter had stood open 2^stops as long, and red were 2^balance stronger than blue.

    In light, of which a pixel is the 2.2th root.
    """
    light = (picture / 255.0) ** 2.2
    light = light * 2.0**stops * 2.0 ** np.array([balance / 2, 0, -balance / 2])
    found: Pixels = (255 * np.clip(light, 0, 1) ** (1 / 2.2)).astype(np.uint8)
    return found


def blurred(picture: Pixels, radius: int) -> Pixels:
    """Three box filters in a row each way."""
    soft = picture.astype(np.float32)
    for axis in (0, 1):
        for _ in range(3):
            pad = [(0, 0)] * 3
            pad[axis] = (radius + 1, radius)
            sums = np.cumsum(np.pad(soft, pad, mode="edge"), axis=axis, dtype=np.float64)
            size, length = 2 * radius + 1, soft.shape[axis]
            high = np.take(sums, np.arange(size, size + length), axis=axis)
            soft = ((high - np.take(sums, np.arange(length), axis=axis)) / size).astype(np.float32)
    return np.clip(soft, 0, 255).astype(np.uint8)


class Lens:
    """Shows pictures to a node, at a rate."""

    def __init__(self, node: Any, ring: FrameRing, *, rate_hz: float = 30) -> None:
        self.node, self.ring = node, ring
        self.period_ms = 1_000 / rate_hz
        self.t_ms = 0.0
        self.given: list[Event] = []

    @property
    def t_ns(self) -> int:
        return round(self.t_ms * 1e6)

    def send(self, event: Event) -> list[Event]:
        given = list(self.node.on(event))
        self.given += given
        return given

    def show(self, picture: Pixels, *, stream: str = "camera", late_ms: float = 10) -> list[Event]:
        """One frame, which comes `late_ms` after it was taken."""
        self.t_ms += self.period_ms
        place = self.ring.write(picture, stream)
        assert place is not None
        captured_ns = self.t_ns - round(late_ms * 1e6)
        height, width = picture.shape[:2]
        return self.send(
            FrameAligned(
                t_ns=self.t_ns,
                slot=place[0],
                generation=place[1],
                width=width,
                height=height,
                captured_ns=captured_ns,
                stream=stream,
            )
        )

    def film(self, pictures: Iterable[Pixels]) -> list[Event]:
        return [event for picture in pictures for event in self.show(picture)]

    def hold(self, picture: Pixels, seconds: float, *, sigma: float = 0.0) -> list[Event]:
        """The same picture for a while, each frame with noise of its own."""
        given: list[Event] = []
        for _ in range(round(seconds * 1_000 / self.period_ms)):
            seed = round(self.t_ms * 1_000)
            given += self.show(noisy(picture, sigma, seed) if sigma else picture)
        return given


def only(events: Iterable[Event], kind: type[Kind]) -> list[Kind]:
    return [event for event in events if isinstance(event, kind)]
