"""Small ONNX models, written by hand: what it takes to test that larger ones are cut right."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOAT, INT64, BOOL = 1, 7, 9
_TYPES = {np.dtype(np.float32): FLOAT, np.dtype(np.int64): INT64, np.dtype(np.bool_): BOOL}


def number(value: int) -> bytes:
    high = value >> 7
    return bytes([value & 0x7F | 0x80]) + number(high) if high else bytes([value])


def field(key: int, content: bytes | str | int) -> bytes:
    if isinstance(content, int):
        return number(key * 8) + number(content)
    data = content.encode() if isinstance(content, str) else content
    return number(key * 8 + 2) + number(len(data)) + data


def node(op: str, takes: str, gives: str, name: str = "", **attributes: Any) -> bytes:
    """`takes` and `gives`: names with spaces between. Attributes: an int, ints, or a graph."""
    parts = [field(1, one) for one in takes.split()] + [field(2, one) for one in gives.split()]
    parts += [field(3, name or f"/{gives.split()[0]}"), field(4, op)]
    for key, value in attributes.items():
        if isinstance(value, int):
            content = field(3, value) + field(20, 2)
        elif isinstance(value, bytes):
            content = field(6, value) + field(20, 5)
        else:
            content = b"".join(field(8, one) for one in value) + field(20, 7)
        parts.append(field(5, field(1, key) + content))
    return field(1, b"".join(parts))


def weights(name: str, values: NDArray[Any]) -> bytes:
    dims = b"".join(field(1, size) for size in values.shape)
    kind = field(2, _TYPES[values.dtype])
    return field(5, dims + kind + field(8, name) + field(9, values.tobytes()))


def takes(name: str, kind: int = FLOAT, rank: int = 3) -> bytes:
    return field(11, _value(name, kind, rank))


def gives(name: str, kind: int = FLOAT, rank: int = 3) -> bytes:
    return field(12, _value(name, kind, rank))


def model(*graph: bytes) -> bytes:
    parts = b"".join([field(2, "toy"), *graph])
    return field(1, 8) + field(8, field(1, "") + field(2, 15)) + field(7, parts)


def _value(name: str, kind: int, rank: int) -> bytes:
    shape = b"".join(field(1, field(2, f"d{i}")) for i in range(rank))
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


HOP = 4


def voice(
    *,
    decoder: str = "/dec/",
    timed: bool = True,
    speaker: bool = False,
    noisy: bool = False,
    seed: int = 0,
) -> bytes:
    """A model with the joints of a VITS voice: each id becomes 4 frames, each frame 4 samples.

    With `speaker` a second tensor enters the decoder, one that has no frames. `noisy`: it draws
    noise for its ids (added up into its frames) and for its frames.
    """
    draw = np.random.default_rng(seed).normal
    parts = [
        takes("input", INT64, 2),
        takes("input_lengths", INT64, 1),
        takes("scales", FLOAT, 1),
        gives("output"),
        node("Cast", "input", "ids", to=FLOAT),
        node("Unsqueeze", "ids one", "raised"),
        node("Concat", "raised raised raised raised", "stretched", axis=2),
        node("Conv", "stretched w_enc", "unscaled"),
        node("Cast", "input_lengths", "length", to=FLOAT),
        node("Slice", "scales zero one zero", "scale"),
        node("Mul", "unscaled scale", "scaled"),
        node("Mul", "length zero_float", "no_length"),
        node("Add", "scaled no_length", "quiet" if noisy else "z"),
        weights("zero", np.array([0], np.int64)),
        weights("zero_float", np.array([0], np.float32)),
        weights("one", np.array([1], np.int64)),
        weights("w_enc", draw(0, 0.3, (2, 1, 1)).astype(np.float32)),
        weights("w_pre", draw(0, 0.3, (2, 2, 7)).astype(np.float32)),
        weights("w_up", draw(0, 0.3, (2, 1, 8)).astype(np.float32)),
        node("Conv", "z w_pre", "pre", f"{decoder}conv_pre/Conv", pads=[3, 3]),
    ]
    if noisy:
        at = next(i for i, part in enumerate(parts) if b"w_pre" in part)
        parts[at:at] = [
            node("Concat", "raised raised", "pairs", axis=1),
            node("RandomNormalLike", "pairs", "/dp/drawn", "/dp/RandomNormalLike"),
            weights("both", np.array([1, 2], np.int64)),
            node("ReduceSum", "/dp/drawn both", "sum", keepdims=1),
            node("Add", "quiet sum", "means"),
            node("RandomNormalLike", "means", "drawn", "/RandomNormalLike"),
            node("Mul", "drawn scale", "shaped"),
            node("Add", "means shaped", "z"),
        ]
    before = "pre"
    if speaker:
        parts += [
            takes("sid", INT64, 1),
            weights("table", draw(0, 0.3, (3, 2)).astype(np.float32)),
            weights("last", np.array([2], np.int64)),
            node("Gather", "table sid", "row"),
            node("Unsqueeze", "row last", "g"),
            node("Add", "pre g", "conditioned", f"{decoder}Add"),
        ]
        before = "conditioned"
    parts += [
        node("ConvTranspose", f"{before} w_up", "up", f"{decoder}up", strides=[4], pads=[2, 2]),
        node("Tanh", "up", "output", f"{decoder}Tanh"),
    ]
    if timed:
        parts += [
            weights("four", np.array([4], np.float32)),
            node("Mul", "raised zero_float", "nought"),
            node("Add", "nought four", "/Ceil_output_0"),
        ]
    return model(*parts)
