"""A file plays as a microphone would have: every sample at its time, whatever the format."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from tests.media import (
    ALAW,
    MULAW,
    clicks,
    cut,
    pcm,
    shades,
    tone,
    wav_bytes,
    write_float_wav,
    write_sound,
    write_video,
    write_wav,
)
from visavis.flow.events import AudioCaptured, Event, FrameCaptured, SourceEnded
from visavis.flow.ring import FrameRing
from visavis.source.file import AudioFile, merged
from visavis.source.video import VideoFile

DTYPES = {"u8": "u1", "s16": "<i2", "s32": "<i4", "f32": "<f4", "f64": "<f8"}
SCALES = {"u8": 128, "s16": 2**15, "s32": 2**31, "f32": 1, "f64": 1}


def played(source: AudioFile) -> tuple[list[AudioCaptured], SourceEnded]:
    """All chunks and the end; checks the order and the stamps."""
    *chunks, end = source.events()
    assert isinstance(end, SourceEnded)
    assert end.source == "audio"
    sound = [event for event in chunks if isinstance(event, AudioCaptured)]
    assert len(sound) == len(chunks)
    size = source.form.frame_bytes
    ends = itertools.accumulate(len(event.data) // size for event in sound)
    assert [e.t_ns for e in sound] == [n * 10**9 // source.form.rate_hz for n in ends]
    assert end.t_ns == (sound[-1].t_ns if sound else 0)
    return sound, end


def samples(source: AudioFile) -> np.ndarray:
    """The whole sound, shape (n, channels), full scale ±1."""
    sound, _ = played(source)
    form = source.form
    flat = np.frombuffer(b"".join(event.data for event in sound), DTYPES[form.encoding])
    frames = flat.reshape(-1, form.channels).astype(np.float64)
    return (frames - 128 * (form.encoding == "u8")) / SCALES[form.encoding]


def click_times(source: AudioFile) -> list[float]:
    """When the bursts begin, in seconds."""
    loud = np.flatnonzero(np.abs(samples(source)[:, 0]) > 0.3)
    starts = loud[np.diff(loud, prepend=-(10**9)) > source.form.rate_hz // 20]
    return [float(start / source.form.rate_hz) for start in starts]


# ── formats ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("bits", "encoding", "error"), [(8, "u8", 0.01), (16, "s16", 1e-4), (24, "s32", 1e-6)]
)
@pytest.mark.parametrize("channels", [1, 2, 6])
@pytest.mark.parametrize("rate_hz", [8_000, 44_100, 192_000])
def test_wav(
    tmp_path: Path, bits: int, encoding: str, error: float, channels: int, rate_hz: int
) -> None:
    wave = tone(rate_hz, 0.1, channels=channels)
    source = AudioFile(write_wav(tmp_path / "a.wav", wave, rate_hz, bits=bits))
    form = source.form
    assert (form.encoding, form.rate_hz, form.channels) == (encoding, rate_hz, channels)
    assert np.abs(samples(source) - wave.reshape(-1, channels)).max() < error


@pytest.mark.parametrize(("bits", "encoding"), [(32, "f32"), (64, "f64")])
def test_float_wav_keeps_its_bits_and_its_nan(tmp_path: Path, bits: int, encoding: str) -> None:
    wave = tone(48_000, 0.1, channels=2)
    wave[7, 1] = np.nan
    source = AudioFile(write_float_wav(tmp_path / "a.wav", wave, 48_000, bits=bits))
    assert source.form.encoding == encoding
    assert np.allclose(samples(source), wave, atol=1e-7, equal_nan=True)


@pytest.mark.parametrize("kind", [MULAW, ALAW])
def test_g711_wav(tmp_path: Path, kind: int) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav_bytes(bytes(range(256)) * 10, 8_000, bits=8, kind=kind))
    assert samples(AudioFile(path)).shape == (2_560, 1)


@pytest.mark.parametrize(
    ("name", "codec", "form", "rate_hz"),
    [
        ("a.flac", "flac", "s16", 44_100),
        ("a.mp3", "libmp3lame", "s16p", 44_100),
        ("a.ogg", "libopus", "s16", 48_000),
        ("a.m4a", "aac", "fltp", 44_100),
        ("a.mkv", "pcm_s16le", "s16", 8_000),
        ("a.wav", "pcm_s64le", "s64", 8_000),
        ("a.aiff", "pcm_s16be", "s16", 22_050),
    ],
)
def test_clicks_stay_in_their_place(
    tmp_path: Path, name: str, codec: str, form: str, rate_hz: int
) -> None:
    wave = clicks(rate_hz, 2, [0.25, 1.5])
    path = write_sound(tmp_path / name, wave, rate_hz, codec, sample_format=form)
    source = AudioFile(path)
    assert click_times(source) == pytest.approx([0.25, 1.5], abs=0.003)
    assert played(source)[1].error == ""


@pytest.mark.parametrize(
    ("name", "codec", "form", "rate_hz"),
    [
        ("a.flac", "flac", "s16", 44_100),
        ("a.mp3", "libmp3lame", "s16p", 44_100),
        ("a.m4a", "aac", "fltp", 44_100),
    ],
)
def test_channels_stay_apart(
    tmp_path: Path, name: str, codec: str, form: str, rate_hz: int
) -> None:
    wave = tone(rate_hz, 1, channels=2)
    wave[:, 1] = 0
    path = write_sound(tmp_path / name, wave, rate_hz, codec, sample_format=form)
    left, right = samples(AudioFile(path))[rate_hz // 4 : -rate_hz // 4].T
    assert np.abs(left).max() == pytest.approx(0.5, abs=0.03)
    assert np.abs(right).max() < 0.02


def test_three_samples_are_a_file(tmp_path: Path) -> None:
    [chunk], end = played(AudioFile(write_wav(tmp_path / "a.wav", np.ones(3), 16_000)))
    assert len(chunk.data) == 6
    assert end.error == ""


def test_half_a_sample_at_the_end_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav_bytes(pcm(tone(16_000, 0.1), 16) + b"\1", 16_000))
    assert len(samples(AudioFile(path))) == 1_600


def test_chunks_are_of_20_ms(tmp_path: Path) -> None:
    sound, _ = played(AudioFile(write_wav(tmp_path / "a.wav", tone(44_100, 0.5), 44_100)))
    assert {len(event.data) for event in sound} == {2 * 882}
    assert all(event.captured_ns == event.t_ns for event in sound)


def test_it_can_be_played_again(tmp_path: Path) -> None:
    source = AudioFile(write_wav(tmp_path / "a.wav", tone(16_000, 0.1), 16_000))
    assert list(source.events()) == list(source.events())


# ── silence before and after ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("bits", [8, 16])
def test_silence_before_and_after(tmp_path: Path, bits: int) -> None:
    path = write_wav(tmp_path / "a.wav", np.full(1_600, 0.5), 16_000, bits=bits)
    wave = samples(AudioFile(path, lead_silence_s=0.25, tail_silence_s=0.5))[:, 0]
    assert len(wave) == 4_000 + 1_600 + 8_000
    assert np.array_equal(np.flatnonzero(wave), np.arange(4_000, 5_600))


def test_silence_after_may_be_endless(tmp_path: Path) -> None:
    path = write_wav(tmp_path / "a.wav", tone(16_000, 0.1), 16_000)
    events = AudioFile(path, tail_silence_s=math.inf).events()
    *_, last = itertools.islice(events, 5_000)
    assert isinstance(last, AudioCaptured)
    assert last.t_ns == 100 * 10**9


# ── what is missing, late or broken ──────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv"])
def test_sound_and_pictures_keep_their_distance(tmp_path: Path, name: str) -> None:
    sound = clicks(48_000, 2, [0.25, 1.5])
    path = write_video(tmp_path / name, shades(50), sound=sound, sound_start_s=0.5)
    assert click_times(AudioFile(path)) == pytest.approx([0.75, 2.0], abs=0.003)
    assert next(VideoFile(path).pictures())[0] == 0
    path = write_video(tmp_path / f"1{name}", shades(50), sound=sound, sound_start_s=0.008)
    assert click_times(AudioFile(path)) == pytest.approx([0.258, 1.508], abs=0.002)
    path = write_video(tmp_path / f"2{name}", shades(50), sound=sound, start_s=0.52)
    assert click_times(AudioFile(path)) == pytest.approx([0.25, 1.5], abs=0.003)
    assert next(VideoFile(path).pictures())[0] == pytest.approx(0.52e9, abs=2e6)


def test_time_before_zero_moves_all_tracks_alike(tmp_path: Path) -> None:
    sound = clicks(48_000, 2, [0.25, 1.5])
    path = write_video(tmp_path / "a.mkv", shades(50), sound=sound, sound_start_s=-0.5)
    first, _ = next(VideoFile(path).pictures())
    assert click_times(AudioFile(path)) == pytest.approx(
        [first / 1e9 - 0.25, first / 1e9 + 1.0], abs=0.003
    )


def test_a_hole_in_the_stamps_is_silence_of_its_length(tmp_path: Path) -> None:
    path = tmp_path / "a.mkv"
    write_sound(path, clicks(8_000, 2, [0.25, 1.5]), 8_000, "pcm_s16le", hole=(8_192, 0.75))
    assert click_times(AudioFile(path)) == pytest.approx([0.25, 2.25], abs=0.003)


def test_stamps_that_go_back_do_not_take_sound_away(tmp_path: Path) -> None:
    path = tmp_path / "a.ts"
    for part in range(2):
        one = tmp_path / f"{part}.ts"
        write_sound(one, clicks(48_000, 2, [0.5]), 48_000, "mp2")
        with path.open("ab") as file:
            file.write(one.read_bytes())
    first, second = click_times(AudioFile(path))
    assert second - first == pytest.approx(2, abs=0.1)


def test_stamps_that_jump_by_hours_end_it(tmp_path: Path) -> None:
    path = tmp_path / "a.mkv"
    write_sound(path, tone(8_000, 2), 8_000, "pcm_s16le", hole=(8_192, 50_000))
    sound, end = played(AudioFile(path))
    assert sound[-1].t_ns == pytest.approx(1.024e9, abs=2e6)
    assert end.error == "a.mkv: its time stamps jump; the rest is left out"


@pytest.mark.parametrize(
    ("name", "codec", "form", "rate_hz"),
    [
        ("a.wav", "pcm_s16le", "s16", 16_000),
        ("a.flac", "flac", "s16", 44_100),
        ("a.mp3", "libmp3lame", "s16p", 44_100),
        ("a.mkv", "libopus", "s16", 48_000),
        ("a.aiff", "pcm_s16be", "s16", 22_050),
    ],
)
def test_what_is_there_of_a_file_cut_off_is_played(
    tmp_path: Path, name: str, codec: str, form: str, rate_hz: int
) -> None:
    noise = np.random.default_rng(0).uniform(-0.5, 0.5, 3 * rate_hz)
    path = write_sound(tmp_path / name, noise, rate_hz, codec, sample_format=form)
    assert played(AudioFile(path))[1].error == ""
    sound, end = played(AudioFile(cut(path, 0.6)))
    assert sound[-1].t_ns == pytest.approx(1.8e9, abs=0.2e9)
    assert end.error.startswith(f"{name}: is cut off, 1.")
    assert end.error.endswith(" of 3.0 s are there; copy it again")


def test_an_mp4_cut_off_behind_its_index(tmp_path: Path) -> None:
    path = write_video(
        tmp_path / "a.mp4", shades(50), sound=tone(48_000, 2), options={"movflags": "faststart"}
    )
    assert played(AudioFile(path))[1].error == ""
    cut(path, 0.7)
    assert "a.mp4: is cut off, " in played(AudioFile(path))[1].error


def test_a_file_without_a_length_is_not_called_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav_bytes(bytes(32_000), 16_000, claim=2**32 - 1))
    sound, end = played(AudioFile(path))
    assert (sound[-1].t_ns, end.error) == (10**9, "")


def test_damage_in_the_middle_is_skipped_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.flac"
    write_sound(path, clicks(44_100, 4, [0.5, 3.5], length_s=0.05), 44_100, "flac")
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 200] = bytes(200)
    path.write_bytes(data)
    assert click_times(AudioFile(path)) == pytest.approx([0.5, 3.5], abs=0.003)


def test_a_file_that_vanishes_ends_with_a_reason(tmp_path: Path) -> None:
    path = write_wav(tmp_path / "a.wav", tone(16_000, 0.1), 16_000)
    source = AudioFile(path)
    path.unlink()
    assert played(source)[1].error == "a.wav: there is no such file"


# ── several sources ──────────────────────────────────────────────────────────────────────────


def test_merged_sources_are_ordered_by_time(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", shades(50), sound=tone(48_000, 2))
    ring = FrameRing(4, 64 * 48 * 3)
    sources = AudioFile(path, tail_silence_s=1), VideoFile(path, ring)
    events: list[Event] = list(merged(*(source.events() for source in sources)))
    times = [event.t_ns for event in events]
    assert times == sorted(times)
    assert sum(isinstance(event, FrameCaptured) for event in events) == 50
    assert [e.source for e in events if isinstance(e, SourceEnded)] == ["video", "audio"]
