"""Both sides in one file: each at its place, whole or not at all."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest

from visavis.engines import make_resampler
from visavis.flow import events as e
from visavis.flow.errors import InputError
from visavis.verbs.stereo import MAX_S, Stereo

RATE_HZ = 32_000


def level(value: float, count: int) -> e.Samples:
    return np.full(count, value, np.float32)


def heard(start: int, samples: e.Samples, t_ns: int = 0) -> e.AudioAligned:
    return e.AudioAligned(t_ns=t_ns, start=start, samples=samples)


def played(start: int, samples: e.Samples, t_ns: int = 0) -> e.SoundPlayed:
    return e.SoundPlayed(t_ns=t_ns, epoch=1, start=start, samples=samples)


def written(path: Path, *events: e.Event) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    stereo = Stereo(path, RATE_HZ, make_resampler)
    for event in events:
        stereo.watch(event)
    stereo.close()
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getframerate()) == (2, RATE_HZ)
        levels = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    return levels.reshape(-1, 2) / 32_767


def test_each_side_lies_where_it_sounded(tmp_path: Path) -> None:
    both = written(
        tmp_path / "both.wav",
        heard(0, level(0, 3_200)),
        heard(3_200, level(0.5, 3_200)),
        played(9_600, level(0.25, 640)),
        played(16_000, level(-0.25, 640)),
    )
    assert len(both) == 16_640
    user, system = both[:, 0], both[:, 1]
    assert user[3_200:6_000] == pytest.approx(0, abs=0.01)
    assert user[7_000:12_000] == pytest.approx(0.5, abs=0.01)
    assert system[9_600:10_240] == pytest.approx(0.25, abs=0.001)
    assert system[16_000:] == pytest.approx(-0.25, abs=0.001)
    assert not system[10_240:16_000].any()


def test_what_the_microphone_missed_is_silence(tmp_path: Path) -> None:
    events = heard(0, level(0.5, 1_600)), heard(8_000, level(0.5, 1_600))
    user = written(tmp_path / "both.wav", *events)[:, 0]
    assert len(user) == pytest.approx(2 * 9_600, abs=4)
    assert user[5_000:14_000] == pytest.approx(0, abs=0.01)
    assert user[17_000:18_000] == pytest.approx(0.5, abs=0.01)


def test_of_a_conversation_without_a_sound_there_is_an_empty_file(tmp_path: Path) -> None:
    assert len(written(tmp_path / "both.wav")) == 0


def test_an_endless_conversation_does_not_fill_the_memory(tmp_path: Path) -> None:
    late_ns = (MAX_S + 1) * 1_000_000_000
    events = heard(0, level(0.5, 320), late_ns), played(0, level(0.5, 640), late_ns)
    assert len(written(tmp_path / "both.wav", *events)) == 0


def test_a_file_that_cannot_be_written_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "both.wav").mkdir()
    with pytest.raises(InputError, match=r"both\.wav: cannot be written"):
        written(tmp_path / "both.wav")
    assert [path.name for path in tmp_path.iterdir()] == ["both.wav"]
