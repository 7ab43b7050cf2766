"""Whether the last word that Whisper wrote is a hesitation ("um", "uh") that it took for a word.

Takes what its decoder held likely at each step; gives a probability. Whisper was taught to leave
hesitations out: of "so, um" it makes "So one.", of "how far is it to, um" "How far is it to on?".
Yet it holds them a hundred times more likely there than where a word was said. For English only:
nothing is known of other languages.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Each as the word it is, not as the end of one. Not "er": it is held likely for "her" and "Earth".
HESITATIONS = (" um", " Um", " uh", " Uh", " hmm", " Hmm")
# A logistic regression of 151 hesitations taken for a word and 1,009 whole turns of one synthetic
# voice. In benchmarks/hesitations.py 44 of 54 of those are likelier than not, 2 of 440 of these.
BIAS, OF_HESITATION, OF_WORD = 13.9, 1.83, -1.47
LEAST_ODDS = -30.0
"""What the engine forbids has a logit that is no likelihood."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """How `likely` the last word is a hesitation, or one follows it, in [0, 1].

    It may also stand before that word, which then is one ("the capital of, um, France"): `instead`,
    the text with a hesitation there, of which token `at` begins the word. Empty if not.
    """

    likely: float = 0.0
    instead: tuple[int, ...] = ()
    at: int = 0


class Hesitations:
    """`write`: text as tokens; `read`: a token as text, empty if it is no part of a word."""

    def __init__(self, write: Callable[[str], Sequence[int]], read: Callable[[int], str]) -> None:
        tokens = [write(word) for word in HESITATIONS]
        self._ids = np.array(sorted({ids[0] for ids in tokens if len(ids) == 1}), np.intp)
        self._read = read

    def suspect(self, ids: Sequence[int], logits: Sequence[Any]) -> Suspicion:
        """What is to be thought of the last word; `logits[n]` are those that led to `ids[n]`.

        Nothing if it cannot be told, nor of a word that is the only one: "yes" is no reason to
        wait. `logits` may have one entry more than `ids`: what might follow.
        """
        word = self._last_word(ids)
        if word is None or not len(self._ids):
            return Suspicion()
        first, after = word
        held = _log_probabilities(logits[first])
        before = _log_sum(held[self._ids])
        behind = -math.inf
        if after < len(logits):
            behind = _log_sum(_log_probabilities(logits[after])[self._ids])
        odds = BIAS + OF_HESITATION * max(before, behind) + OF_WORD * float(held[ids[first]])
        likely = 1 / (1 + math.exp(-max(odds, LEAST_ODDS)))
        if behind > before:
            return Suspicion(likely)
        hesitation = int(self._ids[held[self._ids].argmax()])
        text = [token for token in ids[:first] if self._read(token)]
        word_ids = [token for token in ids[first:after] if self._read(token)]
        return Suspicion(likely, (*text, hesitation, *word_ids), len(text) + 1)

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
