"""Text that arrives piece by piece, and what can be seen of it around a place.

Takes pieces. Tells the characters and words near a place, or that they have not come yet.
Invariant: nothing is told that a later piece could change, nothing from before the current
phrase, and nothing farther off than `REACH` characters.
"""

from __future__ import annotations

import re

REACH = 24
LONGEST_WORD = 10
CLOSERS = "\"')]}>”’»」』）】》〉*_`~"
WIDE_OPENERS = "“「『（【《〈"
OPENERS = WIDE_OPENERS + "([{"
_CLOSES = frozenset("”」』）】》〉)]}")
_BETWEEN_WORDS = re.compile(r"[\s\"'“‘*_(\[/,，。—-]")


def is_wide(char: str) -> bool:
    """Is it an ideograph or kana: one that is a syllable or more, written without spaces?"""
    code = ord(char)
    return 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF or 0x20000 <= code <= 0x3FFFF


class GrowingText:
    """`text[begin:]` is what no phrase has claimed yet."""

    def __init__(self) -> None:
        self.text = ""
        self.begin = 0
        self.ended = False

    def feed(self, piece: str) -> int:
        """Adds a piece; returns how far all places have moved back."""
        moved, self.begin = self.begin, 0
        self.text = self.text[moved:] + piece
        return moved

    def peek(self, i: int) -> str | None:
        """Character `i`, empty after the end, None when it has not come yet."""
        if i < len(self.text):
            return self.text[i]
        return "" if self.ended else None

    def skip(self, i: int, chars: str) -> int | None:
        """The first place from `i` on, within reach, that holds none of `chars`."""
        stop = i + REACH
        while i < stop and (char := self.peek(i)) != "":
            if char is None:
                return None
            if char not in chars:
                break
            i += 1
        return i

    def says_something(self, end: int) -> bool:
        """Is there a letter or a digit between the begin of the phrase and `end`?"""
        return any(char.isalnum() for char in self.text[self.begin : end])

    def is_after_digit(self, i: int) -> bool:
        return i > self.begin and self.text[i - 1].isdigit()

    def quote_is_open(self, i: int) -> bool:
        """Is a quotation or bracket of this phrase open at `i`?"""
        phrase = self.text[self.begin : i]
        depth = sum((char in OPENERS) - (char in _CLOSES) for char in phrase)
        return depth > 0 or phrase.count('"') % 2 == 1

    def word_before(self, i: int) -> str:
        return _BETWEEN_WORDS.split(self.text[max(self.begin, i - REACH) : i])[-1]

    def word_after(self, i: int) -> tuple[str, bool]:
        """The word after the spaces at `i`, and whether it has come whole (or is long enough)."""
        begin = i
        while begin < i + REACH and (char := self.peek(begin)):
            if not char.isspace() and char not in "\"'“‘*_([":
                break
            begin += 1
        end = begin
        while end < begin + LONGEST_WORD and (char := self.peek(end)) and char.isalnum():
            end += 1
        return self.text[begin:end], self.peek(end) is not None
