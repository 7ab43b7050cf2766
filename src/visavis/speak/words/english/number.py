"""English numbers in words."""

from __future__ import annotations

from visavis.speak.words.rule import split

_SMALL = split(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = split("_ _ twenty thirty forty fifty sixty seventy eighty ninety")
_THOUSANDS = ["", *split("thousand million billion trillion quadrillion quintillion")]
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
LONGEST = 6
"""More digits than these, with no separators and not round, are a code and not an amount."""


def cardinal(n: int) -> str:
    """1234 → one thousand two hundred thirty-four; `n` in [0, 10**21)."""
    assert 0 <= n < 10**21
    if n < 20:
        return _SMALL[n]
    if n < 100:
        tens, rest = divmod(n, 10)
        return _TENS[tens] + (f"-{_SMALL[rest]}" if rest else "")
    if n < 1000:
        hundreds, rest = divmod(n, 100)
        return f"{_SMALL[hundreds]} hundred" + (f" {cardinal(rest)}" if rest else "")
    words, power = [], 0
    while n:
        n, group = divmod(n, 1000)
        if group:
            words.append(f"{cardinal(group)} {_THOUSANDS[power]}".rstrip())
        power += 1
    return " ".join(reversed(words))


def ordinal(n: int) -> str:
    """21 → twenty-first."""
    words = cardinal(n)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[cut:]
    if last in _ORDINALS:
        return words[:cut] + _ORDINALS[last]
    return words[:-1] + "ieth" if last.endswith("y") else words + "th"


def digits(text: str) -> str:
    """407 → four zero seven; whatever is no digit is left out."""
    return " ".join(_SMALL[int(char)] for char in text if char.isdecimal())


def number(text: str) -> str:
    """A written number: 1,234 · 3.14 · .5 · 007 (digit by digit, as are long codes)."""
    whole, point, part = text.partition(".")
    plain = whole.replace(",", "")
    is_code = len(plain) > LONGEST and plain == whole and not plain.endswith("000")
    if (len(plain) > 1 and int(plain[0]) == 0) or (is_code and not point) or len(plain) > 21:
        said = digits(plain)
    else:
        said = cardinal(int(plain or "0"))
    return f"{said} point {digits(part)}" if part else said


def year(n: int) -> str:
    """1999 → nineteen ninety-nine; 1905 → nineteen oh five; 2005 → two thousand five."""
    century, rest = divmod(n, 100)
    if not 1010 <= n <= 9999 or n % 1000 < 10:
        return cardinal(n)
    if not rest:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"


def plural(words: str) -> str:
    """ninety → nineties, hundred → hundreds."""
    return words[:-1] + "ies" if words.endswith("y") else words + "s"
