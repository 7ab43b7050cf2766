"""Who asks for silence gets it: turns that ask us to be silent, and for nothing else.

Takes turns and what they were said over; says which they are. Invariant: what follows such a turn
within `REACH`, and before we have said anything, belongs to it if it asks for nothing: of "Wait."
and "No." neither is a question, whoever makes two turns of them.
"""

from __future__ import annotations

from visavis.decide.wording import adds_nothing, calls, hushes, refuses, words_of
from visavis.flow.events import INPUT_RATE_HZ, TurnEnded, TurnExpected
from visavis.flow.text import is_question

REACH = 2 * INPUT_RATE_HZ


class Hush:
    """`names`: what we are called, which may be said with it."""

    def __init__(self, names: tuple[str, ...] = ()) -> None:
        self._names = names
        self._until = -1  # so long what begins belongs to the last one
        self._over_warning = False

    def begin_over_warning(self) -> None:
        """The user speaks while a warning sounds, which no voice stops."""
        self._over_warning = True

    def is_asked(self, turn: TurnExpected | TurnEnded, *, over_reply: bool, we_asked: bool) -> bool:
        """Whether the turn asks for silence and nothing else. If `we_asked`, "no" is an answer."""
        words = words_of(turn.text)
        follows = turn.start <= self._until and not is_question(turn.text)
        if hushes(words, self._names):
            return over_reply or self._over_warning or follows
        if over_reply and not we_asked and refuses(words):
            return True
        return follows and adds_nothing(words) and not calls(words, self._names)

    def grant(self, turn: TurnEnded) -> None:
        """It was asked for, with this turn."""
        if turn.start > self._until or hushes(words_of(turn.text), self._names):
            self._until = turn.end + REACH

    def end_turn(self) -> None:
        """The user's turn is over."""
        self._over_warning = False

    def close(self) -> None:
        """What follows belongs to something else: a question, or what we have said since."""
        self._until = -1
