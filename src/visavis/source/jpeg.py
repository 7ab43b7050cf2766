"""JPEG, as far as its own bytes must tell what no decoder does: which way is up, and is it whole.

Decoders fill what is cut off with grey and say nothing; and whether they honour the orientation
that a camera wrote into the file depends on their version.
Sources: ITU-T T.81 (markers), CIPA DC-008 (Exif 2.32, tag 274).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

SOI, EOI = b"\xff\xd8", b"\xff\xd9"
_APP1, _SCAN = 0xE1, 0xDA
_EXIF = b"Exif\0\0"
_ORIENTATION = 274


def is_jpeg(data: bytes) -> bool:
    """Whether it begins as one."""
    return data.startswith(SOI)


def is_whole(data: bytes) -> bool:
    """Whether it has an end: a picture that was cut off in its last scan has none.

    What lies behind the end (phones put a film there) is not looked at.
    """
    at = next((begin for marker, begin, _ in _segments(data) if marker == _SCAN), -1)
    while 0 <= at < len(data) - 1:
        at = data.find(b"\xff", at)
        if at < 0 or at + 1 >= len(data):
            return False
        marker = data[at + 1]
        if marker == EOI[1]:
            return True
        if marker in (0x00, 0xFF) or 0xD0 <= marker <= 0xD7:  # stuffed, fill, restart
            at += 1 if marker == 0xFF else 2
        else:  # a segment between scans, or the next scan's head
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return False


def orientation(data: bytes) -> int:
    """Which way is up, 1 to 8 as Exif numbers them; 1, upright, where nothing is said."""
    for marker, begin, end in _segments(data):
        body = data[begin + 4 : end]
        if marker == _APP1 and body.startswith(_EXIF):
            found = _tag(body[len(_EXIF) :])
            return found if 1 <= found <= 8 else 1
    return 1


def _segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Marker, beginning and end of each segment, up to the head of the first scan."""
    at, marker = len(SOI), 0
    while marker != _SCAN and at + 4 <= len(data) and data[at] == 0xFF:
        marker, end = data[at + 1], at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        yield marker, at, end
        at = end


def _tag(tiff: bytes) -> int:
    """The orientation in the first directory; 0 where there is none, or no directory."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(tiff[:4])
    if order is None:
        return 0
    try:
        [begin] = struct.unpack_from(order + "I", tiff, 4)
        [count] = struct.unpack_from(order + "H", tiff, begin)
        for entry in range(min(count, 256)):
            tag, kind, _, value = struct.unpack_from(order + "HHIH", tiff, begin + 2 + 12 * entry)
            if (tag, kind) == (_ORIENTATION, 3):
                return int(value)
    except struct.error:
        pass
    return 0
