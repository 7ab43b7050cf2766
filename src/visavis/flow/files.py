"""The name that a file bears until it is whole."""

from __future__ import annotations

import os
from pathlib import Path


def unfinished(path: Path) -> Path:
    """Beside `path`, so that it is put in its place in one step; no other process uses it."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")
