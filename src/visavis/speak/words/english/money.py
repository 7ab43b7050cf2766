"""English amounts of money."""

from __future__ import annotations

import re

from visavis.speak.words.english.number import cardinal, number
from visavis.speak.words.rule import DASH, MINUS, NUMBER, table
from visavis.speak.words.units import CURRENCIES, CURRENCY, Currency

_MAGNITUDES = {"k": "thousand", "m": "million", "mn": "million", "b": "billion", "bn": "billion"}
_MAGNITUDE = r"(?:[ -]?(?P<by>thousand|million|billion|trillion|mn|bn|[kKmMbB])\b)?"
_NUMBER = rf"(?:{NUMBER}|\.\d+)"
_HOW_MANY = re.compile(r"\b[Aa]n? $")


def _money(m: re.Match[str]) -> str:
    """$5.20, $1.5 million, €3–5, 20 €."""
    currency = CURRENCIES[m["mark"]]
    minus = "minus " if m["minus"] else ""
    to = f" to {number(m['to'])}" if m["to"] else ""
    if not m["by"] and not to and currency.cent and re.fullmatch(r"[\d,]*\.\d\d", m["n"]):
        return minus + _coins(m["n"], currency)
    by = f" {_MAGNITUDES.get(m['by'].lower(), m['by'])}" if m["by"] else ""
    is_one = (m["n"] == "1" and not to + by) or _counts(m)
    return f"{minus}{number(m['n'])}{to}{by} {currency.one if is_one else currency.many}"


def _coins(text: str, currency: Currency) -> str:
    """5.20 → five dollars and twenty cents."""
    whole, cents = (int(part or "0") for part in text.replace(",", "").split("."))
    notes = f"{number(str(whole))} {currency.one if whole == 1 else currency.many}"
    coins = f"{cardinal(cents)} {currency.cent if cents == 1 else currency.cents}"
    return f"{notes} and {coins}" if whole and cents else coins if cents else notes


def _counts(m: re.Match[str]) -> bool:
    """A $5 note: it names a thing, and stands in the singular."""
    behind = m.string[m.end() : m.end() + 2]
    return bool(_HOW_MANY.search(m.string[: m.start()])) and behind[1:].isalpha()


MONEY = table(
    CURRENCY,
    (r"(?<=€)(\d+),(\d\d)(?!\d)|(\d+),(\d\d)(?=\s?€)", r"\1\3.\2\4"),
    (
        rf"(?<![\w.])(?P<minus>{MINUS})?(?P<mark>{CURRENCY})\s?(?P<n>{_NUMBER})"
        rf"(?:\s?{DASH}\s?(?:{CURRENCY})?(?P<to>{_NUMBER}))?{_MAGNITUDE}",
        _money,
    ),
    (
        rf"(?<![\w.])(?P<minus>{MINUS})?(?P<n>{_NUMBER})(?:\s?{DASH}\s?(?P<to>{_NUMBER}))?"
        rf"{_MAGNITUDE}\s?(?P<mark>{CURRENCY})(?![\w$])",
        _money,
    ),
)
