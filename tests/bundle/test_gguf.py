"""GGUF headers: a sound one passes; whatever llama.cpp would abort on does not."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from visavis.bundle.gguf import check
from visavis.bundle.malformed import Malformed

U32, F32, STRING, ARRAY = 4, 6, 8, 9
VOCABULARY = "tokenizer.ggml.tokens"


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def key(name: str, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


def strings(*values: str) -> bytes:
    return struct.pack("<IQ", STRING, len(values)) + b"".join(map(text, values))


def tensor(name: str, shape: tuple[int, ...], kind: int, offset: int) -> bytes:
    dims = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
    return text(name) + dims + struct.pack("<IQ", kind, offset)


KEYS = (
    key("general.architecture", STRING, text("llama")),
    key("general.alignment", U32, struct.pack("<I", 32)),
    key(VOCABULARY, ARRAY, strings("a", "bc", "")),
    key("tokenizer.ggml.scores", ARRAY, struct.pack("<IQ3f", F32, 3, 0, 1, 2)),
)
TENSORS = (tensor("a.weight", (32, 2), 3, 0), tensor("b.weight", (8,), 0, 64))


def gguf(
    keys: tuple[bytes, ...] = KEYS,
    tensors: tuple[bytes, ...] = TENSORS,
    *,
    version: int = 3,
    data_bytes: int = 96,
) -> bytes:
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys))
    body = head + b"".join(keys) + b"".join(tensors)
    return body + b"\0" * (-len(body) % 32) + b"w" * data_bytes


Look = Callable[[bytes], None]


@pytest.fixture
def looked_at(tmp_path: Path) -> Look:
    def look(data: bytes) -> None:
        (tmp_path / "m.gguf").write_bytes(data)
        check(tmp_path / "m.gguf")

    return look


def test_a_sound_file_passes(looked_at: Look) -> None:
    looked_at(gguf())
    looked_at(gguf(version=2))
    looked_at(gguf(tensors=(tensor("new", (7,), 200, 0),)))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"GGML" + gguf()[4:], "is not a GGUF file"),
        (gguf(version=1), "of version 1"),
        (gguf(version=3 << 24), "big-endian"),
        (gguf(data_bytes=95), "truncated"),
        (gguf()[:60], "truncated or malformed"),
        (gguf()[:4], "truncated or malformed"),
        (gguf(tensors=()), "without tensors"),
        (gguf(keys=KEYS[1:]), "names no architecture"),
        (gguf(keys=(*KEYS, KEYS[0])), "twice"),
        (gguf(keys=(key("general.architecture", U32, b"\0\0\0\0"),)), "has the wrong type"),
        (gguf(keys=(*KEYS[:2], key(VOCABULARY, STRING, text("a")))), "wrong type"),
        (
            gguf(keys=(KEYS[0], key("general.alignment", U32, struct.pack("<I", 33)))),
            "alignment 33",
        ),
        (gguf(keys=(KEYS[0], key("general.alignment", U32, struct.pack("<I", 0)))), "alignment 0"),
        (gguf(keys=(KEYS[0], key(VOCABULARY, ARRAY, strings("a", "b", "a")))), "a token twice"),
        (gguf(keys=(*KEYS, key("x", 77, b""))), "unknown value type 77"),
        (gguf(keys=(*KEYS, key("x", 7, b"\5"))), "truth value"),
        (gguf(keys=(*KEYS, key("x", ARRAY, struct.pack("<IQ", ARRAY, 1)))), "array of type 9"),
        (gguf(keys=(*KEYS, key("x", ARRAY, struct.pack("<IQ", F32, 1 << 62)))), "malformed"),
        (gguf(keys=(*KEYS, key("x", ARRAY, struct.pack("<IQ", STRING, 1 << 20)))), "malformed"),
        (gguf(keys=(*KEYS, key("x", STRING, struct.pack("<Q", 1 << 63)))), "malformed"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1, 1 << 40), "keys"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1 << 40, 0), "tensors"),
        (gguf(tensors=(TENSORS[0], TENSORS[0])), "stands twice"),
        (gguf(tensors=(tensor("a", (33,), 3, 0),)), "breaks its blocks"),
        (gguf(tensors=(tensor("a", (0,), 0, 0),)), "has the shape"),
        (gguf(tensors=(tensor("a", (), 0, 0),)), "has the shape"),
        (gguf(tensors=(tensor("a", (1 << 40, 1 << 40), 0, 0),)), "has the shape"),
        (gguf(tensors=(tensor("a", (1,) * 5, 0, 0),)), "5 dimensions"),
        (gguf(tensors=(tensor("a", (4,), 0, 7),)), "is not aligned"),
        (gguf(tensors=(tensor("a", (4,), 0, 1 << 50),)), "end beyond the file"),
        (gguf(tensors=(tensor("n" * 64, (4,), 0, 0),)), "64 characters"),
    ],
)
def test_a_malformed_file_is_refused(looked_at: Look, data: bytes, complaint: str) -> None:
    with pytest.raises(Malformed, match=complaint):
        looked_at(data)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(4, len(gguf()) - 97), byte=st.integers(0, 255))
def test_a_flipped_byte_raises_nothing_unforeseen(looked_at: Look, at: int, byte: int) -> None:
    data = bytearray(gguf())
    data[at] = byte
    with contextlib.suppress(Malformed):
        looked_at(bytes(data))


@given(cut=st.integers(0, len(gguf()) - 1))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_truncation_passes(looked_at: Look, cut: int) -> None:
    with pytest.raises((Malformed, ValueError)):
        looked_at(gguf()[:cut])
