"""The outcome of looking at one thing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Verdict = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. A `problem` keeps the tier from running; a `note` does not."""

    group: str
    name: str
    verdict: Verdict
    value: str
    remedy: str = ""


def as_rows(checks: Iterable[Check]) -> list[dict[str, Any]]:
    """The checks as plain data."""
    return [asdict(check) for check in checks]
