"""Reading: the writing in what was looked at, in a lane of its own because it takes 50 ms or more.

Takes `view.taken`; gives `view.read`. A view is read once, as long as it is remembered what it
says. Invariant: the newest view of each stream is read; an older one that still waits by then is
overtaken and never read. Nothing waits for it: what is not read in time is not there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator

from visavis.backends.contract import Line, Ocr, PictureCodec
from visavis.flow.events import Event, ViewRead, ViewTaken


class Reader:
    """`least`: the confidence below which a line is left out. Of a view come at most
    `most_characters`, in whole lines if it can be; the texts of `most_views` are remembered."""

    name = "perceive.reading"

    def __init__(
        self,
        ocr: Ocr,
        codec: PictureCodec,
        *,
        least: float = 0.6,
        most_characters: int = 800,
        most_views: int = 64,
    ) -> None:
        self._ocr, self._codec = ocr, codec
        self._least, self._most_characters = least, most_characters
        self._most_views = most_views
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._newest: dict[str, str] = {}  # by stream; written on the loop's thread

    def coming(self, event: Event) -> None:
        """Notes the newest view of each stream, before its turn has come here."""
        if isinstance(event, ViewTaken) and event.data:
            self._newest[event.view.stream] = event.view.id

    def on(self, event: Event) -> Iterator[Event]:
        if not isinstance(event, ViewTaken) or not event.data:
            return
        view = event.view
        if view.id not in self._texts and self._newest.get(view.stream, view.id) != view.id:
            return
        text = self._read(view.id, event.data)
        yield ViewRead(
            t_ns=event.t_ns, trace=event.trace, id=view.id, text=text, stream=view.stream
        )

    def close(self) -> None:
        self._ocr.close()

    def _read(self, view_id: str, data: bytes) -> str:
        if (known := self._texts.get(view_id)) is not None:
            self._texts.move_to_end(view_id)
            return known
        text = page(self._ocr.read(self._codec.decode(data)), self._least, self._most_characters)
        self._texts[view_id] = text
        if len(self._texts) > self._most_views:
            self._texts.popitem(last=False)
        return text


def page(lines: Iterable[Line], least: float, most_characters: int) -> str:
    """The lines that are sure enough as one text, a line each, of bounded length.

    A line without a letter or a digit is none: a circle and a square were read as "●■".
    """
    sure = (" ".join(line.text.split()) for line in lines if line.confidence >= least)
    text = "\n".join(line for line in sure if any(map(str.isalnum, line)))
    if len(text) <= most_characters:
        return text
    whole = text[: most_characters + 1].rpartition("\n")[0]
    return whole or text[:most_characters]
