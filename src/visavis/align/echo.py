"""Echo: the microphone's sound without what the loudspeaker played.

Takes sound on the input axis in pieces of any size, and `sound.played`; gives the same stretch of
the axis, cleaned by a canceller of the contract. Invariants: how the input was split never shows
in the output; less than 10 ms waits for the rest of its block; as long as nothing was played,
nothing waits and not a sample changes.
"""

from __future__ import annotations

import logging
import math

import numpy as np

from visavis.align.delay import MOST, WINDOW, DelayEstimator
from visavis.align.drift import Drift
from visavis.align.reference import Reference
from visavis.backends.contract import EchoCanceller
from visavis.flow.errors import EngineError
from visavis.flow.events import INPUT_RATE_HZ, Samples, SoundPlayed, Span
from visavis.flow.ring import AudioRing

log = logging.getLogger(__name__)
BLOCK = INPUT_RATE_HZ // 100
LOOK_BLOCKS, SEEK_BLOCKS = 50, 5
"""The delay is looked at twice a second, and while it is not known twenty times, for who cuts in is
not heard before it is: 1 ms of work."""
LEAST_LAG = 2 * BLOCK
"""What was played less than 20 ms ago is not yet known for certain."""
LEAD = BLOCK * 3 // 2
LEADS = (BLOCK // 4, BLOCK * 5)
"""By how much the far block is earlier than its echo: aimed at; least and most. Later than its
echo it is of no use, and much earlier than it, it leaves a filter no room for the ringing."""
PULL = 0.05
"""How much of what drift has left over is made good at each look."""

_SILENCE: Samples = np.zeros(BLOCK, np.float32)
_NOTHING: Samples = np.zeros(0, np.float32)


class Cancelling:
    """Gives the canceller each block together with what was played one loop delay earlier.

    Without a `reference` every block goes through the canceller by itself, which then has only
    noise to suppress. Where the clocks drift apart, the far sound is read as much slower or faster.
    `aligned` counts how often the delay made the canceller begin anew, `failed` the blocks at which
    it raised, which pass as they are.
    """

    def __init__(self, canceller: EchoCanceller, reference: Reference | None) -> None:
        self.aligned = self.failed = 0
        self._canceller, self._reference = canceller, reference
        canceller.reset()  # it may have served in another room
        self._estimator, self._drift = DelayEstimator(), Drift()
        self._lag: float = LEAST_LAG  # samples, of the far sound that is read
        self._delay = float("nan")  # samples, of the echo
        self._lead = float("nan")  # the one less the other, which a drift must not change
        self._near = AudioRing((WINDOW + LEAST_LAG) / INPUT_RATE_HZ)
        self._near.write(np.zeros(self._near.capacity, np.float32))
        self._waiting = _NOTHING
        self._block: int | None = None  # the next block's number on the axis, once there was one
        self._doubted: list[Span] = []  # not told yet
        self._regained: list[tuple[int, Samples]] = []  # nor this

    @property
    def waiting(self) -> int:
        """Samples taken and not yet given, less than a block."""
        return len(self._waiting)

    @property
    def delay_ms(self) -> float:
        """How much later than it was played the echo is heard; NaN while not known."""
        return self._delay * 1000 / INPUT_RATE_HZ

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

    def doubted(self) -> tuple[Span, ...]:
        """What was given since the last call and may be no more than echo."""
        told, self._doubted = tuple(self._doubted), []
        return told

    def regained(self) -> list[tuple[int, Samples]]:
        """From which sample on what was given should have been what, as is known since."""
        told, self._regained = self._regained, []
        return told

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
            far = self._reference.read_at(self._block * BLOCK - self._lag, BLOCK)
            delay_ms = (self._delay - self._lag) * 1000 / INPUT_RATE_HZ
            self._look(self._reference, near)
            moved = self._drift.rate * BLOCK
            self._delay += moved
            self._lag = max(LEAST_LAG, self._lag + moved)
        start = self._block * BLOCK
        self._block += 1
        try:
            clean = self._canceller.feed(near, far, delay_ms)
            if self._canceller.doubted:
                self._doubt(start)
            if len(late := self._canceller.regained):
                self._regained.append((start + BLOCK - len(late), late))
            return clean
        except EngineError as error:
            self.failed += 1
            log.warning("%s", error)
            return near

    def _doubt(self, start: int) -> None:
        if self._doubted and self._doubted[-1].end == start:
            self._doubted[-1] = Span(self._doubted[-1].begin, start + BLOCK)
        else:
            self._doubted.append(Span(start, start + BLOCK))

    def _look(self, reference: Reference, near: Samples) -> None:
        assert self._block is not None
        self._near.write(near)
        if self._block % (SEEK_BLOCKS if self._estimator.samples is None else LOOK_BLOCKS):
            return
        # Sound that young is not yet in the reference.
        end = (self._block + 1) * BLOCK - LEAST_LAG
        heard = self._near.slice(self._near.begin, self._near.begin + WINDOW)
        jumps = self._estimator.jumps
        if self._estimator.samples is not None:
            self._estimator.samples = round(self._delay)  # it drifts on while nothing sounds
        if self._estimator.look(heard, reference.read(end - WINDOW - MOST, end)):
            assert self._estimator.samples is not None
            self._aim(end, self._estimator.samples, jumped=self._estimator.jumps > jumps)

    def _aim(self, at: int, delay: int, *, jumped: bool) -> None:
        if jumped:
            self._drift.reset()
        drifted = self._drift.rate != 0
        self._drift.see(at, delay)
        first = math.isnan(self._delay)
        self._delay, lead = delay, delay - self._lag
        # At first there is little to lose, and a lead near its bound would soon be beyond it.
        if not LEADS[0] <= lead <= (2 * LEAD if first else LEADS[1]):
            self._begin(max(LEAST_LAG, delay - LEAD))
        elif not drifted:
            self._lead = lead
        elif self._drift.rate:
            self._lag += PULL * (lead - self._lead)

    def _begin(self, lag: float) -> None:
        self._lead = self._delay - lag
        if lag != self._lag:
            log.info("the echo is %.0f ms late", self.delay_ms)
            self._lag = lag
            self.aligned += 1
            self._canceller.reset()
