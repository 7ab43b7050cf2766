"""The samples of a metric as a small picture: a strip of dots with its quartiles, or a bar.

Takes samples; gives inline SVG that stretches to its place and never stretches its text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from visavis.bench.drawing.markup import element, figure, joined
from visavis.bench.result import Metric

MOST_DOTS = 200
HEIGHT, MIDDLE = 34, 13
STEPS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
GOLDEN = 0.618_034


def strip(metric: Metric, values: Sequence[float]) -> str:
    """A picture of the samples and of what is aimed at."""
    picture = _bar(metric, values) if metric.rate else _dots(metric, values)
    return element("svg", picture, class_="strip", height=HEIGHT, role="img", aria_label="samples")


def _bar(metric: Metric, values: Sequence[float]) -> str:
    rate, axis = 100 * float(np.mean(values)), Axis(0, 100)
    bar: dict[str, Any] = {"x": 0, "y": MIDDLE - 4, "height": 8, "rx": 1}
    track = element("rect", class_="track", width="100%", **bar)
    share = element("rect", class_="share", width=f"{rate:.2f}%", **bar)
    return track + share + _aims(metric, axis) + _scale(axis, "%")


def _dots(metric: Metric, values: Sequence[float]) -> str:
    ordered = np.sort(np.asarray(values, np.float64))
    p25, p50, p75, p95 = np.quantile(ordered, [0.25, 0.5, 0.75, 0.95])
    top = _round(max(1.25 * p95, *(1.25 * aim for aim in metric.reach if aim), 0))
    axis = Axis(-_round(-ordered[0]) if ordered[0] < 0 else 0, top)
    kept = ordered[np.linspace(0, len(ordered) - 1, min(len(ordered), MOST_DOTS)).astype(int)]
    dots = (
        element(
            "circle",
            class_="dot" if value <= top else "dot out",
            cx=axis.x(value),
            cy=f"{MIDDLE + 12 * ((k * GOLDEN) % 1 - 0.5):.1f}",  # spread so that dots do not hide
            r=2,
        )
        for k, value in enumerate(kept)
    )
    width = f"{axis.share(p75) - axis.share(p25):.2f}%"
    box = element("rect", class_="box", x=axis.x(p25), y=MIDDLE - 9, width=width, height=18)
    lines = _line("p50", axis.x(p50), 11) + _line("p95", axis.x(p95), 7)
    return box + joined(dots) + lines + _aims(metric, axis) + _scale(axis, metric.unit)


@dataclass(frozen=True, slots=True)
class Axis:
    """From `low` at the left to `top` at the right; what lies outside is drawn at the edge."""

    low: float
    top: float

    def share(self, value: float) -> float:
        """0 to 100."""
        return 100 * (min(max(value, self.low), self.top) - self.low) / (self.top - self.low)

    def x(self, value: float) -> str:
        return f"{self.share(value):.2f}%"


def _aims(metric: Metric, axis: Axis) -> str:
    return joined(_line("aim", axis.x(aim), 12) for aim in metric.reach if aim is not None)


def _line(name: str, x: str, half: int) -> str:
    return element("line", class_=name, x1=x, x2=x, y1=MIDDLE - half, y2=MIDDLE + half)


def _scale(axis: Axis, unit: str) -> str:
    left, right = figure(axis.low, unit), f"{figure(axis.top, unit)} {unit}"
    return element("text", left, class_="scale", x=0, y=HEIGHT - 1) + element(
        "text", right, class_="scale", x="100%", y=HEIGHT - 1, text_anchor="end"
    )


def _round(value: float) -> float:
    """The next round number."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next((step * power for step in STEPS if step * power >= value), 10 * power)
