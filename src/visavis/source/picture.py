"""Pictures: from whatever FFmpeg decodes to upright RGB that fits a slot of the frame ring.

Takes a decoded frame of any mode and size; gives pixels. Invariant: no more than `max_pixels`,
sides in proportion, the right way up. Which way is up comes with the frame (a display matrix,
ISO 14496-12, 8.3.2) or from the file (Exif); grey, palettes, 16 bits, BGR and every layout of
chroma are FFmpeg's business. What is transparent lies on white, as viewers show it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

import av
import numpy as np
from av.video.frame import VideoFrame
from av.video.reformatter import VideoReformatter

from visavis.flow.ring import Pixels

Turn = tuple[int, int, int, int]
"""a, b, c, d: what is at (x, y) is shown at (ax + cy, bx + dy). Each is −1, 0 or 1."""

UPRIGHT: Turn = (1, 0, 0, 1)
ALPHA = frozenset(
    {"rgba", "bgra", "argb", "abgr", "ya8", "pal8", "rgba64be", "rgba64le", "ya16be", "ya16le"}
)
BY_EXIF: dict[int, Turn] = {
    1: UPRIGHT,
    2: (-1, 0, 0, 1),
    3: (-1, 0, 0, -1),
    4: (1, 0, 0, -1),
    5: (0, 1, 1, 0),
    6: (0, 1, -1, 0),
    7: (0, -1, -1, 0),
    8: (0, -1, 1, 0),
}


class Unshowable(Exception):
    """A frame that cannot be made into a picture: empty, or of a shape that cannot be scaled."""


class Converter:
    """Makes pictures of one stream's frames. `turn`: which way is up; None = as each frame says.

    It keeps FFmpeg's tables from frame to frame: to make them anew takes longer than to use them.
    """

    def __init__(self, max_pixels: int, turn: Turn | None = None) -> None:
        self._max_pixels, self._turn = max_pixels, turn
        self._reformatter = VideoReformatter()
        self._said: tuple[int, Turn] | None = None

    def convert(self, frame: VideoFrame) -> Pixels:
        """RGB, shape (height, width, 3), often a view that is not contiguous.

        Raises `Unshowable`.
        """
        if not (frame.width and frame.height):
            raise Unshowable("it is empty")
        # On these FFmpeg 8 does not fail but aborts the process.
        if frame.format.name.startswith("yaf32"):
            raise Unshowable(f"its mode is {frame.format.name}")
        width, height = fitted(frame.width, frame.height, self._max_pixels)
        try:
            pixels = self._scaled(frame, width, height)
        except (av.FFmpegError, ValueError) as error:
            raise Unshowable(str(error)) from error
        if pixels.shape[2] == 4:
            pixels = on_white(pixels)
        return turned(pixels, self._turn or self._as_said(frame))

    def _scaled(self, frame: VideoFrame, width: int, height: int) -> Pixels:
        """RGB, and alpha where there is one."""
        mode, depth = ("rgba", 4) if has_alpha(frame) else ("rgb24", 3)
        scaled = self._reformatter.reformat(frame, width, height, mode, interpolation="AREA")
        plane = scaled.planes[0]
        # A view without the padding of FFmpeg's lines: the copy into the ring is the only one.
        shape, strides = (height, width, depth), (plane.line_size, depth, 1)
        return np.ndarray(shape, np.uint8, cast("memoryview", plane), strides=strides)

    def _as_said(self, frame: VideoFrame) -> Turn:
        # Whoever asks for a frame's side data ties the frame into a cycle, which only the collector
        # frees: at 1080p that is 200 MB a second. So it is asked when the angle changes.
        if self._said is None or self._said[0] != frame.rotation:
            self._said = frame.rotation, turn_of(frame)
        return self._said[1]


def has_alpha(frame: VideoFrame) -> bool:
    """Whether parts of it may be transparent, which palettes need not say."""
    name = frame.format.name
    return name in ALPHA or name.startswith(("yuva", "gbrap"))


def on_white(layers: Pixels) -> Pixels:
    """What is seen of red, green, blue and alpha, shape (height, width, 4), on white."""
    wide = layers.astype(np.uint16)
    alpha = wide[..., 3:]
    pixels: Pixels = ((wide[..., :3] * alpha + 255 * (255 - alpha)) // 255).astype(np.uint8)
    return pixels


def fitted(width: int, height: int, max_pixels: int) -> tuple[int, int]:
    """The size scaled down, where needed, to at most `max_pixels`."""
    scale = min(1.0, math.sqrt(max_pixels / (width * height)))
    width, height = (max(1, int(side * scale)) for side in (width, height))
    # A picture one pixel wide cannot be scaled down in proportion.
    width = min(width, max_pixels)
    return width, min(height, max_pixels // width)


def turned(pixels: Pixels, turn: Turn) -> Pixels:
    """The picture as it is to be shown; a view."""
    a, b, c, d = turn
    rows, columns = (b, c) if b else (d, a)
    return (pixels.transpose(1, 0, 2) if b else pixels)[::rows, ::columns]


def turn_of(frame: VideoFrame) -> Turn:
    """What the frame's display matrix says, to the nearest right angle."""
    try:
        side_data = cast("Mapping[str, memoryview]", frame.side_data)
        matrix = np.frombuffer(side_data["DISPLAYMATRIX"], np.int32)
    except (KeyError, ValueError):
        # Side data of a kind that PyAV does not know hides all of it, but for the angle.
        return BY_EXIF[(1, 8, 3, 6)[round(frame.rotation / 90) % 4]]
    a, b, c, d = (int(matrix[at]) for at in (0, 1, 3, 4))
    if abs(b) > abs(a):
        return 0, _sign(b), _sign(c), 0
    return _sign(a), 0, 0, _sign(d)


def _sign(value: int) -> int:
    return -1 if value < 0 else 1
