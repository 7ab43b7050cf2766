"""Pictures from outside: every mode, rotation and size, and what is refused."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw

from visavis.backends.picture import pillow
from visavis.backends.picture.pillow import PillowCodec
from visavis.flow.errors import InputError
from visavis.flow.ring import Pixels

CODEC = PillowCodec()


def saved(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def quarters(mode: str) -> Image.Image:
    """White with a black quarter at the top left, 40 × 20."""
    image = Image.new("L", (40, 20), 255)
    image.paste(0, (0, 0, 20, 10))
    return image.convert(mode)


def assert_quarters(pixels: Pixels) -> None:
    assert pixels.shape == (20, 40, 3)
    assert pixels[2:8, 4:16].max() <= 8
    assert pixels[12:, :].min() >= 247
    assert pixels[:, 24:].min() >= 247


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16", "I"])
def test_a_png_of_any_mode_is_rgb(mode: str) -> None:
    if mode in ("I;16", "I"):
        wide = np.asarray(quarters("L")).astype(np.uint16) * 257
        image = Image.fromarray(wide)
    else:
        image = quarters(mode)
    assert_quarters(CODEC.decode(saved(image)))


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
@pytest.mark.parametrize("subsampling", [0, 1, 2])
def test_a_jpeg_of_any_mode_is_rgb(mode: str, subsampling: int) -> None:
    options = {} if mode == "L" else {"subsampling": subsampling}
    assert_quarters(CODEC.decode(saved(quarters(mode), "JPEG", quality=95, **options)))


def test_a_progressive_jpeg_is_read() -> None:
    assert_quarters(CODEC.decode(saved(quarters("RGB"), "JPEG", quality=95, progressive=True)))


def test_sixteen_bits_of_grey_keep_their_middle() -> None:
    wide = np.full((4, 4), 0x8000, np.uint16)
    assert (CODEC.decode(saved(Image.fromarray(wide))) == 0x80).all()


def test_transparency_is_a_white_page() -> None:
    image = Image.new("RGBA", (8, 8), (0, 0, 0, 0))
    image.paste((200, 0, 0, 255), (0, 0, 4, 8))
    found = CODEC.decode(saved(image))
    assert (found[:, :4] == (200, 0, 0)).all()
    assert (found[:, 4:] == 255).all()


def test_a_palette_with_a_transparent_colour_is_a_white_page() -> None:
    image = Image.new("P", (4, 4), 1)
    image.putpalette([0, 0, 0, 10, 20, 30])
    assert (CODEC.decode(saved(image, transparency=1)) == 255).all()
    assert (CODEC.decode(saved(image)) == (10, 20, 30)).all()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_rotated_photograph_stands_upright(orientation: int) -> None:
    turns = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}  # how the camera was held: transposed back
    stored = quarters("RGB")
    if orientation != 1:
        stored = stored.transpose(Image.Transpose(turns[orientation]))
    exif = Image.Exif()
    exif[0x0112] = orientation
    assert_quarters(CODEC.decode(saved(stored, "JPEG", quality=95, exif=exif)))


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")
def test_damaged_exif_is_no_reason_not_to_look() -> None:
    data = saved(quarters("RGB"), "JPEG", quality=95, exif=b"Exif\x00\x00II*\x00\xff\xff\xff\xff12")
    assert_quarters(CODEC.decode(data))


def test_too_many_pixels_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    data = saved(quarters("RGB"))
    monkeypatch.setattr(pillow, "MOST_PIXELS", 40 * 20)
    assert_quarters(CODEC.decode(data))
    monkeypatch.setattr(pillow, "MOST_PIXELS", 40 * 20 - 1)
    monkeypatch.setattr(Image.Image, "load", lambda *_: pytest.fail("was read"))
    with pytest.raises(InputError, match="has 40 × 20 pixels; make it smaller"):
        CODEC.decode(data)


def test_a_bomb_is_refused() -> None:
    """A hundred bytes that say they are 60 000 × 60 000 pixels."""
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n"
    for name, body in ((b"IHDR", head), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")):
        checked = name + body
        data += struct.pack(">I", len(body)) + checked + struct.pack(">I", zlib.crc32(checked))
    with pytest.raises(InputError):
        CODEC.decode(data)


@pytest.mark.parametrize("kind", ["GIF", "BMP", "TIFF", "WEBP"])
def test_other_formats_are_refused(kind: str) -> None:
    with pytest.raises(InputError, match="is no JPEG or PNG"):
        CODEC.decode(saved(quarters("RGB"), kind))


def test_a_jpeg_cut_anywhere_is_refused() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (48, 64, 3), np.uint8)
    data, _, _ = CODEC.encode(noise, 64)
    for end in range(0, len(data) - 300, 97):
        with pytest.raises(InputError):
            CODEC.decode(data[:end])


def test_colour_is_kept_at_full_resolution() -> None:
    """Red lines of one pixel on blue, of the same brightness."""
    stripes = np.empty((32, 32, 3), np.uint8)
    stripes[:, ::2], stripes[:, 1::2] = (200, 40, 40), (40, 60, 255)
    data, _, _ = CODEC.encode(stripes, 32)
    found = CODEC.decode(data).astype(int)
    assert found[:, ::2, 0].mean() - found[:, 1::2, 0].mean() > 130


def test_small_writing_is_still_there_at_half_the_size() -> None:
    page = Image.new("RGB", (960, 640), "white")
    draw = ImageDraw.Draw(page)
    draw.text((40, 40), "serial number 4711", fill="black", font_size=28)
    data, width, height = CODEC.encode(np.asarray(page), 480)
    assert (width, height) == (480, 320)
    exact = page.resize((480, 320), Image.Resampling.BICUBIC)
    found, wished = CODEC.decode(data).astype(int), np.asarray(exact).astype(int)
    assert found[20:36, 20:150].min() < 60
    assert np.abs(found - wished).mean() < 0.5
