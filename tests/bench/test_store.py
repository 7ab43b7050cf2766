"""Results as files."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from visavis.bench.result import Episode, Mark, Result, Sounding, Stretch
from visavis.bench.store import load, save
from visavis.flow.errors import InputError

RESULT = Result(
    about={"version": "1"},
    episodes=[
        Episode(
            "pauses",
            "1",
            7,
            truth=[Stretch("question", 0.5, 1.25, "¿Qué?")],
            sounding=[Sounding(1, 2.0, 3.0, True)],
            marks=[Mark(1.5, "turn.ended", "said", 0), Mark(1.5, "reply.start", "", 1)],
            history=[("user", "你好")],
            values={"endpoint": [250.0]},
        )
    ],
)


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    save(RESULT, tmp_path / "a.json")
    assert load(tmp_path / "a.json") == RESULT
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_an_older_result_has_fewer_fields(tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    old.write_text('{"episodes": [{"scenario": "s", "name": "n", "seed": 1, "gone": 2}]}')
    assert load(old).episodes == [Episode("s", "n", 1)]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "cannot be read"),
        ("", "is no result"),
        ("{", "is no result"),
        ("[1]", "is no result"),
        ('{"name": "of another program"}', "has no episodes"),
        ('{"episodes": [{"scenario": 3}]}', "is no result"),
        ('{"episodes": [{"scenario": "s", "name": "n", "seed": 1, "truth": [{"kind": "x"}]}]}',
         "is no result"),
    ],
)  # fmt: skip
def test_what_is_no_result_is_refused_by_name(
    tmp_path: Path, content: str | None, problem: str
) -> None:
    path = tmp_path / "bad.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=problem) as refused:
        load(path)
    assert "bad.json" in str(refused.value)


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        save(RESULT, tmp_path / "folder")
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_link_stays_a_link_and_its_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "link.json"
    link.symlink_to(Path("elsewhere") / "a.json")
    for _ in ("made", "written over"):
        save(RESULT, link)
        assert link.is_symlink()
        assert load(tmp_path / "elsewhere" / "a.json") == RESULT
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["a.json"]


def test_links_that_lead_in_a_circle_are_told(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / name).symlink_to(other)
    with pytest.raises(InputError, match="a: cannot be written"):
        save(RESULT, tmp_path / "a")
    assert (tmp_path / "a").is_symlink()


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    save(RESULT, pipe)
    reader.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert read[0].startswith(b"{")
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_device_stays_a_device(tmp_path: Path) -> None:
    null = tmp_path / "null"
    try:
        os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        null.open("wb").close()
    except (OSError, AttributeError):
        pytest.skip("makes no device here")
    save(RESULT, null)
    assert stat.S_ISCHR(null.stat().st_mode)
