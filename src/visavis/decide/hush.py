"""Who asks for silence gets it: turns that ask us to be silent, and for nothing else.

Takes turns and whether they began over ours; says which they are. Invariant: what follows such a
turn within `REACH` belongs to it, if together they still ask for nothing else: of "Wait." and "No."
neither is a question, whoever makes two turns of them.
"""

from __future__ import annotations

from visavis.decide.wording import Words, hushes, words_of
from visavis.flow.events import INPUT_RATE_HZ, TurnEnded, TurnExpected

REACH = 2 * INPUT_RATE_HZ


class Hush:
    """`names`: what we are called, which may be said with it."""

    def __init__(self, names: tuple[str, ...] = ()) -> None:
        self._names = names
        self._words: Words = []  # of the last that began over ours
        self._until = -1  # so long what begins belongs to it
        self._traces: set[int] = set()

    def is_asked(self, turn: TurnExpected | TurnEnded, *, over_ours: bool) -> bool:
        """Whether the turn asks for silence and nothing else."""
        words = words_of(turn.text)
        if turn.start <= self._until:
            return bool(words) and hushes([*self._words, *words], self._names)
        return over_ours and hushes(words, self._names)

    def grant(self, turn: TurnEnded) -> None:
        """It was asked for, with this turn."""
        if turn.start > self._until:
            self._words = words_of(turn.text)
        self._until = turn.end + REACH
        self._traces.add(turn.trace)

    def granted(self, turn: TurnEnded) -> bool:
        """Whether the turn is one of those."""
        return turn.trace in self._traces

    def end(self) -> None:
        """Something else is asked: what follows belongs to that."""
        self._until = -1
        self._traces.clear()
