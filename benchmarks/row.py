"""A row of RESULTS.md: when, which commit, on what machine, by what command, with what result."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent


def commit() -> str:
    """The short hash of what is checked out; `+` when files differ from it."""
    hashed = _git("rev-parse", "--short", "HEAD")
    return hashed + ("+" if _git("status", "--porcelain", "--", "src") else "") if hashed else "?"


def machine() -> str:
    """Cores, processor, system and Python, without the machine's name."""
    cores = os.cpu_count() or 0
    system = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"{cores} cores, {_processor()}, {system}"


def print_row(command: str, result: str) -> None:
    """Prints the row as RESULTS.md keeps it."""
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    print("| " + " | ".join((date, commit(), machine(), f"`{command}`", result)) + " |")


def _git(*arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "?"
    return next((line.partition(":")[2].strip() for line in lines if "model name" in line), "?")
