"""A codec without a library, for simulation: PNG that keeps every pixel it does not leave out.

Takes seeded time on `clock`; `fail_rate` of its encodings raise. It makes pictures smaller by
leaving out rows and columns, and reads what it has written itself.
"""

from __future__ import annotations

import random
import struct
import zlib

import numpy as np

from visavis.backends.contract import Options, PictureCodec
from visavis.flow.clock import NS_PER_MS, Clock, SimulatedClock
from visavis.flow.errors import EngineError, InputError
from visavis.flow.ring import Pixels

SIGNATURE = b"\x89PNG\r\n\x1a\n"
RGB8 = struct.pack(">BBBBB", 8, 2, 0, 0, 0)


class FakePictureCodec:
    """Same pixels, same bytes."""

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        seed: int = 0,
        latency_ms: tuple[float, float] = (2, 8),
        fail_rate: float = 0.0,
    ) -> None:
        self._clock = clock or SimulatedClock()
        self._random = random.Random(seed)
        self._latency_ms, self._fail_rate = latency_ms, fail_rate

    def encode(self, pixels: Pixels, longest: int) -> tuple[bytes, int, int]:
        self._clock.spend(round(self._random.uniform(*self._latency_ms) * NS_PER_MS))
        if self._random.random() < self._fail_rate:
            raise EngineError("picture/fake: failed as told")
        step = -(-max(pixels.shape[:2]) // longest)
        small = pixels[::step, ::step]
        height, width, _ = small.shape
        rows = np.zeros((height, 1 + 3 * width), np.uint8)  # a row begins with its filter: none
        rows[:, 1:] = small.reshape(height, -1)
        head = struct.pack(">II", width, height) + RGB8
        parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 1)), (b"IEND", b""))
        return SIGNATURE + b"".join(_chunk(*part) for part in parts), width, height

    def decode(self, data: bytes) -> Pixels:
        try:
            width, height = struct.unpack(">II", data[16:24])
            rows = np.frombuffer(zlib.decompress(data[41:-16]), np.uint8)
            pixels = rows.reshape(height, 1 + 3 * width)[:, 1:].reshape(height, width, 3)
        except (struct.error, zlib.error, ValueError) as error:
            raise InputError("picture", f"is none of picture/fake, or damaged ({error})") from error
        return pixels

    def close(self) -> None:
        """Nothing is held."""


def _chunk(name: bytes, data: bytes) -> bytes:
    body = name + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


def load(options: Options) -> PictureCodec:
    """Settings: `clock`, `seed`, `latency_ms` (low, high), `fail_rate`."""
    return FakePictureCodec(**options.settings)
