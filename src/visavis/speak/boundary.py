"""Where phrases end, in text that arrives piece by piece.

Takes pieces of text. Gives phrases: slices which, joined, are the text. Invariant: the phrases
depend on the text alone, never on how it was split into pieces; each character is looked at a
bounded number of times. A place that needs the next character waits for it; an East Asian stop
does not. Knows nothing of what will be read aloud.
"""

from __future__ import annotations

import re
import unicodedata

from visavis.speak.abbreviation import ends_sentence
from visavis.speak.growing import CLOSERS, OPENERS, REACH, WIDE_OPENERS, GrowingText, is_wide

STOPS = "。！？；，｡"
"""End a phrase at once (a comma between digits does not)."""
MARKS = ".!?…．؟۔।"
"""End a phrase before a space, or before a wide character."""
SOFT = ",;:—、："
"""Clause ends: a phrase may end here once it is long enough."""
JOINING = re.compile(
    r"(?<=\s)(?=(?:and|but|because|which|that|when|where|while|so|or|if|than)\s)", re.IGNORECASE
)

_WIDE = r"\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
_WORD = rf"[^\W\d_{_WIDE}]+(?:['’-][^\W\d_{_WIDE}]+)*"
_PLAIN = re.compile(rf"\s*{_WORD}(?:,? {_WORD})* ")
_IN_MIDST = re.compile(r"[^\W\d_]\s+$")
_AHEAD = re.compile(rf"{_WORD}(?: {_WORD})?(?=[^\w'’-])|[^\W\d_{_WIDE}]{{3,}}$")  # half a word, too
_FIRST_AHEAD = r"(?!\w[A-Z]|[IVXLCDM]\b)"  # "II" and "V" after "Chapter" are numbers
_ENOUGH_AHEAD = re.compile(rf"{_FIRST_AHEAD}{_WORD} {_WORD}(?=[^\w'’-])")
_MAY_BE_AHEAD = re.compile(rf"{_FIRST_AHEAD}(?:{_WORD} )?(?:{_WORD}['’-]?)?")


class Boundaries:
    """Cuts growing text into phrases.

    A phrase's length is counted in letters, a wide character as three. `soft`: from this length a
    clause end is enough; `bound`: at this length it is cut anyway. Both have one entry for each of
    the first phrases, the last entry holding for all others; `spoken` says how many phrases were
    worth reading aloud so far.

    `early`: while set, plain words of this length are a phrase, too, where plain words follow.
    Of the last phrase, `is_early`: it ended so. `after`: the plain words that it was cut in view
    of, if it was cut at no mark.
    """

    def __init__(self, *, soft: tuple[int, ...], bound: tuple[int, ...]) -> None:
        self._soft, self._bound = soft, bound
        self.spoken = 0
        self.early = 0
        self.after = ""
        self.is_early = False
        self._seen = GrowingText()
        self._at = 0  # the next character to judge
        self._length = 0  # of the phrase up to there
        self._view = 0  # an early end was judged by the text up to here

    def feed(self, piece: str) -> None:
        """Adds text. Ask `next` until it gives None."""
        self._at -= self._seen.feed(piece)

    def end(self) -> None:
        """No more text will come. Ask `next` until it gives None, then `rest`."""
        self._seen.ended = True

    def rest(self) -> str:
        """What no boundary has claimed."""
        self.after, self.is_early = "", False
        return self._seen.text[self._seen.begin :]

    def next(self) -> str | None:
        """The next whole phrase, or None until more text comes."""
        while self._at < len(self._seen.text):
            cut = self._judge(self._at)
            if cut is None:
                return None
            self.is_early = False
            if not cut:
                if (cut := self._early_end(self._at)) is None:
                    return None
                self.is_early = cut > 0
            self._length += 3 if is_wide(self._seen.text[self._at]) else 1
            self._at += 1
            if not cut and self._length >= self._limit(self._bound):
                cut = self._least_bad()
            if cut:
                return self._take(cut)
        return None

    def _limit(self, limits: tuple[int, ...]) -> int:
        return limits[min(self.spoken, len(limits) - 1)]

    def _take(self, cut: int) -> str:
        phrase = self._seen.text[self._seen.begin : cut]
        known = self._seen.text[cut : max(self._at, self._view)]
        ahead = _AHEAD.match(known) if _IN_MIDST.search(phrase) else None
        self.after = ahead[0] if ahead else ""
        self._seen.begin = self._at = cut
        self._length = self._view = 0
        return phrase

    def _judge(self, i: int) -> int | None:
        """Where the phrase ends if character `i` ends it; 0 if it does not; None: not known yet."""
        char = self._seen.text[i]
        if char in STOPS:
            cut = self._stop(i)
        elif char in MARKS:
            cut = self._mark(i)
        elif char in SOFT:
            cut = self._clause(i)
        else:
            cut = i + 1 if char == "\n" else 0
        return cut if not cut or self._seen.says_something(cut) else 0

    def _stop(self, i: int) -> int | None:
        seen = self._seen
        if seen.text[i] == "，" and seen.is_after_digit(i):
            after = seen.peek(i + 1)
            if after is None or after.isdigit():
                return None if after is None else 0
        return seen.skip(i + 1, CLOSERS + "。！？") if seen.quote_is_open(i) else i + 1

    def _mark(self, i: int) -> int | None:
        seen = self._seen
        if i > seen.begin and seen.text[i - 1] in MARKS:
            return 0  # the first of a run decides for all
        closed = seen.skip(i, MARKS)
        cut = None if closed is None else seen.skip(closed, CLOSERS)
        if closed is None or cut is None or (after := seen.peek(cut)) is None:
            return None
        run = seen.text[i:closed]
        if after.isspace():
            return self._before_space(i, run, closed, cut)
        if "…" in run:
            return cut
        if not after or not (is_wide(after) or after in WIDE_OPENERS):
            return 0
        return 0 if run in ".．" and seen.is_after_digit(i) else cut

    def _before_space(self, i: int, run: str, closed: int, cut: int) -> int | None:
        """The marks `run` at `i`, closed by quotes up to `cut`, are followed by a space."""
        seen = self._seen
        if seen.text[cut] == "\n" or (run != "." and cut == closed):
            return cut + 1
        word, complete = seen.word_after(cut)
        if cut > closed:  # "Stop!" he said.
            ends = None if not word and not complete else not word[:1].islower()
        elif (before := seen.word_before(i)).isdigit() and not seen.says_something(i - len(before)):
            ends = False  # the number of a list item
        else:
            ends = ends_sentence(before, word, complete=complete)
        return None if ends is None else (cut + 1) * ends

    def _clause(self, i: int) -> int | None:
        if self._length + 1 < self._limit(self._soft):
            return 0
        if self._seen.text[i] in "、：—":
            return self._seen.skip(i + 1, "—")
        after = self._seen.peek(i + 1)
        if after is None:
            return None
        if after.isspace():
            return i + 2
        return i + 1 if after and is_wide(after) else 0

    def _early_end(self, i: int) -> int | None:
        """As `_judge`: does a beginning of plain words end with the space `i`?"""
        seen = self._seen
        if not self.early or self._length < self.early or not seen.text[i].isspace():
            return 0
        if not _PLAIN.fullmatch(seen.text, seen.begin, i + 1):
            return 0
        if ahead := _ENOUGH_AHEAD.match(seen.text, i + 1):
            self._view = ahead.end() + 1
            return i + 1
        is_open = not seen.ended and len(seen.text) - i <= REACH
        return None if is_open and _MAY_BE_AHEAD.fullmatch(seen.text, i + 1) else 0

    def _least_bad(self) -> int:
        """Where to cut a phrase that has grown too long: before "and", at a space, or anywhere."""
        text, begin, end = self._seen.text, self._seen.begin, self._at
        middle = begin + (end - begin) // 2
        joints = [m.start() for m in JOINING.finditer(text, begin, end) if m.start() > middle]
        if joints:
            return joints[-1]
        for i in range(end, begin + (end - begin) // 3, -1):
            if text[i - 1].isspace():
                return i
        near = range(end - 1, max(begin, end - REACH), -1)
        return next((i for i in near if _may_part(text[i - 1], text[i])), end)


def _may_part(left: str, right: str) -> bool:
    """Do the two characters stand on their own?"""
    if unicodedata.category(right) in {"Mn", "Me", "Mc", "Cf", "Sk"} or left == "\u200d":
        return False
    if right in CLOSERS + STOPS + MARKS or left in OPENERS:
        return False
    return is_wide(left) or is_wide(right) or not (left.isalnum() and right.isalnum())
