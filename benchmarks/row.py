"""A row of RESULTS.md: when, which commit, on what machine, by what command, with what result."""

from __future__ import annotations

import datetime
import subprocess
from pathlib import Path

from visavis.bench.about import machine

ROOT = Path(__file__).parent.parent


def commit() -> str:
    """The short hash of what is checked out; `+` when files differ from it."""
    hashed = _git("rev-parse", "--short", "HEAD")
    return hashed + ("+" if _git("status", "--porcelain", "--", "src") else "") if hashed else "?"


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
