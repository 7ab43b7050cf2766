"""A video file gives upright pictures at their times, through the frame ring."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from tests.media import cut, shades, tone, turn, write_still, write_video
from visavis.flow.errors import InputError
from visavis.flow.events import FrameCaptured, SourceEnded
from visavis.flow.ring import FrameRing
from visavis.source.video import VideoFile

SMALL = 64 * 48 * 3


def corners(width: int = 64, height: int = 48) -> np.ndarray:
    """Black, with a white quarter at the top left."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[: height // 2, : width // 2] = 255
    return pixels


def white_quarter(pixels: np.ndarray) -> str:
    """Which quarter of a picture is the light one."""
    height, width = pixels.shape[0] // 2, pixels.shape[1] // 2
    quarters = {
        "top left": pixels[:height, :width],
        "top right": pixels[:height, width:],
        "bottom left": pixels[height:, :width],
        "bottom right": pixels[height:, width:],
    }
    light = [name for name, part in quarters.items() if part.mean() > 200]
    assert len(light) == 1
    return light[0]


@pytest.mark.parametrize(
    ("name", "codec", "b_frames"),
    [
        ("a.mp4", "mpeg4", 0),
        ("a.mkv", "libx264", 2),
        ("a.mp4", "libx264", 2),
        ("a.avi", "mjpeg", 0),
    ],
)
def test_pictures_come_in_order_at_their_times(
    tmp_path: Path, name: str, codec: str, b_frames: int
) -> None:
    path = write_video(tmp_path / name, shades(25), video_codec=codec, b_frames=b_frames)
    pictures = [(t_ns, pixels.copy()) for t_ns, pixels in VideoFile(path).pictures()]
    assert [t_ns / 1e9 for t_ns, _ in pictures] == pytest.approx(np.arange(25) / 25, abs=0.0011)
    for (_, pixels), shade in zip(pictures, shades(25), strict=True):
        assert pixels.shape == (48, 64, 3)
        assert pixels.dtype == np.uint8
        assert abs(pixels.mean() - shade.mean()) < 12


def test_colours_are_red_green_blue(tmp_path: Path) -> None:
    pixels = np.zeros((48, 64, 3), np.uint8)
    pixels[...] = (200, 100, 20)
    path = write_still(tmp_path / "a.png", pixels, "png", "rgb24")
    [(t_ns, found)] = VideoFile(path).pictures()
    assert t_ns == 0
    assert np.array_equal(found, pixels)


@pytest.mark.parametrize(
    ("degrees", "quarter"),
    [(0, "top left"), (90, "top right"), (180, "bottom right"), (270, "bottom left")],
)
def test_pictures_stand_upright(tmp_path: Path, degrees: int, quarter: str) -> None:
    path = turn(write_video(tmp_path / "a.mp4", [corners()] * 3), degrees)
    _, pixels = next(VideoFile(path).pictures())
    assert pixels.shape == ((48, 64, 3) if degrees in (0, 180) else (64, 48, 3))
    assert white_quarter(pixels) == quarter


def test_large_pictures_are_scaled_to_fit_the_ring(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", [corners(320, 180)] * 3)
    ring = FrameRing(2, 3 * 1_000)
    first = next(VideoFile(path, ring, max_pixels=1_000).events())
    assert isinstance(first, FrameCaptured)
    assert first.width * first.height <= 1_000
    assert first.width / first.height == pytest.approx(16 / 9, rel=0.1)
    with ring.lease(first.slot, first.generation) as lease:
        assert white_quarter(lease.pixels) == "top left"


def test_a_thread_of_a_picture_fits_too(tmp_path: Path) -> None:
    thread = np.zeros((5_000, 1, 3), np.uint8)
    path = write_still(tmp_path / "a.png", thread, "png", "rgb24")
    [picture, end] = VideoFile(path, FrameRing(2, 3 * 1_000), max_pixels=1_000).events()
    assert isinstance(picture, FrameCaptured)
    assert (picture.width, picture.height) == (1, 1_000)
    assert end == SourceEnded(t_ns=0, source="video")


def test_one_that_lies_fits_too(tmp_path: Path) -> None:
    thread = np.zeros((1, 5_000, 3), np.uint8)
    path = write_still(tmp_path / "a.png", thread, "png", "rgb24")
    picture, _ = VideoFile(path, FrameRing(2, 3 * 1_000)).events()
    assert isinstance(picture, FrameCaptured)
    assert (picture.width, picture.height) == (1_000, 1)


def test_events_name_the_slot_that_holds_the_picture(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", shades(10))
    ring = FrameRing(3, SMALL)
    for event, shade in zip(VideoFile(path, ring).events(), shades(10), strict=False):
        assert isinstance(event, FrameCaptured)
        with ring.lease(event.slot, event.generation) as lease:
            assert lease.pixels.shape == (event.height, event.width, 3) == (48, 64, 3)
            assert abs(lease.pixels.mean() - shade.mean()) < 12


def test_a_full_ring_costs_the_picture_and_no_more(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", shades(10))
    ring = FrameRing(1, SMALL)
    events = VideoFile(path, ring).events()
    first = next(events)
    assert isinstance(first, FrameCaptured)
    with ring.lease(first.slot, first.generation):
        rest = list(events)
    assert [type(event) for event in rest] == [SourceEnded]
    assert ring.dropped == 9


def test_no_more_pictures_than_asked_for(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mkv", shades(60), fps=60)
    times = [t_ns for t_ns, _ in VideoFile(path, max_rate_hz=15).pictures()]
    assert len(times) == 15
    assert min(np.diff(times)) >= 1e9 / 15 - 2e6


def test_a_lead_moves_the_pictures(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", shades(3))
    times = [t_ns for t_ns, _ in VideoFile(path, lead_s=0.5).pictures()]
    assert times == [500_000_000, 540_000_000, 580_000_000]


@pytest.mark.parametrize(
    ("name", "codec", "skipped"), [("a.avi", "mjpeg", 1), ("a.mkv", "libx264", 1)]
)
def test_damaged_pictures_are_skipped_and_counted(
    tmp_path: Path, name: str, codec: str, skipped: int
) -> None:
    noise = np.random.default_rng(0)
    pictures = [noise.integers(0, 255, (48, 64, 3)).astype(np.uint8) for _ in range(25)]
    path = write_video(tmp_path / name, pictures, video_codec=codec)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    at = data.index(b"\xff\xd8\xff", middle) if codec == "mjpeg" else middle
    data[at : at + 700] = bytes(700)
    path.write_bytes(data)
    *frames, end = VideoFile(path, FrameRing(2, SMALL)).events()
    assert len(frames) == 25 - skipped
    assert isinstance(end, SourceEnded)
    assert end.error == f"{name}: damaged pieces skipped: {skipped}"


def test_a_film_cut_off_shows_what_is_there(tmp_path: Path) -> None:
    path = cut(write_video(tmp_path / "a.mkv", shades(50), sound=tone(48_000, 2)), 0.5)
    assert 5 < len(list(VideoFile(path).pictures())) < 50


def test_the_end_comes_with_the_last_picture(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", shades(5))
    *_, end = VideoFile(path, FrameRing(2, SMALL)).events()
    assert end == SourceEnded(t_ns=160_000_000, source="video")


def test_a_file_that_vanishes_ends_with_a_reason(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", shades(5))
    source = VideoFile(path, FrameRing(2, SMALL))
    path.unlink()
    [end] = source.events()
    assert isinstance(end, SourceEnded)
    assert end.error == "a.mp4: there is no such file"


def test_a_cover_is_no_video(tmp_path: Path) -> None:
    path = write_video(
        tmp_path / "a.mp3",
        shades(1),
        sound=tone(44_100, 1),
        rate_hz=44_100,
        video_codec="mjpeg",
        audio_codec="libmp3lame",
        cover=True,
    )
    with pytest.raises(InputError, match="has no video track"):
        VideoFile(path)


def jpeg(pixels: np.ndarray, orientation: int = 1, mode: str = "RGB", **options: object) -> bytes:
    image, stream = Image.fromarray(pixels).convert(mode), io.BytesIO()
    exif = image.getexif()
    exif[274] = orientation
    image.save(stream, "JPEG", exif=exif, quality=95, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("orientation", "quarter"),
    [
        (1, "top left"),
        (2, "top right"),
        (3, "bottom right"),
        (4, "bottom left"),
        (5, "top left"),
        (6, "top right"),
        (7, "bottom right"),
        (8, "bottom left"),
    ],
)
def test_a_photo_stands_as_the_camera_was_held(
    tmp_path: Path, orientation: int, quarter: str
) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(jpeg(corners(), orientation))
    [(_, pixels)] = VideoFile(path).pictures()
    assert pixels.shape == ((64, 48, 3) if orientation > 4 else (48, 64, 3))
    assert white_quarter(pixels) == quarter


@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("a.png", Image.fromarray(corners()).convert("L")),
        ("a.png", Image.fromarray(corners()).convert("RGBA")),
        ("a.png", Image.fromarray(corners()).convert("P")),
        ("a.png", Image.fromarray(corners()[..., 0].astype(np.uint16) * 257)),
        ("a.tiff", Image.fromarray(corners()).convert("CMYK")),
        ("a.webp", Image.fromarray(corners())),
        ("a.bmp", Image.fromarray(corners())),
        ("a.gif", Image.fromarray(corners())),
        ("a.jpg", Image.fromarray(corners()).convert("L")),
        ("a.jpg", Image.fromarray(corners(63, 47))),
    ],
    ids=lambda value: value if isinstance(value, str) else value.mode,
)
def test_a_picture_of_any_mode_is_shown(tmp_path: Path, name: str, image: Image.Image) -> None:
    image.save(tmp_path / name)
    video = VideoFile(tmp_path / name)
    assert video.is_still
    [(_, pixels)] = video.pictures()
    assert pixels.shape == (image.height, image.width, 3)
    assert white_quarter(pixels) == "top left"


def test_pictures_may_change_their_size_and_mode_on_the_way(tmp_path: Path) -> None:
    # JPEGs one after the other are a film, as some cameras give it.
    parts = [
        jpeg(corners(64, 48)),
        jpeg(corners(320, 180)),
        jpeg(corners(48, 64), mode="L"),
        jpeg(corners(33, 21), subsampling=1),
    ]
    path = tmp_path / "a.mjpeg"
    path.write_bytes(b"".join(parts))
    video = VideoFile(path, max_pixels=160 * 90)
    assert not video.is_still
    shown = [(pixels.shape[:2], white_quarter(pixels)) for _, pixels in video.pictures()]
    assert shown == [
        ((48, 64), "top left"),
        ((90, 160), "top left"),
        ((64, 48), "top left"),
        ((21, 33), "top left"),
    ]
    assert video.error == ""


def test_a_picture_cut_off_is_skipped_and_the_rest_goes_on(tmp_path: Path) -> None:
    whole = jpeg(np.random.default_rng(0).integers(0, 255, (48, 64, 3)).astype(np.uint8))
    path = tmp_path / "a.mkv"
    with av.open(str(path), "w") as output:
        stream = output.add_stream("mjpeg", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuvj420p"
        for at, data in enumerate((whole, whole[: len(whole) // 2], b"\xff", whole, whole)):
            packet = av.Packet(data)
            packet.stream, packet.pts, packet.dts = stream, at, at
            packet.time_base, packet.is_keyframe = Fraction(1, 25), True
            output.mux(packet)
    video = VideoFile(path)
    assert [t_ns // 1_000_000 for t_ns, _ in video.pictures()] == [0, 120, 160]
    assert video.error == "damaged pieces skipped: 2"


def test_a_photo_cut_off_is_no_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(jpeg(corners()))
    cut(path, 0.5)
    with pytest.raises(InputError, match=r"a\.jpg: holds no picture"):
        VideoFile(path)


@pytest.mark.parametrize("behind", [b"\xff\xda", b"\xff\xd9", b"\xff\xda\xff\xd9\xff\xda"])
def test_what_lies_behind_a_photo_is_not_looked_at(tmp_path: Path, behind: bytes) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(jpeg(corners()) + bytes(1000) + behind)
    assert len(list(VideoFile(path).pictures())) == 1


def test_the_stamps_are_those_of_the_film(tmp_path: Path) -> None:
    path = write_video(tmp_path / "a.mp4", shades(4))
    video = VideoFile(path, FrameRing(4, SMALL), stream="screen")
    frames = [event for event in video.events() if isinstance(event, FrameCaptured)]
    assert [frame.stamp for frame in frames] == [frame.t_ns for frame in frames]
    assert [frame.stamp for frame in frames] == [0, 40_000_000, 80_000_000, 120_000_000]
    assert {(frame.stamp_hz, frame.stamp_bits) for frame in frames} == {(1_000_000_000, 0)}
    assert {frame.stream for frame in frames} == {"screen"}


def test_a_picture_stands_until_the_next_one_however_slow_the_film(tmp_path: Path) -> None:
    path = write_video(tmp_path / "slow.mp4", shades(3), fps=1)
    events = list(VideoFile(path, FrameRing(32, 64 * 48 * 3)).events())
    frames = [event.t_ns / 1e9 for event in events if isinstance(event, FrameCaptured)]
    assert frames == pytest.approx([n / 5 for n in range(11)])
    assert events[-1].t_ns == 2 * 10**9


def test_what_is_transparent_lies_on_white(tmp_path: Path) -> None:
    image = Image.new("RGBA", (64, 48), (0, 0, 0, 0))
    image.paste((255, 0, 0, 255), (0, 0, 32, 48))
    image.paste((0, 0, 0, 128), (32, 0, 48, 48))
    image.save(tmp_path / "sign.png")
    (_, pixels), *_ = VideoFile(tmp_path / "sign.png").pictures()
    assert pixels[24, 10].tolist() == [255, 0, 0]
    assert pixels[24, 40].tolist() == pytest.approx([127] * 3, abs=2)
    assert pixels[24, 60].tolist() == [255, 255, 255]
