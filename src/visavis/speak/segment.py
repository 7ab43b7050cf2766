"""Station speak, node `segment`: tokens become phrases.

Takes reply.start, token.made, reply.written. Gives phrase.ready. Invariant: joined, the `written`
slices of a reply's phrases are its text, and exactly one of them, the final one, is `last`.
Does not know how phrases are synthesised, nor when.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from visavis.flow.clock import NS_PER_S
from visavis.flow.events import Event, PhraseReady, ReplyStart, ReplyWritten, TokenMade
from visavis.speak.boundary import Boundaries
from visavis.speak.sound import ending
from visavis.speak.speakable import Speakable

SOFT = (10, 30, 60)
BOUND = (54, 100, 160)
EARLY = 10
"""Letters of the first phrase, if it may end at any word: half a second of sound or more."""
FAST = 100
"""Letters a second, six times as fast as they are spoken: what follows `EARLY` will be in time."""
CONTEXT = 60
"""Letters of the sentence before a phrase that matter to how it sounds."""


class Segmenter:
    """Cuts the reply into phrases as it is written; the first ones are short on purpose.

    `soft` and `bound`, in letters, for the first, second, … phrase: from `soft` on a comma is
    enough to end it, at `bound` it is cut anyway. The first must be written and synthesised before
    anything is heard; each later one is made while those before it sound, so it may be longer.

    `in_context`: the languages whose voice can say a part of a sentence as it sounds there. In
    them a reply that is written fast begins with its first words.
    """

    name = "speak.segment"

    def __init__(
        self,
        *,
        soft: tuple[int, ...] = SOFT,
        bound: tuple[int, ...] = BOUND,
        in_context: Collection[str] = (),
    ) -> None:
        assert soft
        assert min(bound) > 0
        self._soft, self._bound = soft, bound
        self._in_context = in_context
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
                self._boundaries.early = EARLY if self._may_be_early(event) else 0
                self._boundaries.feed(event.text)
                return self._ready(event)
            case ReplyWritten() if event.epoch == self._epoch and self._open:
                self._open = False
                return () if event.reason == "cancelled" else self._finish(event)
        return ()

    def _begin(self, language: str) -> None:
        self._language = language
        self._knows_context = language.partition("-")[0] in self._in_context
        self._before = ""
        self._first_ns: int | None = None
        self._letters = 0  # since then
        self._boundaries = Boundaries(soft=self._soft, bound=self._bound)
        self._speakable = Speakable(self._language)
        self._index = self._char = 0
        self._has_spoken = False

    def _ready(self, cause: Event) -> Iterator[Event]:
        while (written := self._boundaries.next()) is not None:
            yield self._phrase(cause, written)

    def _finish(self, cause: Event) -> Iterator[Event]:
        self._boundaries.end()
        yield from self._ready(cause)
        yield self._phrase(cause, self._boundaries.rest(), last=True)

    def _phrase(self, cause: Event, written: str, *, last: bool = False) -> PhraseReady:
        spoken = self._speakable.speak(written)
        before, after = self._before, self._boundaries.after
        if self._knows_context:
            self._before = "" if ending(written) == "sentence" else _end_of(f"{before} {spoken}")
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
            before=before,
            after=after if self._knows_context and spoken else "",
        )
        self._index += 1
        self._char += len(written)
        self._boundaries.spoken += bool(spoken) and not self._boundaries.is_early
        if spoken:
            self._has_spoken = True
            self._boundaries.early = 0
        return phrase

    def _may_be_early(self, token: TokenMade) -> bool:
        """Will the words behind the first ones be there when these have sounded?"""
        if self._first_ns is None:
            self._first_ns = token.t_ns
        else:
            self._letters += len(token.text)
        is_fast = self._letters * NS_PER_S >= FAST * (token.t_ns - self._first_ns)
        is_first = not self._has_spoken and not self._speakable.is_inside
        return self._knows_context and is_first and is_fast


def _end_of(text: str) -> str:
    """The last words of `text`, at most `CONTEXT` letters."""
    text = text.strip()
    if len(text) <= CONTEXT:
        return text
    return text[-CONTEXT:].partition(" ")[2]
