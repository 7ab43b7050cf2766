"""The side task of the first phase: what lies under each patch.

Takes a `Scene`, gives three small integers for each patch: kind, colour, and which thing it is
(first, second, third), -1 where there is nothing to learn. It is easy to learn locally and makes
the layers below see; the slots, which need ordering and routing, come faster for it (the head is
thrown away at export).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scene import COLOURS, SHAPES, Scene, extent, visible_size

KINDS = 1 + len(SHAPES)
CLASSES = (KINDS, len(COLOURS), 4)


def patches(scene: Scene, side: int, grid: int) -> NDArray[np.int8]:
    """(3, grid²): kind (0 nothing), colour (-1 nothing), order (0 nothing). All -1 for texts."""
    labels = np.full((3, grid, grid), -1, np.int8)
    if scene.text is not None:
        return labels.reshape(3, -1)
    labels[0], labels[2] = 0, 0
    width, height = visible_size(scene.aspect, side)
    centres = (np.arange(grid) + 0.5) * side / grid
    x, y = centres - (side - width) // 2, centres[:, None] - (side - height) // 2
    nearest = np.full((grid, grid), np.inf)
    for number, thing in enumerate(scene.things, 1):
        cx, cy, radius = extent(thing, width, height)
        away = np.hypot(x - cx, y - cy)
        near = (away < max(radius, side / grid * 0.75)) & (away < nearest)
        nearest = np.where(near, away, nearest)
        labels[0][near] = 1 + SHAPES.index(thing.shape)
        labels[1][near] = list(COLOURS).index(thing.colour)
        labels[2][near] = number
    return labels.reshape(3, -1)
