"""A file's own word on its length is taken only where it is exact."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from tests.media import shades, tone, wav_bytes, write_sound, write_video
from visavis.source.claim import claimed_s
from visavis.source.container import audio_stream, opened


def claim(path: Path) -> float | None:
    with opened(path) as container:
        return claimed_s(path, container, audio_stream(container, path))


@pytest.mark.parametrize("size", [32_000, 320_000])
def test_wav_claims_the_size_of_its_data_whatever_stands_before_it(
    tmp_path: Path, size: int
) -> None:
    data = wav_bytes(bytes(32_000), 16_000, claim=size)
    at = data.index(b"data")
    path = tmp_path / "a.wav"
    path.write_bytes(data[:at] + struct.pack("<4sI", b"LIST", 5) + bytes(6) + data[at:])
    assert claim(path) == size / 32_000


@pytest.mark.parametrize("size", [2**32 - 1, 2**32 - 37])
def test_wav_written_to_a_pipe_claims_nothing(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav_bytes(bytes(32_000), 16_000, claim=size))
    assert claim(path) is None


def test_the_claim_is_the_tracks_own(tmp_path: Path) -> None:
    for name in ("a.mkv", "a.mp4"):
        path = write_video(tmp_path / name, shades(50), sound=tone(48_000, 1), sound_start_s=0.5)
        assert claim(path) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(
    ("name", "codec", "form"), [("a.ogg", "libopus", "s16"), ("a.aac", "aac", "fltp")]
)
def test_streams_claim_nothing(tmp_path: Path, name: str, codec: str, form: str) -> None:
    path = write_sound(tmp_path / name, tone(48_000, 1), 48_000, codec, sample_format=form)
    assert claim(path) is None
