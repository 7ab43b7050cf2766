"""Paints a scene: flat colours with smooth edges.

Takes a `Scene`; gives RGB pixels. Invariant: the same scene and size give the same pixels.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from visavis.flow.ring import Pixels
from visavis.source.scene import BACKGROUNDS, COLOURS, PLACES, Scene, Thing

FINER = 3
"""Edges are drawn so many times finer than the pixels, each way."""
# By how many things there are: their radius and how far from the middle, in half short sides.
RADIUS = {1: 0.41, 2: 0.38, 3: 0.28}
REACH = {1: 0.5, 2: 0.52, 3: 0.62}
DIGIT = 1.6
"""A digit is so much larger than a shape would be."""
STROKE = 0.15
"""Half the width of a digit's strokes, in radii."""

Plane = NDArray[np.float64]
Points = Sequence[tuple[float, float]]


def paint(scene: Scene, width: int, height: int) -> Pixels:
    """The picture, shape (height, width, 3)."""
    canvas = np.empty((height, width, 3), np.float64)
    canvas[...] = BACKGROUNDS[scene.background]
    for thing in scene.things:
        cover = _cover(thing, len(scene.things), width, height)[:, :, None]
        canvas += cover * (np.array(COLOURS[thing.colour]) - canvas)
    pixels: Pixels = np.rint(canvas).astype(np.uint8)
    return pixels


def _cover(thing: Thing, count: int, width: int, height: int) -> Plane:
    """How much of each pixel the thing covers, from 0 to 1, shape (height, width)."""
    radius = RADIUS[count] * min(width, height) / 2 * (DIGIT if thing.shape in STROKES else 1)
    across, down = PLACES[thing.place]
    x = width / 2 * (1 + across * REACH[count])
    y = height / 2 * (1 + down * REACH[count])
    u = ((np.arange(width * FINER) + 0.5) / FINER - x) / radius
    v = ((np.arange(height * FINER) + 0.5) / FINER - y) / radius
    inside = _inside(thing.shape, *np.meshgrid(u, v))
    cover: Plane = inside.reshape(height, FINER, width, FINER).mean(axis=(1, 3))
    return cover


def _inside(shape: str, u: Plane, v: Plane) -> NDArray[np.bool_]:
    """Which points belong to the shape of radius 1 around the origin; `v` grows downwards."""
    if shape == "circle":
        return np.asarray(u * u + v * v <= 1)
    if shape in CORNERS:
        return _in_polygon(CORNERS[shape], u, v)
    inside = np.zeros(u.shape, np.bool_)
    for line in STROKES[shape]:
        for begin, end in itertools.pairwise(line):
            inside |= _distance(begin, end, u, v) <= STROKE
    return inside


def _in_polygon(corners: Points, u: Plane, v: Plane) -> NDArray[np.bool_]:
    """By the parity of the edges that a ray to the right crosses."""
    inside = np.zeros(u.shape, np.bool_)
    for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if y0 != y1:
            crosses = (v < y0) != (v < y1)
            inside ^= crosses & (u < x0 + (v - y0) * (x1 - x0) / (y1 - y0))
    return inside


def _distance(begin: tuple[float, float], end: tuple[float, float], u: Plane, v: Plane) -> Plane:
    """From each point to the line between two points."""
    dx, dy = end[0] - begin[0], end[1] - begin[1]
    along = ((u - begin[0]) * dx + (v - begin[1]) * dy) / (dx * dx + dy * dy)
    along = np.clip(along, 0, 1)
    distance: Plane = np.hypot(u - begin[0] - along * dx, v - begin[1] - along * dy)
    return distance


def _around(start_degrees: float, *lengths: float) -> Points:
    """Corners at equal angles, at these distances."""
    turns = [math.radians(start_degrees + 360 * k / len(lengths)) for k in range(len(lengths))]
    corners = zip(lengths, turns, strict=True)
    return [(length * math.cos(turn), length * math.sin(turn)) for length, turn in corners]


def _arc(x: float, y: float, wide: float, high: float, begin: float, end: float) -> Points:
    """A piece of an ellipse, from an angle to another in degrees, clockwise from the right."""
    turns = np.radians(np.linspace(begin, end, 25))
    return [(x + wide * math.cos(turn), y + high * math.sin(turn)) for turn in turns]


CORNERS: dict[str, Points] = {
    "square": _around(45, *[1.15] * 4),
    "triangle": _around(-90, *[1.2] * 3),
    "star": _around(-90, *[1.2, 0.5] * 5),
}
_SIX = (_arc(0, 0.4, 0.5, 0.5, 0, 360), _arc(0.35, 0.4, 0.85, 1.3, 180, 265))
STROKES: dict[str, Sequence[Points]] = {
    "0": (_arc(0, 0, 0.52, 0.9, 0, 360),),
    "1": ([(-0.3, -0.5), (0.1, -0.9), (0.1, 0.9)],),
    "2": ([*_arc(0, -0.42, 0.5, 0.48, -170, 30), (-0.5, 0.9), (0.5, 0.9)],),
    "3": (_arc(0, -0.45, 0.45, 0.45, -150, 90), _arc(0, 0.45, 0.52, 0.45, -90, 150)),
    "4": ([(0.25, 0.9), (0.25, -0.9), (-0.55, 0.4), (0.6, 0.4)],),
    "5": (
        [(0.45, -0.9), (-0.35, -0.9), (-0.42, -0.02)],
        _arc(-0.02, 0.33, 0.52, 0.57, -140, 145),
    ),
    "6": _SIX,
    "7": ([(-0.5, -0.9), (0.5, -0.9), (-0.15, 0.9)],),
    "8": (_arc(0, -0.47, 0.42, 0.43, 0, 360), _arc(0, 0.43, 0.52, 0.47, 0, 360)),
    "9": tuple([(-x, -y) for x, y in line] for line in _SIX),
}
"""Digits as lines, within a width of 1 and a height of 2."""
