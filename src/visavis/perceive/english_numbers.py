"""Whether an English turn that ends on digits or letters is finished: numbers and spelling.

"Four one five (pause) five five five" goes on; a time, an amount and a count do not.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from visavis.perceive.english_words import (
    Judgement,
    Words,
    asks,
    word_set,
)

DIGITS = word_set("zero oh one two three four five six seven eight nine double triple")
CALLS = word_set("call dial ring text")
CODES = word_set("code zip pin phone account card password extension address")
LEAST_OF_A_CODE = 4
SHORT_NUMBERS = word_set("911 999 112 110 119 120 122 101 111")
ENOUGH_DIGITS = 10
WITHIN_NUMBERS = str.maketrans("", "", "-.,")
COUNTING = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
CLOCK_TIME = re.compile(r"(at|for|by|until) ([1-9]|1[0-9]|2[0-3]) [0-5][0-9]")


def spelling(words: Words, mark: str) -> Judgement | None:
    """A number or a name, piece by piece; not a time, a count or a lone amount."""
    run = _trailing(words, is_number)
    before = words[: len(words) - len(run)]
    if run and not asks(words) and (number := _number(before, run)):
        return number
    letters = _trailing(words, lambda word: len(word) == 1 and word.isalpha())
    if len(letters) >= 2 or re.fullmatch(r"([^\W\d]-)+[^\W\d]", words[-1]):
        return -1.2, "name being spelled"
    return None


def _number(before: Words, run: Words) -> Judgement | None:
    digits = sum(1 if word in DIGITS else sum(c.isdigit() for c in word) for word in run)
    called = bool(CALLS.intersection(before[-1:]))
    named = bool(CODES.intersection(before))
    cued = bool((CODES | {"number", "is"}).intersection(before[-1:]))
    is_code = called or (cued and (named or "number" in before))
    if called and len(run) == 1 and run[0] in SHORT_NUMBERS:
        return 1.8, "short number"
    if not is_code and (_is_amount(before, run) or _counts(run)):
        return None if before else (0.8, "number")
    if digits >= ENOUGH_DIGITS:
        return 1.5, "number"
    if len(run) >= 2 or called or (digits >= 3 and (is_code or not before)):
        return -3.2, "number being spelled"
    if digits < LEAST_OF_A_CODE and is_code and (named or before[-1] == "number"):
        return -2.2, "number being spelled"
    return None


def is_number(word: str) -> bool:
    return word in DIGITS or word.translate(WITHIN_NUMBERS).isdigit()


def _is_amount(before: Words, run: Words) -> bool:
    """ "At 7 30", "2020", "300"; but "415" alone may be the first of more, as "020" is."""
    if run[0].startswith("0"):
        return False
    if len(run) == 1:
        year_or_round = re.fullmatch(r"(19|20)\d\d|[1-9]\d*00", run[0])
        return bool(before) or bool(year_or_round)
    return CLOCK_TIME.fullmatch(" ".join([*before[-1:], *run])) is not None


def _counts(run: Words) -> bool:
    """ "One, two, three"."""
    return len(run) > 1 and all(
        word == counted for word, counted in zip(run, COUNTING, strict=False)
    )


def _trailing(words: Words, test: Callable[[str], bool]) -> Words:
    count = next((at for at, word in enumerate(reversed(words)) if not test(word)), len(words))
    return words[len(words) - count :]
