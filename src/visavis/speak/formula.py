"""Formulas in TeX, as text that can be read aloud.

Takes text that may hold `\\(…\\)`, `\\[…\\]`, `$…$`, `$$…$$`, whole or cut anywhere. Gives it with
common commands as signs and words, and without the rest. Remembers nothing: a formula cut into
phrases is read phrase by phrase.
"""

from __future__ import annotations

import re

from visavis.speak.words.rule import split

_GREEK = split(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega"
)
_COMMANDS = {
    **{name: f" {name} " for name in _GREEK},
    **{name.capitalize(): f" {name} " for name in _GREEK},
    "times": " × ",
    "cdot": " × ",
    "div": " ÷ ",
    "pm": " ± ",
    "approx": " ≈ ",
    "le": " ≤ ",
    "leq": " ≤ ",
    "ge": " ≥ ",
    "geq": " ≥ ",
    "ne": " ≠ ",
    "neq": " ≠ ",
    "lt": " < ",
    "gt": " > ",
    "to": " → ",
    "rightarrow": " → ",
    "Rightarrow": " → ",
    "infty": " infinity ",
    "sum": " sum ",
    "int": " integral ",
    "prod": " product ",
    "partial": " partial ",
    "sin": " sine ",
    "cos": " cosine ",
    "tan": " tangent ",
    "log": " log ",
    "ln": " log ",
    "circ": "°",
    "degree": "°",
    "percent": "%",
    "ldots": "…",
    "dots": "…",
    **dict.fromkeys(
        split("quad qquad displaystyle textstyle limits nolimits hline tag label left right"), " "
    ),
}
_GROUP = r"\{([^{}]*)\}"
_INLINE = re.compile(r"(?<![\w$\\])\$(?!\s)([^$\n]*[\\^_={}+][^$\n]*|[A-Za-z])(?<!\s)\$(?![\w$])")
_DELIMITER = re.compile(r"\\[()\[\]]|\$\$")
_STEPS = tuple(
    (re.compile(pattern), becomes)
    for pattern, becomes in (
        (r"\\(?:begin|end)\s*\{[^{}]*\}|\\(?:left|right|big|Big|bigg)\b", " "),
        (rf"\\(?:text|mathrm|mathbf|mathit|operatorname|boxed|textbf)\s*{_GROUP}", r" \1 "),
        (
            r"\\(int|sum|prod)\s*_\s*(?:\{([^{}]*)\}|(\w))\s*\^\s*(?:\{([^{}]*)\}|(\\?\w+))",
            r"\\\1 from \2\3 to \4\5 of ",
        ),
        (r"\^\s*\{?\s*\\circ\s*\}?", "°"),
        (rf"\^\s*{_GROUP}", r"^\1"),
        (rf"_\s*{_GROUP}", r" \1 "),
        (r"(?<=[A-Za-z)])_(?=\w(?!\w))", " "),
        (rf"\\sqrt\s*{_GROUP}", r" √\1 "),
        (rf"\\[dt]?frac\s*{_GROUP}\s*{_GROUP}", r" \1 over \2 "),
        (rf"\\sqrt\s*{_GROUP}", r" √\1 "),
        (r"\\[,;:! ]|\\\\|&(?=\s*=)", " "),
        (r"\\([%$#&_{}])", r"\1"),
    )
)
_DIGIT_FRACTION = re.compile(r"\\[dt]?frac\s*\{(\d+)\}\s*\{(\d+)\}")
_COMMAND = re.compile(r"\\([A-Za-z]+)")


def plain_formulas(text: str) -> str:
    """The text with its formulas as signs and words."""
    if "$" in text:
        text = _INLINE.sub(lambda m: _read(m[1]), text)
    if "\\" not in text and "$$" not in text:
        return text
    return _read(_DELIMITER.sub(" ", text))


def _read(formula: str) -> str:
    formula = _DIGIT_FRACTION.sub(r"\1/\2", formula)
    for pattern, becomes in _STEPS:
        formula = pattern.sub(becomes, formula)
    return _COMMAND.sub(lambda m: _COMMANDS.get(m[1], f" {m[1]} "), formula)
