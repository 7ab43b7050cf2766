"""The samples of a phrase, made fit to be played and recorded.

Takes samples as a voice made them. Gives samples on the 16-bit grid (k / 32768, so that a FLAC of
them is exact), without the voice's own silence in front and with a natural gap behind.
"""

from __future__ import annotations

import numpy as np

from visavis.flow.events import Samples

FULL_SCALE = 32_768
SILENCE = 0.01
"""Below this part of the phrase's peak (-40 dB) it is silence."""
LEAST_PEAK = 0.1
"""What begins more softly than this may still become louder: its peak is no measure."""
LEAD_MS = 15
"""Kept in front of the first sound: a soft consonant begins below the threshold."""
GAP_MS = {"clause": 120, "sentence": 250, "none": 40}
FRAME_MS = 5


def on_grid(samples: Samples) -> Samples:
    """Float32 of shape (n,), each a multiple of 1/32768 in [-1, 1); NaN and infinities are 0."""
    finite = np.nan_to_num(samples.astype(np.float32, copy=False), nan=0.0, posinf=0.0, neginf=0.0)
    steps = np.clip(np.round(finite * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1)
    return np.asarray(steps / FULL_SCALE, dtype=np.float32)


def gap_ms(written: str) -> int:
    """How long the silence after a phrase may be."""
    return GAP_MS[ending(written)]


def ending(written: str) -> str:
    """What the phrase is the end of, by its last mark: a sentence, a clause, or none."""
    mark = written.rstrip().rstrip("\"')]}”’»」』）】》*_`~")[-1:]
    if mark and mark in ",;:，；：、—–":
        return "clause"
    if written.endswith("\n") or (mark and mark in ".!?…。！？؟۔।"):
        return "sentence"
    return "none"


class Trim:
    """Cuts the silence in front of a phrase, and behind it down to `tail_ms`, piece by piece.

    `cut`: the samples cut in front so far. Joined, what `feed` gives is the same however the sound
    is cut into pieces, but that each is measured by the peak up to its own end.
    """

    def __init__(self, rate_hz: int, tail_ms: int) -> None:
        frame = max(rate_hz * FRAME_MS // 1000, 1)
        self._lead = rate_hz * LEAD_MS // 1000
        self._tail = frame + rate_hz * tail_ms // 1000
        self._peak = LEAST_PEAK
        self._held: Samples = np.zeros(0, np.float32)  # silence: more sound may follow it
        self._at = 0  # where it begins
        self._end: int | None = None  # where the sound ends, with its tail; None: not begun yet
        self.cut = 0

    def feed(self, samples: Samples) -> Samples:
        """The next piece; gives what is certain to stay: a view, where nothing was held."""
        self._peak = max(self._peak, float(np.max(np.abs(samples), initial=0.0)))
        loud = np.flatnonzero(np.abs(samples) > SILENCE * self._peak)
        first = self._at + len(self._held)
        held = np.concatenate([self._held, samples]) if len(self._held) else samples
        if self._end is None:
            begin = first + int(loud[0]) if len(loud) else first + len(samples)
            held = held[max(begin - self._lead - self._at, 0) :]
            self._at = self.cut = first + len(samples) - len(held)
        if len(loud):
            self._end = first + int(loud[-1]) + self._tail
        given = held[: max((self._end or 0) - self._at, 0)]
        self._at += len(given)
        self._held = held[len(given) :]
        return given
