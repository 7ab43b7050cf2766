"""Whether the last word that Whisper wrote is a hesitation ("um", "uh") that it took for a word.

Takes what its decoder held likely at each step; gives a probability. Whisper was taught to leave
hesitations out: of "so, um" it makes "So one.", of "how far is it to, um" "How far is it to on?".
Yet it holds them a hundred times more likely there than where a word was said. For English only:
nothing is known of other languages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Each as the word it is, not as the end of one. Not "er": it is held likely for "her" and "Earth".
HESITATIONS = (" um", " Um", " uh", " Uh", " hmm", " Hmm")
# A logistic regression of 151 hesitations taken for a word and 1,009 whole turns of one synthetic
# voice. In benchmarks/hesitations.py 101 of 115 of those are likelier than not, 7 of 868 of these.
BIAS, OF_HESITATION, OF_WORD = 13.9, 1.83, -1.47
LEAST_ODDS = -30.0
"""What the engine forbids has a logit that is no likelihood."""


class Hesitations:
    """`write`: text as tokens; `read`: a token as text, empty if it is no part of a word."""

    def __init__(self, write: Callable[[str], Sequence[int]], read: Callable[[int], str]) -> None:
        tokens = [write(word) for word in HESITATIONS]
        self._ids = np.array(sorted({ids[0] for ids in tokens if len(ids) == 1}), np.intp)
        self._read = read

    def likely(self, ids: Sequence[int], logits: Sequence[Any]) -> float:
        """The probability, in [0, 1]; `logits[n]` are those from which `ids[n]` was chosen.

        0 if it cannot be told, and of a word that is the only one: "yes" is no reason to wait.
        `logits` may have one entry more than `ids`: what might follow.
        """
        found = self.evidence(ids, logits)
        if found is None:
            return 0.0
        odds = BIAS + OF_HESITATION * found[0] + OF_WORD * found[1]
        return 1 / (1 + math.exp(-max(odds, LEAST_ODDS)))

    def evidence(self, ids: Sequence[int], logits: Sequence[Any]) -> tuple[float, float] | None:
        """The log-probabilities of a hesitation, in the place of the last word or behind it, and of
        that word; None if it cannot be told."""
        word = self._last_word(ids)
        if word is None or not len(self._ids):
            return None
        first, after = word
        as_word = _log_probabilities(logits[first])
        likelihood = _log_sum(as_word[self._ids])
        if after < len(logits):
            likelihood = max(likelihood, _log_sum(_log_probabilities(logits[after])[self._ids]))
        return likelihood, float(as_word[ids[first]])

    def _last_word(self, ids: Sequence[int]) -> tuple[int, int] | None:
        """The first token of the last word, and the one behind it; None if there are not two."""
        after = len(ids)
        while after and not any(char.isalnum() for char in self._read(ids[after - 1])):
            after -= 1
        if not after:
            return None
        first = after - 1
        while first and not self._read(ids[first]).startswith(" "):
            first -= 1
        return (first, after) if any(self._read(i).strip() for i in ids[:first]) else None


def _log_probabilities(logits: Any) -> NDArray[np.float64]:
    values = np.asarray(logits, np.float64).reshape(-1)
    return np.asarray(values - _log_sum(values))


def _log_sum(values: NDArray[np.float64]) -> float:
    highest = float(values.max())
    return highest + math.log(float(np.exp(values - highest).sum()))
