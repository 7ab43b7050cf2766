"""Whatever FFmpeg decodes becomes upright RGB of a bounded size, or is refused in good order."""

from __future__ import annotations

import errno
import gc
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from tests.media import turn, write_video
from visavis.source.picture import BY_EXIF, Converter, Unshowable, fitted, turn_of, turned

MANY = 1 << 20
COLOURS = {"red": (220, 30, 30), "green": (30, 180, 40), "blue": (30, 40, 220), "grey": (90,) * 3}


def quarters(width: int = 64, height: int = 48) -> np.ndarray:
    """Red and green above blue and grey."""
    pixels = np.zeros((height, width, 3), np.uint8)
    half, middle = height // 2, width // 2
    pixels[:half, :middle], pixels[:half, middle:] = COLOURS["red"], COLOURS["green"]
    pixels[half:, :middle], pixels[half:, middle:] = COLOURS["blue"], COLOURS["grey"]
    return pixels


def upright(frame: av.VideoFrame, max_pixels: int) -> np.ndarray:
    return Converter(max_pixels).convert(frame)


def frame_of(pixels: np.ndarray, mode: str) -> av.VideoFrame:
    return av.VideoFrame.from_ndarray(pixels, "rgb24").reformat(format=mode)


@pytest.mark.parametrize("size", [(64, 48), (63, 47), (1, 1), (2, 5), (337, 3)])
@pytest.mark.parametrize(
    "mode",
    ["rgb24", "bgr24", "rgba", "bgra", "gbrp", "rgb48be", "yuv444p", "yuv422p", "yuyv422", "nv12"],
)
def test_every_mode_and_size_keeps_its_colours(mode: str, size: tuple[int, int]) -> None:
    pixels = quarters(*size)
    found = upright(frame_of(pixels, mode), MANY)
    assert found.dtype == np.uint8
    assert found.shape == pixels.shape
    # Where chroma is shared between pixels, edges blur: the middles of the quarters must hold.
    height, width = pixels.shape[:2]
    if min(height, width) >= 40:
        for y, x in [(0.25, 0.25), (0.25, 0.75), (0.75, 0.25), (0.75, 0.75)]:
            at = int(y * height), int(x * width)
            assert abs(found[at].astype(int) - pixels[at]).max() <= 6


@pytest.mark.parametrize("mode", ["gray", "gray16le", "gray10le", "ya8", "monob"])
def test_grey_is_grey_in_all_three(mode: str) -> None:
    pixels = np.repeat(np.repeat([[0, 255]], 16, axis=0), 16, axis=1)[..., None].repeat(3, axis=2)
    found = upright(frame_of(pixels.astype(np.uint8), mode), MANY)
    assert found.shape == (16, 32, 3)
    assert (found == found[..., :1]).all()
    assert found[:, :15].max() < 8
    assert found[:, 17:].min() > 247


@pytest.mark.parametrize("number", range(1, 9))
def test_every_orientation_is_undone_as_pillow_does_it(number: int) -> None:
    image = Image.fromarray(quarters())
    exif = image.getexif()
    exif[274] = number
    expected = np.asarray(ImageOps.exif_transpose(image))
    assert np.array_equal(turned(quarters(), BY_EXIF[number]), expected)
    assert np.shares_memory(turned(pixels := quarters(), BY_EXIF[number]), pixels)


@pytest.mark.parametrize(("degrees", "number"), [(0, 1), (90, 6), (180, 3), (270, 8)])
def test_a_display_matrix_says_the_same(tmp_path: Path, degrees: int, number: int) -> None:
    path = turn(write_video(tmp_path / "a.mp4", [quarters()] * 2), degrees)
    with av.open(str(path)) as container:
        frame = next(container.decode(video=0))
        assert turn_of(frame) == BY_EXIF[number]


def test_a_mirrored_film_is_mirrored_back(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", [quarters()] * 2)
    data = bytearray(path.read_bytes())
    at = data.index(b"tkhd") + 4 + 4 + 20 + 8 + 8
    data[at : at + 4] = (-65536).to_bytes(4, "big", signed=True)
    path.write_bytes(data)
    with av.open(str(path)) as container:
        found = upright(next(container.decode(video=0)), MANY)
    assert np.argmax(found[10, 10]) == 1, "green is on the left now"


def test_side_data_that_pyav_does_not_know_hides_no_rotation() -> None:
    class Odd:
        rotation = -90

        @property
        def side_data(self) -> object:
            raise ValueError("31 is not a valid Type")

    assert turn_of(Odd()) == BY_EXIF[6]  # type: ignore[arg-type]


def test_what_ffmpeg_cannot_scale_is_refused() -> None:
    def fail(*_: object, **__: object) -> None:
        av.error.err_check(-errno.EOPNOTSUPP)

    converter = Converter(MANY)
    converter._reformatter = SimpleNamespace(reformat=fail)  # type: ignore[assignment]
    with pytest.raises(Unshowable, match="not supported"):
        converter.convert(frame_of(quarters(), "yuv420p"))


@pytest.mark.skipif("yaf32le" not in av.video.format.names, reason="FFmpeg 8 has it first")
def test_what_ffmpeg_would_abort_on_never_reaches_it() -> None:
    with pytest.raises(Unshowable, match="its mode is yaf32le"):
        upright(av.VideoFrame(64, 48, "yaf32le"), MANY)


def test_an_empty_frame_is_refused() -> None:
    with pytest.raises(Unshowable, match="empty"):
        upright(av.VideoFrame(), MANY)


def test_a_scaled_picture_shows_the_same() -> None:
    found = upright(frame_of(quarters(640, 480), "yuv420p"), 64 * 48)
    assert found.shape == (48, 64, 3)
    assert abs(found.astype(int) - quarters())[4:20, 4:28].max() <= 6


@given(st.integers(1, 10_000), st.integers(1, 10_000), st.integers(1, 10_000))
def test_the_size_fits_and_keeps_its_proportion(width: int, height: int, most: int) -> None:
    new_width, new_height = fitted(width, height, most)
    assert 1 <= new_width <= width
    assert 1 <= new_height <= height
    assert new_width * new_height <= most
    if width * height <= most:
        assert (new_width, new_height) == (width, height)
    elif min(new_width, new_height) >= 20:
        assert new_width / new_height == pytest.approx(width / height, rel=0.06)


def test_frames_of_one_stream_may_differ_in_all_ways() -> None:
    converter = Converter(64 * 48)
    for width, height, mode in [(64, 48, "yuv420p"), (320, 240, "gray"), (31, 77, "rgba")]:
        for _ in range(2):
            found = converter.convert(frame_of(quarters(width, height), mode))
            assert found.shape[1::-1] == fitted(width, height, 64 * 48)


def test_frames_are_let_go_at_once() -> None:
    """At 1080p a frame is 3 MB: what waits for the collector is soon all there is."""
    converter = Converter(MANY)
    frames = [frame_of(quarters(), "yuv420p") for _ in range(20)]
    converter.convert(frame_of(quarters(), "yuv420p"))
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        while frames:
            converter.convert(frames.pop())
        gc.collect()
        assert not [thing for thing in gc.garbage if isinstance(thing, av.VideoFrame)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def test_a_stream_that_is_turned_on_the_way_is_followed() -> None:
    class Turning:
        width, height, format = 64, 48, SimpleNamespace(name="rgb24")
        rotation = 0
        side_data: ClassVar[dict[str, bytes]] = {}

    converter, frame = Converter(MANY), Turning()
    shown = frame_of(quarters(), "rgb24")
    converter._reformatter = SimpleNamespace(  # type: ignore[assignment]
        reformat=lambda *_, **__: shown
    )
    shapes = []
    for frame.rotation in (0, -90, 180, 90, 0):
        shapes.append(converter.convert(frame).shape[:2])  # type: ignore[arg-type]
    assert shapes == [(48, 64), (64, 48), (48, 64), (64, 48), (48, 64)]
