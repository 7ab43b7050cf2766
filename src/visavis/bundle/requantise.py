"""Rewrites a GGUF with its Q4_1 tensors as Q8_0, for which llama.cpp has fast kernels.

Takes a GGUF file and where to write. Gives a GGUF that says the same: its header is copied byte for
byte but for the types and offsets of tensors, and so are the tensors of every other type.

Invariant: equal bytes in give equal bytes out, on every machine and with every NumPy, because the
SHA-256 of the result stands in a manifest. So we write the file ourselves; and each number comes
of one float32 operation after another that IEEE 754 defines to the bit (conversions, +, *, /, abs,
max, floor), each an array operation of its own, which no compiler can contract into a fused one.
There is no sum over many numbers and no product of matrices, whose order is the library's own.
Scales that are not finite are refused: what a NaN becomes is the processor's choice. Tensors are
worked off a piece at a time, so that memory stays small however large they are.
Source: quantize_row_q8_0_ref and dequantize_row_q4_1 in ggml-quants.c of the ggml project.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from visavis.bundle import gguf
from visavis.bundle.gguf import Header, Tensor
from visavis.bundle.malformed import Malformed

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Tell = Callable[[int, int], None]

Q4_1, Q8_0 = 3, 8
_WEIGHTS, _Q4_1_BYTES, _Q8_0_BYTES = 32, 20, 34
_PIECE_BLOCKS = 1 << 14
_PIECE_BYTES = 1 << 20


def to_q8_0(source: Path, target: Path, tell: Tell) -> None:
    """Writes the GGUF `source` to `target`; tells the bytes written, and of how many.

    Raises `Malformed` if `source` is none. Whatever happens, `target` may be left behind.
    """
    header = gguf.read(source)
    extents = _extents(header, source.stat().st_size)
    offsets = _offsets(header, extents)
    size = header.size_bytes + offsets[-1]
    with source.open("rb") as stream, target.open("wb") as out:
        out.write(_rewritten(header, offsets, _exactly(stream, header.size_bytes)))
        for tensor, extent, end in zip(header.tensors, extents, offsets[1:], strict=True):
            stream.seek(header.size_bytes + tensor.offset)
            for piece in _pieces(stream, tensor, extent):
                out.write(piece)
                tell(out.tell(), size)
            out.write(b"\0" * (header.size_bytes + end - out.tell()))


def _extents(header: Header, file_bytes: int) -> list[int]:
    """How far each tensor lies from the next one, or the last from the end of the file.

    Raises `Malformed` unless they follow one another, as llama.cpp demands too: a file whose
    tensors share bytes could grow beyond any bound.
    """
    begins = [*(each.offset for each in header.tensors), file_bytes - header.size_bytes]
    extents = [after - begin for begin, after in pairwise(begins)]
    for tensor, extent in zip(header.tensors, extents, strict=True):
        if extent < tensor.size_bytes:
            raise Malformed(f"is a malformed GGUF (the tensor {tensor.name!r} overlaps the next)")
    return extents


def _offsets(header: Header, extents: list[int]) -> list[int]:
    """Where each tensor begins in the new file, and where the last one ends."""
    offsets = [0]
    for tensor, extent in zip(header.tensors, extents, strict=True):
        size = extent
        if tensor.kind == Q4_1:
            blocks = tensor.size_bytes // _Q4_1_BYTES
            size = gguf.aligned(blocks * _Q8_0_BYTES, header.alignment)
        offsets.append(offsets[-1] + size)
    return offsets


def _rewritten(header: Header, offsets: list[int], head: bytes) -> bytes:
    """The header with the new types and offsets: neither makes it longer or shorter."""
    new = bytearray(head)
    for tensor, offset in zip(header.tensors, offsets[:-1], strict=True):
        kind = Q8_0 if tensor.kind == Q4_1 else tensor.kind
        struct.pack_into("<IQ", new, tensor.entry, kind, offset)
    return bytes(new)


def _pieces(stream: BinaryIO, tensor: Tensor, extent: int) -> Iterator[bytes]:
    """The bytes of one tensor in the new file, without what fills them up if they are new."""
    if tensor.kind != Q4_1:
        for at in range(0, extent, _PIECE_BYTES):
            yield _exactly(stream, min(_PIECE_BYTES, extent - at))
        return
    piece_bytes = _PIECE_BLOCKS * _Q4_1_BYTES
    for at in range(0, tensor.size_bytes, piece_bytes):
        data = _exactly(stream, min(piece_bytes, tensor.size_bytes - at))
        blocks = np.frombuffer(data, np.uint8).reshape(-1, _Q4_1_BYTES)
        _refuse_endless(blocks, tensor)
        yield quantised(dequantised(blocks)).tobytes()


def dequantised(blocks: Bytes) -> Floats:
    """Q4_1 blocks as weights, one row a block.

    A block is a scale and a minimum as float16, then 16 bytes: their lower halves are the first 16
    weights, their upper halves the others.
    """
    scale = blocks[:, 0:2].copy().view("<f2").astype(np.float32)
    least = blocks[:, 2:4].copy().view("<f2").astype(np.float32)
    halves = np.concatenate((blocks[:, 4:] & 0x0F, blocks[:, 4:] >> 4), axis=1)
    return scale * halves.astype(np.float32) + least


def quantised(weights: Floats) -> Bytes:
    """Rows of 32 weights as Q8_0 blocks: a scale as float16, then a signed byte a weight.

    The bytes are of the scale before it is rounded to float16; and halves round away from zero.
    Both are as ggml does it.
    """
    scale = np.abs(weights).max(axis=1, keepdims=True) / np.float32(127)
    inverse = np.divide(np.float32(1), scale, out=np.zeros_like(scale), where=scale != 0)
    blocks = np.empty((len(weights), _Q8_0_BYTES), np.uint8)
    blocks[:, :2] = scale.astype("<f2").view(np.uint8)
    blocks[:, 2:] = _rounded(weights * inverse).astype(np.int8).view(np.uint8)
    return blocks


def _rounded(values: Floats) -> Floats:
    """To the nearest whole number. Adding a half first would round 0.49999997 up to 1."""
    size = np.abs(values)
    whole = np.floor(size)
    nearest: Floats = np.copysign(whole + (size - whole >= np.float32(0.5)), values)
    return nearest


def _refuse_endless(blocks: Bytes, tensor: Tensor) -> None:
    """Raises `Malformed` if a scale or minimum is infinite or a NaN: its exponent is all ones."""
    if (blocks[:, 1:4:2] & 0x7C == 0x7C).any():
        raise Malformed(f"is a malformed GGUF (the tensor {tensor.name!r} is not finite)")


def _exactly(stream: BinaryIO, count: int) -> bytes:
    data = stream.read(count)
    if len(data) != count:
        raise Malformed("is a truncated GGUF")
    return data
