"""A picture file is filmed for as long as it is asked for."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from visavis.flow.events import FrameCaptured
from visavis.flow.ring import FrameRing
from visavis.source.still import StillPicture
from visavis.source.video import VideoFile

TURNED = 6  # EXIF: the top of the scene is on the right


@pytest.fixture
def halves() -> Image.Image:
    """Red on the left, blue on the right."""
    pixels = np.zeros((40, 80, 3), np.uint8)
    pixels[:, :40], pixels[:, 40:] = (250, 0, 0), (0, 0, 250)
    return Image.fromarray(pixels)


@pytest.mark.parametrize("form", ["png", "jpg", "webp", "bmp"])
def test_it_is_shown_again_and_again(tmp_path: Path, halves: Image.Image, form: str) -> None:
    path = tmp_path / f"scene.{form}"
    halves.save(path)
    ring = FrameRing(4, 40 * 80 * 3)
    file = VideoFile(path, ring)
    assert file.is_still
    frames = [*itertools.islice(StillPicture(file).events(), 21)]
    assert [frame.t_ns for frame in frames[::10]] == [0, 1_000_000_000, 2_000_000_000]
    assert isinstance(frames[-1], FrameCaptured)
    with ring.lease(frames[-1].slot, frames[-1].generation) as lease:
        assert lease.pixels.shape == (40, 80, 3)
        assert abs(lease.pixels[20, 10].astype(int) - (250, 0, 0)).max() < 12
        assert abs(lease.pixels[20, 70].astype(int) - (0, 0, 250)).max() < 12


def test_it_stands_upright(tmp_path: Path, halves: Image.Image) -> None:
    exif = halves.getexif()
    exif[0x0112] = TURNED
    halves.save(tmp_path / "scene.jpg", exif=exif)
    file = VideoFile(tmp_path / "scene.jpg", FrameRing(4, 40 * 80 * 3))
    frame = next(StillPicture(file).events())
    assert isinstance(frame, FrameCaptured)
    assert (frame.width, frame.height) == (40, 80)


def test_a_picture_that_has_gone_is_not_shown(tmp_path: Path, halves: Image.Image) -> None:
    path = tmp_path / "scene.png"
    halves.save(path)
    file = VideoFile(path, FrameRing(4, 40 * 80 * 3))
    path.unlink()
    assert [*StillPicture(file).events()] == []
