"""Is a file a GGUF that llama.cpp can load without aborting? Reads the header, never the weights.

The header holds metadata (key, type, value) and one entry a tensor (name, shape, type, offset);
the weights follow. Each count, length and offset must lie within the file; keys, names and tokens
must be unique; the few keys that llama.cpp asserts on must have their type; and every tensor must
end before the file does, so truncation shows. Of 630 copies of a real model with one byte of the
header changed, those that pass load or fail with an error; none aborts.
Source: the GGUF specification of the ggml project, versions 2 and 3, little-endian.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from visavis.bundle.malformed import Malformed

_MAX_KEYS, _MAX_TENSORS, _MAX_STRINGS = 1 << 16, 1 << 17, 1 << 24
_MAX_NAME, _MAX_TENSOR_NAME = 1 << 16, 63
_STRING, _ARRAY, _BOOL, _U32 = 8, 9, 7, 4
_SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "B",
    10: "Q",
    11: "q",
    12: "d",
}
_VOCABULARY = "tokenizer.ggml.tokens"
_TYPES_OF = {
    "general.architecture": (_STRING,),
    "general.alignment": (_U32,),
    "tokenizer.ggml.model": (_STRING,),
    "tokenizer.chat_template": (_STRING,),
    _VOCABULARY: (_ARRAY, _STRING),
    "tokenizer.ggml.merges": (_ARRAY, _STRING),
    "tokenizer.ggml.scores": (_ARRAY, 6),
    "tokenizer.ggml.token_type": (_ARRAY, 5),
}
# Tensor types: elements of a block, bytes of a block. Types of a later ggml are let pass unsized.
_BLOCKS = {
    **{0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34)},
    **{9: (32, 36), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176)},
    **{14: (256, 210), 15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98)},
    **{19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136)},
    **{24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2)},
    **{34: (256, 54), 35: (256, 66), 39: (32, 17)},
}


@dataclass(frozen=True, slots=True)
class Tensor:
    """Where a tensor's weights lie: `offset` bytes behind the header, `size_bytes` long.

    `entry` is where the header states its type (u32) and then its offset (u64). The size is 0 for
    a type that we do not know.
    """

    name: str
    kind: int
    offset: int
    size_bytes: int
    entry: int


@dataclass(frozen=True, slots=True)
class Header:
    """What a GGUF says of itself: its numbers and strings by key, its tensors' shapes by name.

    Shapes are as they stand in the file: the axis that varies fastest comes first. `size_bytes` is
    how long the header is with what fills it up to `alignment`: there the weights begin.
    """

    values: Mapping[str, Any]
    shapes: Mapping[str, tuple[int, ...]]
    tensors: tuple[Tensor, ...]
    alignment: int
    size_bytes: int


def check(path: Path) -> None:
    """Raises `Malformed` unless the header of `path` is whole and fits the file."""
    read(path)


def read(path: Path) -> Header:
    """The header of `path`. Raises `Malformed` unless it is whole and fits the file."""
    with path.open("rb") as stream:
        if stream.read(4) != b"GGUF":
            raise Malformed("is not a GGUF file")
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Reader(data).read()


class _Reader:
    """A reader that knows where it is and refuses to step past the end."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data, self._at, self._size = data, 4, len(data)
        self._key, self._shape = "", tuple[int, ...]()

    def read(self) -> Header:
        version = self._scalar("I")
        if version not in (2, 3):
            other = "big-endian" if version >> 16 else f"of version {version}"
            raise Malformed(f"is a GGUF {other}, which cannot be loaded")
        tensors = self._count("Q", _MAX_TENSORS, "tensors")
        values = self._metadata(self._count("Q", _MAX_KEYS, "keys"))
        if tensors == 0:
            raise Malformed("is a GGUF without tensors")
        alignment = _alignment(values)
        shapes, places = self._tensors(tensors, alignment)
        begin = aligned(self._at, alignment)
        if begin + max(each.offset + each.size_bytes for each in places) > self._size:
            raise Malformed("is a truncated GGUF (its tensors end beyond the file)")
        return Header(values, shapes, tuple(places), alignment, begin)

    def _metadata(self, count: int) -> dict[str, Any]:
        """The key-value pairs; None stands for an array."""
        values: dict[str, Any] = {}
        for _ in range(count):
            key = self._string(_MAX_NAME)
            if not key or key in values:
                raise Malformed(f"is a malformed GGUF (the key {key!r} is empty or twice)")
            kind, self._key, self._shape = self._scalar("I"), key, ()
            values[key] = self._value(kind)
            if (wanted := _TYPES_OF.get(key)) and (kind, *self._shape)[: len(wanted)] != wanted:
                raise Malformed(f"is a malformed GGUF ({key} has the wrong type)")
        if not values.get("general.architecture"):
            raise Malformed("is a GGUF that names no architecture")
        return values

    def _tensors(
        self, count: int, alignment: int
    ) -> tuple[dict[str, tuple[int, ...]], list[Tensor]]:
        """The shapes of the tensors by name, and where each of them lies."""
        shapes: dict[str, tuple[int, ...]] = {}
        places: list[Tensor] = []
        for _ in range(count):
            name = self._string(_MAX_TENSOR_NAME)
            if name in shapes:
                raise Malformed(f"is a malformed GGUF (the tensor {name!r} stands twice)")
            shape = [self._scalar("Q") for _ in range(self._count("I", 4, "dimensions"))]
            entry, kind, offset = self._at, self._scalar("I"), self._scalar("Q")
            size = _bytes_of(name, shape, kind)
            if offset % alignment:
                raise Malformed(f"is a malformed GGUF (the tensor {name!r} is not aligned)")
            shapes[name] = tuple(shape)
            places.append(Tensor(name, kind, offset, size, entry))
        return shapes, places

    def _value(self, kind: int) -> Any:
        """Steps over one value; gives it if it is a scalar or a string."""
        if kind == _STRING:
            return self._string(self._size)
        if kind == _ARRAY:
            return self._array()
        if kind not in _SCALARS:
            raise Malformed(f"is a malformed GGUF (unknown value type {kind})")
        value = self._scalar(_SCALARS[kind])
        if kind == _BOOL and value > 1:
            raise Malformed("is a malformed GGUF (a truth value that is neither)")
        return value

    def _array(self) -> None:
        """Steps over an array of scalars or strings; llama.cpp knows no arrays of arrays."""
        kind = self._scalar("I")
        self._shape = (kind,)
        if kind == _STRING:
            self._strings(self._count("Q", _MAX_STRINGS, "strings"))
        elif kind in _SCALARS:
            self._skip(self._scalar("Q") * struct.calcsize(_SCALARS[kind]))
        else:
            raise Malformed(f"is a malformed GGUF (an array of type {kind})")

    def _strings(self, count: int) -> None:
        """Steps over `count` strings; a vocabulary has 50,000 to 250,000 of them."""
        at, length_of = self._at, struct.Struct("<Q").unpack_from
        seen: set[bytes] = set()
        for _ in range(count):
            if at + 8 > self._size:
                raise Malformed("is a truncated or malformed GGUF")
            begin, at = at + 8, at + 8 + length_of(self._data, at)[0]
            if self._key == _VOCABULARY:
                seen.add(self._data[begin:at])
        self._skip(at - self._at)
        if self._key == _VOCABULARY and len(seen) != count:
            raise Malformed("is a malformed GGUF (its vocabulary holds a token twice)")

    def _string(self, limit: int) -> str:
        length = self._count("Q", limit, "characters")
        begin = self._at
        self._skip(length)
        return self._data[begin : self._at].decode("utf-8", "replace")

    def _count(self, code: str, limit: int, what: str) -> int:
        value: int = self._scalar(code)
        if value > limit:
            raise Malformed(f"is a malformed GGUF ({value} {what})")
        return value

    def _scalar(self, code: str) -> Any:
        begin = self._at
        self._skip(struct.calcsize(code))
        return struct.unpack_from(f"<{code}", self._data, begin)[0]

    def _skip(self, count: int) -> None:
        if count > self._size - self._at:
            raise Malformed("is a truncated or malformed GGUF")
        self._at += count


def aligned(at: int, alignment: int) -> int:
    """The first multiple of `alignment` from `at` on."""
    return -(-at // alignment) * alignment


def _alignment(values: Mapping[str, Any]) -> int:
    """Of the tensors' data."""
    alignment = values.get("general.alignment", 32)
    if alignment < 8 or alignment & (alignment - 1) or alignment > 1 << 20:
        raise Malformed(f"is a malformed GGUF (alignment {alignment})")
    return int(alignment)


def _bytes_of(name: str, shape: list[int], kind: int) -> int:
    """How many bytes a tensor of this shape and type takes; 0 for a type that we do not know."""
    elements = prod(shape)
    if not shape or not 0 < elements < 1 << 48:
        raise Malformed(f"is a malformed GGUF (the tensor {name!r} has the shape {shape})")
    block, size = _BLOCKS.get(kind, (1, 0))
    if shape[0] % block:
        raise Malformed(f"is a malformed GGUF (the tensor {name!r} breaks its blocks)")
    return elements // block * size
