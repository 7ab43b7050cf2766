"""Claims: how long a file says its sound lasts, where it says so exactly.

FFmpeg reads a file that was cut off to its end and reports nothing; only the claim in the header
tells. Where the length is but an estimate (MP3 without an index, raw streams), there is no claim.
"""

from __future__ import annotations

import re
import struct
from fractions import Fraction
from pathlib import Path

from av.audio.stream import AudioStream
from av.container import InputContainer

_EXACT = {"flac", "mov,mp4,m4a,3gp,3g2,mj2", "aiff", "caf"}
_CLOCK = re.compile(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)")
# Writers that do not know the length yet (pipes, crashed recorders) leave nearly this.
_WAV_UNKNOWN = 0xFFFF_0000


def claimed_s(path: Path, container: InputContainer, stream: AudioStream) -> float | None:
    """Seconds of sound that the file claims, or None when it makes no exact claim."""
    name = container.format.name
    if name == "wav":
        return _wav_s(path)
    if name in _EXACT or (name == "mp3" and _has_index(path)):
        base = stream.time_base
        return float(stream.duration * base) if stream.duration and base else None
    if name.startswith("matroska"):
        return _matroska_s(container, stream)
    return None


def _matroska_s(container: InputContainer, stream: AudioStream) -> float | None:
    # The container's own duration is that of its longest track.
    clock = _CLOCK.match(stream.metadata.get("DURATION", ""))
    if clock is None:
        return None
    hours, minutes, seconds = clock.groups()
    end = int(hours) * 3600 + int(minutes) * 60 + Fraction(seconds)
    begin = (stream.start_time or 0) * (stream.time_base or Fraction(0))
    return float(end - begin)


def _has_index(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(1 << 16)
    return b"Xing" in head or b"Info" in head


def _wav_s(path: Path) -> float | None:
    with path.open("rb") as file:
        file.seek(12)
        bytes_per_s = 0
        while len(header := file.read(8)) == 8:
            tag, size = struct.unpack("<4sI", header)
            if tag == b"data":
                return size / bytes_per_s if bytes_per_s and size < _WAV_UNKNOWN else None
            body_at = file.tell()
            if tag == b"fmt ":
                bytes_per_s = struct.unpack("<8xI", file.read(12).ljust(12, b"\0"))[0]
            file.seek(body_at + size + size % 2)
    return None
