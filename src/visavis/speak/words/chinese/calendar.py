"""Chinese dates, times of day and years."""

from __future__ import annotations

import re

from visavis.speak.words.chinese.number import cardinal, counted, number, year
from visavis.speak.words.rule import DASH, INSTANT, table

_YEAR = r"[12]\d{3}"
_HALVES = {"a": "上午", "p": "下午"}


def _date(of: str, month: str, day: str) -> str:
    return f"{year(of)}年{cardinal(int(month))}月{cardinal(int(day))}日"


def _is_date(month: str, day: str) -> bool:
    return 1 <= int(month) <= 12 and 1 <= int(day) <= 31


def _ymd(m: re.Match[str]) -> str:
    return _date(m[1], m[3], m[4]) if _is_date(m[3], m[4]) else m[0]


def _instant(m: re.Match[str]) -> str:
    """2024-05-06T07:15:30.123+05:30: no fraction of the second, and the zone in words."""
    sign, hours, minutes = m[2], int(m[3] or 0), int(m[4] or 0)
    if not (hours or minutes):
        return f"{m[1]}UTC"
    said = f"{m[1]}UTC{'加' if sign == '+' else '减'}{cardinal(hours)}"
    return said + (f"点{cardinal(minutes)}" if minutes else "")


def _dmy(m: re.Match[str]) -> str:
    """Day first, unless only the month can stand there: 29/11/2024 and 11/29/2024."""
    if _is_date(m[3], m[1]):
        return _date(m[4], m[3], m[1])
    return _date(m[4], m[1], m[3]) if _is_date(m[1], m[3]) else m[0]


def _year(m: re.Match[str]) -> str:
    return year(m[1]) + (f"到{year(m[2])}" if m[2] else "") + m[3]


def _decade(m: re.Match[str]) -> str:
    return (year(m[1]) if len(m[1]) > 2 else cardinal(int(m[1]))) + "年代"


def _month_day(m: re.Match[str]) -> str:
    said = f"{cardinal(int(m[1]))}月"
    if not m[2]:
        return said
    return said + cardinal(int(m[2])) + (f"到{cardinal(int(m[3]))}" if m[3] else "") + m[4]


def _clock(m: re.Match[str]) -> str:
    """7:15, 19:30:05, 7:15 a.m.; on the hour: 七点."""
    half = _HALVES[m[4].lower()] if m[4] else ""
    said = f"{half}{counted(m[1].lstrip('0') or '0')}点"
    minute, second = int(m[2]), m[3]
    if minute or second:
        said += ("零" if 0 < minute < 10 else "") + cardinal(minute) + "分"
    return said + (f"{cardinal(int(second))}秒" if second else "")


def _hour(m: re.Match[str]) -> str:
    """7 p.m."""
    return f"{_HALVES[m[2].lower()]}{counted(m[1])}点"


def _ratio(m: re.Match[str]) -> str:
    return f"{number(m[1])}比{number(m[2])}"


def _score(m: re.Match[str]) -> str:
    return f"{m[1].strip()}{number(m[2])}比{number(m[3])}"


CALENDAR = table(
    r"\d[-/.:：至到]|\d\s?[-~—–年月AaPp:：]|比分",
    (rf"(?<![A-Za-z\d./-]){INSTANT}(?![A-Za-z\d:])", _instant),
    (r"(?<![\w.-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:日|T(?=\d\d:))?(?![\w-]|\.\d)", _ymd),
    (r"(?<![A-Za-z\d./-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:T(?=\d\d:)|日?(?![\d-]|\.\d))", _ymd),
    (r"(?<![A-Za-z\d./-])(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?![\d/-]|\.\d)", _dmy),
    (rf"(?<!\d)({_YEAR})年?\s?(?:{DASH}|至|到)\s?({_YEAR})(年|学年|财年|赛季)", _year),
    (r"(?<!\d)([12]\d\d0|[1-9]0)年代", _decade),
    (rf"(?<![\d.,])({_YEAR})()(年|学年|财年|赛季)", _year),
    (rf"(?<![\d.,])(?<!\d[-/])(\d{{1,2}})\s?{DASH}\s?(?=\d{{1,2}}月)", r"\1到"),
    (
        rf"(?<![\d.,])(\d{{1,2}})月(?:(\d{{1,2}})(?:\s?(?:{DASH}|至|到)\s?(\d{{1,2}}))?([日号]))?",
        _month_day,
    ),
    (r"(?<=比分)([是为：: ]*)(\d+)\s?[:：-]\s?(\d+)", _score),
    (rf"(?<=[:：]\d\d)\s?{DASH}\s?(?=\d{{1,2}}[:：]\d\d)", "到"),
    (
        r"(?<!\d)(?<!\d[:：.,])([01]?\d|2[0-4])[:：]([0-5]\d)(?:[:：]([0-5]\d))?(?![:：]?\d|\.\d)"
        r"(?:\s?([AaPp])\.?[Mm](?![A-Za-z])\.?)?",
        _clock,
    ),
    (r"(?<![\d.,A-Za-z])(\d{1,2})\s?([AaPp])\.?[Mm](?![A-Za-z])\.?", _hour),
    (r"(?<![\d.])(\d+)\s?[:：]\s?(\d+)(?![\d.])", _ratio),
)
