"""When each word sounds, and where it ends in the text that was written.

Takes a phrase as written and as spoken, and the times of the spoken words where the voice knows
them. Gives `WordTime`s whose `char_end` counts written characters. Invariant: both the times and
the `char_end`s never run backwards, and the last `char_end` is the length of the written text, so
the words' slices, joined, are the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from visavis.flow.events import WordTime

_WIDE = "\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_WIDE}]|[^\s{_WIDE}]+")
_OPENERS = frozenset("“‘「『（【《〈([{<*_`~#")
_PAUSES = re.compile("[,.;:!?，。；：！？—]")
PAUSE_LETTERS = 4
"""A pause at punctuation takes as long as so many letters."""
WIDE_LETTERS = 4
"""An ideograph is a syllable: it takes as long as so many letters."""


def words_of(text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of each word: a run without spaces, or one ideograph."""
    for word in _WORD.finditer(text):
        inner = [i for i in range(*word.span()) if text[i].isalnum()]
        if inner:
            yield inner[0], inner[-1] + 1


def spread(text: str, length: int) -> tuple[WordTime, ...]:
    """The words of `text` over `length` samples, each by the number of its letters."""
    spans = list(words_of(text))
    shares = []
    for i, (begin, end) in enumerate(spans):
        after = text[end : spans[i + 1][0] if i + 1 < len(spans) else end]
        letters = WIDE_LETTERS if re.match(f"[{_WIDE}]", text[begin]) else end - begin + 1
        shares.append((letters, PAUSE_LETTERS if _PAUSES.search(after) else 0))
    total = sum(letters + pause for letters, pause in shares)
    times, at = [], 0
    for (_, end), (letters, pause) in zip(spans, shares, strict=True):
        times.append(WordTime(at * length // total, (at + letters) * length // total, end))
        at += letters + pause
    return tuple(times)


def on_written(
    words: Sequence[WordTime], spoken: str, written: str, length: int
) -> tuple[WordTime, ...]:
    """The same words with `char_end` in `written`, and times within [0, `length`]."""
    place = _places(spoken, written)
    placed, time, char = [], 0, 0
    for i, word in enumerate(words):
        start = min(max(word.start, time), length)
        end = min(max(word.end, start), length)
        time = start
        is_last = i == len(words) - 1
        ends = len(written) if is_last else _char_end(word.char_end, spoken, written, place)
        char = max(char, ends)
        placed.append(WordTime(start, end, char))
    return tuple(placed)


def _char_end(end: int, spoken: str, written: str, place: Sequence[int]) -> int:
    """Where the spoken word that ends at `end` ends in `written`, with what belongs to it."""
    end = min(max(end, 0), len(spoken))
    while end and not spoken[end - 1].isalnum():
        end -= 1
    begin = end
    while begin < len(spoken) and not spoken[begin].isalnum():
        begin += 1
    if begin == len(spoken):
        return len(written)
    first = place[end - 1] + 1 if end else 0
    return _between(written, first, max(first, place[begin]))


def _between(written: str, end: int, begin: int) -> int:
    """The border between a word that ends at `end` and the next, which begins at `begin`."""
    gap = written[end:begin]
    space = re.search(r"\s+", gap)
    if space:
        return end + space.end()
    border = end + next((i for i, char in enumerate(gap) if char in _OPENERS), len(gap))
    while _parts_a_word(written, border):  # "25", read as two words, is heard with the second
        border -= 1
    return border


def _parts_a_word(text: str, border: int) -> bool:
    around = text[border - 1 : border + 1] if border else ""
    return len(around) == 2 and around.isalnum() and not re.search(f"[{_WIDE}]", around)


def _places(spoken: str, written: str) -> list[int]:
    """For each character of `spoken`, where it stands in `written`."""
    offset = written.find(spoken)
    if offset >= 0:
        return list(range(offset, offset + len(spoken)))
    place: list[int] = []
    before = 0
    for a, b, size in SequenceMatcher(None, spoken, written, autojunk=False).get_matching_blocks():
        missing = a - len(place)  # spoken otherwise than written: shared out evenly
        place += [before + (b - before) * i // missing for i in range(missing)]
        place += range(b, b + size)
        before = b + size
    return [min(i, max(len(written) - 1, 0)) for i in place]
