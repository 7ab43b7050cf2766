"""Every codec keeps the contract: sizes, sameness, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis import backends
from visavis.backends.contract import Options, PictureCodec
from visavis.flow.errors import BackendMissing, InputError
from visavis.flow.ring import Pixels

NAMES = backends.names("picture")


@pytest.fixture(scope="module", params=NAMES)
def codec(request: pytest.FixtureRequest) -> Iterator[PictureCodec]:
    try:
        found: PictureCodec = backends.load("picture", request.param, Options())
    except BackendMissing as missing:
        pytest.skip(str(missing))
    yield found
    found.close()
    found.close()


def halves(width: int, height: int) -> Pixels:
    """Red on the left, a dark blue on the right."""
    pixels = np.empty((height, width, 3), np.uint8)
    pixels[:, : width // 2] = (220, 30, 30)
    pixels[:, width // 2 :] = (20, 30, 120)
    return pixels


def test_there_are_codecs() -> None:
    assert {"fake", "pillow"} <= set(NAMES)


def test_what_was_encoded_is_what_is_decoded(codec: PictureCodec) -> None:
    data, width, height = codec.encode(halves(64, 48), 64)
    assert (width, height) == (64, 48)
    found = codec.decode(data)
    assert found.dtype == np.uint8
    assert found.shape == (48, 64, 3)
    assert np.abs(found.astype(int) - halves(64, 48)).max() <= 12


def test_it_is_made_smaller(codec: PictureCodec) -> None:
    data, width, height = codec.encode(halves(640, 480), 160)
    assert (width, height) == (160, 120)
    found = codec.decode(data)
    assert found.shape == (120, 160, 3)
    assert np.abs(found[:, :70].astype(int) - (220, 30, 30)).max() <= 12
    assert np.abs(found[:, 90:].astype(int) - (20, 30, 120)).max() <= 12


@settings(max_examples=40, deadline=None)
@given(width=st.integers(1, 300), height=st.integers(1, 300), longest=st.integers(1, 400))
@pytest.mark.parametrize("name", NAMES)
def test_every_size_fits_and_none_grows(name: str, width: int, height: int, longest: int) -> None:
    codec: PictureCodec = backends.load("picture", name, Options())
    data, wide, high = codec.encode(halves(width, height), longest)
    assert 1 <= wide <= min(width, longest)
    assert 1 <= high <= min(height, longest)
    assert codec.decode(data).shape == (high, wide, 3)
    if max(width, height) <= longest:
        assert (wide, high) == (width, height)


def test_the_same_pixels_give_the_same_bytes(codec: PictureCodec) -> None:
    assert codec.encode(halves(99, 77), 80) == codec.encode(halves(99, 77), 80)
    other = halves(99, 77)
    other[30:40, 30:40] = 255
    assert codec.encode(other, 80) != codec.encode(halves(99, 77), 80)


def test_the_ring_s_own_memory_will_do(codec: PictureCodec) -> None:
    """Read-only, and a part of something larger."""
    part = halves(200, 100)[10:90:2, 20:180]
    part.flags.writeable = False
    assert codec.encode(part, 500) == codec.encode(part.copy(), 500)


@pytest.mark.parametrize("damage", ["empty", "garbage", "cut", "head", "text"])
def test_what_is_damaged_is_refused(codec: PictureCodec, damage: str) -> None:
    data, _, _ = codec.encode(np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8), 64)
    broken = {
        "empty": b"",
        "garbage": bytes(range(256)) * 8,
        "cut": data[: len(data) // 2],
        "head": data[:20],
        "text": b"<html>404</html>",
    }[damage]
    with pytest.raises(InputError, match="picture"):
        codec.decode(broken)
