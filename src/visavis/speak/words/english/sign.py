"""English names of signs between numbers and words: + − × ÷ = < > & # / → and their like."""

from __future__ import annotations

import re

from visavis.speak.words.rule import NUMBER, table

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n")
_POWERS = {"2": "squared", "3": "cubed"}
_RELATIONS = {
    "=": "equals",
    "==": "equals",
    "≈": "is about",
    "≠": "is not",
    "!=": "is not",
    "≤": "is at most",
    "<=": "is at most",
    "≥": "is at least",
    ">=": "is at least",
    "<": "is less than",
    ">": "is greater than",
    "±": "plus or minus",
    "+": "plus",
    "\u2212": "minus",
    "×": "times",
    "*": "times",
    "·": "times",
    "÷": "divided by",
}
_BEFORE = {
    "<": "less than ",
    ">": "more than ",
    "≤": "at most ",
    "≥": "at least ",
    "±": "plus or minus ",
    "≈": "about ",
    "~": "about ",
    "～": "about ",
    "+": "plus ",
}
_OPERAND = r"[\w)²³°%]"


def _relation(m: re.Match[str]) -> str:
    return f" {_RELATIONS[m[1]]} "


def _prefix(m: re.Match[str]) -> str:
    return _BEFORE[m[1]]


def _power(m: re.Match[str]) -> str:
    n = m[1].translate(_SUPERSCRIPTS).strip("{}")
    n = n.replace("-", "minus ")
    return f" {_POWERS[n]} " if n in _POWERS else f" to the power of {n} "


def _product(m: re.Match[str]) -> str:
    """1920x1080 is a size, 3x4 a product."""
    large = min(len(m[1]), len(m[2])) > 2
    return f"{m[1]} {'by' if large else 'times'} {m[2]}"


def _sum(m: re.Match[str]) -> str:
    """Of an equation: its hyphens are minus, its slashes a division."""
    said = re.sub(r"(?<=[\d)])\s*[-\u2212]\s*(?=[\d(])", " minus ", m[0])
    return re.sub(r"(?<=[\d)])\s*/\s*(?=[\d(])", " divided by ", said)


_TERM = rf"\(*{NUMBER}\)*"
SUMS = table(
    "[=≈]",
    (rf"(?<![\w.-]){_TERM}(?:\s?[-\u2212+*/×÷x]\s?{_TERM})+(?=\s?[=≈])", _sum),
    (rf"(?<=[=≈])\s?{_TERM}(?:\s?[-\u2212+*/×÷x]\s?{_TERM})+(?![\w/-])", _sum),
)
_AMOUNT_AHEAD = r"(?=[$€£¥]?\.?\d)"
PREFIXES = table(
    "[<>≤≥±≈~～+]",
    (rf"(?<![\w)])(?<![\d)] )(?<!\b[A-Za-z] )([<>≤≥±≈~～+]){_AMOUNT_AHEAD}", _prefix),
    (rf"(?<![\w)])(?<![\w)] )([<>≤≥±≈~～+])\s{_AMOUNT_AHEAD}", _prefix),
)
SIGNS = table(
    r"[#+=≠≤≥<>±*·÷×√→⇒⟶&＆@/^≈~～⁰¹²³⁴-⁹⁻⁺ⁿ\u2212]|\d\s?x\s?\d|[\da-z] - \w",
    (r"(?i)\b([CFA-GJ])#(?!\w)", r"\1 sharp"),
    (r"(?<!\w)#\s?(?=\d)", "number "),
    (r"(?<!\w)#(?=\w)", "hashtag "),
    (r"\b(\w)\+\+(?!\w)", r"\1 plus plus"),
    (r"\b(\d+)\s?[x×]\s?(\d+)(?!\w)", _product),
    (rf"(?<={_OPERAND})(?:\^(\{{?-?\w+\}}?))", _power),
    (r"(?<=[\w)])([⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ]+)", _power),
    (rf"(?<={_OPERAND})\s+(==|!=|<=|>=|[=≈≠≤≥<>±+*×·÷\u2212])\s+(?=[\w(√π.-])", _relation),
    (rf"(?<={_OPERAND})(==|!=|<=|>=|[=≈≠≤≥±+×÷\u2212])(?=[\w(√π-])", _relation),
    (r"(?<=\d)([<>*])(?=\d)", _relation),
    (r"(?<=\w)\+(?!\w)", " plus"),
    (r"√\s?(?=[\w(])", "square root of "),
    (r"\s*(?:→|⇒|⟶|->|=>)\s*", " to "),
    (r"(?<=\w)\s*[&＆]\s*(?=\w)", " and "),
    (r"(?<=\w)\s+@\s+(?=[\w$€£¥])", " at "),
    (r"(?<=[^\W\d])\s?/\s?(?=[^\W\d])", " "),
    (r"(?<=\b[a-z]) - (?=\w)|(?<=squared) - (?=\w)", " minus "),
    (r"(?<=\d) - (?=\d)", " to "),
)
