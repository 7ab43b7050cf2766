"""Tables of utterances, one a line."""

from __future__ import annotations


def lines(table: str) -> list[str]:
    """The lines that are not empty."""
    return [line for line in table.splitlines() if line]
