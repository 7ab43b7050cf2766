"""The computer and the system that runs on it."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from visavis.config import Config
from visavis.verbs.health.check import Check

_MEMORY_GB = 1.5


def checks(config: Config) -> Iterator[Check]:
    """The computer and the system that runs on it."""
    yield Check("machine", "Python", "ok", f"{platform.python_version()} ({sys.executable})")
    system = f"{platform.system()} {platform.release()}, {platform.machine()}"
    yield Check("machine", "system", "ok", system)
    yield _cores()
    yield _memory()
    yield _disk(config)


def _cores() -> Check:
    usable = os.cpu_count() or 1
    if sys.platform == "linux":
        usable = len(os.sched_getaffinity(0))
    quota = text(Path("/sys/fs/cgroup/cpu.max")).split()
    if len(quota) == 2 and quota[0].isdigit():
        usable = min(usable, int(quota[0]) // int(quota[1]) or 1)
    if usable < 2:
        remedy = "answers will come late: two cores are what the tier tiny is made for"
        return Check("machine", "cores", "note", "1", remedy)
    return Check("machine", "cores", "ok", str(usable))


def _memory() -> Check:
    rows: dict[str, str] = dict(
        re.findall(r"^(\w+):\s+(\d+) kB", text(Path("/proc/meminfo")), re.MULTILINE)
    )
    if not rows:
        return Check("machine", "memory", "ok", "not known on this system")
    total, free = (int(rows.get(key, 0)) / 1e6 * 1.024 for key in ("MemTotal", "MemAvailable"))
    limit = text(Path("/sys/fs/cgroup/memory.max"))
    if limit.isdigit():
        total = min(total, int(limit) / 1e9)
        free = min(free, total)
    value = f"{free:.1f} of {total:.1f} GB free"
    if free < _MEMORY_GB:
        remedy = f"close other programs: the tier tiny takes up to {_MEMORY_GB} GB"
        return Check("machine", "memory", "note", value, remedy)
    return Check("machine", "memory", "ok", value)


def _disk(config: Config) -> Check:
    root = config.models
    there = next(each for each in (root, *root.absolute().parents) if each.exists())
    value = f"{root}, {shutil.disk_usage(there).free / 1e9:.1f} GB free"
    if there.is_dir() and os.access(there, os.W_OK):
        return Check("machine", "store", "ok", value)
    remedy = "to pull, set VISAVIS_MODELS to a directory that you can write"
    return Check("machine", "store", "note", f"{value}, cannot be written", remedy)


def text(path: Path) -> str:
    """What a file of the system says; empty if there is none."""
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""
