"""The outline of a sound as an SVG path.

Takes an envelope, the peak of each 20 ms; gives a picture that stretches to its place. Invariant:
at most 1500 points, and no peak is lost: the highest of neighbours stands for them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from visavis.bench.drawing.markup import element, joined

ENVELOPE_S = 0.02
MOST_POINTS = 1500
LOUDNESS = 0.6  # exponent: quiet sounds are seen too


def wave(envelope: Sequence[float], whole_s: float, top: int, height: int, name: str) -> str:
    """The sound on an axis of `whole_s`; nothing where there is none."""
    if not len(envelope):
        return ""
    halves = reduced(envelope)
    return element(
        "svg",
        element("path", d=_outline(halves)),
        class_=f"wave {name}",
        x=0,
        y=top,
        width=f"{min(100.0, 100 * len(envelope) * ENVELOPE_S / whole_s):.3f}%",
        height=height,
        viewBox=f"0 0 {len(halves)} 200",
        preserveAspectRatio="none",
    )


def reduced(envelope: Sequence[float]) -> list[int]:
    """Half heights from 1 (silence) to 98 (full scale)."""
    peaks = np.nan_to_num(np.asarray(envelope, np.float64), nan=0.0, posinf=1.0, neginf=0.0)
    pooled = -(-len(peaks) // MOST_POINTS)
    peaks = np.pad(peaks, (0, -len(peaks) % pooled)).reshape(-1, pooled).max(axis=1)
    return [int(half) for half in np.round(1 + 97 * np.clip(peaks, 0, 1) ** LOUDNESS)]


def _outline(halves: Sequence[int]) -> str:
    """A closed path about the middle, in steps; equal neighbours take one."""
    runs = [(at, half) for at, half in enumerate(halves) if at == 0 or half != halves[at - 1]]
    ends = [at for at, _ in runs[1:]] + [len(halves)]
    above = joined(f"V{100 - half}H{end}" for (_, half), end in zip(runs, ends, strict=True))
    below = joined(f"V{100 + half}H{at}" for at, half in reversed(runs))
    return f"M0 100{above}{below}Z"
