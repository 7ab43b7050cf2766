"""How much of a picture has changed: what a person would call a change, and no other.

Takes two pictures as blocks, shape (24, 32, 3), and how restless each block is; gives the share of
blocks that changed. What is not a change: noise and flicker, as far as they are usual in that
block; a small shake, which moves edges by a part of a block; another exposure or white balance,
which multiplies each colour by one number everywhere. Where that number is so large that it says
little, a perceptual hash (which of two neighbours is brighter) decides. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from visavis.perceive.blocks import Blocks, halved, luma

FLOOR = 8.0
"""So much may any block differ, of 255."""
RESTLESS = 4.5
"""So many times what is usual: 4.6 standard deviations, if it is noise."""
SHAKE = 0.4
"""The part of a block by which edges may move."""
UNEVEN = 0.15
"""The part of an exposure change that may be missing in places: cameras bend their tones."""
EXPOSURE = (0.3, 3.3)
BALANCE = (0.7, 1.4)
DIM, BRIGHT = 5.0, 250.0
"""Beyond these a block may have been anything: the sensor had reached its end."""
STRONG = 2.0
"""An exposure change by this factor is no longer the same everywhere."""
LEAST_KNOWN = 0.25
DEFINED = 0.04
LEAST_BITS, MOST_FLIPPED = 16, 0.02


@dataclass(frozen=True, slots=True)
class Reference:
    """A picture to compare with. `edges`: by how much each block differs from its neighbours."""

    blocks: Blocks
    edges: Blocks

    @classmethod
    def of(cls, blocks: Blocks) -> Reference:
        return cls(blocks, _edges(blocks))


def changed(reference: Reference, blocks: Blocks, restless: Blocks) -> float:
    """The share of blocks that changed, from 0 to 1. `restless`: mean |difference| at rest."""
    before = reference.blocks
    allowed = FLOOR + RESTLESS * restless + SHAKE * reference.edges
    plain = _share(np.abs(blocks - before).max(axis=2), allowed)
    if plain == 0:
        return plain
    by = gains(before, blocks)
    if by is None:
        return plain
    expected = np.clip(before * by, 0, 255)
    allowed = allowed * max(1.0, float(by.max())) + UNEVEN * np.abs(expected - before).max(axis=2)
    exposed = _share(np.abs(_unexplained(before, blocks, expected)).max(axis=2), allowed)
    exposure = float(by.mean())
    if max(exposure, 1 / exposure) > STRONG and same_structure(before, blocks):
        return 0.0
    return min(plain, exposed)


def gains(before: Blocks, after: Blocks) -> Blocks | None:
    """By what exposure and white balance multiplied each colour, shape (3,), within reason.

    The median of the blocks that tell; a colour of which too few do goes with the others. None
    when there is no colour that tells.
    """
    tell = (before > 2 * DIM) & (before < BRIGHT) & (after > DIM) & (after < BRIGHT)
    enough = tell.mean(axis=(0, 1)) >= LEAST_KNOWN
    if not enough.any():
        return None
    ratios = np.ones(3)
    for colour in np.flatnonzero(enough):
        there = tell[..., colour]
        ratios[colour] = np.median(after[there, colour] / before[there, colour])
    exposure = float(np.exp(np.log(ratios[enough]).mean()))
    balance = np.where(enough, np.clip(ratios / exposure, *BALANCE), 1)
    within: Blocks = (balance * np.clip(exposure, *EXPOSURE)).astype(np.float32)
    return within


def same_structure(before: Blocks, after: Blocks) -> bool:
    """Whether the same places are brighter than their neighbours, as a hash that light spares."""
    one, other = (_steps(halved(halved(luma(blocks)))) for blocks in (before, after))
    defined = (np.abs(one) > DEFINED) & (np.abs(other) > DEFINED)
    flipped = np.signbit(one) != np.signbit(other)
    count = int(defined.sum())
    return count >= LEAST_BITS and int((flipped & defined).sum()) <= MOST_FLIPPED * count


def _steps(brightness: Blocks) -> NDArray[np.float32]:
    """Relative steps to the right and down, one after the other."""
    logs = np.log(brightness + DIM)
    return np.concatenate([np.diff(logs, axis=1).ravel(), np.diff(logs, axis=0).ravel()])


def _unexplained(before: Blocks, after: Blocks, expected: Blocks) -> Blocks:
    """What an exposure change leaves unexplained."""
    rest = after - expected
    # What was beyond white may have come down to anything that is not darker; black likewise.
    rest = np.where(before > BRIGHT, np.minimum(rest, 0), rest)
    return np.where(before < DIM, np.maximum(rest, 0), rest)


def _edges(blocks: Blocks) -> Blocks:
    brightness = luma(blocks)
    across = np.abs(np.diff(brightness, axis=1))
    down = np.abs(np.diff(brightness, axis=0))
    edges = np.zeros_like(brightness)
    np.maximum(edges[:, 1:], across, out=edges[:, 1:])
    np.maximum(edges[:, :-1], across, out=edges[:, :-1])
    np.maximum(edges[1:], down, out=edges[1:])
    np.maximum(edges[:-1], down, out=edges[:-1])
    return edges


def _share(differences: Blocks, allowed: Blocks) -> float:
    return float((differences > allowed).mean())
