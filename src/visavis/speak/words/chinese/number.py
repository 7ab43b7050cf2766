"""Chinese numbers in words."""

from __future__ import annotations

import re

_DIGITS = "零一二三四五六七八九"
_PLACES = ("千", "百", "十", "")
_MYRIADS = ("", "万", "亿", "万亿", "亿亿")
LONGEST = 6
"""More digits than these, with no separators and not round, are a code and not an amount."""


def cardinal(n: int) -> str:
    """1010 → 一千零一十, 15 → 十五, 200 → 两百; `n` in [0, 10**16)."""
    assert 0 <= n < 10**16
    if not n:
        return _DIGITS[0]
    said, gap = "", False
    for power in range(3, -1, -1):
        group = n // 10 ** (4 * power) % 10**4
        if group:
            gap |= bool(said) and group < 1000
            said += ("零" if gap else "") + _group(group) + _MYRIADS[power]
            gap = False
        elif said:
            gap = True
    said = re.sub("^一十", "十", said)
    return re.sub("^二(?=[百千万亿])|(?<=[万亿零])二(?=千)", "两", said)


def _group(n: int) -> str:
    """Four digits, without the zero in front."""
    said, gap = "", False
    for place, digit in zip(_PLACES, f"{n:04}", strict=True):
        if digit == "0":
            gap = bool(said)
        else:
            said += ("零" if gap else "") + _DIGITS[int(digit)] + place
            gap = False
    return said


def digits(text: str, *, zero: str = "零", one: str = "一") -> str:
    """407 → 四零七; whatever is no digit is left out. Phone numbers say 幺 for one."""
    said = "".join(_DIGITS[int(char)] for char in text if char.isdecimal())
    return said.replace("零", zero).replace("一", one)


def number(text: str) -> str:
    """A written number: 1,234 · 3.14 · 007 (digit by digit, as are long codes)."""
    whole, _, part = text.partition(".")
    plain = whole.replace(",", "")
    is_code = len(plain) > LONGEST and plain == whole and not plain.endswith("000")
    if (len(plain) > 1 and int(plain[0]) == 0) or (is_code and not part) or len(plain) > 16:
        said = digits(plain)
    else:
        said = cardinal(int(plain or "0"))
    return f"{said}点{digits(part)}" if part else said


def counted(text: str) -> str:
    """A number in front of what is counted: 2 is 两."""
    return "两" if text == "2" else number(text)


def year(text: str) -> str:
    """2024 → 二〇二四."""
    return digits(text, zero="〇")
