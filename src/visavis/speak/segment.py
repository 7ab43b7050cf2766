"""Station speak, node `segment`: tokens become phrases.

Takes reply.start, token.made, reply.written. Gives phrase.ready. Invariant: joined, the `written`
slices of a reply's phrases are its text, and exactly one of them, the final one, is `last`.
Does not know how phrases are synthesised, nor when.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from visavis.flow.events import Event, PhraseReady, ReplyStart, ReplyWritten, TokenMade
from visavis.speak.boundary import Boundaries
from visavis.speak.speakable import Speakable

SOFT = (10, 30, 60)
BOUND = (54, 100, 160)


class Segmenter:
    """Cuts the reply into phrases as it is written; the first ones are short on purpose.

    `soft` and `bound`, in letters, for the first, second, … phrase: from `soft` on a comma is
    enough to end it, at `bound` it is cut anyway. The first must be written and synthesised before
    anything is heard; each later one is made while those before it sound, so it may be longer.
    """

    name = "speak.segment"

    def __init__(self, *, soft: tuple[int, ...] = SOFT, bound: tuple[int, ...] = BOUND) -> None:
        assert soft
        assert min(bound) > 0
        self._soft, self._bound = soft, bound
        self._epoch = 0
        self._open = False  # is a reply being written?
        self._begin("")

    def on(self, event: Event) -> Iterable[Event]:
        match event:
            case ReplyStart() if event.epoch > self._epoch:
                self._epoch = event.epoch
                self._open = True
                self._begin(event.language)
            case TokenMade() if event.epoch == self._epoch and self._open:
                self._boundaries.feed(event.text)
                return self._ready(event)
            case ReplyWritten() if event.epoch == self._epoch and self._open:
                self._open = False
                return () if event.reason == "cancelled" else self._finish(event)
        return ()

    def _begin(self, language: str) -> None:
        self._language = language
        self._boundaries = Boundaries(soft=self._soft, bound=self._bound)
        self._speakable = Speakable(self._language)
        self._index = self._char = 0

    def _ready(self, cause: Event) -> Iterator[Event]:
        while (written := self._boundaries.next()) is not None:
            yield self._phrase(cause, written)

    def _finish(self, cause: Event) -> Iterator[Event]:
        self._boundaries.end()
        yield from self._ready(cause)
        yield self._phrase(cause, self._boundaries.rest(), last=True)

    def _phrase(self, cause: Event, written: str, *, last: bool = False) -> PhraseReady:
        spoken = self._speakable.speak(written)
        phrase = PhraseReady(
            t_ns=cause.t_ns,
            trace=cause.trace,
            epoch=cause.epoch,
            index=self._index,
            written=written,
            spoken=spoken,
            char_start=self._char,
            last=last,
            language=self._language,
        )
        self._index += 1
        self._char += len(written)
        self._boundaries.spoken += bool(spoken)
        return phrase
