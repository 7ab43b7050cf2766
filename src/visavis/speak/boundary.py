"""Where phrases end, in text that arrives piece by piece.

Takes pieces of text. Gives phrases: slices which, joined, are the text. Invariant: the phrases
depend on the text alone, never on how it was split into pieces; each character is looked at a
bounded number of times. A place that needs the next character waits for it; an East Asian stop
does not. Knows nothing of what will be read aloud.
"""

from __future__ import annotations

import re
import unicodedata

from visavis.speak.abbreviation import LONGEST_WORD, ends_sentence

STOPS = frozenset("。！？；，｡")
"""End a phrase at once (a comma between digits does not)."""

MARKS = ".!?…．؟۔।"
CLOSERS = "\"')]}>”’»」』）】》〉*_`~"
WIDE_OPENERS = "“「『（【《〈"
OPENERS = WIDE_OPENERS + "([{"
SOFT = frozenset(",;:—、：")
"""Clause ends: a phrase may end here once it is long enough."""

JOINING = re.compile(
    r"(?<=\s)(?=(?:and|but|because|which|that|when|where|while|so|or|if|than)\s)", re.IGNORECASE
)
LONGEST_LOOK = 24
"""Characters looked at before and after a place, at most."""


def is_wide(char: str) -> bool:
    """Is it an ideograph or kana: one that is a syllable or more, written without spaces?"""
    code = ord(char)
    return 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x9FFF or 0x20000 <= code <= 0x3FFFF


class Boundaries:
    """Cuts growing text into phrases.

    A phrase's length is counted in letters, a wide character as three. `soft`: from this length a
    clause end is enough; `bound`: at this length it is cut anyway. Both have one entry for each of
    the first phrases, the last entry holding for all others; `spoken` says how many phrases were
    worth reading aloud so far.
    """

    def __init__(self, *, soft: tuple[int, ...], bound: tuple[int, ...]) -> None:
        self._soft, self._bound = soft, bound
        self.spoken = 0
        self._text = ""
        self._begin = 0  # of the phrase, in _text
        self._at = 0  # the next character to judge
        self._length = 0  # of [_begin, _at)
        self._ended = False

    def feed(self, piece: str) -> None:
        """Adds text. Ask `next` until it gives None."""
        self._text = self._text[self._begin :] + piece
        self._at -= self._begin
        self._begin = 0

    def end(self) -> None:
        """No more text will come."""
        self._ended = True

    def rest(self) -> str:
        """What no boundary has claimed."""
        rest, self._text = self._text[self._begin :], ""
        self._begin = self._at = self._length = 0
        return rest

    def next(self) -> str | None:
        """The next whole phrase, or None until more text comes."""
        while self._at < len(self._text):
            cut = self._judge(self._at)
            if cut is None:
                return None
            self._length += 3 if is_wide(self._text[self._at]) else 1
            self._at += 1
            if not cut and self._length >= self._limit(self._bound):
                cut = self._least_bad()
            if cut:
                return self._take(cut)
        return None

    def _limit(self, limits: tuple[int, ...]) -> int:
        return limits[min(self.spoken, len(limits) - 1)]

    def _take(self, cut: int) -> str:
        phrase = self._text[self._begin : cut]
        self._begin = self._at = cut
        self._length = 0
        return phrase

    def _judge(self, i: int) -> int | None:
        """Where the phrase ends if character `i` ends it; 0 if it does not; None: not known yet."""
        char = self._text[i]
        if char in STOPS:
            cut = self._stop(i)
        elif char in MARKS:
            cut = self._mark(i)
        elif char in SOFT:
            cut = self._clause(i)
        else:
            cut = i + 1 if char == "\n" else 0
        return cut if not cut or self._says_something(cut) else 0

    def _says_something(self, cut: int) -> bool:
        return any(char.isalnum() for char in self._text[self._begin : cut])

    def _peek(self, i: int) -> str | None:
        """Character `i`, empty after the end, None when it has not come yet."""
        if i < len(self._text):
            return self._text[i]
        return "" if self._ended else None

    def _stop(self, i: int) -> int | None:
        if self._text[i] == "，" and i > self._begin and self._text[i - 1].isdigit():
            after = self._peek(i + 1)
            if after is None or after.isdigit():
                return None if after is None else 0
        if not self._quote_is_open(i):
            return i + 1
        return self._skip(i + 1, CLOSERS + "。！？")

    def _quote_is_open(self, i: int) -> bool:
        phrase = self._text[self._begin : i]
        depth = sum((char in OPENERS) - (char in "”」』）】》〉)]}") for char in phrase)
        return depth > 0 or phrase.count('"') % 2 == 1

    def _skip(self, i: int, chars: str) -> int | None:
        """The first place from `i` on, within reach, that holds none of `chars`."""
        stop = i + LONGEST_LOOK
        while i < stop and (char := self._peek(i)) != "":
            if char is None:
                return None
            if char not in chars:
                break
            i += 1
        return i

    def _mark(self, i: int) -> int | None:
        if i > self._begin and self._text[i - 1] in MARKS:
            return 0  # the first of a run decides for all
        closed = self._skip(i, MARKS)
        cut = None if closed is None else self._skip(closed, CLOSERS)
        if closed is None or cut is None or (after := self._peek(cut)) is None:
            return None
        run = self._text[i:closed]
        if after.isspace():
            return self._before_space(i, run, closed, cut)
        if "…" in run:
            return cut
        if not after or not (is_wide(after) or after in WIDE_OPENERS):
            return 0
        numbered = i > self._begin and self._text[i - 1].isdigit()
        return 0 if run in ".．" and numbered else cut

    def _before_space(self, i: int, run: str, closed: int, cut: int) -> int | None:
        """The marks `run` at `i`, closed by quotes up to `cut`, are followed by a space."""
        if self._text[cut] == "\n":
            return cut + 1
        if cut > closed:
            word, complete = self._word_after(cut)
            if not word and not complete:
                return None
            return 0 if word[:1].islower() else cut + 1
        if run != ".":
            return cut + 1
        before = self._word_before(i)
        if before.isdigit() and not self._says_something(i - len(before)):
            return 0  # the number of a list item
        word, complete = self._word_after(cut)
        verdict = ends_sentence(before, word, complete=complete)
        return None if verdict is None else (cut + 1 if verdict else 0)

    def _word_before(self, i: int) -> str:
        begin = max(self._begin, i - LONGEST_LOOK)
        return re.split(r"[\s\"'“‘*_(\[/,，。—-]", self._text[begin:i])[-1]

    def _word_after(self, i: int) -> tuple[str, bool]:
        """The word after the spaces at `i`, and whether it has come whole (or is long enough)."""
        begin = i
        while begin < i + LONGEST_LOOK and (char := self._peek(begin)):
            if not char.isspace() and char not in "\"'“‘*_([":
                break
            begin += 1
        end = begin
        while end < begin + LONGEST_WORD and (char := self._peek(end)) and char.isalnum():
            end += 1
        return self._text[begin:end], self._peek(end) is not None

    def _clause(self, i: int) -> int | None:
        if self._length + 1 < self._limit(self._soft):
            return 0
        if self._text[i] in "、：—":
            return self._skip(i + 1, "—")
        after = self._peek(i + 1)
        if after is None:
            return None
        if after.isspace():
            return i + 2
        return i + 1 if after and is_wide(after) else 0

    def _least_bad(self) -> int:
        """Where to cut a phrase that has grown too long: before "and", at a space, or anywhere."""
        begin, end = self._begin, self._at
        middle = begin + (end - begin) // 2
        joints = [m.start() for m in JOINING.finditer(self._text, begin, end) if m.start() > middle]
        if joints:
            return joints[-1]
        for i in range(end, begin + (end - begin) // 3, -1):
            if self._text[i - 1].isspace():
                return i
        near = range(end - 1, max(begin, end - LONGEST_LOOK), -1)
        return next((i for i in near if self._may_split(i)), end)

    def _may_split(self, i: int) -> bool:
        """Do the characters before and after `i` stand on their own?"""
        left, right = self._text[i - 1], self._text[i]
        if unicodedata.category(right) in {"Mn", "Me", "Mc", "Cf", "Sk"} or left == "\u200d":
            return False
        if right in CLOSERS or right in STOPS or right in MARKS or left in OPENERS:
            return False
        return is_wide(left) or is_wide(right) or not (left.isalnum() and right.isalnum())
