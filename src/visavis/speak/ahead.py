"""Station speak, node `ahead`: synthesis runs ahead of the playhead, but not far.

Takes reply.start, reply.cancel, phrase.ready, sound.made, sound.played. Gives phrase.released.
Invariant: phrases are released in order, one at a time, and only while the sound that waits to be
played is shorter than the look-ahead; so a cut wastes little, and the voice is free soon.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from visavis.flow.events import (
    Event,
    PhraseReady,
    PhraseReleased,
    ReplyCancel,
    ReplyStart,
    SoundMade,
    SoundPlayed,
)


class LookAhead:
    """Holds phrases back until their sound is wanted.

    `seconds`: how much sound may wait at `rate_hz`. `max_phrases`: more than this many waiting
    phrases are joined to the last one, so that memory is bounded and no text is lost.
    """

    name = "speak.ahead"

    def __init__(self, *, rate_hz: int, seconds: float = 4.0, max_phrases: int = 1024) -> None:
        assert seconds > 0
        assert max_phrases > 0
        self._bound = int(seconds * rate_hz)
        self._max_phrases = max_phrases
        self._epoch = 0
        self._begin(0)

    def on(self, event: Event) -> Iterable[Event]:
        if isinstance(event, ReplyStart):
            if event.epoch > self._epoch:
                self._begin(event.epoch)
            return ()
        if event.epoch != self._epoch:
            return ()
        match event:
            case ReplyCancel():
                self._begin(event.epoch + 1)
            case PhraseReady():
                self._keep(event)
            case SoundMade():
                self._making = event.more
                self._ahead += len(event.samples)
            case SoundPlayed():
                self._ahead -= len(event.samples)
        return self._release(event)

    def _begin(self, epoch: int) -> None:
        self._epoch = epoch
        self._waiting: deque[PhraseReady] = deque()
        self._ahead = 0  # samples made and not yet played
        self._making = False  # a phrase is released and its sound has not all come
        self._index = 0

    def _keep(self, phrase: PhraseReady) -> None:
        if len(self._waiting) < self._max_phrases:
            self._waiting.append(phrase)
            return
        before = self._waiting.pop()
        joined = replace(
            before,
            written=before.written + phrase.written,
            spoken=f"{before.spoken} {phrase.spoken}".strip(),
            last=phrase.last,
            after=phrase.after,
        )
        self._waiting.append(joined)

    def _release(self, cause: Event) -> Iterable[Event]:
        if self._making or not self._waiting or self._ahead >= self._bound:
            return ()
        phrase = self._waiting.popleft()
        self._making = True
        released = PhraseReleased(
            t_ns=cause.t_ns,
            trace=phrase.trace,
            epoch=phrase.epoch,
            index=self._index,
            written=phrase.written,
            spoken=phrase.spoken,
            char_start=phrase.char_start,
            last=phrase.last,
            language=phrase.language,
            before=phrase.before,
            after=phrase.after,
        )
        self._index += 1
        return (released,)
