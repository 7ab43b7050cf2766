"""A phrase under the playhead: how far it has sounded, and how much of its text that is.

The rule: a word has been heard when at least half of its samples were played; with it, all the
text before it. The whole phrase has been heard when all its samples were played.
"""

from __future__ import annotations

from visavis.flow.events import Samples, SoundMade, WordTime


class Playing:
    """One phrase's sound, handed out piece by piece."""

    def __init__(self, sound: SoundMade) -> None:
        self.sound = sound
        self._samples = sound.samples
        self._at = 0  # samples handed out
        self._word = 0  # words heard
        self._told = 0  # characters told

    @property
    def left(self) -> int:
        """Samples not yet handed out."""
        return len(self._samples) - self._at

    @property
    def is_silent(self) -> bool:
        return not len(self._samples)

    @property
    def is_over(self) -> bool:
        return not self.left

    def silence(self) -> None:
        """Gives up the sound; the text remains."""
        self._samples = self._samples[:0]

    def take(self, count: int) -> Samples:
        """The next samples, at most `count`: a view."""
        part = self._samples[self._at : self._at + count]
        self._at += len(part)
        return part

    def heard(self) -> str:
        """The written text heard since the last call."""
        begin, words = self._told, self.sound.words
        while self._word < len(words) and self._is_past(words[self._word]):
            self._told = max(self._told, words[self._word].char_end)
            self._word += 1
        if self.is_over:
            self._told = len(self.sound.written)
        return self.sound.written[begin : self._told]

    def _is_past(self, word: WordTime) -> bool:
        return self._at > word.start and self._at * 2 >= word.start + word.end
