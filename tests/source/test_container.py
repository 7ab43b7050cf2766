"""Whatever file is given: it opens, or one line names it and the remedy. Never a traceback."""

from __future__ import annotations

import contextlib
import os
import random
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.media import cut, shades, tone, wav_bytes, write_sound, write_video, write_wav
from visavis.flow.errors import InputError
from visavis.flow.events import SourceEnded
from visavis.source.file import AudioFile
from visavis.source.video import VideoFile

HTML = b"<!DOCTYPE html>\n<html><body>Not found</body></html>\n" * 20
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"


def complaint(path: Path, kind: type[AudioFile] | type[VideoFile] = AudioFile) -> str:
    with pytest.raises(InputError) as caught:
        kind(path)
    text = str(caught.value)
    assert caught.value.exit_code == 2
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    assert caught.value.remedy
    return text


@pytest.mark.parametrize("kind", [AudioFile, VideoFile])
@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("empty.wav", b"", "is empty"),
        ("page.mp3", HTML, "is a web page"),
        ("page.html", HTML, "is a web page"),
        ("pointer.wav", LFS, "is a Git LFS pointer"),
        ("notes.txt", b"hello world\n" * 100, "is a text file"),
        ("notes.wav", b"hello world\n" * 100, "is a text file"),
        ("noise.bin", bytes(range(1, 256)) * 40, "is not a media file"),
        ("head.wav", wav_bytes(bytes(100), 16_000)[:40], "header is damaged or cut off"),
        ("magic.flac", b"fLaC", "header is damaged or cut off"),
        ("brand.mp4", b"\0\0\0\x18ftypmp42" + bytes(12), "header is damaged or cut off"),
        ("list.wav", b"ffconcat version 1.0\nfile good.wav\n", "is a text file"),
        ("list.m3u8", b"#EXTM3U\n#EXTINF:10,\ngood.wav\n#EXT-X-ENDLIST\n", "is a text file"),
    ],
)
def test_what_is_no_media_file_is_named(
    tmp_path: Path, name: str, data: bytes, expected: str, kind: type[AudioFile]
) -> None:
    write_wav(tmp_path / "good.wav", tone(16_000, 0.1), 16_000)
    (tmp_path / name).write_bytes(data)
    assert expected in complaint(tmp_path / name, kind)


@pytest.mark.parametrize("kind", [AudioFile, VideoFile])
def test_what_is_no_file_is_named(tmp_path: Path, kind: type[AudioFile]) -> None:
    assert "there is no such file" in complaint(tmp_path / "none.wav", kind)
    assert "there is no such file" in complaint(tmp_path / "none" / "none.wav", kind)
    assert "is a directory" in complaint(tmp_path, kind)
    os.mkfifo(tmp_path / "pipe.wav")
    assert "is not a regular file" in complaint(tmp_path / "pipe.wav", kind)


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_wav(tmp_path / "secret.wav", tone(16_000, 0.1), 16_000)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # root may read everything
    assert "cannot be opened: Permission denied; check its permissions" in complaint(path)


def test_a_name_is_never_taken_for_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http:", "concat:good.wav|good.wav", "pipe:0", "-"):
        assert "there is no such file" in complaint(Path(name))
    monkeypatch.chdir(tmp_path)
    for name in ("take%02d.wav", "concat:good.wav", "data:audio,1.wav", "-.wav"):
        write_wav(Path(name), tone(16_000, 0.1), 16_000)
        assert AudioFile(name).form.rate_hz == 16_000


def test_tags_in_an_old_alphabet_do_no_harm(tmp_path: Path) -> None:
    data = wav_bytes(bytes(3_200), 16_000)
    at = data.index(b"data")
    title = b"INFO" + struct.pack("<4sI", b"INAM", 4) + b"\xe9t\xe9\0"
    path = tmp_path / "a.wav"
    path.write_bytes(data[:at] + struct.pack("<4sI", b"LIST", len(title)) + title + data[at:])
    assert AudioFile(path).form.rate_hz == 16_000


def test_an_mp4_without_its_index(tmp_path: Path) -> None:
    path = cut(
        write_sound(tmp_path / "a.m4a", tone(44_100, 1), 44_100, "aac", sample_format="fltp"), 0.5
    )
    assert "header is damaged or cut off; copy or download it again" in complaint(path)


def test_video_without_audio_and_audio_without_video(tmp_path: Path) -> None:
    film = write_video(tmp_path / "film.mp4", shades(5))
    assert "has no audio track; give a file with sound" in complaint(film)
    sound = write_wav(tmp_path / "sound.wav", tone(16_000, 0.1), 16_000)
    assert "has no video track; give a file with a picture" in complaint(sound, VideoFile)


@pytest.mark.parametrize(
    ("codec_id", "kind", "track"),
    [(b"A_AAC", AudioFile, "audio"), (b"V_MPEG4/ISO/ASP", VideoFile, "video")],
)
def test_a_codec_that_nobody_knows(
    tmp_path: Path, codec_id: bytes, kind: type[AudioFile], track: str
) -> None:
    path = write_video(tmp_path / "a.mkv", shades(5), sound=tone(48_000, 0.2))
    unknown = codec_id[:2] + b"X" * (len(codec_id) - 2)
    path.write_bytes(path.read_bytes().replace(codec_id, unknown))
    assert f"its {track} is in an unknown codec; give a WAV" in complaint(path, kind)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (wav_bytes(b"", 16_000), "holds no sound"),
        (wav_bytes(bytes(2 * 60_000), 16_000, channels=60_000), "holds no sound"),
        (wav_bytes(bytes(200), 1), "claims a rate of 1 Hz"),
        (wav_bytes(bytes(200), 3_000_000), "claims a rate of 3000000 Hz"),
        (wav_bytes(bytes(2 * 200), 16_000, channels=200), "claims 200 channels"),
        (wav_bytes(bytes(200), 0), "damaged"),
        (wav_bytes(bytes(200), 2**32 - 1), "damaged"),
    ],
)
def test_a_header_that_cannot_be_true(tmp_path: Path, data: bytes, expected: str) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(data)
    assert expected in complaint(path)


def png_claiming(width: int, height: int) -> bytes:
    def part(tag: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + tag + body + struct.pack(">I", zlib.crc32(tag + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packed = zlib.compress(bytes(1_000))
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", packed) + part(b"IEND", b"")


GROWTH = """
import resource, sys
from pathlib import Path
from visavis.flow.errors import InputError
from visavis.source.file import AudioFile
from visavis.source.video import VideoFile
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in map(Path, sys.argv[1:]):
    for kind in (AudioFile, VideoFile):
        try:
            source = kind(path)
            for _ in source.pictures() if kind is VideoFile else source.events(): pass
        except InputError: pass
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def test_a_claim_allocates_nothing(tmp_path: Path) -> None:
    (tmp_path / "long.wav").write_bytes(wav_bytes(bytes(3_200), 16_000, claim=0x7FFF_FFFF))
    (tmp_path / "large.png").write_bytes(png_claiming(16_000, 16_000))
    film = write_video(tmp_path / "film.mp4", shades(5), sound=tone(48_000, 0.2))
    data = bytearray(film.read_bytes())
    at = data.rindex(b"stsz") + 16  # the sizes of the audio track's packets
    data[at : at + 4] = struct.pack(">I", 0x7FFF_0000)
    film.write_bytes(data)
    child = [sys.executable, "-c", GROWTH, *map(str, sorted(tmp_path.iterdir()))]
    done = subprocess.run(child, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100, f"{done.stdout} MB"
    assert done.stderr == ""


def test_a_picture_beyond_all_cameras_is_refused(tmp_path: Path) -> None:
    (tmp_path / "large.png").write_bytes(png_claiming(16_000, 16_000))
    complaint(tmp_path / "large.png", VideoFile)


@pytest.mark.parametrize("seed", range(40))
def test_any_damage_is_played_or_named(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    film = dice.choice(["a.mp4", "a.mkv"])
    path = write_video(tmp_path / film, shades(5), sound=tone(48_000, 0.1))
    data = bytearray(path.read_bytes())
    for _ in range(dice.randint(1, 12)):
        data[dice.randrange(dice.choice([200, len(data)]))] = dice.randrange(256)
    path.write_bytes(data[: dice.choice([len(data), dice.randrange(1, len(data))])])
    with contextlib.suppress(InputError):
        *sound, end = AudioFile(path).events()
        assert len(sound) < 1_000
        assert isinstance(end, SourceEnded)
    with contextlib.suppress(InputError):
        assert len(list(VideoFile(path).pictures())) <= 5
