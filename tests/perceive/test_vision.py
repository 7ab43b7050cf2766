"""Looking: the frame of the moment, and no picture encoded twice."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from tests.perceive.sight import BLUE, RED, SMALL, exposed, noisy, room
from visavis.backends.picture.fake import FakePictureCodec
from visavis.backends.picture.pillow import PillowCodec
from visavis.flow.errors import EngineError
from visavis.flow.events import LookStart, ViewMissed, ViewTaken
from visavis.flow.ring import FrameRing, Pixels
from visavis.perceive.blocks import sampled
from visavis.perceive.sameness import same
from visavis.perceive.vision import Vision

MS = 1_000_000


class Counting(PillowCodec):
    count = 0

    def encode(self, pixels: Pixels, longest: int) -> tuple[bytes, int, int]:
        self.count += 1
        return super().encode(pixels, longest)


class Eye:
    """A ring with frames, a node that looks into it, and how often it has encoded."""

    def __init__(self, *, slots: int = 90, side: int = 320, width: int = 320) -> None:
        self.ring = FrameRing(slots, 3 * width * width)
        self.codec = Counting()
        self.node = Vision(self.ring, self.codec, side=side)

    def shoot(self, picture: Pixels, t_ms: float, stream: str = "camera") -> None:
        place = self.ring.write(picture, stream)
        assert place is not None
        self.ring.place(*place, round(t_ms * MS), stream)

    def look(
        self, t_ms: float, moment_ms: float = -1, stream: str = "camera"
    ) -> ViewTaken | ViewMissed:
        moment_ns = -1 if moment_ms < 0 else round(moment_ms * MS)
        (given,) = self.node.on(
            LookStart(
                t_ns=round(t_ms * MS),
                trace=5,
                epoch=2,
                moment_ns=moment_ns,
                reason="question",
                stream=stream,
            )
        )
        assert (given.t_ns, given.trace, given.epoch) == (round(t_ms * MS), 5, 2)
        assert isinstance(given, ViewTaken | ViewMissed)
        assert given.moment_ns == moment_ns
        return given

    def see(self, t_ms: float, moment_ms: float = -1, stream: str = "camera") -> ViewTaken:
        given = self.look(t_ms, moment_ms, stream)
        assert isinstance(given, ViewTaken), given
        assert given.reason == "question"
        assert given.view.stream == stream
        return given

    def miss(self, t_ms: float, moment_ms: float = -1) -> str:
        given = self.look(t_ms, moment_ms)
        assert isinstance(given, ViewMissed), given
        return given.reason


def film(eye: Eye, count: int = 60) -> None:
    """30 frames a second, each with a box elsewhere."""
    for frame in range(count):
        eye.shoot(room(((4 * frame, 60, 48, 48), RED)), frame * 1_000 / 30)


@pytest.mark.parametrize(
    ("moment_ms", "frame"), [(0, 0), (500, 15), (1_010, 30), (1_020, 31), (1_960, 59), (2_400, 59)]
)
def test_the_view_is_the_frame_nearest_to_the_moment(moment_ms: float, frame: int) -> None:
    eye = Eye()
    film(eye)
    taken = eye.see(2_450, moment_ms)
    assert taken.view.captured_ns == round(frame * 1_000 / 30 * MS)
    shown = eye.codec.decode(taken.data).astype(int)
    assert np.abs(shown[84, 4 * frame + 24] - RED).max() <= 12


def test_without_a_moment_it_is_the_newest() -> None:
    eye = Eye()
    film(eye)
    assert eye.see(2_000).view.captured_ns == round(59_000 / 30 * MS)


def test_without_a_frame_near_enough_the_look_is_missed() -> None:
    eye = Eye()
    assert eye.miss(100) == "no frame yet"
    eye.shoot(room(), 1_000)
    assert eye.miss(2_000, 499) == "no frame within 500 ms"
    assert eye.see(2_000, 500).view.captured_ns == 1_000 * MS
    assert eye.see(1_500).view.captured_ns == 1_000 * MS
    assert eye.miss(1_501) == "no frame within 500 ms"


def test_a_frame_that_is_overwritten_meanwhile_is_not_the_view() -> None:
    eye = Eye(slots=4)
    film(eye, 4)

    class Late(FrameRing):
        asked = 0

    lease = eye.ring.lease

    def late(slot: int, generation: int):  # type: ignore[no-untyped-def]
        if not Late.asked:
            Late.asked = 1
            eye.shoot(room((SMALL, BLUE)), 133)
        return lease(slot, generation)

    eye.ring.lease = late  # type: ignore[method-assign]
    assert eye.see(140, 0).view.captured_ns == round(1_000 / 30 * MS)
    assert eye.ring.leased == 0


def test_what_is_always_overwritten_is_missed() -> None:
    eye = Eye()
    film(eye, 3)

    def gone(slot: int, generation: int):  # type: ignore[no-untyped-def]
        raise LookupError

    eye.ring.lease = gone  # type: ignore[method-assign]
    assert eye.miss(100, 0) == "overwritten"


def test_the_same_picture_is_the_same_view_seen_later() -> None:
    eye = Eye()
    for t_ms in range(0, 1_000, 100):
        eye.shoot(noisy(room((SMALL, RED)), 3, t_ms), t_ms)
    first = eye.see(1_000, 0)
    assert first.data.startswith(b"\xff\xd8")
    for t_ms in (300, 600, 900):
        again = eye.see(1_000, t_ms)
        assert again.data == b""
        assert again.view == first.view
        assert again.view.id == first.view.id
        assert again.view.captured_ns == t_ms * MS
        assert (again.view.width, again.view.height) == (320, 240)
    assert eye.codec.count == 1


def test_another_picture_is_another_view() -> None:
    eye = Eye()
    eye.shoot(room((SMALL, RED)), 0)
    eye.shoot(room((SMALL, BLUE)), 100)
    first, second = eye.see(200, 0), eye.see(200, 100)
    assert second.data
    assert second.view.id != first.view.id


def test_the_same_bytes_have_the_same_id() -> None:
    eye = Eye()
    for t_ms, objects in ((0, ((SMALL, RED),)), (100, ()), (200, ((SMALL, RED),))):
        eye.shoot(room(*objects), t_ms)
    ids = [eye.see(250, t_ms).view.id for t_ms in (0, 100, 200)]
    assert ids[0] == ids[2] != ids[1]
    assert all(len(name) == 32 for name in ids)


def test_views_are_made_for_the_engine_s_eye() -> None:
    eye = Eye(side=128)
    eye.shoot(room((SMALL, RED)), 0)
    taken = eye.see(10)
    assert (taken.view.width, taken.view.height) == (128, 96)
    assert Image.open(io.BytesIO(taken.data)).size == (128, 96)


def test_a_stream_s_view_is_compared_with_that_stream() -> None:
    eye = Eye()
    eye.shoot(room((SMALL, RED)), 0)
    eye.shoot(room((SMALL, BLUE)), 0, "screen")
    camera, screen = eye.see(10), eye.see(10, stream="screen")
    assert camera.data
    assert screen.data
    assert eye.see(20).data == eye.see(20, stream="screen").data == b""


def test_a_screen_s_view_is_as_large_as_its_frame() -> None:
    eye = Eye(side=128, width=640)
    for stream in ("camera", "screen"):
        eye.shoot(room(width=640), 0, stream)
    camera, screen = eye.see(10), eye.see(10, stream="screen")
    assert (camera.view.width, camera.view.height) == (128, 96)
    assert (screen.view.width, screen.view.height) == (640, 480)


def test_a_screen_s_newest_frame_may_be_older() -> None:
    eye = Eye()
    for stream in ("camera", "screen"):
        eye.shoot(room(), 1_000, stream)
    assert eye.miss(2_000) == "no frame within 500 ms"
    assert eye.see(3_500, stream="screen").view.captured_ns == 1_000 * MS
    assert isinstance(eye.look(3_501, stream="screen"), ViewMissed)


def test_another_size_is_another_view() -> None:
    eye = Eye(width=640)
    eye.shoot(room(width=640), 0)
    eye.shoot(room(width=320), 100)
    assert eye.see(120, 0).data
    assert eye.see(120, 100).data


def test_no_lease_is_kept_when_the_codec_fails() -> None:
    ring = FrameRing(4, 3 * 320 * 240)
    node = Vision(ring, FakePictureCodec(fail_rate=1.0))
    place = ring.write(room())
    assert place is not None
    ring.place(*place, 0, "camera")
    with pytest.raises(EngineError):
        list(node.on(LookStart(t_ns=0, moment_ns=-1, reason="speech")))
    assert ring.leased == 0


def look(moment_ns: int = -1, stream: str = "camera") -> LookStart:
    return LookStart(t_ns=100 * MS, moment_ns=moment_ns, reason="", stream=stream)


@pytest.mark.parametrize(
    ("older", "newer", "overtaken"),
    [
        (look(), look(), True),
        (look(), look(50), True),
        (look(40), look(50), True),
        (look(50), look(), False),
        (look(), look(stream="screen"), False),
        (look(40), look(50, "screen"), False),
    ],
)
def test_a_look_that_waits_is_overtaken_by_a_newer_one(
    older: LookStart, newer: LookStart, overtaken: bool
) -> None:
    eye = Eye()
    for stream in ("camera", "screen"):
        eye.shoot(room(), 0, stream)
    for each in (older, newer):
        eye.node.coming(each)
    (first,), (second,) = (list(eye.node.on(each)) for each in (older, newer))
    assert isinstance(second, ViewTaken)
    assert isinstance(first, ViewMissed) == overtaken
    if isinstance(first, ViewMissed):
        assert first.reason == "overtaken"


# ── what is the same ─────────────────────────────────────────────────────────────────────────


def page(text: str, *, size: int = 22, width: int = 640) -> Pixels:
    image = Image.fromarray(room((SMALL, (235, 235, 235)), width=width))
    ImageDraw.Draw(image).text((370, 150), text, fill=(10, 10, 10), font_size=size)
    return np.asarray(image)


@settings(max_examples=40, deadline=None)
@given(sigma=st.floats(0, 8), seed=st.integers(0, 1_000), light=st.floats(-0.15, 0.15))
def test_noise_and_a_breath_of_light_change_nothing(sigma: float, seed: int, light: float) -> None:
    picture = page("4711")
    one = noisy(picture, sigma, seed)
    other = noisy(exposed(picture, light), sigma, seed + 1)
    assert same(sampled(one), sampled(other))


@pytest.mark.parametrize("sigma", [0, 3])
@pytest.mark.parametrize("text", ["4712", "4711.", "471", "4117", "4771", "471l", "4811"])
def test_another_letter_is_another_picture(text: str, sigma: float) -> None:
    one, other = noisy(page("4711"), sigma, 1), noisy(page(text), sigma, 2)
    assert not same(sampled(one), sampled(other))


@settings(max_examples=60, deadline=None)
@given(
    left=st.integers(0, 620),
    top=st.integers(0, 460),
    colour=st.sampled_from([(255, 0, 0), (0, 0, 0), (0, 0, 255), (255, 255, 255)]),
    sigma=st.sampled_from([0.0, 3.0]),
)
def test_a_mark_of_sixteen_pixels_is_another_picture(
    left: int, top: int, colour: tuple[int, int, int], sigma: float
) -> None:
    one = page("4711")
    other = one.copy()
    other[top : top + 16, left : left + 16] = colour
    if np.abs(other.astype(int) - one).mean() * one.size < 16 * 16 * 3 * 20:
        return  # it can hardly be seen
    assert not same(sampled(noisy(one, sigma, 1)), sampled(noisy(other, sigma, 2)))


@pytest.mark.parametrize("shift", [2, 5])
def test_a_camera_that_moved_sees_another_picture(shift: int) -> None:
    one = page("4711")
    assert not same(sampled(one), sampled(np.roll(one, shift, axis=1)))
