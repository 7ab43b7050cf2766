"""Rules that turn written forms into words, in tables that are tried in their order.

A rule is a pattern and what stands in its place: a template, or a function of the match, which
may give back what it got. A table has a gate: one quick pattern without which none of its rules
can match. Most phrases pass few gates, so that reading one takes a fraction of a millisecond.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Becomes = str | Callable[[re.Match[str]], str]

NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
"""1234, 1,234, 3.14: ASCII separators, digits of any script."""
DASH = "[-\u2010-\u2015\u2212~\uff5e\u301c]"
MINUS = "[-\u2212]"
GROUPS = r"(?<![A-Za-z\d_.,+-])(\d{3,})[-\u2010\u2011](\d{3,})(?![A-Za-z\d_-]|[.,]\d)"
"""555-123: where it is called a number and the second is not the larger one, it is no range but
groups of digits, as of a phone number. Shorter ones (3-2) may be scores."""
INSTANT = r"(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?:Z|([+-])(\d\d):?([0-5]\d))"
"""2024-11-29T07:15:30.123+05:30 (ISO 8601): what is read; of its zone sign, hours and minutes."""


@dataclass(frozen=True, slots=True)
class Table:
    gate: re.Pattern[str]
    rules: tuple[tuple[re.Pattern[str], Becomes], ...]


def table(gate: str, *rules: tuple[str, Becomes]) -> Table:
    pairs = ((re.compile(pattern), becomes) for pattern, becomes in rules)
    return Table(re.compile(gate), tuple(pairs))


def apply(tables: Sequence[Table], text: str) -> str:
    for each in tables:
        if each.gate.search(text):
            for pattern, becomes in each.rules:
                text = pattern.sub(becomes, text)
    return text


def split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def any_of(words: Iterable[str]) -> str:
    """A pattern for one of these, the longest that fits."""
    return "(?:" + "|".join(re.escape(w) for w in sorted(words, key=len, reverse=True)) + ")"
