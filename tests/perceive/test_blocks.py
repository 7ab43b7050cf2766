"""Mean colours of blocks, exact where the picture is even."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.perceive.blocks import COLUMNS, ROWS, halved, luma, sampled


@settings(max_examples=40, deadline=None)
@given(
    width=st.integers(1, 500),
    height=st.integers(1, 500),
    colour=st.tuples(*[st.integers(0, 255)] * 3),
)
def test_an_even_picture_has_even_blocks(
    width: int, height: int, colour: tuple[int, int, int]
) -> None:
    picture = np.full((height, width, 3), colour, np.uint8)
    blocks = sampled(picture)
    assert blocks.shape == (ROWS, COLUMNS, 3)
    assert blocks.dtype == np.float32
    assert (blocks == colour).all()
    assert (halved(blocks) == colour).all()


@pytest.mark.parametrize(("width", "height"), [(640, 480), (1920, 1080), (256, 192), (64, 48)])
def test_a_block_has_the_colour_of_its_place(width: int, height: int) -> None:
    picture = np.zeros((height, width, 3), np.uint8)
    picture[: height // 2, : width // 2] = (200, 100, 50)
    blocks = sampled(picture)
    assert (blocks[: ROWS // 2, : COLUMNS // 2] == (200, 100, 50)).all()
    assert (blocks[ROWS // 2 :] == 0).all()
    assert (blocks[:, COLUMNS // 2 :] == 0).all()


def test_a_block_is_the_mean_of_sixteen_pixels() -> None:
    picture = np.random.default_rng(1).integers(0, 256, (192, 256, 3), np.uint8)
    exact = picture.reshape(48, 4, 64, 4, 3).mean(axis=(1, 3))
    assert np.allclose(sampled(picture), exact)
    assert np.allclose(halved(sampled(picture)), exact.reshape(24, 2, 32, 2, 3).mean(axis=(1, 3)))


def test_brightness_is_that_of_television() -> None:
    blocks = np.eye(3, dtype=np.float32)[None] * 100
    assert luma(blocks) == pytest.approx(np.array([[29.9, 58.7, 11.4]]))
