"""Who asks for silence gets it: turns that ask us to be silent, and for nothing else.

Takes turns and what they were said over; says which they are. Invariant: what follows such a turn
within `REACH`, and before we have said anything, belongs to it if it asks for nothing: of "Wait."
and "No." neither is a question, whoever makes two turns of them.
"""

from __future__ import annotations

from visavis.decide.wording import adds_nothing, calls, hushes, refuses, words_of
from visavis.flow.clock import NS_PER_S
from visavis.flow.events import INPUT_RATE_HZ, TurnEnded, TurnExpected
from visavis.flow.text import is_question

REACH = 2 * INPUT_RATE_HZ
LATE_NS = NS_PER_S
"""Who says "stop" so shortly after our last sound could not know that it was the last."""


class Hush:
    """`names`: what we are called, which may be said with it."""

    def __init__(self, names: tuple[str, ...] = ()) -> None:
        self._names = names
        self._until = -1  # so long what begins belongs to the last one
        self._over_warning = False
        self._silent_ns = -LATE_NS  # since when we are

    def fall_silent(self, t_ns: int) -> None:
        """The last that we said has ended."""
        self._silent_ns = t_ns

    def begin_over_warning(self) -> None:
        """The user speaks while a warning sounds, which no voice stops."""
        self._over_warning = True

    def is_asked(self, turn: TurnExpected | TurnEnded, *, over_reply: bool, we_asked: bool) -> bool:
        """Whether the turn asks for silence and nothing else. If `we_asked`, "no" is an answer."""
        asks = is_question(turn.text)
        follows = turn.start <= self._until and not asks
        if self.is_nothing_else(turn.text):
            start_ns = turn.start * NS_PER_S // INPUT_RATE_HZ
            late = start_ns - self._silent_ns < LATE_NS
            return over_reply or self._over_warning or follows or late
        if we_asked or asks:
            return False
        words = words_of(turn.text)
        if over_reply and refuses(words):
            return True
        return follows and adds_nothing(words) and not calls(words, self._names)

    def is_nothing_else(self, text: str) -> bool:
        """Whether these words ask for silence, wherever they are said."""
        return hushes(words_of(text), self._names)

    def grant(self, turn: TurnEnded) -> None:
        """It was asked for, with this turn."""
        if turn.start > self._until or self.is_nothing_else(turn.text):
            self._until = turn.end + REACH

    def end_turn(self) -> None:
        """The user's turn is over."""
        self._over_warning = False

    def close(self) -> None:
        """What follows belongs to something else: a question, or what we have said since."""
        self._until = -1
