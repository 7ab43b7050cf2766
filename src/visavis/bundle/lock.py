"""A lock between processes, so that two pulls of one bundle do not write into each other.

It is a lock on an open file: the kernel lets go of it when its holder dies, however it dies, so
a lock can never be left behind. The file itself stays; it is empty.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _try(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


PAUSE_S = 0.2


@contextmanager
def held(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Holds the lock at `path`; calls `waiting` if another process has it. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        told = False
        while not _try(descriptor):
            if not told:
                waiting()
            told = True
            time.sleep(PAUSE_S)
        yield
    finally:
        os.close(descriptor)
