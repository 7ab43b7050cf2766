"""Where a file is put, and the name that it bears until it is whole."""

from __future__ import annotations

import os
from pathlib import Path

from visavis.flow.errors import InputError


def place(path: Path, remedy: str) -> Path:
    """The file that is meant by `path`, links followed: they are not to be replaced by it.

    Raises `InputError` where something is that no file may take the place of.
    """
    if os.path.isdir(path):
        raise InputError(path, "is a folder", remedy)
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(path, "is a device or a pipe, not a file", remedy)
    return Path(os.path.realpath(path))


def unfinished(path: Path) -> Path:
    """Beside `path`, so that it is put in its place in one step; no other process uses it."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")
