"""Whether the last word that Whisper wrote is a hesitation ("um", "uh") that it took for a word.

Takes what its decoder held likely at each step; gives a probability. Whisper was taught to leave
hesitations out: of "so, um" it makes "So one.", of "how far is it to, um" "How far is it to on?".
Yet it holds them a hundred times more likely there than where a word was said. For English only:
nothing is known of other languages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

HESITATIONS = ("um", "umm", "uh", "uhh", "uhm", "er", "erm", "hm", "hmm")
# A logistic regression of 145 hesitations taken for a word and 998 whole turns, of one synthetic
# voice in twelve takes: nine of ten are found, and one of fifty whole turns is taken for one.
BIAS, OF_HESITATION, OF_WORD = 7.5, 1.2, -1.9

Logits = NDArray[np.float32]


class Hesitations:
    """`write`: text as tokens; `read`: a token as text, empty if it is no part of a word."""

    def __init__(self, write: Callable[[str], Sequence[int]], read: Callable[[int], str]) -> None:
        tokens = [write(form) for word in HESITATIONS for form in _forms(word)]
        self._ids = np.array(sorted({ids[0] for ids in tokens if len(ids) == 1}), np.intp)
        self._read = read

    def likely(self, ids: Sequence[int], logits: Sequence[Any]) -> float:
        """The probability, in [0, 1]; `logits[n]` are those from which `ids[n]` was chosen.

        0 if it cannot be told. `logits` may have one entry more than `ids`: what might follow.
        """
        word = self._last_word(ids)
        if word is None or not len(self._ids):
            return 0.0
        first, after = word
        as_word = _log_probabilities(logits[first])
        likelihood = _log_sum(as_word[self._ids])
        if after < len(logits):
            likelihood = max(likelihood, _log_sum(_log_probabilities(logits[after])[self._ids]))
        odds = BIAS + OF_HESITATION * likelihood + OF_WORD * float(as_word[ids[first]])
        return 1 / (1 + math.exp(-odds))

    def _last_word(self, ids: Sequence[int]) -> tuple[int, int] | None:
        """The first token of the last word, and the one behind it."""
        after = len(ids)
        while after and not any(char.isalnum() for char in self._read(ids[after - 1])):
            after -= 1
        if not after:
            return None
        first = after - 1
        while first and not self._read(ids[first]).startswith(" "):
            first -= 1
        return first, after


def _forms(word: str) -> Iterator[str]:
    for form in (word, word.capitalize()):
        yield from (form, f" {form}")


def _log_probabilities(logits: Any) -> NDArray[np.float64]:
    values = np.asarray(logits, np.float64).reshape(-1)
    return np.asarray(values - _log_sum(values))


def _log_sum(values: NDArray[np.float64]) -> float:
    highest = float(values.max())
    return highest + math.log(float(np.exp(values - highest).sum()))
