"""Apart: whether the microphone hears nothing of the loudspeaker, as that of a headset.

Takes the energies of near and far sound, 10 ms at a time, and whether the delay of the echo is
known; says whether there is no echo, and where that is so, whether a user speaks. Invariant: where
the delay is known, which it is from an echo only, there is one.

However late an echo may be, it is heard within half a second of the sound. So where the near sound
stayed far below the far for half a second after each of many loud blocks, none of them has an echo;
a user who speaks meanwhile only makes that known later. AEC3 cannot know it: it waits for an echo
to learn from, and as long as there is none it takes 20 to 45 dB off the user wherever we sound.
"""

from __future__ import annotations

from collections import deque

from visavis.backends.echo.double_talk import OF, SOFTEST, VOTES

LATEST_BLOCKS = 50
"""An echo that is later than 500 ms is not looked for anywhere."""
UNHEARD_BLOCKS = 30
"""So many loud blocks without an echo: 0.3 s, which we have said 1 s into a reply."""
LOUD = 0.016
"""Energy of a far block at −40 dB: nothing softer tells."""
UNHEARD = 10 ** (-33 / 10)
"""Of the loudest far block of the last half second: an echo softer than that is none. In rooms it
is 15 dB louder and more, and one of −30 dB is soon found by its delay."""
BEYOND = 10 ** (-27 / 10)
"""Of the same: what is louder is a user, 39 dB below full scale where we are as loud as usual."""


class Apart:
    """`known`: whether there is no echo. As long as that is so, `beyond`: whether the newest block
    is a user's, and `spoken`: whether a user speaks."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """The devices are others."""
        self.known = self.beyond = self.spoken = False
        self._far = deque([0.0] * LATEST_BLOCKS, maxlen=LATEST_BLOCKS)
        self._awaited = deque([False] * LATEST_BLOCKS, maxlen=LATEST_BLOCKS)
        self._unheard = 0
        self._votes: deque[bool] = deque(maxlen=OF)

    def feed(self, near: float, far: float, *, blind: bool) -> None:
        """Energies of the next 10 ms. `blind`: the delay is not known."""
        if not blind:
            self.known = self.beyond = self.spoken = False
            self._unheard = 0
            return
        self._far.append(far)
        loudest = max(self._far)
        self._listen(near > max(UNHEARD * loudest, SOFTEST), far > LOUD)
        self.known = self.known or self._unheard >= UNHEARD_BLOCKS
        self.beyond = self.known and loudest > 0 and near > max(BEYOND * loudest, SOFTEST)
        self._votes.append(self.beyond)
        self.spoken = sum(self._votes) >= VOTES

    def _listen(self, heard: bool, loud: bool) -> None:
        """`heard` may be the echo of any block that is awaited."""
        if heard:
            self._awaited.extend([False] * LATEST_BLOCKS)
            self._unheard = 0
        else:
            self._unheard += self._awaited[0]
            self._awaited.append(loud)
