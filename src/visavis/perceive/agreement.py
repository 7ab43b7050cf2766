"""Which words of a growing recognition will stay: those on which two in a row agree.

LocalAgreement-2 of Liu, Spanakis and Niehues 2020 ("Low-latency sequence-to-sequence speech
recognition and translation by partial hypothesis selection"), over words, and over characters
where a language writes no spaces. Invariant: between two settled texts, the stable text only
grows. Letter case and punctuation may differ between hypotheses; the first agreed ones stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from visavis.flow.text import WIDE

# A wide character, or anything between spaces and such characters.
UNIT = re.compile(rf"[{WIDE}]|(?:(?![{WIDE}])\w)+(?:['’.,:@/&+-](?:(?![{WIDE}])\w)+)*")


class Agreement:
    """The stable text of one utterance."""

    def __init__(self) -> None:
        self.stable = ""
        self._units = 0
        self._previous: list[str] = []

    def update(self, hypothesis: str) -> str:
        """Takes a new hypothesis; gives it with the stable text in front, as it now is."""
        found = list(UNIT.finditer(hypothesis))
        keys = [unit.group().casefold() for unit in found]
        agreed = max(self._units, _common(keys, self._previous))
        ends = [0, *(unit.end() for unit in found)]
        if agreed > self._units:
            self.stable += hypothesis[ends[self._units] : ends[agreed]]
            self._units = agreed
        self._previous = keys
        if self._units >= len(ends):
            return self.stable
        return self.stable + hypothesis[ends[self._units] :]

    def settle(self, text: str) -> None:
        """A final recognition: all of it is stable, but for the punctuation at its end."""
        found = list(UNIT.finditer(text))
        self.stable = text[: found[-1].end()] if found else ""
        self._units = len(found)
        self._previous = [unit.group().casefold() for unit in found]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many units both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
