"""A bounded pool of training scenes, drawn at first use and kept on disk.

Takes indices, gives pictures (n, side, side, 3) uint8 and their scenes. Drawing costs a quarter
of a training step, so each scene is drawn once and seen a few times. Invariant: what comes out
depends on the indices alone, never on what was drawn before.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scene import Pixels, Scene, scene, view


class Pool:
    """`size` scenes of one split at one side length."""

    def __init__(self, folder: Path, split: str, size: int, side: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{split}-{size}-{side}.npy"
        shape = (size, side, side, 3)
        mode = "r+" if path.exists() else "w+"
        self._pictures = np.lib.format.open_memmap(path, mode, np.uint8, shape)
        # A drawn picture is marked in its own file, after its pixels: a kill draws it again.
        marks = path.with_suffix(".drawn")
        self._drawn = np.memmap(marks, np.uint8, "r+" if marks.exists() else "w+", shape=(size,))
        self.size, self._split, self._side = size, split, side

    def take(self, indices: NDArray[np.int64]) -> tuple[Pixels, list[Scene]]:
        """The pictures and scenes of `indices`."""
        scenes = [scene(self._split, int(i)) for i in indices]
        for i, one in zip(indices, scenes, strict=True):
            if not self._drawn[i]:
                self._pictures[i] = view(one, self._side)
                self._drawn[i] = 1
        return np.stack([self._pictures[i] for i in indices]), scenes


def order(step: int, batch: int, size: int, seed: int) -> NDArray[np.int64]:
    """Indices of the batch at `step`: the data position is the step and nothing else."""
    per_epoch = size // batch
    epoch, place = divmod(step, per_epoch)
    shuffled = np.random.default_rng([seed, epoch]).permutation(size)
    return shuffled[place * batch : (place + 1) * batch]
