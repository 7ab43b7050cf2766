"""Reading: the writing in what was looked at, in a lane of its own because it takes 50 ms or more.

Takes `view.taken`; gives `view.read`. A view is read once, as long as it is remembered what it
says. One that looks like the stream's last one, but for noise and light, says the same and is not
read, so that the text of a still scene is there as soon as its view is. Invariants: the newest view
of each stream is read; an older one that still waits by then is overtaken and never read; a view of
the camera waits for no more than a line of another stream's. Nothing waits for what is read: what
is not read in time is not there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from visavis.backends.contract import Line, Ocr, PictureCodec
from visavis.flow.events import CAMERA, Event, ViewRead, ViewTaken
from visavis.flow.ring import Pixels

Print = NDArray[np.float32]
BLOCK = 8
SAME = 4.0
"""Grey levels. Noise of 5 levels moves no block of 64 pixels by more; a digit of 12 pixels that
becomes another moves one by 5 to 14, white on grey."""

ROUND = frozenset("oO0〇○Q")
"""Alone, what a circle is read as."""


class Reader:
    """`least`: the confidence below which a line is left out. Of a view come at most
    `most_characters`, in whole lines if it can be, and of its lines the `most_lines` largest: a
    screen full of small writing would take five seconds. The texts of `most_views` are remembered.
    """

    name = "perceive.reading"

    def __init__(
        self,
        ocr: Ocr,
        codec: PictureCodec,
        *,
        least: float = 0.6,
        most_characters: int = 800,
        most_lines: int = 24,
        most_views: int = 64,
    ) -> None:
        self._ocr, self._codec = ocr, codec
        self._least, self._most_characters = least, most_characters
        self._most_lines, self._most_views = most_lines, most_views
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._last: dict[str, tuple[Print, str]] = {}  # by stream: how it looked, what it said
        # Written on the loop's thread: the newest view of each stream, and one of the camera's that
        # has not come here yet.
        self._newest: dict[str, str] = {}
        self._urgent: ViewTaken | None = None
        self._served: ViewTaken | None = None  # before its turn

    def coming(self, event: Event) -> None:
        """Notes the newest view of each stream, before its turn has come here."""
        if isinstance(event, ViewTaken) and event.data:
            self._newest[event.view.stream] = event.view.id
            if event.view.stream == CAMERA:
                self._urgent = event

    def on(self, event: Event) -> Iterator[Event]:
        if isinstance(event, ViewTaken) and event.data and event is not self._served:
            if event is self._urgent:
                self._urgent = None
            yield from self._serve(event)

    def close(self) -> None:
        self._ocr.close()

    def _serve(self, event: ViewTaken) -> Iterator[Event]:
        view = event.view
        if view.id not in self._texts and self._newest.get(view.stream, view.id) != view.id:
            return
        if (text := self._texts.get(view.id)) is None:
            text = yield from self._read(view.stream, event.data)
        self._remember(view.id, text)
        yield ViewRead(
            t_ns=event.t_ns, trace=event.trace, id=view.id, text=text, stream=view.stream
        )

    def _read(self, stream: str, data: bytes) -> Generator[Event, None, str]:
        """Gives what is read meanwhile; returns what is written there."""
        pixels = self._codec.decode(data)
        looks = look(pixels)
        if (last := self._last.get(stream)) and alike(looks, last[0]):
            return last[1]
        lines, count = [], 0
        for line in self._ocr.read(pixels, self._most_lines):
            lines.append(line)
            count += len(line.text) * (line.confidence >= self._least)
            if count > self._most_characters:
                break
            if stream != CAMERA and (urgent := self._urgent) is not None:
                self._urgent, self._served = None, urgent
                yield from self._serve(urgent)
        text = page(lines, self._least, self._most_characters)
        self._last[stream] = looks, text
        return text

    def _remember(self, view_id: str, text: str) -> None:
        self._texts[view_id] = text
        self._texts.move_to_end(view_id)
        if len(self._texts) > self._most_views:
            self._texts.popitem(last=False)


def look(pixels: Pixels) -> Print:
    """Mean brightness of blocks of 8×8 pixels; what is left at the edges is left out."""
    height, width = pixels.shape[0] // BLOCK, pixels.shape[1] // BLOCK
    green = pixels[: height * BLOCK, : width * BLOCK, 1]
    rows = green.reshape(height, BLOCK, width, BLOCK)
    return np.asarray(rows.mean(axis=(1, 3), dtype=np.float32))


def alike(one: Print, other: Print) -> bool:
    """Whether no block differs by more than noise does, apart from the light as a whole."""
    if one.shape != other.shape or one.size == 0:
        return False
    change = one - other
    return float(np.abs(change - np.median(change)).max()) < SAME


def page(lines: Iterable[Line], least: float, most_characters: int) -> str:
    """The lines that are sure enough as one text, a line each, of bounded length.

    A line without a letter or a digit is none: a circle and a square were read as "●■", a circle
    alone as "O".
    """
    sure = (" ".join(line.text.split()) for line in lines if line.confidence >= least)
    text = "\n".join(line for line in sure if any(map(str.isalnum, line)) and line not in ROUND)
    if len(text) <= most_characters:
        return text
    whole = text[: most_characters + 1].rpartition("\n")[0]
    return whole or text[:most_characters]
