"""Python code in a child process, since what it imports may kill the process or litter stderr."""

from __future__ import annotations

import subprocess
import sys

_TIMEOUT_S = 60


def start(code: str) -> subprocess.Popen[str]:
    """Starts a Python that runs `code`."""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )


def result(child: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code, output and errors of a child; one that hangs is ended and counts as failed."""
    try:
        out, err = child.communicate(timeout=_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return 1, "", f"no answer within {_TIMEOUT_S} s"
    return child.returncode, out, err


def last(lines: str) -> str:
    """The last line with anything on it."""
    return next((line for line in reversed(lines.splitlines()) if line.strip()), "no reason given")
