"""Encodings: bytes as captured → float32 frames. Pure functions of the bytes.

Full scale is ±1. The encodings are those of `AudioCaptured`; the two of ITU-T G.711 (μ-law and
A-law) are tables of 256 values computed here from the standard.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from visavis.flow.events import Samples

Decode = Callable[[bytes | memoryview], Samples]


def mulaw_table() -> Samples:
    """G.711 μ-law: the value of each byte, shape (256,)."""
    code = ~np.arange(256, dtype=np.uint8)
    exponent, mantissa = (code >> 4 & 7).astype(np.int32), (code & 15).astype(np.int32)
    magnitude = ((mantissa * 8 + 132) << exponent) - 132
    return _signed(magnitude, negative=code >= 128)


def alaw_table() -> Samples:
    """G.711 A-law: the value of each byte, shape (256,)."""
    code = np.arange(256, dtype=np.uint8) ^ 0x55
    exponent, mantissa = (code >> 4 & 7).astype(np.int32), (code & 15).astype(np.int32)
    linear = mantissa * 16 + 8
    magnitude = np.where(exponent == 0, linear, (linear + 256) << np.maximum(exponent - 1, 0))
    return _signed(magnitude, negative=code < 128)


def _signed(magnitude: NDArray[np.int32], *, negative: NDArray[np.bool_]) -> Samples:
    return (np.where(negative, -magnitude, magnitude) / 32768).astype(np.float32)


def _integer(kind: str, scale: float) -> Decode:
    factor = np.float32(1 / scale)
    return lambda data: np.frombuffer(data, kind).astype(np.float32) * factor


def _floating(kind: str) -> Decode:
    def decode(data: bytes | memoryview) -> Samples:
        # A double beyond float32 becomes an infinity, and is silenced as one.
        with np.errstate(over="ignore"):
            return np.frombuffer(data, kind).astype(np.float32)

    return decode


def _table(table: Samples) -> Decode:
    return lambda data: table[np.frombuffer(data, np.uint8)]


def _u8(data: bytes | memoryview) -> Samples:
    return (np.frombuffer(data, np.uint8).astype(np.float32) - 128) * np.float32(1 / 128)


def _s24(data: bytes | memoryview) -> Samples:
    triples = np.frombuffer(data, np.uint8).reshape(-1, 3)
    wide = np.zeros((len(triples), 4), np.uint8)
    wide[:, 1:] = triples
    return _integer("<i4", 2.0**31)(wide.data)


SAMPLE_BYTES = {
    "u8": 1, "s16": 2, "s24": 3, "s32": 4, "f32": 4, "f64": 8, "mulaw": 1, "alaw": 1,
}  # fmt: skip

DECODE: dict[str, Decode] = {
    "u8": _u8,
    "s16": _integer("<i2", 2.0**15),
    "s24": _s24,
    "s32": _integer("<i4", 2.0**31),
    "f32": _floating("<f4"),
    "f64": _floating("<f8"),
    "mulaw": _table(mulaw_table()),
    "alaw": _table(alaw_table()),
}
"""Whole samples as bytes → float32, shape (n,)."""


def to_grid(samples: Samples) -> Samples:
    """Rounds to the 16-bit grid, k / 32768 with k in [-32768, 32767]; louder saturates.

    What the models hear can then be kept without loss as 16-bit audio, and replays to the bit.
    """
    steps = np.clip(np.rint(samples * np.float32(32768)), -32768, 32767)
    # By way of integers, which know no negative zero.
    gridded: Samples = steps.astype(np.int16) * np.float32(1 / 32768)
    return gridded
