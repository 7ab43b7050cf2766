"""The first two seconds of a canceller: a user is let past it.

Takes what a linear filter made of near sound and what a canceller and its gate made of that, 10 ms
at a time; gives the latter, and the former while a user speaks over an echo that the canceller has
hardly heard yet. Invariant: later than that nothing changes, but where there is no echo at all: a
canceller stays young there, and while a user speaks what was heard is given as it is.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from visavis.backends.echo.apart import Apart
from visavis.backends.echo.double_talk import DoubleTalk
from visavis.flow.events import Samples

EARLY_BLOCKS = 200
"""AEC3 takes 20 to 40 dB off a user in the first half second of far sound; after 1.8 s nine in ten
lose no more than 3 dB."""
HOLD_BLOCKS, HOLD_APART_BLOCKS = 5, 20
"""So long the way stays open between two sounds of a user, and where there is no echo."""
BACK_BLOCKS = 12
"""How much before that is given to who looks back for it: "st" is as soft as the echo."""
_NOTHING: Samples = np.zeros(0, np.float32)


class Early:
    """`late`: by how many samples the canceller's sound is later than its input.

    `beyond`: whether the newest block is more than echo, where that can be told here. `regained`:
    the sound before a user was known to speak, and the newest block, when the way has just opened.
    """

    def __init__(self, late: int) -> None:
        self._late = late
        self._double_talk, self._apart = DoubleTalk(), Apart()
        self.reset()

    def reset(self) -> None:
        """The room is another one."""
        self._double_talk.reset()
        self._apart.reset()
        self._kept: Samples = np.zeros(self._late, np.float32)
        self._lately: deque[Samples] = deque(maxlen=BACK_BLOCKS)
        self.regained: Samples = _NOTHING
        self._share, self._held = 0.0, 0
        self.begin()

    def begin(self) -> None:
        """The canceller is a new one; the room is not."""
        self._sounded = 0

    @property
    def beyond(self) -> bool:
        return self._apart.beyond or (self._is_early and self._double_talk.beyond)

    def feed(
        self,
        near: Samples,
        direct: Samples,
        far: Samples,
        clean: Samples,
        *,
        rest: float,
        blind: bool,
    ) -> Samples:
        """The next block: as heard, as filtered, as played, and as the canceller gives it.

        `rest`: the energy of echo that the filter expects to have left. `blind`: the delay is not
        known.
        """
        self._judge(near, direct, far, rest=rest, blind=blind)
        passing = near if self._apart.known else direct
        behind = np.concatenate([self._kept, passing])
        self._kept = behind[len(passing) :]
        behind = behind[: len(passing)]
        self._lately.append(behind)
        before, self._share = self._share, float(self._held > 0)
        self.regained = _NOTHING
        if before == self._share == 0:
            return clean
        if not before:
            self.regained = np.concatenate(self._lately)
        share = np.linspace(before, self._share, len(clean), dtype=np.float32)
        return np.asarray(clean + share * (behind - clean), np.float32)

    def _judge(
        self, near: Samples, direct: Samples, far: Samples, *, rest: float, blind: bool
    ) -> None:
        """Whether a user is to be let past now."""
        heard, sounds = float(near @ near), float(far @ far)
        self._apart.feed(heard, sounds, blind=blind)
        if not blind:
            self._sounded += sounds > 0
            self._double_talk.feed(heard, float(direct @ direct), sounds, rest)
        self._held = max(0, self._held - 1)
        if self._apart.spoken:
            self._held = HOLD_APART_BLOCKS
        elif not self._is_early:
            self._held = 0
        elif self._double_talk.spoken:
            self._held = HOLD_BLOCKS

    @property
    def _is_early(self) -> bool:
        return self._sounded <= EARLY_BLOCKS
