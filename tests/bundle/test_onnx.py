"""ONNX files: a whole model passes, anything else is told apart by its outermost fields."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from visavis.bundle.malformed import Malformed
from visavis.bundle.onnx import check

GRAPH = b"\x0a\x02ab" * 100
MODEL = b"\x08\x08" + b"\x12\x03tst" + b"\x3a\x90\x03" + GRAPH + b"\x42\x04\x0a\x00\x10\x11"


def look(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "m.onnx").write_bytes(data)
    check(tmp_path / "m.onnx")


def test_a_whole_model_passes(tmp_path: Path) -> None:
    look(tmp_path, MODEL)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(8, len(MODEL) - 1))
def test_a_cut_model_is_seen(tmp_path: Path, cut: int) -> None:
    # Between two fields a cut is a shorter message, and still a model once the graph is there.
    if cut in (MODEL.index(b"\x42\x04"),):
        return
    with pytest.raises(Malformed):
        look(tmp_path, MODEL[:cut])


@pytest.mark.parametrize(
    "data",
    [
        b"\x08\x08",
        b"GGUF" + b"\0" * 100,
        b"PK\x03\x04" + b"\0" * 100,
        b"\x80\x02}q\x00.",
        b"\xff" * 100,
        b"\x3a" + b"\xff" * 9 + b"\x7f",
        b"\x08\x08\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\x08\x08" * 200_000,
    ],
)
def test_what_is_no_model_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(Malformed):
        look(tmp_path, data)
