"""What is read of what was looked at, and what is not worth reading any more."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pytest

from visavis.backends.contract import Line
from visavis.flow.errors import EngineError
from visavis.flow.events import Event, View, ViewRead, ViewTaken
from visavis.flow.ring import Pixels
from visavis.flow.simulate import SimulatedLoop
from visavis.perceive.reading import Reader, alike, look, page

BOX = (0.0, 0.0, 9.0, 9.0)
MS = 1_000_000


class Plain:
    """A codec that makes a picture's bytes its only row."""

    def encode(self, pixels: Pixels, longest: int) -> tuple[bytes, int, int]:
        return pixels.tobytes(), pixels.shape[1], 1

    def decode(self, data: bytes) -> Pixels:
        return np.frombuffer(data, np.uint8)[None, :, None].repeat(3, axis=2)

    def close(self) -> None: ...


class Spelling:
    """Reads the bytes of the picture's row as a line; takes `ms` for it."""

    languages: tuple[str, ...] = ("en",)

    def __init__(self, loop: SimulatedLoop | None = None, ms: int = 0) -> None:
        self.read_so_far: list[str] = []
        self.closed = False
        self._loop, self._ms = loop, ms

    def read(self, pixels: Pixels, most_lines: int = 0) -> Iterable[Line]:
        if self._loop is not None:
            self._loop.clock.spend(self._ms * MS)
        text = pixels[0, :, 0].tobytes().decode()
        if text == "broken":
            raise EngineError("broken")
        self.read_so_far.append(text)
        return [Line(text, 0.9, BOX)]

    def close(self) -> None:
        self.closed = True


def taken(name: str, t_ms: int = 0, *, stream: str = "camera", again: bool = False) -> ViewTaken:
    """The view `name`, which has its name written on it."""
    view = View(id=name, captured_ns=t_ms * MS, stream=stream)
    data = b"" if again else name.encode()
    return ViewTaken(
        t_ns=t_ms * MS, trace=7, view=view, moment_ns=t_ms * MS, reason="change", data=data
    )


def read(node: Reader, *events: ViewTaken) -> list[Event]:
    """What the node gives for events that come one after the other."""
    found: list[Event] = []
    for event in events:
        node.coming(event)
        found += node.on(event)
    return found


def texts(events: Sequence[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, ViewRead)]


def test_a_view_is_read_and_its_text_bears_its_name() -> None:
    (found,) = read(Reader(Spelling(), Plain()), taken("a", 5, stream="screen"))
    assert found == ViewRead(t_ns=5 * MS, trace=7, id="a", text="a", stream="screen")


def test_a_view_that_is_seen_again_is_not_read_again() -> None:
    ocr = Spelling()
    node = Reader(ocr, Plain())
    assert texts(read(node, taken("a"), taken("b"), taken("a"))) == ["a", "b", "a"]
    assert ocr.read_so_far == ["a", "b"]


def test_a_view_without_a_picture_says_nothing_new() -> None:
    node = Reader(Spelling(), Plain())
    assert read(node, taken("a", again=True)) == []
    assert texts(read(node, taken("a"), taken("a", again=True))) == ["a"]


def test_what_is_remembered_is_bounded() -> None:
    ocr = Spelling()
    node = Reader(ocr, Plain(), most_views=2)
    read(node, taken("a"), taken("b"), taken("a"), taken("c"), taken("a"), taken("b"))
    assert ocr.read_so_far == ["a", "b", "c", "b"]


def test_a_picture_that_cannot_be_read_fails_and_the_next_one_does_not() -> None:
    node = Reader(Spelling(), Plain())
    with pytest.raises(EngineError):
        read(node, taken("broken"))
    assert texts(read(node, taken("a"))) == ["a"]


def looking(name: str, brightness: float, digit: float, noise: float = 0) -> Pixels:
    """A grey picture with a block that stands for a digit; the name is in its seed alone."""
    random = np.random.default_rng(len(name))
    pixels = np.full((64, 64, 3), brightness) + random.normal(0, noise, (64, 64, 1))
    pixels[8:24, 8:16] += digit
    return pixels.clip(0, 255).astype(np.uint8)


def test_a_still_picture_looks_alike_in_noise_and_in_another_light() -> None:
    still = look(looking("a", 90, 40))
    assert alike(look(looking("ab", 90, 40, noise=5)), look(looking("abc", 90, 40, noise=5)))
    assert alike(still, look(looking("ab", 110, 40)))
    assert not alike(still, look(looking("a", 90, 48)))
    assert not alike(still, still[:, :5])


def test_what_looks_like_the_last_view_says_the_same_and_is_not_read() -> None:
    class Camera(Plain):
        def decode(self, data: bytes) -> Pixels:
            return looking(data.decode(), 90, 80 if data[:1] == b"A" else 0, noise=3)

    class Counting(Spelling):
        def read(self, pixels: Pixels, most_lines: int = 0) -> Iterable[Line]:
            self.read_so_far.append("")
            return [Line(f"{len(self.read_so_far)} read", 0.9, BOX)]

    ocr = Counting()
    node = Reader(ocr, Camera())
    views = [taken(name) for name in ("A", "A2", "B", "A33", "A444")]
    assert texts(read(node, *views)) == ["1 read", "1 read", "2 read", "3 read", "3 read"]
    slide = taken("A5", stream="screen")
    assert texts(read(node, slide)) == ["4 read"]


def run(*events: ViewTaken, ms: int) -> list[str]:
    """What is read, in a lane, where reading takes `ms`."""
    loop = SimulatedLoop()
    seen: list[Event] = []
    loop.bus.tap(seen.append)
    loop.add(Reader(Spelling(loop, ms), Plain()), ("view.taken",), "ocr")
    loop.feed(events)
    loop.run(lambda: loop.clock.now_ns() > 2_000 * MS)
    return texts(seen)


def test_of_views_that_wait_only_the_newest_is_read() -> None:
    assert run(*(taken(name, 10 * i) for i, name in enumerate("abcd")), ms=100) == ["a", "d"]


def test_with_time_enough_all_are_read() -> None:
    assert run(*(taken(name, 100 * i) for i, name in enumerate("abcd")), ms=50) == [*"abcd"]


def test_streams_do_not_overtake_each_other_but_the_camera_goes_first() -> None:
    slide = taken("slide", 15, stream="screen")
    assert run(taken("a"), taken("b", 10), slide, taken("c", 20), ms=100) == ["a", "c", "slide"]


class Page(Spelling):
    """Reads a hundred lines of ten letters from whatever it is; `meanwhile` is called at each."""

    def __init__(self, meanwhile: Callable[[int], None] = lambda at: None) -> None:
        super().__init__()
        self._meanwhile = meanwhile
        self.asked: list[int] = []

    def read(self, pixels: Pixels, most_lines: int = 0) -> Iterator[Line]:
        name = pixels[0, :, 0].tobytes().decode()
        self.asked.append(most_lines)
        for at in range(100 if name == "slide" else 1):
            self._meanwhile(at)
            self.read_so_far.append(name)
            yield Line(f"{name:*<10}", 0.9, BOX)


def test_no_more_is_read_than_is_kept() -> None:
    ocr = Page()
    (found,) = texts(read(Reader(ocr, Plain(), most_characters=44, most_lines=7), taken("slide")))
    assert found == "\n".join(["slide*****"] * 4)
    assert ocr.read_so_far == ["slide"] * 5
    assert ocr.asked == [7]


def test_the_camera_s_view_is_read_between_two_lines_of_a_screen_and_once() -> None:
    cup = taken("cup", 20)

    def come(at: int) -> None:
        if at == 2:
            node.coming(cup)

    ocr = Page(come)
    node = Reader(ocr, Plain(), most_characters=44)
    first, second = read(node, taken("slide", 10, stream="screen"))
    assert isinstance(first, ViewRead)
    assert (first.id, first.text, first.t_ns) == ("cup", "cup*******", 20 * MS)
    assert isinstance(second, ViewRead)
    assert (second.id, second.stream) == ("slide", "screen")
    assert ocr.read_so_far == ["slide", "slide", "slide", "cup", "slide", "slide"]
    assert list(node.on(cup)) == [], "that is done"
    assert texts(read(node, taken("hat", 30))) == ["hat*******"]


def test_a_screen_s_view_waits_for_the_end_of_the_camera_s() -> None:
    slide = taken("slide", 20, stream="screen")
    ocr = Page(lambda at: node.coming(slide))
    node = Reader(ocr, Plain())
    assert texts(read(node, taken("cup"))) == ["cup*******"]
    assert len(texts(list(node.on(slide)))) == 1


def test_the_same_view_again_does_not_overtake_itself() -> None:
    assert run(taken("a"), taken("b", 10), taken("b", 20, again=True), ms=100) == ["a", "b"]


def test_closing_closes_the_engine() -> None:
    ocr = Spelling()
    Reader(ocr, Plain()).close()
    assert ocr.closed


def line(text: str, confidence: float = 0.9) -> Line:
    return Line(text, confidence, BOX)


def test_a_page_has_the_lines_that_are_sure_in_their_order() -> None:
    lines = [line("EXIT  12 "), line("rn#1", 0.3), line(" "), line("出口")]
    assert page(lines, 0.6, 100) == "EXIT 12\n出口"
    assert page([], 0.6, 100) == ""
    assert page([line("●■"), line("— !"), line("7"), line("停")], 0.6, 100) == "7\n停"


def test_a_long_page_is_cut_at_a_line() -> None:
    assert page([line("aaaa"), line("bbbb"), line("cccc")], 0.6, 9) == "aaaa\nbbbb"
    assert page([line("aaaa"), line("bbbb")], 0.6, 8) == "aaaa"
    assert page([line("a" * 50)], 0.6, 8) == "a" * 8
