"""When each written word sounds, and where it ends in the text.

Takes a phrase as written and as spoken, and the times of the spoken words where the voice knows
them. Gives `WordTime`s whose `char_end` counts written characters, one for each written word that
is spoken. Invariant: both the times and the `char_end`s never run backwards, and the last
`char_end` is the length of the written text, so the words' slices, joined, are the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import accumulate, groupby, zip_longest

from visavis.flow.events import WordTime
from visavis.speak.speakable import plain
from visavis.speak.tongues import WIDE

Span = tuple[int, int]
_STOPS = "。，！？；：、"
_WORD = re.compile(rf"[{WIDE}]|(?:[^\s{_STOPS}{WIDE}]|(?<=\d)[，：](?=\d))+")
_TOKEN = re.compile(rf"[{WIDE}]|[^\W_{WIDE}]+")
_SIGN_BEHIND = re.compile(r"\s*(?:[%％‰℃℉]|[$€£¥](?=\s))")
_OPENERS = frozenset("“‘「『（【《〈([{<*_`~#$€£¥￥₩₹№@≈±+")
_PAUSES = re.compile("[,.;:!?，。；：！？—]")
PAUSE_LETTERS = 4
"""A pause at punctuation takes as long as so many letters."""
WIDE_LETTERS = 4
"""An ideograph is a syllable: it takes as long as so many letters."""
MOST_PAIRS = 40_000
"""Of spoken and written words to compare; a phrase has a quarter of that. The time is cubic."""


def words_of(text: str) -> Iterator[Span]:
    """Begin and end of each word: a run without spaces, or one ideograph; no marks around it."""
    return (inner for inner, _ in _marked_words(text))


def _marked_words(text: str) -> Iterator[tuple[Span, Span]]:
    """Of each word its span without and with the marks that touch it."""
    for word in _WORD.finditer(text):
        inner = [i for i in range(*word.span()) if text[i].isalnum()]
        if inner:
            yield (inner[0], inner[-1] + 1), word.span()


def spread(text: str, length: int) -> tuple[WordTime, ...]:
    """The words of `text` over `length` samples, each by the number of its letters."""
    spans = list(words_of(text))
    shares = []
    for i, (begin, end) in enumerate(spans):
        after = text[end : spans[i + 1][0] if i + 1 < len(spans) else end]
        letters = WIDE_LETTERS if re.match(f"[{WIDE}]", text[begin]) else end - begin + 1
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
    """The written words with their times: `char_end` in `written`, times within [0, `length`].

    Spoken words that say one written word ("seven fifteen", 7:15) are one: it begins with the
    first and ends with the last, so that it is heard when half of all of it was played.
    """
    words_there = list(_marked_words(written))
    places = [inner for inner, _ in words_there]
    begins, homes = _homes(spoken, written, words_there)
    placed: list[WordTime] = []
    last_home, time = -1, 0
    for word in words:
        start = min(max(word.start, time), length)
        end = min(max(word.end, start), length)
        time = start
        home = max(_home(word.char_end, begins, homes), last_home)
        if placed and home == last_home:
            placed[-1] = replace(placed[-1], end=max(end, placed[-1].end))
        else:
            placed.append(WordTime(start, end, home))
        last_home = home
    return tuple(
        replace(word, char_end=_border(written, places, word.char_end, following))
        for word, following in zip_longest(placed, (next.char_end for next in placed[1:]))
    )


def _home(char_end: int, begins: Sequence[int], homes: Sequence[int]) -> int:
    """The written word of the spoken word that ends at `char_end`."""
    return homes[max(bisect_left(begins, char_end) - 1, 0)] if homes else 0


def _border(written: str, places: Sequence[Span], word: int, following: int | None) -> int:
    """Where the written word ends, with what belongs to it, before the next that is spoken."""
    if following is None or not places:
        return len(written)
    end, begin = places[word][1], places[following][0]
    if sign := _SIGN_BEHIND.match(written, end, begin):
        end = sign.end()
    gap = written[end:begin]
    space = re.search(r"\s+", gap)
    if space:
        return end + space.end()
    return end + next((i for i, char in enumerate(gap) if char in _OPENERS), len(gap))


def _homes(
    spoken: str, written: str, there: Sequence[tuple[Span, Span]]
) -> tuple[list[int], list[int]]:
    """Of each token of `spoken`, its begin and the written word that it says: never going back."""
    said, wrote = _tokens(spoken), _tokens(written)
    word_of = _words_by_token(wrote, [inner for inner, _ in there])
    names = [spoken[i:j].casefold() for i, j in said], [written[i:j].casefold() for i, j in wrote]
    homes: list[int] = []
    before = 0
    for a, b, size in _alike(*names):
        parts = _parts(wrote, word_of, before, b, there)
        after = word_of[b] if b < len(wrote) else len(there) - 1
        homes += _shared(spoken, written, said[len(homes) : a], parts, max(after, 0))
        homes += word_of[b : b + size]
        before = b + size
    return [begin for begin, _ in said], homes


def _alike(said: Sequence[str], wrote: Sequence[str]) -> Sequence[tuple[int, int, int]]:
    """Where both have the same words, and how many; at the end, none. Too many are shared out."""
    if len(said) * len(wrote) > MOST_PAIRS:
        return [(len(said), len(wrote), 0)]
    return SequenceMatcher(None, said, wrote, autojunk=False).get_matching_blocks()


def _tokens(text: str) -> list[Span]:
    """Runs of letters and digits, and each ideograph."""
    return [m.span() for m in _TOKEN.finditer(text) if m[0].isalnum()]


def _words_by_token(tokens: Sequence[Span], places: Sequence[Span]) -> list[int]:
    begins = [begin for begin, _ in places]
    return [bisect_right(begins, begin) - 1 for begin, _ in tokens]


def _parts(
    tokens: Sequence[Span],
    word_of: Sequence[int],
    begin: int,
    end: int,
    there: Sequence[tuple[Span, Span]],
) -> list[tuple[int, Span]]:
    """The tokens [begin, end) by the word they are in: each word, and the part of it they are."""
    parts: list[tuple[int, Span]] = []
    for word, group in groupby(range(begin, end), key=word_of.__getitem__):
        those = list(group)
        inner, (first, last) = there[word]
        if tokens[those[0]][0] > inner[0]:
            first = tokens[those[0] - 1][1]
        if tokens[those[-1]][1] < inner[1]:
            last = tokens[those[-1]][1]
        parts.append((word, (first, last)))
    return parts


def _shared(
    spoken: str, written: str, said: Sequence[Span], parts: Sequence[tuple[int, Span]], after: int
) -> list[int]:
    """Spoken tokens that are not written as they are, shared out over the words they may say."""
    if not said or not parts:
        return [after] * len(said)
    if len(parts) == 1:
        return [parts[0][0]] * len(said)
    language = "zh" if re.search(f"[{WIDE}]", spoken[said[0][0] : said[-1][1]]) else ""
    sizes = (len(_tokens(plain(written[i:j], language))) for _, (i, j) in parts)
    reach = list(accumulate(sizes))
    places = ((2 * i + 1) * reach[-1] / (2 * len(said)) for i in range(len(said)))
    return [parts[min(bisect_right(reach, at), len(parts) - 1)][0] for at in places]
