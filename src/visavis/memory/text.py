"""Words in common between a question and what is known of a view. English and Chinese, pure.

A text has *terms*: English words without endings, of Chinese the single characters and their pairs,
and for the things and colours that are spoken of most also the English word, so that a question in
one language finds a text in the other. A question has *concepts*: each a set of terms of which one
is enough. What only asks ("what", "you saw", "那个") is no concept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from visavis.flow.text import WIDE
from visavis.memory.lexicon import ASKING, ASKING_WIDE, GLOSSES, SENSES, SIMPLIFIED, SPELLINGS

Terms = frozenset[str]

UNIT = re.compile(rf"[{WIDE}]+|(?:(?![{WIDE}])\w)+")


def terms(text: str) -> Terms:
    """All terms of what is known of a view."""
    return frozenset(_terms(text))


def concepts(question: str) -> list[Terms]:
    """What a question is about; empty = nothing in particular."""
    found: dict[Terms, None] = {}
    for unit in UNIT.findall(question.translate(SIMPLIFIED).casefold()):
        if _is_wide(unit):
            found |= dict.fromkeys(_concepts_of(unit))
        elif unit not in ASKING and stem(unit) not in ASKING:
            found[_senses(stem(unit))] = None
    return list(found)


def stem(word: str) -> str:
    """An English word without its plural's or owner's ending."""
    word = SPELLINGS.get(word, word)
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("xes", "ches", "shes", "sses")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _terms(text: str) -> Iterator[str]:
    for unit in UNIT.findall(text.translate(SIMPLIFIED).casefold()):
        if _is_wide(unit):
            yield from unit
            yield from _pairs(unit)
            for piece in ASKING_WIDE.split(unit):
                yield from (english for _, _, english in _glosses(piece))
        else:
            yield stem(unit)


def _concepts_of(unit: str) -> Iterator[Terms]:
    """Of a stretch of Chinese: the words that have a gloss, and the pairs of what is left."""
    for piece in ASKING_WIDE.split(unit):
        end = 0
        for start, stop, english in [*_glosses(piece), (len(piece), len(piece), "")]:
            rest, word = piece[end:start], piece[start:stop]
            yield from (frozenset((pair,)) for pair in _pairs(rest) or rest)
            if english:
                yield _senses(english) | frozenset(_pairs(word))
            end = stop


def _senses(word: str) -> Terms:
    return frozenset((word, *SENSES.get(word, ())))


def _glosses(piece: str) -> list[tuple[int, int, str]]:
    """The words of the list that stand here, longest first, without overlap, from left to right."""
    found: list[tuple[int, int, str]] = []
    at = 0
    while at < len(piece):
        for length in (3, 2, 1):
            english = GLOSSES.get(piece[at : at + length])
            if english and len(piece[at : at + length]) == length:
                found.append((at, at + length, english))
                at += length
                break
        else:
            at += 1
    starts, stops = {start for start, _, _ in found}, {stop for _, stop, _ in found}
    return [
        (start, stop, english)
        for start, stop, english in found
        if stop - start > 1 or piece[start:stop] == piece or start in stops or stop in starts
    ]


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _is_wide(unit: str) -> bool:
    return re.match(f"[{WIDE}]", unit) is not None


def share(concepts: Sequence[Terms], known: Terms, weights: Sequence[float]) -> float:
    """How much of what is asked about is known here, from 0 to 1. `weights`: one a concept."""
    found = sum(
        weight
        for concept, weight in zip(concepts, weights, strict=True)
        if not concept.isdisjoint(known)
    )
    return found / sum(weights) if found else 0.0
