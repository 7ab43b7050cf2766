"""Echo: the microphone's sound without what the loudspeaker played.

Takes sound on the input axis in pieces of any size, and `sound.played`; gives the same stretch of
the axis, cleaned by a canceller of the contract. Invariants: how the input was split never shows
in the output; less than 10 ms waits for the rest of its block; as long as nothing was played,
nothing waits and not a sample changes.
"""

from __future__ import annotations

import logging

import numpy as np

from visavis.align.delay import MOST, WINDOW, DelayEstimator
from visavis.align.reference import Reference
from visavis.backends.contract import EchoCanceller
from visavis.flow.errors import EngineError
from visavis.flow.events import INPUT_RATE_HZ, Samples, SoundPlayed
from visavis.flow.ring import AudioRing

log = logging.getLogger(__name__)
BLOCK = INPUT_RATE_HZ // 100
LOOK_BLOCKS = 50
"""The delay is looked at twice a second: 2 ms of work."""
LEAST_LAG = 2
"""Blocks: what was played less than 20 ms ago is not yet known for certain."""
LEAD = BLOCK * 3 // 2
LEADS = (BLOCK // 4, BLOCK * 5)
"""By how much the far block is earlier than its echo: aimed at; least and most. Later than its
echo it is of no use, and much earlier than it, it leaves a filter no room for the ringing."""

_SILENCE: Samples = np.zeros(BLOCK, np.float32)
_NOTHING: Samples = np.zeros(0, np.float32)


class Cancelling:
    """Gives the canceller each block together with what was played one loop delay earlier.

    Without a `reference` every block goes through the canceller by itself, which then has only
    noise to suppress. `aligned` counts how often the delay made the canceller begin anew, `failed`
    the blocks at which it raised, which pass as they are.
    """

    def __init__(self, canceller: EchoCanceller, reference: Reference | None) -> None:
        self.aligned = self.failed = 0
        self._canceller, self._reference = canceller, reference
        canceller.reset()  # it may have served in another room
        self._delay = DelayEstimator()
        self._lag = LEAST_LAG
        self._near = AudioRing((WINDOW + LEAST_LAG * BLOCK) / INPUT_RATE_HZ)
        self._near.write(np.zeros(self._near.capacity, np.float32))
        self._waiting = _NOTHING
        self._block: int | None = None  # the next block's number on the axis, once there was one

    @property
    def waiting(self) -> int:
        """Samples taken and not yet given, less than a block."""
        return len(self._waiting)

    @property
    def delay_ms(self) -> float:
        """How much later than it was played the echo is heard; NaN while not known."""
        samples = self._delay.samples
        return float("nan") if samples is None else samples * 1000 / INPUT_RATE_HZ

    def hear(self, played: SoundPlayed) -> None:
        """Takes what is played from now on."""
        if self._reference is not None:
            self._reference.hear(played)

    def feed(self, start: int, samples: Samples) -> Samples:
        """Samples of the input axis from `start` on, which is where the last ones ended."""
        untouched = self._untouched(start, len(samples))
        if self._block is None:
            return samples
        sound = np.concatenate([self._waiting, samples[untouched:]])
        whole = len(sound) - len(sound) % BLOCK
        self._waiting = sound[whole:]
        blocks = [self._clean(sound[at : at + BLOCK]) for at in range(0, whole, BLOCK)]
        return np.concatenate([samples[:untouched], *blocks])

    def flush(self) -> Samples:
        """What waits: no more is to come."""
        count = len(self._waiting)
        if not count:
            return _NOTHING
        block = np.concatenate([self._waiting, _SILENCE[count:]])
        self._waiting = _NOTHING
        return self._clean(block)[:count]

    def close(self) -> None:
        self._canceller.close()

    def _untouched(self, start: int, count: int) -> int:
        """How many of the next samples lie before the first block."""
        if self._block is not None:
            return 0
        first = 0 if self._reference is None else self._reference.began
        if first is None:
            return count
        block = -(-max(start, first) // BLOCK)
        if block * BLOCK >= start + count:
            return count
        self._block = block
        return block * BLOCK - start

    def _clean(self, near: Samples) -> Samples:
        assert self._block is not None
        far, delay_ms = _SILENCE, 0.0
        if self._reference is not None:
            at = (self._block - self._lag) * BLOCK
            far = self._reference.read(at, at + BLOCK)
            delay_ms = self._lead * 1000 / INPUT_RATE_HZ
            self._look(self._reference, near)
        self._block += 1
        try:
            return self._canceller.feed(near, far, delay_ms)
        except EngineError as error:
            self.failed += 1
            log.warning("%s", error)
            return near

    @property
    def _lead(self) -> int:
        """By how many samples the far block is earlier than its echo, as far as is known."""
        return LEAD if self._delay.samples is None else self._delay.samples - self._lag * BLOCK

    def _look(self, reference: Reference, near: Samples) -> None:
        assert self._block is not None
        self._near.write(near)
        if self._block % LOOK_BLOCKS:
            return
        # Sound that young is not yet in the reference.
        end = (self._block + 1 - LEAST_LAG) * BLOCK
        before = self._near.begin
        self._delay.look(
            self._near.slice(before, before + WINDOW), reference.read(end - WINDOW - MOST, end)
        )
        self._aim()

    def _aim(self) -> None:
        samples = self._delay.samples
        if samples is None or LEADS[0] <= self._lead <= LEADS[1]:
            return
        lag = max(LEAST_LAG, (samples - LEAD) // BLOCK)
        if lag != self._lag:
            log.info("the echo is %.0f ms late", self.delay_ms)
            self._lag = lag
            self.aligned += 1
            self._canceller.reset()
