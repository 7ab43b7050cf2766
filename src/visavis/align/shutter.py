"""Half duplex: the microphone is shut while we speak.

Takes sound on the input axis in pieces of any size, and `sound.played`; gives the same pieces, with
silence where our own voice may be heard. Invariant: how the input was split never shows.
"""

from __future__ import annotations

from collections import deque

from visavis.flow.events import INPUT_RATE_HZ, Samples, SoundPlayed


class HalfDuplex:
    """Silence instead of the microphone while we sound and for `after_ms` more.

    Of a playback of `rate_hz`. `muted` counts the samples. Bounded: pauses in our speech shorter
    than `after_ms` do not count as pauses, and of longer ones the latest few are known.
    """

    def __init__(self, rate_hz: int, *, after_ms: float = 200) -> None:
        self.muted = 0
        self._rate_hz = rate_hz
        self._after = round(after_ms * INPUT_RATE_HZ / 1000)
        self._shut: deque[tuple[int, int]] = deque(maxlen=64)

    def hear(self, played: SoundPlayed) -> None:
        """Takes what is played from now on."""
        if not len(played.samples):
            return
        begin = played.start * INPUT_RATE_HZ // self._rate_hz
        end = played.start + len(played.samples)
        end = -(-end * INPUT_RATE_HZ // self._rate_hz) + self._after
        if self._shut and begin <= self._shut[-1][1]:
            begin = self._shut.pop()[0]
        self._shut.append((begin, end))

    def feed(self, start: int, samples: Samples) -> Samples:
        """Samples of the input axis from `start` on."""
        while self._shut and self._shut[0][1] <= start:
            self._shut.popleft()
        heard = samples
        for begin, end in self._shut:
            first, last = max(begin - start, 0), min(end - start, len(samples))
            if first < last:
                heard = heard.copy() if heard is samples else heard
                heard[first:last] = 0
                self.muted += last - first
        return heard
