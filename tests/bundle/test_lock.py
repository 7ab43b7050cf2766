"""The lock: one holder at a time, and a holder that is killed lets go."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from visavis.bundle import lock

HOLD = (
    "import sys, pathlib; from visavis.bundle import lock\n"
    "with lock.held(pathlib.Path(sys.argv[1]), lambda: None):\n"
    "    print('held', flush=True); sys.stdin.read()\n"
)


def test_a_killed_holder_lets_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "PAUSE_S", 0.001)
    path, waited = tmp_path / "locks" / "toy", []
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"

        def waiting() -> None:
            waited.append(True)
            holder.kill()

        with lock.held(path, waiting):
            pass
    assert waited == [True]


def test_nobody_waits_for_a_free_lock(tmp_path: Path) -> None:
    for _ in range(2):
        with lock.held(tmp_path / "toy", lambda: pytest.fail("waited")):
            pass
