"""English dates, times of day and years.

A date whose order cannot be told (4/5/2024) is read as it stands, so that nothing wrong is said.
"""

from __future__ import annotations

import re

from visavis.speak.words.english.number import cardinal, ordinal, plural, year
from visavis.speak.words.rule import DASH, INSTANT, split, table

MONTHS = split(
    "January February March April May June July August September October November December"
)
_SHORT = {name[:3]: name for name in MONTHS} | {"Sept": "September"}
_FULL = {name: name for name in MONTHS}
_MONTH = "(" + "|".join([*MONTHS, "Sept", *(short for short in _SHORT if short != "Sept")]) + r")\b"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_MARKS = {"-": "dash", "/": "slash", ".": "dot"}
_HALF = r"([AaPp])(?:\.\s?[Mm]\.|\.?[Mm]\b)"
_NAMES = _SHORT | _FULL

# In 1100–1999 and 2000–2009 a number sounds the same as a year; elsewhere the neighbours tell.
_WHOSE = r"(?:[Tt]he|[Hh]is|[Hh]er|[Tt]heir|[Oo]ur|[Mm]y|[Yy]our|[Ee]arly|[Ll]ate|[Mm]id)[ -]"
_YEAR_BEFORE = re.compile(
    r"\b(?:in|since|by|from|until|till|before|after|during|of|year|circa|around|and|to|late|early|"
    r"mid|the|spring|summer|autumn|fall|winter|his|her|its|their|our|a)[ -]$",
    re.IGNORECASE,
)
_YEAR_AFTER = re.compile(
    r"\s*(?:$|[^\w\s%°]|(?:was|is|were|are|has|had|will|would|saw|and|or|to|in|at|on|for|by|with|"
    r"when|as|but|that)\b)|\s[A-Z]"
)


def _day(month: str, day: int) -> str:
    return f"{month} {ordinal(day)}"


def _ymd(m: re.Match[str]) -> str:
    month, day = int(m[3]), int(m[4])
    if m[1][0] == "0" or not (1 <= month <= 12 and 1 <= day <= 31):
        return m[0]
    return f"{_day(MONTHS[month - 1], day)}, {year(int(m[1]))}" + (" at " if m[5] else "")


def _instant(m: re.Match[str]) -> str:
    """2024-11-29T07:15:30.123+05:30: no fraction of the second, and the zone in words."""
    sign, hours, minutes = m[2], int(m[3] or 0), int(m[4] or 0)
    if not (hours or minutes):
        return f"{m[1]} UTC"
    said = f"{m[1]} UTC {'plus' if sign == '+' else 'minus'} {cardinal(hours)}"
    return said + (f" {_minutes(str(minutes))}" if minutes else "")


def _dmy(m: re.Match[str]) -> str:
    first, second, of = int(m[1]), int(m[3]), int(m[4])
    of += 2000 * (len(m[4]) == 2)
    if not (1 <= min(first, second) <= 12 and max(first, second) <= 31):
        return m[0]
    if first > 12 or first == second:
        return f"{_day(MONTHS[second - 1], first)}, {year(of)}"
    if second > 12:
        return f"{_day(MONTHS[first - 1], second)}, {year(of)}"
    mark = _MARKS[m[2]]
    return f"{cardinal(first)} {mark} {cardinal(second)} {mark} {year(of)}"


def _month_day(m: re.Match[str]) -> str:
    day, to = int(m[2]), m[3]
    if not 1 <= day <= 31 or (to and not 1 <= int(to) <= 31):
        return m[0]
    said = _day(_NAMES[m[1]], day)
    said += f" to {ordinal(int(to))}" if to else ""
    return said + (f", {year(int(m[4]))}" if m[4] else "")


def _day_month(m: re.Match[str]) -> str:
    """5 March 2024, 3–5 March."""
    days = [int(day) for day in (m[2], m[3]) if day]
    if not all(1 <= day <= 31 for day in days):
        return m[0]
    said = f"{m[1] or 'the '}{' to '.join(map(ordinal, days))} of {_NAMES[m[4]]}"
    return said + (f", {year(int(m[5]))}" if m[5] else "")


def _month_year(m: re.Match[str]) -> str:
    return f"{_NAMES[m[1]]} {year(int(m[2]))}"


def _iso_month(m: re.Match[str]) -> str:
    return f"{MONTHS[int(m[2]) - 1]} {year(int(m[1]))}" if 1 <= int(m[2]) <= 12 else m[0]


def _minutes(minutes: str) -> str:
    n = int(minutes)
    return f"oh {cardinal(n)}" if n < 10 else cardinal(n)


def _clock(m: re.Match[str]) -> str:
    """19:30, 7:05, 7:00, 7:15:30."""
    hour, minute, second = int(m[1]), m[2], m[3]
    if int(minute):
        said = f"{cardinal(hour)} {_minutes(minute)}"
    elif hour == 0 or hour > 12:
        said = f"{cardinal(hour)} hundred"
    else:
        said = f"{cardinal(hour)} o'clock"
    return said + (f" and {cardinal(int(second))} seconds" if second else "")


def _half_day(m: re.Match[str]) -> str:
    """7 a.m., 7:15 pm; the full stop stays where it ends the text."""
    hour, minute = int(m[1]), m[2]
    if hour > 23:
        return m[0]
    said = cardinal(hour) + (f" {_minutes(minute)}" if minute and int(minute) else "")
    stop = "." if m[0].endswith(".") and m.end() == len(m.string) else ""
    return f"{said} {m[3].upper()}M{stop}"


def _decade(m: re.Match[str]) -> str:
    return plural(year(int(m[1])))


def _tens(m: re.Match[str]) -> str:
    """The 90s, her 30s: without such a word they are seconds."""
    return m[1] + plural(cardinal(int(m[2])))


def _years(m: re.Match[str]) -> str:
    return f"{year(int(m[1]))} to {year(int(m[2]))}"


def _season(m: re.Match[str]) -> str:
    """2024-25: to the year after."""
    n = int(m[1])
    return f"{year(n)} to {cardinal(n % 100 + 1)}" if int(m[2]) == n % 100 + 1 else m[0]


def _year(m: re.Match[str]) -> str:
    n = int(m[0])
    sounds_like_a_number = 1100 <= n < 2010
    before, after = m.string[: m.start()], m.string[m.end() :]
    if sounds_like_a_number or _YEAR_BEFORE.search(before) or _YEAR_AFTER.match(after):
        return year(n)
    return m[0]


DATES = table(
    r"\d[-/.]\d|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec",
    (
        rf"\b{_MONTH}\.?\s{_DAY}(?:\s?{DASH}\s?{_DAY})?(?:,?\s([12]\d{{3}}))?\b(?![-:/%°]|[.,]\d)",
        _month_day,
    ),
    (
        rf"(\b[Tt]he )?(?<![\d.,:/-])\b{_DAY}(?:\s?{DASH}\s?{_DAY})?(?: of)? {_MONTH}"
        r"(?:\.(?=\s))?(?:,? ([12]\d{3})\b(?![-:/%°]|[.,]\d))?(?!\.\d)",
        _day_month,
    ),
    (rf"\b{_MONTH}\.?,? ([12]\d{{3}})\b(?![:/%°-]|[.,]\d)", _month_year),
    (rf"\b{INSTANT}(?![\w:])", _instant),
    (r"(?<![\w.-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\d-]|\.\d)(T(?=\d\d:))?", _ymd),
    (r"(?<![\w./-])(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|(?<=/)\d{2})(?![\d/-]|\.\d)", _dmy),
    (r"(?<![\d.,/-])((?:1\d|20)\d\d)-(0[1-9]|1[0-2])(?![\d-]|\.\d)", _iso_month),
)

DECADES = table(
    "0'?s",
    (r"(?<![\d.,'])(1\d\d0|20\d0)'?s\b", _decade),
    (rf"\b({_WHOSE})['’]?([1-9]0)s\b", _tens),
)

TIMES = table(
    r":|\d\s?[AaPp]\.?\s?[Mm]",
    (rf"(?<=\d)\s?{DASH}\s?(?=\d{{1,2}}(?::[0-5]\d)?\s?{_HALF})", " to "),
    (rf"(?<=:\d\d)\s?{DASH}\s?(?=\d{{1,2}}:\d\d)", " to "),
    (rf"(?<=:\d\d)(?:{DASH}|\s{DASH}\s)(?=\d{{1,3}}(?![\d:.,-]\d|\d))", " to "),  # John 3:16-18
    (rf"(?<![\w:.,-])(\d{{1,2}})(?:{DASH}|\s{DASH}\s)(?=\d{{1,2}}:[0-5]\d)", r"\1 to "),
    (rf"(?<=[mM]|\.)\s?{DASH}\s?(?=\d{{1,2}}(?::[0-5]\d)?\s?{_HALF})", " to "),
    (rf"\b(\d{{1,2}})(?::([0-5]\d))?\s?{_HALF}", _half_day),
    (r"(?<!\d)(?<!\d[:.,])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?!:?\d|\.\d)", _clock),
)

YEARS = table(
    r"\d{4}",
    (r"(?<![\d.,-])((?:1\d|20)\d\d)[-–/](\d\d)(?![\d%-]|[.,]\d)", _season),
    (rf"(?<![\d.,-])(1\d{{3}}|20\d\d)\s?{DASH}\s?(1\d{{3}}|20\d\d)(?![\d%-]|[.,]\d)", _years),
    (r"(?<![\d.,'\w$€£#-])(?:1[01]\d\d|1[2-9]\d\d|20\d\d)(?![\d\w%°]|[.,:/]\d|-\d)", _year),
)
