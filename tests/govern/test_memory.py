"""Memory: shared pages count once, children count too, and not knowing is said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from visavis.govern.memory import processes, total_bytes

LINUX = pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc")


def fake(proc: Path, pid: int, *, pss: int | None, rss: int = 0, children: str = "") -> None:
    home = proc / str(pid)
    (home / "task" / str(pid)).mkdir(parents=True)
    (home / "comm").write_text(f"worker {pid}\n")
    if pss is not None:
        (home / "smaps_rollup").write_text(f"00-ff ---p [rollup]\nRss: 99 kB\nPss:  {pss} kB\n")
    (home / "status").write_text(f"Name:\tworker\nVmRSS:\t{rss} kB\n" if rss else "Name:\tx\n")
    (home / "task" / str(pid) / "children").write_text(children)


def test_children_of_children_count(tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    fake(tmp_path, 1, pss=10, children="2 3 ")
    fake(tmp_path, 2, pss=20, children="4")
    fake(tmp_path, 3, pss=30)
    fake(tmp_path, 4, pss=40)
    fake(tmp_path, 5, pss=50)
    assert total_bytes(1, tmp_path) == 100 * 1024
    found = processes(1, tmp_path)
    assert found is not None
    assert sorted(process.pid for process in found) == [1, 2, 3, 4]
    assert found[0].name == "worker 1"


def test_the_resident_set_stands_in(tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    fake(tmp_path, 1, pss=None, rss=7)
    found = processes(1, tmp_path)
    assert found is not None
    assert (found[0].kind, found[0].resident_bytes) == ("rss", 7 * 1024)


def test_a_process_that_has_ended_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    fake(tmp_path, 1, pss=10, children="2 3")
    fake(tmp_path, 2, pss=None)
    assert total_bytes(1, tmp_path) == 10 * 1024


def test_where_there_is_no_proc_the_answer_is_none(tmp_path: Path) -> None:
    assert processes(1, tmp_path) is None
    assert total_bytes(1, tmp_path) is None


@LINUX
def test_this_process_and_its_child_are_found() -> None:
    code = "import sys; block = bytearray(b'x') * (32 << 20); print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        found = processes()
        child.communicate()
    assert found is not None
    sizes = {process.pid: process.resident_bytes for process in found}
    assert sizes[os.getpid()] > 10 << 20
    assert sizes[child.pid] > 32 << 20
