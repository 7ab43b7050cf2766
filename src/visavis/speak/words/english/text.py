"""English text with everything in words: the tables, in the order in which they must be tried."""

from __future__ import annotations

import re

from visavis.speak.words.english.abbreviation import ABBREVIATIONS
from visavis.speak.words.english.address import ADDRESSES, CODES, PHONES, VERSIONS
from visavis.speak.words.english.calendar import DATES, DECADES, TIMES, YEARS
from visavis.speak.words.english.money import MONEY
from visavis.speak.words.english.quantity import DEGREES, FRACTIONS, MEASURES, NUMBERS
from visavis.speak.words.english.sign import PREFIXES, SIGNS, SUMS
from visavis.speak.words.rule import apply, table

_DIGIT = re.compile(r"\d")
_RATIO = table(":", (r"(?<![\d:.,])(\d{1,6}):(\d{1,6})(?!:?\d|\.\d)", r"\1 to \2"))
_WITH_DIGITS = (
    DATES,  # and times: 00-17 of 9:00-17:00 and 05-06-2024 look like phone numbers
    TIMES,
    PHONES,
    CODES,
    DECADES,
    VERSIONS,
    PREFIXES,
    MONEY,
    SUMS,
    DEGREES,
    MEASURES,
    FRACTIONS,
)
_LAST = (YEARS, _RATIO, NUMBERS)


def in_english(text: str) -> str:
    text = apply((ADDRESSES,), text)
    if _DIGIT.search(text):
        text = apply(_WITH_DIGITS, text)
    text = apply((SIGNS, ABBREVIATIONS), text)
    return apply(_LAST, text) if _DIGIT.search(text) else text
