"""A JPEG's own bytes tell which way is up, and whether its end is missing."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from visavis.source import jpeg

NOISE = np.random.default_rng(0).integers(0, 255, (48, 64, 3)).astype(np.uint8)


def made(turn: int | None = None, **options: object) -> bytes:
    image, stream = Image.fromarray(NOISE), io.BytesIO()
    exif = image.getexif()
    if turn is not None:
        exif[271], exif[274], exif[282] = "A camera", turn, 72.0
    image.save(stream, "JPEG", exif=exif, **options)
    return stream.getvalue()


@pytest.mark.parametrize("turn", range(1, 9))
def test_the_orientation_is_read(turn: int) -> None:
    assert jpeg.orientation(made(turn)) == turn


def test_either_order_of_bytes_is_read() -> None:
    # A directory of one entry: tag 274, short, one value, 6.
    entry = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    body = b"Exif\0\0" + entry
    data = b"\xff\xd8\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body
    assert jpeg.orientation(data) == 6


@pytest.mark.parametrize("turn", [None, 0, 9, 255])
def test_where_nothing_sensible_is_said_it_stands_upright(turn: int | None) -> None:
    assert jpeg.orientation(made(turn)) == 1


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"quality": 95}])
def test_what_is_cut_off_is_not_whole(options: dict[str, object]) -> None:
    data = made(6, **options)
    assert jpeg.is_whole(data)
    assert jpeg.is_whole(data + bytes(100)), "padding does no harm"
    for share in (0.3, 0.6, 0.95):
        assert not jpeg.is_whole(data[: int(len(data) * share)])
    assert not jpeg.is_whole(b"")


@given(st.binary(max_size=200), st.integers(0, 400))
def test_no_bytes_can_harm(noise: bytes, at: int) -> None:
    data = made(6)[:at] + noise
    assert 1 <= jpeg.orientation(data) <= 8
    assert jpeg.is_whole(data) in (True, False)
