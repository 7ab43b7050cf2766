"""When a screen shows something else: at once where it does, seldom where it never stops."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from tests.perceive.sight import Lens, only
from visavis.flow.events import SceneChanged, SightJudged, SpeechStarted
from visavis.flow.ring import FrameRing, Pixels
from visavis.perceive.scene import SceneWatcher

WIDTH, HEIGHT = 1280, 720
LINES = (
    "Quarterly report",
    "Revenue grew by 14 percent",
    "Three new offices: Oslo, Lisbon, Seoul",
    "Next meeting: Tuesday 9 June, room 4B",
)


def slide(*lines: str, size: int = 30, dark: bool = False) -> Pixels:
    image = Image.new("RGB", (WIDTH, HEIGHT), (0, 0, 0) if dark else (250, 250, 248))
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(size)
    for number, line in enumerate(lines):
        colour = (210, 210, 205) if dark else (20, 20, 60)
        draw.text((60, 40 + 2.4 * size * number), line, font=font, fill=colour)
    return np.asarray(image)


class Shown(Lens):
    """A screen of which two frames come a second."""

    def __init__(self) -> None:
        ring = FrameRing(4, 3 * WIDTH * HEIGHT)
        super().__init__(SceneWatcher(ring), ring, rate_hz=2)

    def turn(self, picture: Pixels, frames: int = 1) -> list[SceneChanged]:
        given = [event for _ in range(frames) for event in self.show(picture, stream="screen")]
        assert not only(given, SightJudged)
        assert all(event.stream == "screen" for event in only(given, SceneChanged))
        return only(given, SceneChanged)


def test_a_slide_is_told_at_its_first_frame_and_once() -> None:
    screen = Shown()
    (first,) = screen.turn(slide(*LINES), 8)
    assert first.share == 1.0
    (second,) = screen.turn(slide("Another report", *LINES[1:]))
    assert second.captured_ns == screen.t_ns - 10_000_000
    assert 0 < second.share < 0.1
    assert screen.turn(slide("Another report", *LINES[1:]), 20) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LINES, (*LINES[:3], "Next meeting: Monday 1 July, room 2A")),
        (LINES[:3], LINES),
        ((), LINES[:1]),
    ],
    ids=["words", "a point more", "first words"],
)
@pytest.mark.parametrize("dark", [False, True])
def test_another_line_is_another_picture(
    before: tuple[str, ...], after: tuple[str, ...], dark: bool
) -> None:
    screen = Shown()
    screen.turn(slide(*before, dark=dark), 8)
    assert len(screen.turn(slide(*after, dark=dark))) == 1


def test_a_letter_and_a_blinking_mark_are_none_but_many_letters_are() -> None:
    screen, typed = Shown(), "the quick brown fox jumps over the lazy dog again and again"
    screen.turn(slide(*LINES), 8)
    blinking = slide(*LINES)
    blinking = blinking.copy()
    blinking[400:418, 300:302] = 0
    for _ in range(4):
        assert screen.turn(blinking) == screen.turn(slide(*LINES)) == []
    told = [at for at in range(len(typed)) if screen.turn(slide(*LINES, "", typed[:at], size=24))]
    assert 1 <= len(told) < 8


def test_a_black_screen_that_stands_still_is_neither_dark_nor_frozen() -> None:
    screen = Shown()
    assert len(screen.turn(np.zeros((HEIGHT, WIDTH, 3), np.uint8), 60)) == 1


def film(number: int) -> Pixels:
    """A page beside which a film plays."""
    picture = slide(*LINES, size=20).copy()
    noise = np.random.default_rng(number).integers(0, 255, (10, 16, 3), np.uint8)
    picture[300:700, 640:1280] = np.kron(noise, np.ones((40, 40, 1), np.uint8))
    return picture


def test_a_film_is_told_now_and_then_and_then_no_longer() -> None:
    screen = Shown()
    early = sum(len(screen.turn(film(number))) for number in range(20))
    late = sum(len(screen.turn(film(number))) for number in range(20, 100))
    assert 2 <= early <= 7, "in ten seconds"
    assert late <= 8, "in forty"
    turned = film(100).copy()
    turned[:250] = slide("Another page", "that says something else", size=40)[:250]
    assert len(screen.turn(turned)) == 1, "the page beside it is still watched"


def test_it_is_looked_at_twice_a_second_whatever_comes_and_whoever_speaks() -> None:
    screen = Shown()
    screen.period_ms = 20
    leased = 0
    lease = screen.ring.lease

    def counting(slot: int, generation: int):  # type: ignore[no-untyped-def]
        nonlocal leased
        leased += 1
        return lease(slot, generation)

    screen.ring.lease = counting  # type: ignore[method-assign]
    screen.send(SpeechStarted(t_ns=0, start=0))
    pictures = [film(number) for number in range(5)]
    for number in range(250):
        screen.turn(pictures[number % 5])
    assert 10 <= leased <= 12, "in five seconds"


def test_the_camera_beside_it_is_watched_as_ever() -> None:
    screen = Shown()
    screen.turn(slide(*LINES), 8)
    assert len(only(screen.show(slide(*LINES)), SceneChanged)) == 1, "its first picture"
