"""Chinese names of signs between numbers and words: + − × ÷ = < > & and their like."""

from __future__ import annotations

import re

from visavis.speak.words.rule import NUMBER, table

_RELATIONS = {
    "=": "等于",
    "==": "等于",
    "＝": "等于",
    "≈": "约等于",
    "≠": "不等于",
    "!=": "不等于",
    "≤": "小于等于",
    "<=": "小于等于",
    "≥": "大于等于",
    ">=": "大于等于",
    "<": "小于",
    ">": "大于",
    "±": "正负",
    "+": "加",
    "＋": "加",
    "\u2212": "减",
    "×": "乘",
    "*": "乘",
    "÷": "除以",
}
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_OPERAND = r"[\w)）²³°%]"
_TERM = rf"[(（]*{NUMBER}[)）]*"
_SUM = rf"{_TERM}(?:\s?[-\u2212+*/×÷x＋]\s?{_TERM})+"


def _relation(m: re.Match[str]) -> str:
    return _RELATIONS[m[1]]


def _power(m: re.Match[str]) -> str:
    n = m[1].translate(_POWERS).strip("^{}").replace("-", "负")
    return "平方" if n == "2" else "立方" if n == "3" else f"的{n}次方"


def _sum(m: re.Match[str]) -> str:
    """Of an equation: its hyphens are 减, its slashes 除以."""
    said = re.sub(r"(?<=[\d)）])\s*[-\u2212]\s*(?=[\d(（])", "减", m[0])
    return re.sub(r"(?<=[\d)）])\s*/\s*(?=[\d(（])", "除以", said)


SUMS = table(
    "[=＝≈]|等于",
    (rf"(?<![A-Za-z\d.-]){_SUM}(?=\s?[=＝≈]|等于)", _sum),
    (rf"(?<=[=＝≈])\s?{_SUM}(?![\d/-])", _sum),
)
SIGNS = table(
    r"[#№+＋=＝≠≤≥<>±*÷×→⇒&＆^≈~～⁰¹²³⁴-⁹⁻\u2212]|\d\s?x\s?\d",
    (rf"(?<={_OPERAND})(\^\{{?-?\w+\}}?|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", _power),
    (rf"(?<={_OPERAND})\s*(==|!=|<=|>=|[=＝≈≠≤≥±+＋×÷\u2212])\s*(?=[\w(（√π-])", _relation),
    (
        rf"(?<={_OPERAND})\s+([<>*])\s+(?=[\w(（])|(?<=\d)([<>*])(?=\d)",
        lambda m: _RELATIONS[m[1] or m[2]],
    ),
    (r"(?<=\d)\s?[x]\s?(?=\d)", "乘"),
    (
        r"(?<![\w)）])([<>≤≥±+])\s?(?=\d)|(?<=[\u4e00-\u9fff])([<>≤≥±])\s?(?=\d)",
        lambda m: _RELATIONS[m[1] or m[2]],
    ),
    (r"(?<!\d)[≈~～]\s?(?=\d)", "约"),
    (r"(?<=\w)\s*[&＆]\s*(?=\w)", "和"),
    (r"\s*(?:→|⇒|->|=>)\s*", "到"),
    (r"[#№]\s?(\d+)号?", r"\1号"),
)
