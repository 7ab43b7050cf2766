"""Q4_1 rewritten as Q8_0: as ggml does it, to the bit, and with nothing else changed."""

from __future__ import annotations

import contextlib
import hashlib
import io
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from visavis.bundle import requantise
from visavis.bundle.gguf import read
from visavis.bundle.malformed import Malformed
from visavis.bundle.requantise import dequantised, quantised

from .test_gguf import KEYS, U32, gguf, key, tensor

F32, Q4_1, Q8_0, UNKNOWN = 0, 3, 8, 200


def q4_1(blocks: int, seed: int = 0) -> bytes:
    """Blocks whose scales and minima are like those of a model."""
    dice = np.random.default_rng(seed)
    data = dice.integers(0, 256, (blocks, 20), np.uint8)
    data[:, :4] = dice.normal(0, 0.1, (blocks, 2)).astype("<f2").view(np.uint8)
    return data.tobytes()


def rewritten(tmp_path: Path, data: bytes) -> bytes:
    (tmp_path / "old.gguf").write_bytes(data)
    requantise.to_q8_0(tmp_path / "old.gguf", tmp_path / "new.gguf", lambda *_: None)
    return (tmp_path / "new.gguf").read_bytes()


def mixed(alignment: int = 32) -> bytes:
    """A model with tensors of several types, and something behind the last."""
    keys = (KEYS[0], key("general.alignment", U32, struct.pack("<I", alignment)))
    parts = ((F32, (8,), b"f" * 32), (Q4_1, (32, 3), q4_1(3)), (UNKNOWN, (5,), b"u" * 7))
    parts += ((Q4_1, (64, 2), q4_1(4, 1)), (Q8_0, (32,), b"q" * 34))
    tensors, weights = [], b""
    for number, (kind, shape, data) in enumerate(parts):
        tensors.append(tensor(f"t{number}", shape, kind, len(weights)))
        weights += data + b"\0" * (-len(data) % alignment)
    head = gguf(keys, tuple(tensors), data_bytes=0)
    return head + b"\0" * (-len(head) % alignment) + weights + b"behind"


@pytest.mark.parametrize("alignment", [8, 32, 128])
def test_only_what_was_q4_1_is_another(tmp_path: Path, alignment: int) -> None:
    old = mixed(alignment)
    new = rewritten(tmp_path, old)
    before, after = read(tmp_path / "old.gguf"), read(tmp_path / "new.gguf")
    assert (before.values, before.shapes) == (after.values, after.shapes)
    assert [each.kind for each in after.tensors] == [F32, Q8_0, UNKNOWN, Q8_0, Q8_0]
    assert before.size_bytes == after.size_bytes
    assert old[: before.tensors[0].entry] == new[: before.tensors[0].entry]
    for one, other in zip(before.tensors, after.tensors, strict=True):
        was, now = (
            data[header.size_bytes + each.offset :][: each.size_bytes or 7]
            for data, header, each in ((old, before, one), (new, after, other))
        )
        blocks = np.frombuffer(was, np.uint8)
        is_q4_1 = one.kind == Q4_1
        assert now == (quantised(dequantised(blocks.reshape(-1, 20))).tobytes() if is_q4_1 else was)
    assert new.endswith(b"behind")


def test_a_tensor_of_several_pieces_is_like_one_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = rewritten(tmp_path, mixed())
    monkeypatch.setattr(requantise, "_PIECE_BLOCKS", 2)
    monkeypatch.setattr(requantise, "_PIECE_BYTES", 5)
    assert rewritten(tmp_path, mixed()) == whole


def test_the_bytes_are_these_on_every_machine() -> None:
    data = hashlib.shake_256(b"weights").digest(20 * 4096)
    blocks = np.frombuffer(data, np.uint8).reshape(-1, 20).copy()
    blocks[:, 1:4:2] &= 0xBF  # no exponent is all ones
    digest = hashlib.sha256(quantised(dequantised(blocks)).tobytes()).hexdigest()
    assert digest == "369a4d99dcae222344b8778f9654dc36389db660e5967639d1f4e02614eec68d"


def test_it_is_what_the_library_of_ggml_makes() -> None:
    quants = pytest.importorskip("gguf.quants")
    kinds = pytest.importorskip("gguf").GGMLQuantizationType
    blocks = np.frombuffer(q4_1(5000), np.uint8).reshape(-1, 20)
    weights = quants.dequantize(blocks, kinds.Q4_1)
    assert np.array_equal(dequantised(blocks), weights)
    ours = quantised(weights)
    assert np.array_equal(ours, quants.quantize(weights, kinds.Q8_0))
    error = np.abs(quants.dequantize(ours, kinds.Q8_0) - weights)
    assert (error <= np.abs(weights).max(axis=1, keepdims=True) / 127 * 0.56).all()


@given(
    arrays.arrays(
        np.float32, (3, 32), elements=st.floats(-60000, 60000, width=16, allow_subnormal=True)
    )
)
def test_no_weight_is_off_by_more_than_half_a_step(weights: np.ndarray) -> None:
    blocks = quantised(weights)
    steps = blocks[:, 2:].view(np.int8).astype(np.float64)
    scale = np.abs(weights).max(axis=1, keepdims=True).astype(np.float64) / 127
    assert (np.abs(steps) <= 127).all()
    assert (np.abs(steps * scale - weights) <= scale * 0.5001).all()


def test_halves_round_away_from_zero() -> None:
    row = np.zeros((1, 32), np.float32)
    row[0, :6] = (127, 0.5, -0.5, 1.5, 2.5, np.nextafter(np.float32(0.5), np.float32(0)))
    assert quantised(row)[0, 2:8].view(np.int8).tolist() == [127, 1, -1, 2, 3, 0]
    assert quantised(np.zeros((1, 32), np.float32)).tobytes() == bytes(34)


def test_it_tells_how_far_it_is(tmp_path: Path) -> None:
    (tmp_path / "old.gguf").write_bytes(mixed())
    told: list[tuple[int, int]] = []
    new = tmp_path / "new.gguf"
    requantise.to_q8_0(tmp_path / "old.gguf", new, lambda *each: told.append(each))
    assert told == sorted(told)
    assert told[-1] == (new.stat().st_size, new.stat().st_size)


ONE = (tensor("a", (32,), Q4_1, 0),)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "is not a GGUF file"),
        (b"GGML", "is not a GGUF file"),
        (gguf(data_bytes=95), "truncated"),
        (gguf(tensors=(*ONE, tensor("b", (32,), Q4_1, 0))), "'a' overlaps the next"),
        (gguf(tensors=(tensor("b", (8,), F32, 64), *ONE)), "'b' overlaps the next"),
        (gguf(tensors=ONE, data_bytes=0) + b"\0\x7c" + bytes(18), "'a' is not finite"),
        (gguf(tensors=ONE, data_bytes=0) + b"\0\0\0\xfe" + bytes(16), "'a' is not finite"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, data: bytes, complaint: str) -> None:
    with pytest.raises(Malformed, match=complaint):
        rewritten(tmp_path, data)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(0, len(mixed()) - 1), byte=st.integers(0, 255))
def test_a_flipped_byte_raises_nothing_unforeseen(tmp_path: Path, at: int, byte: int) -> None:
    data = bytearray(mixed())
    data[at] = byte
    with contextlib.suppress(Malformed):
        assert len(rewritten(tmp_path, bytes(data))) < 2 * len(data)


def test_a_file_that_is_cut_while_it_is_read_is_refused() -> None:
    with pytest.raises(Malformed, match="is a truncated GGUF"):
        requantise._exactly(io.BytesIO(b"ab"), 3)
