"""English percentages, temperatures, measures, fractions, ordinals, ranges and bare numbers."""

from __future__ import annotations

import re

from visavis.speak.words import units
from visavis.speak.words.english.address import NUMBERED, phone
from visavis.speak.words.english.number import cardinal, digits, number, ordinal, plural
from visavis.speak.words.rule import DASH, GROUPS, MINUS, NUMBER, table

_NUMBER = rf"(?:{NUMBER}|\.\d+)"
_AMOUNT = (
    rf"(?<![\w.])(?P<minus>(?<!\d ){MINUS}\s?(?=[\d.]))?(?P<n>{_NUMBER})"
    rf"(?:\s?(?:{DASH}|to)\s?(?P<to>-?{NUMBER}))?"
)
_CALLED = re.compile(
    r"\b(?:numbers?|phones?|call|dial|codes?|tel|fax|extension)\b[^.!?]{0,30}$", re.IGNORECASE
)
_SCALES = {"C": " Celsius", "F": " Fahrenheit", "℃": " Celsius", "℉": " Fahrenheit", "": ""}


def _amount(m: re.Match[str]) -> str:
    said = ("minus " if m["minus"] else "") + number(m["n"])
    if not m["to"]:
        return said
    below = "minus " if m["to"][0] == "-" else ""
    return f"{said} to {below}{number(m['to'].lstrip('-'))}"


def _is_one(m: re.Match[str]) -> bool:
    return m["n"] == "1" and not m["to"]


def _percent(m: re.Match[str]) -> str:
    return f"{_amount(m)} {'per mille' if m['mark'] == '‰' else 'percent'}"


def _degrees(m: re.Match[str]) -> str:
    scale = _SCALES[m["scale"].strip("° ")]
    return f"{_amount(m)} degree{'' if _is_one(m) else 's'}{scale}"


def _measure(m: re.Match[str]) -> str:
    return f"{_amount(m)} {units.english(m['unit'], one=_is_one(m))}"


def _feet(m: re.Match[str]) -> str:
    """5'10": five foot ten."""
    return f"{cardinal(int(m[1]))} foot {cardinal(int(m[2]))}"


def _fraction(m: re.Match[str]) -> str:
    whole, a, b = m[1], int(m[2]), int(m[3])
    if (a, b) == (1, 2):
        said = "a half" if whole else "one half"
    elif 2 < b < 10 and a < b:
        part = "quarter" if b == 4 else ordinal(b)
        said = f"{cardinal(a)} {part if a == 1 else plural(part)}"
    elif b in {10, 100} and a <= b:
        said = f"{cardinal(a)} out of {cardinal(b)}"
    else:
        said = f"{number(m[2])} slash {number(m[3])}"
    return f"{number(whole)} and {said}" if whole else said


def _ordinal(m: re.Match[str]) -> str:
    return ordinal(int(m[1].replace(",", "")))


def _groups(m: re.Match[str]) -> str:
    """The number 555-123 in groups; 356-323 BC, 218-212 votes and pages 123-555 as they are."""
    before = m.string[: m.start()]
    called = _CALLED.search(before) and not NUMBERED.search(before)
    return phone(m) if called and int(m[1]) >= int(m[2]) else m[0]


def _number(m: re.Match[str]) -> str:
    """What stands for nothing else, parted from letters that touch it."""
    before, after = m.string[: m.start()][-1:], m.string[m.end() :][:1]
    is_code = before.isalpha() and len(m["n"]) > 2 and m["n"].isdecimal()  # BA2490
    said = ("minus " if m["minus"] else "") + (digits if is_code else number)(m["n"])
    return f"{' ' * before.isalpha()}{said}{' ' * after.isalpha()}"


DEGREES = table(
    "[%％‰°℃℉]",
    (rf"{_AMOUNT}\s?(?P<mark>[%％‰])", _percent),
    (rf"{_AMOUNT}\s?(?P<scale>°\s?[CF]\b|°|[℃℉])", _degrees),
)
MEASURES = table(
    r"\d[\s-]?[^\W\d]|['′×¢]",
    (rf"{_AMOUNT}[\s-]?(?P<unit>{units.SYMBOL})", _measure),
    (r"(?<![\w.])(\d)['′](\d\d?)(?:[\"″]|'')", _feet),
    (r"(?<![\w.])(\d+(?:\.\d+)?)[x×](?!\w|\s*[-+=*/^)])", r"\1 times"),
)
FRACTIONS = table(
    r"\d/\d",
    (r"\b24/7\b", "twenty-four seven"),
    (r"\b9/11\b(?!/)", "nine eleven"),
    (r"(?<![\w/.,])(?:(\d{1,3})\s)?(\d{1,6})/(\d{1,6})(?![\w/]|[.,]\d)", _fraction),
)
NUMBERS = table(
    r"\d",
    (r"(?<![\w.])(\d{1,3}(?:,\d{3}){1,5}|\d{1,18})(?:st|nd|rd|th)\b", _ordinal),
    (GROUPS, _groups),
    (rf"(?<=\d)\s?{DASH}\s?(?=\d)", " to "),
    (rf"(?P<minus>(?<![\w)\]]){MINUS}\s?)?(?P<n>{NUMBER}|(?<![\w.])\.\d+)", _number),
)
