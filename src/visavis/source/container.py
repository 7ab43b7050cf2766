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
from typing import Any

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.stream import Disposition, Stream
from av.video.stream import VideoStream

from visavis.flow.errors import InputError

RATES_HZ = (1_000, 768_000)
MAX_CHANNELS = 64
# For FFmpeg's decoders, while they look at the file and again while they decode it.
DECODER_LIMITS = {"max_pixels": str(1 << 26)}

# Playlists and scripts, which make FFmpeg open what they name; and plain text drawn as video.
_DENIED = {"concat", "dash", "hls", "imf", "rtp", "rtsp", "sap", "sdp", "tty"}
# Tags in an unknown encoding are no reason to refuse a file. From PyAV 19 on they never are.
_LENIENT: Any = {"metadata_errors": "replace"} if int(av.__version__.split(".")[0]) < 19 else {}
_FORMATS = ",".join(sorted(name for name in av.formats_available if name not in _DENIED))
_AGAIN = "copy or download it again"
_CONVERT = "give a WAV, FLAC, MP3, OGG, MP4 or MKV file"
_MEDIA_MAGIC = (b"RIFF", b"fLaC", b"OggS", b"ID3", b"\x1aE\xdf\xa3", b"FORM", b"caff")


@contextmanager
def opened(path: Path) -> Iterator[InputContainer]:
    """Opens a file for reading. Raises `InputError`."""
    head = _head(path)
    allowed = {"protocol_whitelist": "file", "format_whitelist": _FORMATS}
    try:
        container = av.open(
            f"file:{path.absolute()}",
            options=DECODER_LIMITS,
            container_options=allowed,
            **_LENIENT,
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
    _check_codec(stream, path)
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
        if not is_cover(stream):
            _check_codec(stream, path)
            return stream
    raise InputError(path, "has no video track", "give a file with a picture")


def is_cover(stream: Stream) -> bool:
    """Whether a video stream is but the picture on the cover."""
    return bool(stream.disposition & Disposition.attached_pic)


def origin(container: InputContainer) -> Fraction:
    """When the earliest of the file's tracks begins, in seconds: session time zero of the file."""
    streams = [*container.streams.audio, *container.streams.video]
    starts = [
        stream.start_time * stream.time_base
        for stream in streams
        if stream.start_time is not None and stream.time_base and not is_cover(stream)
    ]
    return min(starts, default=Fraction(0))


def _check_codec(stream: Stream, path: Path) -> None:
    # PyAV has no context where FFmpeg has no decoder, whatever its types say.
    if getattr(stream, "codec_context", None) is None:
        raise InputError(path, f"its {stream.type} is in an unknown codec", _CONVERT)


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
