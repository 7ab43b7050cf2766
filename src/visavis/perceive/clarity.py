"""How well a stream's pictures show anything: clear, dark, blurred or frozen.

Takes each picture that is looked at, as pixels and as blocks, with the time; gives the condition
once it is sure. A still scene is not a frozen camera: a sensor's pictures always differ by noise,
so only the very same picture for a second, from a camera whose still pictures used to differ, is
frozen. A blank wall is not out of focus: blurred is where there are edges, and none is sharp.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from visavis.flow.clock import NS_PER_MS
from visavis.flow.ring import Pixels
from visavis.perceive.blocks import Blocks, luma

LIT = 40
"""The picture is as bright as so many of its brightest blocks: about one in 75."""
DARK, LIGHT = 24.0, 32.0
SHARP_EVERY_NS = 500 * NS_PER_MS
LINES = 24
FINE, COARSE = 160, 16
"""Parts of the width: over the first a sharp edge has all of its height, a blurred one a part."""
HIGHEST = 0.01
EDGE, SOFT, CRISP = 24.0, 0.25, 0.35
NOISE_PEAK, MOST_NOISE = 4.6, 48.0
"""What of a thousand steps of noise the highest is, by their median; and at most so much is it."""
FROZEN_NS = 1_000 * NS_PER_MS
NOISE_SHARE = 0.3
"""Noise is everywhere; a pointer that moves over a screen is not."""
NOISY, LEARN = 0.8, 0.1
SURE_NS = {
    "clear": 100 * NS_PER_MS,
    "dark": 300 * NS_PER_MS,
    "blurred": 700 * NS_PER_MS,  # seen twice
    "frozen": 0,
}


class Clarity:
    """Of one stream. `condition` is so since `since_ns`, a time of capture."""

    def __init__(self) -> None:
        self.condition, self.since_ns = "clear", 0
        self._seems, self._seems_ns, self._seems_captured_ns = "clear", 0, 0
        self._blurred, self._sharpness_ns = False, -SHARP_EVERY_NS
        self._repeats = Repetition()

    @property
    def in_the_dark(self) -> bool:
        """Whether it is dark, or seems so since a moment."""
        return "dark" in (self.condition, self._seems)

    def look(
        self, pixels: Pixels, blocks: Blocks, t_ns: int, captured_ns: int, *, still: bool
    ) -> bool:
        """Takes a picture; whether the condition is another one with it.

        `still`: it shows what the picture before it showed, but for noise.
        """
        seems = self._judge(pixels, blocks, t_ns, captured_ns, still)
        if seems != self._seems:
            self._seems, self._seems_ns, self._seems_captured_ns = seems, t_ns, captured_ns
        if seems == self.condition or t_ns - self._seems_ns < SURE_NS[seems]:
            return False
        self.condition, self.since_ns = seems, self._seems_captured_ns
        if seems == "frozen":
            self.since_ns = self._repeats.since_ns
        return True

    def _judge(
        self, pixels: Pixels, blocks: Blocks, t_ns: int, captured_ns: int, still: bool
    ) -> str:
        if self._repeats.is_frozen(blocks, t_ns, captured_ns, still):
            return "frozen"
        brightest = float(np.partition(luma(blocks), -LIT, axis=None)[-LIT])
        if brightest < (LIGHT if self._seems == "dark" else DARK):
            return "dark"
        if t_ns - self._sharpness_ns >= SHARP_EVERY_NS:
            self._sharpness_ns = t_ns
            self._blurred = sharpness(pixels) < (CRISP if self._blurred else SOFT)
        return "blurred" if self._blurred else "clear"


class Repetition:
    """For how long the very same picture has been coming, and what that means."""

    def __init__(self) -> None:
        self.since_ns = 0
        self._before: Blocks | None = None
        self._since_t_ns = 0
        self._run = 0
        self._noisy = 0.0  # how usual it is that still pictures differ

    def is_frozen(self, blocks: Blocks, t_ns: int, captured_ns: int, still: bool) -> bool:
        before, self._before = self._before, blocks
        differs = 1.0 if before is None else float((before != blocks).mean())
        if differs == 0:
            self._run += 1
            return self._lasts(t_ns)
        if not self._lasts(t_ns):
            self._noisy *= (1 - LEARN) ** self._run  # such a source repeats itself now and then
        if still:
            self._noisy += LEARN * ((differs >= NOISE_SHARE) - self._noisy)
        self._run, self.since_ns, self._since_t_ns = 0, captured_ns, t_ns
        return False

    def _lasts(self, t_ns: int) -> bool:
        return self._run > 0 and self._noisy >= NOISY and t_ns - self._since_t_ns >= FROZEN_NS


def sharpness(pixels: Pixels) -> float:
    """From 0 to 1: how much of the height of the highest edges lies in a 160th of the width.

    1, too, where there are no edges that one could see.
    """
    height, width = pixels.shape[:2]
    fine, coarse = max(1, width // FINE), max(2, width // COARSE)
    if width <= coarse:
        return 1.0
    lines = pixels[height // (2 * LINES) :: max(1, height // LINES), :, 1].astype(np.int16)
    # An edge is crossed by as many steps as they are long.
    (whole,) = _high(lines, coarse, HIGHEST)
    usual, sharp = _high(lines, fine, 0.5, HIGHEST * fine / coarse)
    if whole < EDGE:
        return 1.0
    return float(np.clip((sharp - min(NOISE_PEAK * usual, MOST_NOISE)) / whole, 0, 1))


def _high(lines: NDArray[np.int16], distance: int, *shares: float) -> list[float]:
    """The height of steps over that distance which these shares of all steps exceed."""
    steps = np.abs(lines[:, distance:] - lines[:, :-distance]).ravel()
    places = [int((len(steps) - 1) * (1 - share)) for share in shares]
    ordered = np.partition(steps, places)
    return [float(ordered[place]) for place in places]
