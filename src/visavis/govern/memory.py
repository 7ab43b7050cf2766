"""Memory of this process and its children: proportional set size, so that shared pages count once.

Linux tells it in /proc; where it does not, the resident set stands in; elsewhere there is None.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
KIB = 1024


@dataclass(frozen=True, slots=True)
class Process:
    """One process. `kind` is pss or rss."""

    pid: int
    name: str
    resident_bytes: int
    kind: str


def processes(pid: int | None = None, proc: Path = PROC) -> list[Process] | None:
    """The process (this one by default) and all that it started; None where it cannot be told.

    A process that ends meanwhile is left out.
    """
    if not (proc / "self").exists():
        return None
    found: list[Process] = []
    waiting = [os.getpid() if pid is None else pid]
    while waiting:
        at = waiting.pop(0)
        process = _process(at, proc)
        if process is not None:
            found.append(process)
            waiting += _children(at, proc)
    return found


def total_bytes(pid: int | None = None, proc: Path = PROC) -> int | None:
    """Memory of the process and all that it started; None where it cannot be told."""
    found = processes(pid, proc)
    return None if found is None else sum(process.resident_bytes for process in found)


def _process(pid: int, proc: Path) -> Process | None:
    try:
        name = (proc / str(pid) / "comm").read_text().strip()
        size = _field(proc / str(pid) / "smaps_rollup", "Pss:")
        kind = "pss"
        if size is None:
            size, kind = _field(proc / str(pid) / "status", "VmRSS:"), "rss"
    except OSError:
        return None
    return None if size is None else Process(pid, name, size, kind)


def _field(path: Path, name: str) -> int | None:
    """A field of /proc in bytes; None when the file is closed to us or lacks it."""
    try:
        lines = path.read_text().splitlines()
    except (PermissionError, FileNotFoundError):
        return None
    found = next((line for line in lines if line.startswith(name)), None)
    return None if found is None else int(found.split()[1]) * KIB


def _children(pid: int, proc: Path) -> list[int]:
    """Children of every thread of the process."""
    found: list[int] = []
    for task in (proc / str(pid) / "task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except OSError:
            continue
    return found
