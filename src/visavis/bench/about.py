"""What a run was made with: version, commit, date, machine. Nothing names a person or a place."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from visavis.flow.clock import NS_PER_S, SystemClock, wall_time_ns


def about(**more: str) -> dict[str, str]:
    """Ready for `Result.about`; what is empty is left out."""
    date = datetime.fromtimestamp(wall_time_ns() / NS_PER_S, UTC)
    found = {
        "version": version("visavis"),
        "commit": _commit(),
        "date": date.isoformat(timespec="minutes"),
        "machine": machine(),
        **more,
    }
    return {key: value for key, value in found.items() if value}


def _half_a_second() -> None:
    SystemClock().spend(NS_PER_S // 2)


def cores_in_use(
    wait: Callable[[], None] = _half_a_second, stat: Path = Path("/proc/stat")
) -> float | None:
    """By all processes, and by other guests of the host, while it waits.

    None where the system does not tell. Not the load average: that of one minute still holds the
    run before this one, which has ended.
    """
    before = _ticks(stat)
    if before is None:
        return None
    wait()
    after = _ticks(stat)
    if after is None or (passed := after[1] - before[1]) <= 0:
        return None
    return cores() * max(0.0, 1 - (after[0] - before[0]) / passed)


def _ticks(stat: Path) -> tuple[int, int] | None:
    """Those in which a core had nothing to do, and all, since the machine started (proc(5))."""
    try:
        name, *fields = stat.read_text(encoding="ascii").split("\n", 1)[0].split()
        user, nice, system, idle, iowait, irq, softirq, steal = map(int, fields[:8])
    except (OSError, ValueError):
        return None
    if name != "cpu":
        return None
    return idle + iowait, user + nice + system + idle + iowait + irq + softirq + steal


def cores() -> int:
    return os.cpu_count() or 1


def machine() -> str:
    """Cores, processor, system and Python, without the machine's name."""
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{cores()} cores, {_processor()}, {system}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "?"
    return next((line.partition(":")[2].strip() for line in lines if "model name" in line), "?")


def _commit() -> str:
    """Of the sources that run, `+` when they differ from it; empty when they are installed."""
    hashed = _git("rev-parse", "--short", "HEAD")
    return hashed + ("+" if hashed and _git("status", "--porcelain", "--", "..") else "")


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()
