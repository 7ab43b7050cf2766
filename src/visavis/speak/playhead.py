"""A phrase under the playhead: how far it has sounded, and how much of its text that is.

Its sound may still be coming, part by part. The rule: a word has been heard when at least half of
its samples were played; with it, all the text before it. The whole phrase has been heard when all
its samples were played. Where a phrase broke off, or never had a sound, the text behind the last
word heard is its `rest`.
"""

from __future__ import annotations

from collections import deque

from visavis.flow.events import Samples, SoundMade, WordTime


class Playing:
    """One phrase, from the first part of its sound on, handed out piece by piece."""

    def __init__(self, first: SoundMade) -> None:
        self.is_last = first.last
        self._written = first.written
        self._words = first.words
        self._parts: deque[Samples] = deque()
        self._next = 0  # number of the next part
        self._more = True  # is it still to come?
        self._broken = False
        self._at = 0  # samples handed out
        self._word = 0  # words heard
        self._told = 0  # characters told
        self.add(first)

    @property
    def is_dry(self) -> bool:
        """Are there no samples to hand out, for now at least?"""
        return not self._parts

    @property
    def is_over(self) -> bool:
        """Dry for good."""
        return self.is_dry and not self._more

    def add(self, part: SoundMade) -> bool:
        """Takes the next part; False for any other."""
        if part.part != self._next or not self._more:
            return False
        self._next += 1
        if len(part.samples):
            self._parts.append(part.samples)
        self._more = part.more
        self._broken = self._broken or bool(part.error)
        return True

    def end(self) -> None:
        """What has not come will not come."""
        self._broken = self._broken or self._more
        self._more = False

    def take(self, count: int) -> Samples | None:
        """The next samples, at most `count`: a view of one part. None: dry."""
        if not self._parts:
            return None
        part = self._parts.popleft()
        if len(part) > count:
            self._parts.appendleft(part[count:])
        self._at += min(len(part), count)
        return part[:count]

    def heard(self) -> str:
        """The written text heard since the last call."""
        begin = self._told
        while self._word < len(self._words) and self._is_past(self._words[self._word]):
            self._told = max(self._told, self._words[self._word].char_end)
            self._word += 1
        if self.is_over and self._at and not self._broken:
            self._told = len(self._written)
        return self._written[begin : self._told]

    def rest(self) -> str:
        """Of a phrase that is over: the text that no sound told."""
        return self._written[self._told :]

    def _is_past(self, word: WordTime) -> bool:
        return self._at > word.start and self._at * 2 >= word.start + word.end
