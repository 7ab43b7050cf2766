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
    """How long the silence after a phrase may be: by the mark it ends with."""
    mark = written.rstrip().rstrip("\"')]}”’»」』）】》*_`~")[-1:]
    if mark and mark in ",;:，；：、—–":
        return GAP_MS["clause"]
    if written.endswith("\n") or (mark and mark in ".!?…。！？؟۔।"):
        return GAP_MS["sentence"]
    return GAP_MS["none"]


def trim(samples: Samples, rate_hz: int, tail_ms: int) -> tuple[Samples, int]:
    """Cuts the silence in front, and behind down to `tail_ms`: a view, and what was cut in front.

    All silence: nothing is left.
    """
    frame = max(rate_hz * FRAME_MS // 1000, 1)
    peak = float(np.max(np.abs(samples), initial=0.0))
    if peak < 2 / FULL_SCALE:
        return samples[:0], 0
    loud = np.flatnonzero(np.abs(samples) > SILENCE * peak)
    begin = max(int(loud[0]) - rate_hz * LEAD_MS // 1000, 0)
    end = min(int(loud[-1]) + frame + rate_hz * tail_ms // 1000, len(samples))
    return samples[begin:end], begin
