"""Every reader of writing keeps the contract: lines in reading order, or none, whatever it sees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from visavis import backends
from visavis.backends.contract import Ocr, Options
from visavis.backends.ocr.fake import write
from visavis.flow.errors import BackendMissing
from visavis.flow.ring import Pixels

NAMES = backends.names("ocr")
MARGIN = 12


@pytest.fixture(scope="module", params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture(scope="module")
def ocr(name: str) -> Iterator[Ocr]:
    try:
        reader: Ocr = backends.load("ocr", name, Options())
    except BackendMissing as missing:
        pytest.skip(str(missing))
    yield reader
    reader.close()
    reader.close()


def blank(width: int = 640, height: int = 480) -> Pixels:
    return np.full((height, width, 3), 40, np.uint8)


def written(name: str, *lines: str, width: int = 1280, height: int = 480) -> Pixels:
    """A picture with these lines from top to bottom, as this reader reads them."""
    if name == "fake":
        return write(blank(width, height), lines)
    image = Image.fromarray(blank(width, height))
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(36)
    for number, text in enumerate(lines):
        draw.text((MARGIN, MARGIN + 80 * number), text, font=font, fill=(250, 250, 240))
    return np.asarray(image)


def test_there_are_backends() -> None:
    assert {"fake", "rapidocr"} <= set(NAMES)


def test_it_says_what_it_can_read(ocr: Ocr) -> None:
    assert {"en", "zh"} <= set(ocr.languages)


def test_writing_is_read_from_top_to_bottom(ocr: Ocr, name: str) -> None:
    found = list(ocr.read(written(name, "EXIT 12", "Room B", "Meeting at 3")))
    assert [line.text for line in found] == ["EXIT 12", "Room B", "Meeting at 3"]
    assert all(0 <= line.confidence <= 1 for line in found)
    assert [line.box[1] for line in found] == sorted(line.box[1] for line in found)


def test_a_line_s_box_is_around_it(ocr: Ocr, name: str) -> None:
    (line,) = ocr.read(written(name, "EXIT 12"))
    left, top, right, bottom = line.box
    assert 0 <= left < right <= 1280
    assert 0 <= top < 40 < bottom <= 100 or name == "fake"


def test_the_picture_is_left_as_it_was(ocr: Ocr, name: str) -> None:
    pixels = written(name, "EXIT 12")
    pixels.flags.writeable = False
    before = pixels.copy()
    list(ocr.read(pixels))
    assert np.array_equal(pixels, before)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 200), (640, 9), (641, 479)])
def test_where_nothing_is_written_there_are_no_lines(ocr: Ocr, width: int, height: int) -> None:
    assert list(ocr.read(blank(width, height))) == []


def test_noise_is_no_writing(ocr: Ocr) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (240, 320, 3), np.uint8)
    assert all(line.confidence < 0.6 for line in ocr.read(noise))


def test_each_picture_stands_alone(ocr: Ocr, name: str) -> None:
    first = list(ocr.read(written(name, "EXIT 12")))
    next(iter(ocr.read(written(name, "Room B", "Meeting at 3"))))  # and no more of it
    assert list(ocr.read(written(name, "EXIT 12"))) == first


@pytest.mark.parametrize("most", [1, 2, 3, 9])
def test_no_more_lines_are_read_than_wanted(ocr: Ocr, name: str, most: int) -> None:
    found = list(ocr.read(written(name, "EXIT 12", "Room B", "Meeting at 3"), most))
    assert len(found) == min(most, 3)
    assert {line.text for line in found} <= {"EXIT 12", "Room B", "Meeting at 3"}
