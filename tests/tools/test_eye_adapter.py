from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from adapter import parts, write
from gguf import GGUFReader

ROWS = parts(heads=3, kv=1, head=4, hidden=20, width=12)
COLUMNS = {"attend": 12, "out": 12, "gate_up": 12, "down": 20}
LAYERS, RANK = 2, 3


def halves() -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    inward = {n: rng.random((LAYERS, RANK, c), np.float32) for n, c in COLUMNS.items()}
    outward = {n: rng.random((LAYERS, sum(ROWS[n].values()), RANK), np.float32) for n in ROWS}
    return inward, outward


def test_joined_matrices_are_taken_apart_by_rows(tmp_path: Path) -> None:
    inward, outward = halves()
    write(tmp_path / "adapter.gguf", inward, outward, ROWS)
    read = {t.name: t.data for t in GGUFReader(tmp_path / "adapter.gguf").tensors}
    assert len(read) == LAYERS * 7 * 2
    pieces = [
        read[f"blk.1.attn_{p}.weight.lora_b"] @ read[f"blk.1.attn_{p}.weight.lora_a"] for p in "qkv"
    ]
    whole = outward["attend"][1] @ inward["attend"][1]
    np.testing.assert_allclose(np.concatenate(pieces), whole, rtol=0.01)


def test_rows_that_do_not_fit_are_our_own_mistake(tmp_path: Path) -> None:
    inward, outward = halves()
    wrong = {**ROWS, "out": {"attn_output": 5}}
    with pytest.raises(AssertionError, match="left over"):
        write(tmp_path / "adapter.gguf", inward, outward, wrong)
