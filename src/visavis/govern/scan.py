"""A bounded pass over an MCAP file: its metadata and messages, in the order they were written.

It needs no index, so a file that breaks off is read up to there. Invariant: no record, chunk or
length that the file claims makes it hold more than `CHUNK_BYTES` at a time.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import zstandard
from mcap.exceptions import McapError
from mcap.records import Channel, Chunk, Footer, McapRecord, Message, Metadata
from mcap.stream_reader import StreamReader, breakup_chunk

CHUNK_BYTES = 64 << 20
MAGIC = b"\x89MCAP0\r\n"
UNREADABLE = (McapError, ValueError, struct.error, zstandard.ZstdError, MemoryError, OverflowError)


class Scan:
    """One pass. `broken` says afterwards why it ended too early (empty = it did not).

    `damaged`: not because the file's end is missing, but by what stands in it.
    """

    def __init__(self, path: Path) -> None:
        self.broken = ""
        self.damaged = False
        self._path = path

    def __iter__(self) -> Iterator[Metadata | tuple[str, Message]]:
        """Metadata records, and messages with their channel's topic. Raises `OSError`."""
        channels: dict[int, str] = {}
        self.broken, self.damaged = "it ends in the middle", False
        with self._path.open("rb") as file:
            try:
                for record in _records(file):
                    if isinstance(record, Channel):
                        channels[record.id] = record.topic
                    elif isinstance(record, Message):
                        yield channels[record.channel_id], record
                    elif isinstance(record, Metadata):
                        yield record
                    elif isinstance(record, Footer):
                        self.broken = ""
            except (*UNREADABLE, KeyError) as error:
                at = file.tell()
                # A length that lies may lead to the end of a file that is whole.
                self.damaged = bool(file.read(1)) or _ends_well(file)
                if self.damaged:
                    why = str(error) or type(error).__name__
                    self.broken = f"it is damaged before byte {at}: {why}"


def _ends_well(file: IO[bytes]) -> bool:
    file.seek(max(0, file.seek(0, 2) - len(MAGIC)))
    return file.read() == MAGIC


def _records(file: IO[bytes]) -> Iterator[McapRecord]:
    reader = StreamReader(
        cast("IO[bytes]", _Remaining(file)),
        emit_chunks=True,
        validate_crcs=True,
        record_size_limit=CHUNK_BYTES,
    )
    for record in reader.records:
        if isinstance(record, Chunk):
            yield from breakup_chunk(_checked(record), validate_crc=True)
        else:
            yield record


def _checked(chunk: Chunk) -> Chunk:
    size = chunk.uncompressed_size
    if chunk.compression == "zstd":
        size = max(size, zstandard.get_frame_parameters(chunk.data).content_size)
    elif chunk.compression:
        raise ValueError(f"a chunk is compressed with {chunk.compression}")
    if size > CHUNK_BYTES:
        raise ValueError(f"a chunk of {size} bytes")
    return chunk


class _Remaining:
    """A file that is never asked for more than it has left: lengths in it may lie."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = file.seek(0, 2)
        file.seek(0)

    def read(self, count: int) -> bytes:
        data = self._file.read(min(count, self._left))
        self._left -= len(data)
        return data
