"""Small media files for tests, made on the spot: nothing is downloaded, nothing is checked in.

Sounds are float arrays of shape (n,) or (n, channels), full scale ±1.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.stream import Disposition
from numpy.typing import NDArray

Sound = NDArray[np.floating]

PCM, FLOAT, ALAW, MULAW = 1, 3, 6, 7
LAYOUTS = {1: "mono", 2: "stereo", 6: "5.1", 8: "7.1"}


def tone(rate_hz: int, seconds: float, *, channels: int = 1, freq_hz: float = 440) -> Sound:
    """A sine of half full scale, alike in every channel."""
    wave = 0.5 * np.sin(2 * np.pi * freq_hz * np.arange(int(rate_hz * seconds)) / rate_hz)
    return np.repeat(wave[:, None], channels, axis=1) if channels > 1 else wave


def clicks(rate_hz: int, seconds: float, at_s: Sequence[float], *, length_s: float = 0.01) -> Sound:
    """Silence with a burst of 1 kHz at each of the given moments."""
    sound = np.zeros(int(rate_hz * seconds))
    burst = 0.8 * np.sin(2 * np.pi * 1000 * np.arange(int(rate_hz * length_s)) / rate_hz)
    for moment_s in at_s:
        start = int(moment_s * rate_hz)
        sound[start : start + len(burst)] = burst
    return sound


# ── WAV, byte by byte ────────────────────────────────────────────────────────────────────────


def wav_bytes(
    data: bytes,
    rate_hz: int,
    *,
    channels: int = 1,
    bits: int = 16,
    kind: int = PCM,
    claim: int | None = None,
    tail: bytes = b"",
) -> bytes:
    """A WAV file; `claim` is the size it says its data has, `tail` comes after the data."""
    claim = len(data) if claim is None else claim
    frame = channels * bits // 8
    form = struct.pack(
        "<HHIIHH", kind, channels, rate_hz, rate_hz * frame % 2**32, frame % 2**16, bits
    )
    head = struct.pack("<4sI4s4sI", b"RIFF", (36 + claim) % 2**32, b"WAVE", b"fmt ", len(form))
    return head + form + struct.pack("<4sI", b"data", claim) + data + tail


def pcm(sound: Sound, bits: int) -> bytes:
    """Linear PCM as WAV has it: 8 bits unsigned, the others signed."""
    if bits == 8:
        return np.rint(sound * 127 + 128).astype(np.uint8).tobytes()
    wide = np.rint(sound * (2 ** (bits - 1) - 1)).astype("<i4")
    return wide.view(np.uint8).reshape(-1, 4)[:, : bits // 8].tobytes()


def write_wav(path: Path, sound: Sound, rate_hz: int, *, bits: int = 16) -> Path:
    """Linear PCM, one channel or as many as `sound` has columns."""
    channels = 1 if sound.ndim == 1 else sound.shape[1]
    path.write_bytes(wav_bytes(pcm(sound, bits), rate_hz, channels=channels, bits=bits))
    return path


def write_float_wav(path: Path, sound: Sound, rate_hz: int, *, bits: int = 32) -> Path:
    data = sound.astype(f"<f{bits // 8}").tobytes()
    channels = 1 if sound.ndim == 1 else sound.shape[1]
    path.write_bytes(wav_bytes(data, rate_hz, channels=channels, bits=bits, kind=FLOAT))
    return path


# ── anything FFmpeg writes ───────────────────────────────────────────────────────────────────


def write_sound(
    path: Path,
    sound: Sound,
    rate_hz: int,
    codec: str,
    *,
    sample_format: str = "s16",
    hole: tuple[int, float] | None = None,
) -> Path:
    """One audio track by an encoder of FFmpeg's, in the container that the name suggests.

    `hole` (sample, seconds): from that sample on, the time stamps are so much later.
    """
    with av.open(str(path), "w") as output:
        channels = 1 if sound.ndim == 1 else sound.shape[1]
        stream = output.add_stream(codec, rate=rate_hz, layout=LAYOUTS[channels])
        stream.format = sample_format
        for frame in _audio_frames(sound, rate_hz, stream, 0):
            if hole is not None and frame.pts >= hole[0]:
                frame.pts += round(hole[1] * rate_hz)
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    return path


def write_video(
    path: Path,
    pictures: Sequence[NDArray[np.uint8]],
    *,
    fps: int = 25,
    start_s: float = 0,
    sound: Sound | None = None,
    rate_hz: int = 48_000,
    sound_start_s: float = 0,
    video_codec: str = "mpeg4",
    audio_codec: str = "aac",
    options: dict[str, str] | None = None,
    b_frames: int = 0,
    cover: bool = False,
) -> Path:
    """A video track, and an audio track when there is a sound, each from its own moment on."""
    with av.open(str(path), "w", options=options or {}) as output:
        video = output.add_stream(video_codec, rate=fps)
        video.height, video.width = pictures[0].shape[:2]
        video.pix_fmt = "yuvj420p" if video_codec == "mjpeg" else "yuv420p"
        video.codec_context.max_b_frames = b_frames
        if cover:
            video.disposition = Disposition.attached_pic
        audio = (
            output.add_stream(audio_codec, rate=rate_hz, layout="mono")
            if sound is not None
            else None
        )
        for index, pixels in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(pixels, "rgb24")
            frame.pts, frame.time_base = index + round(start_s * fps), Fraction(1, fps)
            output.mux(video.encode(frame))
        output.mux(video.encode(None))
        if audio is not None and sound is not None:
            for frame in _audio_frames(sound, rate_hz, audio, round(sound_start_s * rate_hz)):
                output.mux(audio.encode(frame))
            output.mux(audio.encode(None))
    return path


def write_still(path: Path, pixels: NDArray[np.uint8], codec: str, pixel_format: str) -> Path:
    with av.open(str(path), "w", format="image2") as output:
        stream = output.add_stream(codec, rate=1)
        stream.height, stream.width = pixels.shape[:2]
        stream.pix_fmt = pixel_format
        output.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, "rgb24")))
        output.mux(stream.encode(None))
    return path


def shades(count: int, *, width: int = 64, height: int = 48) -> list[NDArray[np.uint8]]:
    """Plain grey pictures, each lighter than the last."""
    levels = np.linspace(20, 235, count).astype(np.uint8)
    return [np.full((height, width, 3), level, np.uint8) for level in levels]


def turn(path: Path, degrees: int) -> Path:
    """Marks the first track of an MP4 as to be shown turned clockwise."""
    data = bytearray(path.read_bytes())
    # tkhd: version and flags, five fields of a version 0, reserved, layer, group, volume, then
    # the matrix (ISO 14496-12, 8.3.2).
    at = data.index(b"tkhd") + 4 + 4 + 20 + 8 + 8
    a, b = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}[degrees]
    one = 1 << 16
    data[at : at + 36] = struct.pack(
        ">9i", a * one, b * one, 0, -b * one, a * one, 0, 0, 0, 1 << 30
    )
    path.write_bytes(data)
    return path


def cut(path: Path, share: float) -> Path:
    """Cuts the file off after a share of its bytes."""
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return path


def _audio_frames(
    sound: Sound, rate_hz: int, stream: av.AudioStream, start: int
) -> Iterator[av.AudioFrame]:
    size = stream.codec_context.frame_size or 1024
    layout, form = stream.layout.name, stream.format.name
    resampler = av.AudioResampler(format=form, layout=layout, rate=rate_hz)
    columns = sound[:, None] if sound.ndim == 1 else sound
    for at in range(0, len(columns), size):
        block = np.ascontiguousarray(columns[at : at + size].T.astype(np.float32))
        frame = av.AudioFrame.from_ndarray(block, format="fltp", layout=layout)
        frame.sample_rate, frame.pts, frame.time_base = rate_hz, start + at, Fraction(1, rate_hz)
        yield from resampler.resample(frame)
