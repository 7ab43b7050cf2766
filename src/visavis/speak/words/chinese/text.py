"""Chinese text with everything in words: the tables, in the order in which they must be tried."""

from __future__ import annotations

import re

from visavis.speak.words.chinese.calendar import CALENDAR
from visavis.speak.words.chinese.quantity import CODES, DEGREES, MEASURES, MONEY, NUMBERS, PHONES
from visavis.speak.words.chinese.sign import SIGNS, SUMS
from visavis.speak.words.rule import apply, table

_DIGIT = re.compile(r"\d")
_CLOSE_UP = table(  # the spaces that some put around digits
    r"\s\d|\d\s",
    (r"(?<=\d)\s+(?=[\u4e00-\u9fff])", ""),
    (r"(?<=[\u4e00-\u9fff])\s+(?=\d)", ""),
)
_WITH_DIGITS = (_CLOSE_UP, PHONES, CALENDAR, CODES, SUMS, MONEY, DEGREES, MEASURES)


def in_chinese(text: str) -> str:
    if _DIGIT.search(text):
        text = apply(_WITH_DIGITS, text)
    text = apply((SIGNS,), text)
    return apply((NUMBERS,), text) if _DIGIT.search(text) else text
