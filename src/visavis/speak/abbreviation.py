"""Does this full stop end a sentence? Decided from the word before it and the word after it.

Takes the two words. Gives yes or no, and says when it needs to see more. Invariant: the answer
depends on these two words alone, so it is the same however the text was split into tokens.
Knows English; in other languages a full stop followed by a space ends the sentence.
"""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES = _words(
    "dr mr mrs ms mx prof rev hon capt col gen lt maj sgt sen rep gov pres fr sr jr st mt ft"
)
"""Written before a name (`St.` also after one): end a sentence only before an opening word."""

NUMBERED = _words("no nos fig figs eq vol ch pp p art sec")
"""Abbreviations only when a number follows; else they are words."""

INNER = _words("e.g i.e vs cf approx ca viz")
"""Never the last word of a sentence."""

ENDING = _words(
    "a.m p.m etc inc ltd co corp ave blvd rd dept est bros al ph.d m.d b.c a.d "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat sun"
)
"""May end a sentence: they do when a capital follows."""

DAYS = _words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may "
    "june july august september october november december et est edt pt pst pdt gmt utc cet "
    "eastern pacific central"
)
"""Capitals that go on with a time of day: 7:15 a.m. Friday."""

OPENING = _words(
    "the it its she they we you i this that these those there but and if when then what how why "
    "please my your his her our their in on at for from with as all some most no yes"
)
"""Words that open a sentence and are nobody's name."""

_INITIALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]|[A-Z]")


def ends_sentence(before: str, after: str, *, complete: bool) -> bool | None:
    """Whether the full stop between the words `before` and `after` ends a sentence.

    `after` may still be growing (`complete` false). None: cannot be told before it has grown.
    """
    word = before.lower().lstrip("0123456789:")
    if word in INNER:
        return False
    if word in NUMBERED:
        return None if not after and not complete else not after[:1].isdigit()
    if word not in ENDING and word not in TITLES and not _INITIALS.fullmatch(before):
        return True
    if after and not after[0].isupper():
        return False
    if not complete:
        return None
    return not after or _opens(after.lower(), word)


def _opens(after: str, word: str) -> bool:
    """Does the capitalised `after`, behind the abbreviation `word`, open a sentence?"""
    if word in ENDING:
        return word not in {"a.m", "p.m"} or after not in DAYS
    return after in OPENING
