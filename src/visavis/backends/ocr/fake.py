"""Writing for tests: what `write` puts into a picture's pixels is what the fake reads there.

A line is a band of 16 rows, its UTF-8 bytes in the red of the band's first row, behind a mark. The
bytes are written large (8 pixels a bit) so that a JPEG leaves them readable. Takes seeded time on
`clock`; `fail_rate` of its calls raise.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from visavis.backends.contract import Line, Ocr, Options
from visavis.flow.clock import NS_PER_MS, Clock, SimulatedClock
from visavis.flow.errors import EngineError
from visavis.flow.ring import Pixels

BAND, BIT = 16, 8
MARK = 0xA5


def write(pixels: Pixels, lines: Sequence[str]) -> Pixels:
    """A copy of the picture with these lines written on it, as many bytes of each as fit."""
    written = pixels.copy()
    height, width = pixels.shape[:2]
    for number, text in enumerate(lines[: height // BAND]):
        data = bytes([MARK, *text.encode()])[: width // (8 * BIT)]
        data = data[:1] + data[1:].decode("utf-8", "ignore").encode()
        bits = np.unpackbits(np.frombuffer(data, np.uint8)).repeat(BIT) * np.uint8(255)
        band = written[number * BAND : (number + 1) * BAND]
        band[:] = 0
        band[:, : len(bits)] = bits[:, None]
    return written


class FakeOcr:
    """Reads what `write` wrote, and nothing anywhere else. `languages`: any."""

    languages: tuple[str, ...] = ("en", "zh")

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        seed: int = 0,
        latency_ms: tuple[float, float] = (50, 120),
        fail_rate: float = 0.0,
    ) -> None:
        self._clock = clock or SimulatedClock()
        self._random = random.Random(seed)
        self._latency_ms, self._fail_rate = latency_ms, fail_rate

    def read(self, pixels: Pixels, most_lines: int = 0) -> Sequence[Line]:
        self._clock.spend(round(self._random.uniform(*self._latency_ms) * NS_PER_MS))
        if self._random.random() < self._fail_rate:
            raise EngineError("ocr/fake: failed as told")
        found = []
        for top in range(0, pixels.shape[0] - BAND + 1, BAND):
            if not (text := _text(pixels[top : top + BAND])):
                break
            box = (0.0, float(top), float(pixels.shape[1]), float(top + BAND))
            found.append(Line(text, 0.99, box))
        return found[: most_lines or None]

    def close(self) -> None:
        """Nothing is held."""


def _text(band: Pixels) -> str:
    bits = band[BAND // 2, BIT // 2 :: BIT].mean(axis=-1) > 127
    data = np.packbits(bits[: len(bits) // 8 * 8]).tobytes()
    if not data or data[0] != MARK:
        return ""
    return data[1:].rstrip(b"\0").decode("utf-8", "replace")


def load(options: Options) -> Ocr:
    """Settings: `clock`, `seed`, `latency_ms` (low, high), `fail_rate`."""
    return FakeOcr(**options.settings)
