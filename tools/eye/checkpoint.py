"""Checkpoints that survive a kill at any moment: written beside, then moved into place.

Takes and gives plain dicts of tensors and numbers. Invariant: the file at the path is always a
whole checkpoint. The folder is the caller's; by default `visavis-eye` in the user's cache.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import torch


def default_folder() -> Path:
    """Where checkpoints, logs and drawn scenes go: never into the repository."""
    return Path.home() / ".cache" / "visavis-eye"


def save(path: Path, state: dict[str, Any]) -> None:
    """Write `state`, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(".half")
    torch.save(state, half)
    os.replace(half, path)


def load(path: Path) -> dict[str, Any] | None:
    """The state at `path`, or None when there is none."""
    if not path.exists():
        return None
    state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    return state


class Stop:
    """Set by SIGTERM: the run ends after its step and saves."""

    def __init__(self) -> None:
        self.is_asked = False
        signal.signal(signal.SIGTERM, lambda *_: self._ask())

    def _ask(self) -> None:
        self.is_asked = True
