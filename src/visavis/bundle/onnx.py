"""Is a file an ONNX model? Walks the outermost fields of the protobuf, reading a few bytes of each.

An ONNX file is one `ModelProto` message: a handful of fields, the graph being by far the longest.
Its fields must be known ones and end exactly where the file ends, so a truncated file, another
protobuf and arbitrary bytes are told apart without parsing the graph.
Source: onnx.proto3 of the ONNX specification, and the protobuf wire format.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from visavis.bundle.malformed import Malformed

_IR_VERSION, _GRAPH = 1, 7
_WIRE_TYPES = {1: 0, 2: 2, 3: 2, 4: 2, 5: 0, 6: 2, 7: 2, 8: 2, 14: 2, 20: 2, 25: 2, 26: 2}
_MAX_FIELDS = 100_000


def check(path: Path) -> None:
    """Raises `Malformed` unless `path` looks like a whole ONNX model."""
    with path.open("rb") as stream:
        seen = _fields(stream, os.fstat(stream.fileno()).st_size)
    if not {_IR_VERSION, _GRAPH} <= seen:
        raise Malformed("is not an ONNX model (it has no graph)")


def _fields(stream: BinaryIO, size: int) -> set[int]:
    """The numbers of the outermost fields of a message of `size` bytes."""
    seen: set[int] = set()
    for _ in range(_MAX_FIELDS):
        if stream.tell() == size:
            return seen
        number, wire = divmod(_varint(stream), 8)
        if _WIRE_TYPES.get(number) != wire:
            raise Malformed("is not an ONNX model")
        seen.add(number)
        value = _varint(stream)
        if wire == 2:
            if value > size - stream.tell():
                raise Malformed("is truncated")
            stream.seek(value, os.SEEK_CUR)
    raise Malformed("is not an ONNX model (too many fields)")


def _varint(stream: BinaryIO) -> int:
    value = 0
    for shift in range(0, 70, 7):
        if not (byte := stream.read(1)):
            raise Malformed("is truncated")
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return value & ((1 << 63) - 1)
    raise Malformed("is not an ONNX model")
