"""Containers: a media file opened for reading, or one line that says why it cannot be.

Takes a path; gives PyAV's container and one of its streams, checked. Invariant: only the file
itself is read (no playlist, no URL, no other file that it names), and no claim in its header makes
us allocate without bound. Knows nothing of events.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.stream import Disposition, Stream
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.flow.errors import InputError

RATES_HZ = (1_000, 768_000)
MAX_CHANNELS = 64
MAX_PIXELS = 1 << 26
# Time stamps in milliseconds (Matroska) jitter by one; a gap is more than a few of them.
JITTER_NS = 10 * NS_PER_MS
# A longer jump of the time stamps is damage, not a pause.
MAX_GAP_NS = 3600 * NS_PER_S

# Playlists and scripts, which make FFmpeg open what they name; and plain text drawn as video.
_DENIED = {"concat", "dash", "hls", "imf", "rtp", "rtsp", "sap", "sdp", "tty"}
_FORMATS = ",".join(sorted(name for name in av.formats_available if name not in _DENIED))
_AGAIN = "copy or download it again"
_CONVERT = "give a WAV, FLAC, MP3, OGG, MP4 or MKV file"
_MEDIA_MAGIC = (b"RIFF", b"fLaC", b"OggS", b"ID3", b"\x1aE\xdf\xa3", b"FORM", b"caff")


@contextmanager
def opened(path: Path) -> Iterator[InputContainer]:
    """Opens a file for reading. Raises `InputError`."""
    head = _head(path)
    options = {"max_pixels": str(MAX_PIXELS)}
    limits = {"protocol_whitelist": "file", "format_whitelist": _FORMATS}
    try:
        container = av.open(
            f"file:{path.absolute()}",
            options=options,
            container_options=limits,
            metadata_errors="replace",
        )
    except (av.FFmpegError, UnicodeError) as error:
        raise _unreadable(path, head) from error
    with container:
        if not container.streams:
            raise _unreadable(path, head)
        yield container


def audio_stream(container: InputContainer, path: Path) -> AudioStream:
    """The first audio stream. Raises `InputError` when there is none, or none that can be."""
    if not container.streams.audio:
        raise InputError(path, "has no audio track", "give a file with sound")
    stream = container.streams.audio[0]
    rate_hz, channels = stream.rate or 0, stream.codec_context.layout.nb_channels
    # A rate of 0 is not known yet; decoding will tell.
    if rate_hz and not RATES_HZ[0] <= rate_hz <= RATES_HZ[1]:
        raise InputError(path, f"claims a rate of {rate_hz} Hz", "convert it to 16 000 Hz")
    if channels > MAX_CHANNELS:
        raise InputError(path, f"claims {channels} channels", "convert it to mono")
    return stream


def video_stream(container: InputContainer, path: Path) -> VideoStream:
    """The first video stream that is not a cover picture. Raises `InputError`."""
    for stream in container.streams.video:
        if not _is_cover(stream):
            return stream
    raise InputError(path, "has no video track", "give a file with a picture")


def origin(container: InputContainer) -> Fraction:
    """When the earliest of the file's tracks begins, in seconds: session time zero of the file."""
    streams = [*container.streams.audio, *container.streams.video]
    starts = [
        stream.start_time * stream.time_base
        for stream in streams
        if stream.start_time is not None and stream.time_base and not _is_cover(stream)
    ]
    return min(starts, default=Fraction(0))


class Track:
    """The decoded frames of one stream.

    Packets that cannot be decoded, and pictures that only half can, are skipped and counted in
    `damaged`; `error` says what ended it early.
    """

    def __init__(self, container: InputContainer, stream: AudioStream | VideoStream) -> None:
        self._container, self._stream = container, stream
        self.damaged = 0
        self.error = ""

    def frames(self) -> Iterator[AudioFrame | VideoFrame]:
        """Audio frames of an audio stream, video frames of a video stream."""
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets, None)
            except av.FFmpegError as error:
                self.error = error.strerror or str(error)
                return
            if packet is None:
                return
            yield from self._decode(packet)

    def complaint(self) -> str:
        """What was wrong with it; empty when nothing was."""
        if self.error:
            return f"could not be read to its end: {self.error}"
        return f"damaged pieces skipped: {self.damaged}" if self.damaged else ""

    def _decode(self, packet: Packet[Stream]) -> list[AudioFrame | VideoFrame]:
        try:
            frames = cast("list[AudioFrame | VideoFrame]", packet.decode())
        except av.FFmpegError:
            self.damaged += 1
            return []
        good = [frame for frame in frames if isinstance(frame, AudioFrame) or not frame.is_corrupt]
        self.damaged += len(frames) - len(good)
        return good


class TimeJump(Exception):
    """The time stamps jump by more than any pause."""

    def __str__(self) -> str:
        return "its time stamps jump; the rest is left out"


class Axis:
    """Maps a track's time stamps to the session axis, on which it never runs backwards."""

    def __init__(self, container: InputContainer, lead_ns: int) -> None:
        self._shift_ns = lead_ns - int(origin(container) * NS_PER_S)

    def place(self, frame: AudioFrame | VideoFrame, after_ns: int) -> int:
        """When `frame` begins, given that the track has come to `after_ns`.

        Where the stamps are missing, or go back (files glued together), it follows on directly.
        Raises `TimeJump`.
        """
        if frame.pts is None or not frame.time_base:
            return after_ns
        t_ns = int(frame.pts * frame.time_base * NS_PER_S) + self._shift_ns
        if t_ns < after_ns - JITTER_NS:
            self._shift_ns += after_ns - t_ns
            return after_ns
        if t_ns - after_ns > MAX_GAP_NS:
            raise TimeJump
        return t_ns


def _is_cover(stream: Stream) -> bool:
    return bool(stream.disposition & Disposition.attached_pic)


def _head(path: Path) -> bytes:
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InputError(path, "is not a regular file", "give the name of a media file")
    try:
        with path.open("rb") as file:
            head = file.read(512)
    except FileNotFoundError:
        raise InputError(path, "there is no such file", "check the name") from None
    except IsADirectoryError:
        raise InputError(path, "is a directory", "give the name of a file in it") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(path, f"cannot be opened: {reason}", "check its permissions") from None
    if not head:
        raise InputError(path, "is empty", _AGAIN)
    return head


def _unreadable(path: Path, head: bytes) -> InputError:
    start = head.lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return InputError(path, "is a web page, not a media file", "download the file itself")
    if start.startswith(b"version https://git-lfs"):
        return InputError(path, "is a Git LFS pointer, not the file itself", "run git lfs pull")
    if head.startswith(_MEDIA_MAGIC) or head[4:8] == b"ftyp":
        return InputError(path, "its header is damaged or cut off", _AGAIN)
    if _is_text(head):
        return InputError(path, "is a text file, not a media file", _CONVERT)
    return InputError(path, "is not a media file that FFmpeg knows", _CONVERT)


def _is_text(head: bytes) -> bool:
    return all(byte >= 32 or byte in b"\t\n\r" for byte in head)
