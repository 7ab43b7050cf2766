"""Which language each part of a phrase is in, told by its script.

Takes one line of text and the language of the reply. Gives runs, each in one language. Invariant:
the runs, joined, are the text, none is empty, and no two neighbours have the same language.
Tells East Asian characters from all others; the letters of the others are the reply's language,
or English in a Chinese or Japanese reply.

A short acronym or unit beside Chinese characters (用CPU, 五GB, OK，好) stays Chinese: a Chinese
voice spells it well, and another voice for one syllable sounds worse and costs another call.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

WIDE = "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Characters that are a syllable or more, written without spaces; for a character class."""
HAN = frozenset({"zh", "yue", "wuu", "cmn", "ja"})
_PIECE = re.compile(rf"(?P<wide>[{WIDE}]+)|(?P<letters>[^\W\d_{WIDE}]+)")
_WIDE = re.compile(f"[{WIDE}]")
_KANA = re.compile("[\u3041-\u30fa]")
_WORD = re.compile(rf"(\d ?)?\b([^\W\d_{WIDE}]+)(?:['’][^\W\d_{WIDE}]+)?")
_CLAUSE_END = re.compile(r"[，。、；：！？（）,;!?()]")
_OPENER = re.compile(r"[\"“‘「『（【《〈(\[{]")
_NUMBER = re.compile(r"[-\u2212+$€£¥￥₩₹#№~≈±<>]*\d(?:.*\d)?[%％‰°℃℉+]*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Run:
    text: str
    language: str


@dataclass(slots=True)
class _Stretch:
    """Letters of one script, with all that lies between them: text[begin:end]."""

    begin: int
    end: int
    wide: bool


def has_letters(text: str) -> bool:
    """Is there a letter by which to tell the language?"""
    return bool(_PIECE.search(text))


def runs(spoken: str, language: str = "") -> tuple[Run, ...]:
    """The parts of `spoken` by language. Text without letters is one run in `language`."""
    if not spoken:
        return ()
    latin, wide = _languages(spoken, language)
    stretches = _stretches(spoken)
    if not stretches:
        return (Run(spoken, language or latin),)
    mostly_wide = _is_mostly_wide(spoken)
    if mostly_wide or _is_han(language):
        for stretch in stretches:
            stretch.wide |= _stays(spoken[stretch.begin : stretch.end])
    stretches = _merged(stretches)
    cuts = [_border(spoken, left, right, mostly_wide) for left, right in pairwise(stretches)]
    borders = [0, *cuts, len(spoken)]
    return tuple(
        Run(spoken[borders[i] : borders[i + 1]], wide if stretch.wide else latin)
        for i, stretch in enumerate(stretches)
    )


def _is_han(language: str) -> bool:
    return language.partition("-")[0].lower() in HAN


def _languages(text: str, language: str) -> tuple[str, str]:
    """Of the letters, and of the wide characters."""
    if _is_han(language):
        return "en", language
    return language or "en", "ja" if _KANA.search(text) else "zh"


def _is_mostly_wide(text: str) -> bool:
    """Two Chinese characters weigh as much as a word; acronyms and units do not count."""
    count = len(_WIDE.findall(text))
    words = sum(
        word != word.upper() and not (digit and len(word) <= 3)
        for digit, word in _WORD.findall(text)
    )
    return count > 0 and count >= 2 * words


def _stretches(text: str) -> list[_Stretch]:
    """Letters are parted where a clause ends, for each part may be short enough to stay."""
    found: list[_Stretch] = []
    for m in _PIECE.finditer(text):
        piece = _Stretch(*m.span(), m.lastgroup == "wide")
        goes_on = found and found[-1].wide == piece.wide
        if goes_on and not _CLAUSE_END.search(text, found[-1].end, piece.begin):
            found[-1].end = piece.end
        else:
            found.append(piece)
    return found


def _merged(stretches: Sequence[_Stretch]) -> list[_Stretch]:
    merged: list[_Stretch] = []
    for stretch in stretches:
        if merged and merged[-1].wide == stretch.wide:
            merged[-1].end = stretch.end
        else:
            merged.append(stretch)
    return merged


def _stays(stretch: str) -> bool:
    """One short word or unit, or a few capitals: they are spoken by the voice around them."""
    words = stretch.split()
    letters = sum(char.isalpha() for char in stretch)
    if len(words) == 1 and letters <= 3:
        return True
    return letters <= 6 and all(word == word.upper() for word in words)


def _border(text: str, left: _Stretch, right: _Stretch, mostly_wide: bool) -> int:
    """Where, between two stretches, the one ends: numbers go with the nearer, marks as they open.

    A number as near to the one as to the other goes with the script that prevails.
    """
    gap = text[left.end : right.begin]
    number = _NUMBER.search(gap)
    if not number:
        return left.end + _opens(gap, 0)
    near_left = _nearness(gap[: number.start()])
    near_right = _nearness(gap[number.end() :])
    if near_left > near_right or (near_left == near_right and left.wide == mostly_wide):
        return left.end + _opens(gap, number.end())
    return left.end + min(_opens(gap, 0), number.start())


def _opens(gap: str, begin: int) -> int:
    """The first opening mark from `begin` on; else the end."""
    opener = _OPENER.search(gap, begin)
    return opener.start() if opener else len(gap)


def _nearness(gap: str) -> int:
    return 2 if not gap else 1 if gap.isspace() else 0
