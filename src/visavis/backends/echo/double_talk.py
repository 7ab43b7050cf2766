"""Double talk: whether a user speaks over the echo, by levels alone.

Takes the energies of near and far sound, of what a linear filter left of the near, and of the echo
that the filter expects to have left, 10 ms at a time; says whether there is more than echo.
Invariant: where nothing was played there is no double talk.

As Duttweiler's detector (IEEE Trans. Communications 26, 1978) it compares with the loudest that
the far sound has been of late; how loud an echo of that can be it learns from the echo itself.
`benchmarks/first_reply.py`: of 240 users who cut into a first reply, in random rooms, 237 are
found, and in 40 replies with nobody there no voice begins.
"""

from __future__ import annotations

from collections import deque

BEYOND_COUPLED = 1.3
BEYOND_REST = 4.0
"""How much more must be there than the loudest echo so far, and than what the filter may leave."""
VOTES, OF = 3, 5
RINGING = 0.8
"""How the power of the echo falls from block to block; more slowly, and users are lost after
each of our vowels."""
FORGETS = 0.997
DIP, CREEPS = 0.1, 1.12
"""In a dip of what is played, what is heard may be its ringing or a user: it is learnt slowly."""
FIRST_BLOCKS = 5
"""What is heard of so much sound after the delay was found is learnt as echo, whatever it is."""
SOFTEST = 1e-4
"""Energy of a block at −62 dB: nothing softer is a user, nor far sound to learn from."""


class DoubleTalk:
    """`beyond`: whether the newest block is more than echo; `spoken`: whether a user speaks."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets the room, and what was played."""
        self.beyond = self.spoken = False
        self._far = self._coupling = 0.0
        self._heard = 0
        self._votes: deque[bool] = deque(maxlen=OF)

    def feed(self, near: float, left: float, far: float, rest: float) -> None:
        """Energies of the next 10 ms; see above."""
        self._far = max(far, self._far * RINGING)
        echo = self._coupling * self._far
        least = max(BEYOND_REST * rest, BEYOND_COUPLED * echo, SOFTEST)
        dips = far < DIP * self._far
        self._heard += not dips
        self.beyond = self._heard > FIRST_BLOCKS and self._far > 0 and left > least
        self._votes.append(self.beyond)
        self.spoken = sum(self._votes) >= VOTES
        if self._far > SOFTEST and not self.beyond:
            heard = near / self._far
            if dips:
                heard = min(heard, CREEPS * self._coupling)
            self._coupling = max(self._coupling, heard)
        self._coupling *= FORGETS
