"""A file that holds the output axis sample by sample, whole or not at all."""

from __future__ import annotations

import errno
import os
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from visavis.flow.errors import InputError
from visavis.speak.sink import FileSink

RATE_HZ = 8000


def read(path: Path) -> list[int]:
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE_HZ)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").tolist()


def block(*steps: int) -> np.ndarray:
    return np.array(steps, np.float32) / 32_768


def test_blocks_lie_at_their_places_with_silence_between(tmp_path: Path) -> None:
    sink = FileSink(tmp_path / "out.wav", RATE_HZ)
    sink.write(2, block(1, 2, 3))
    sink.write(5, block(-32_768))
    sink.write(8, block(32_767))
    sink.close()
    assert read(tmp_path / "out.wav") == [0, 0, 1, 2, 3, -32_768, 0, 0, 32_767]


def test_a_long_silence_is_kept_to_the_sample(tmp_path: Path) -> None:
    sink = FileSink(tmp_path / "out.wav", RATE_HZ)
    sink.write(10 * RATE_HZ + 3, block(7))
    sink.extend(11 * RATE_HZ)
    sink.close()
    samples = read(tmp_path / "out.wav")
    assert len(samples) == 11 * RATE_HZ
    assert np.flatnonzero(samples).tolist() == [10 * RATE_HZ + 3]


def test_the_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.wav"
    path.write_bytes(b"what was there before")
    sink = FileSink(path, RATE_HZ)
    sink.write(0, block(1))
    assert path.read_bytes() == b"what was there before"
    sink.close()
    sink.close()
    assert read(path) == [1]
    assert [item.name for item in tmp_path.iterdir()] == ["out.wav"]


def test_nothing_played_makes_an_empty_file(tmp_path: Path) -> None:
    FileSink(tmp_path / "out.wav", RATE_HZ).close()
    assert read(tmp_path / "out.wav") == []


def test_a_discarded_file_leaves_nothing(tmp_path: Path) -> None:
    sink = FileSink(tmp_path / "out.wav", RATE_HZ)
    sink.write(0, block(1))
    sink.discard()
    sink.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["missing/out.wav", "."])
def test_a_place_that_cannot_be_written_is_named_at_once(tmp_path: Path, path: str) -> None:
    with pytest.raises(InputError, match=r"--out|name a file") as caught:
        FileSink(tmp_path / path, RATE_HZ)
    assert str(tmp_path) in str(caught.value)
    assert list(tmp_path.iterdir()) == []


class FullDisk:
    """A file that takes so many bytes and no more; also not when it is flushed or closed."""

    def __init__(self, file: Any, room: int) -> None:
        self._file, self._room = file, room

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, data: bytes) -> int:
        self._room -= len(data)
        self.flush()
        return int(self._file.write(data))

    def flush(self) -> None:
        if self._room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """`room(1000)`: from now on a file can hold so many bytes."""
    really = Path.open

    def limit(count: int) -> None:
        monkeypatch.setattr(Path, "open", lambda *given: FullDisk(really(*given), count))

    return limit


def test_a_disk_that_fills_up_is_told_once_and_leaves_no_file(
    tmp_path: Path, room: Callable[[int], None]
) -> None:
    room(1000)
    sink = FileSink(tmp_path / "out.wav", RATE_HZ)
    sink.write(0, block(*range(400)))
    with pytest.raises(InputError, match=r"out\.wav: cannot be written \(No space"):
        sink.write(400, block(*range(400)))
    sink.write(800, block(1))
    sink.extend(RATE_HZ)
    sink.close()
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fills_up_in_silence_is_told_too(
    tmp_path: Path, room: Callable[[int], None]
) -> None:
    room(1000)
    sink = FileSink(tmp_path / "out.wav", RATE_HZ)
    with pytest.raises(InputError):
        sink.write(RATE_HZ, block(1))
    sink.close()
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_is_full_at_the_end_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink = FileSink(tmp_path / "out.wav", RATE_HZ)
    sink.write(0, block(1))

    def full(*paths: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match="No space"):
        sink.close()
    sink.close()
    assert list(tmp_path.iterdir()) == []
