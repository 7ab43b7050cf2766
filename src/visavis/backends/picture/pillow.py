"""Pictures as JPEG, by Pillow.

Takes RGB pixels, gives JPEG with colour at full resolution (4:4:4), because red writing on blue
is unreadable at half of it; and the pixels of any JPEG or PNG, upright, as RGB. Invariant: what
comes from outside is refused before it takes memory beyond `MOST_PIXELS`.
"""

from __future__ import annotations

import io
from contextlib import suppress

import numpy as np
from PIL import Image, ImageOps

from visavis.backends.contract import Options, PictureCodec
from visavis.backends.settings import Settings
from visavis.flow.errors import InputError
from visavis.flow.ring import Pixels

MOST_PIXELS = 50_000_000
"""A telephone's best photograph."""
FORMATS = ("JPEG", "PNG")
# Sixteen bits of grey, by whatever name Pillow has for them.
DEEP = ("I", "I;16", "I;16B", "I;16L", "I;16N")
WHITE = (255, 255, 255, 255)


class PillowCodec:
    """Stateless. `quality`: of the JPEG; 90 is where a picture of writing stops to get better."""

    def __init__(self, quality: int = 90) -> None:
        self._quality = quality

    def encode(self, pixels: Pixels, longest: int) -> tuple[bytes, int, int]:
        """2 ms for 640 × 480; 11 ms for 1920 × 1080 made that small."""
        image = Image.fromarray(np.ascontiguousarray(pixels))
        side = max(image.size)
        if side > longest:
            width, height = (max(1, round(length * longest / side)) for length in image.size)
            # Hamming keeps edges as bicubic does, in half the time. By a whole factor first, where
            # there is one: another half for 1080p.
            image = image.resize((width, height), Image.Resampling.HAMMING, reducing_gap=1.5)
        file = io.BytesIO()
        image.save(file, "JPEG", quality=self._quality, subsampling=0)
        return file.getvalue(), *image.size

    def decode(self, data: bytes) -> Pixels:
        """Raises `InputError`, also for what has too many pixels."""
        try:
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                _refuse_huge(image)
                image.load()
                return _upright_rgb(image)
        except InputError:
            raise
        except Exception as error:
            # Damage shows itself in many ways: OSError, SyntaxError, ValueError, struct.error, …
            raise InputError("picture", f"is no JPEG or PNG, or damaged ({error})") from error

    def close(self) -> None:
        """Nothing is held."""


def _refuse_huge(image: Image.Image) -> None:
    width, height = image.size
    if width * height > MOST_PIXELS:
        raise InputError("picture", f"has {width} × {height} pixels", "make it smaller")


def _upright_rgb(image: Image.Image) -> Pixels:
    upright = image
    with suppress(Exception):  # a damaged EXIF is no reason not to look
        upright = ImageOps.exif_transpose(image)
    return np.asarray(_rgb(upright))


def _rgb(image: Image.Image) -> Image.Image:
    if image.mode in DEEP:
        values = np.asarray(image).astype(np.uint32) >> 8
        return Image.fromarray(values.astype(np.uint8)).convert("RGB")
    if image.has_transparency_data:
        # White, as a page: what is drawn on nothing is mostly dark.
        page = Image.new("RGBA", image.size, WHITE)
        return Image.alpha_composite(page, image.convert("RGBA")).convert("RGB")
    return image.convert("RGB")


def load(options: Options) -> PictureCodec:
    """Settings: `quality` (90)."""
    return PillowCodec(Settings("picture/pillow", options.settings).whole("quality", 90, 1, 100))
