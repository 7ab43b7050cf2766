"""Checks before loading: each failure names the file and the remedy; the shipped models pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from visavis.backends.contract import Options
from visavis.bundle import catalogue, verify
from visavis.flow.errors import BundleError


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("m.bin", b"", "is empty"),
        ("m.gguf", b"", "is empty"),
        ("m.gguf", b"GGU", "is not a GGUF file"),
        ("m.GGUF", b"nothing of the kind", "is not a GGUF file"),
        ("m.onnx", b"\xff\xff\xff", "is not an ONNX model|is truncated"),
        ("m.onnx", b"  <!DOCTYPE HTML><p>404", "is a web page"),
        ("m.bin", b"\xef\xbb\xbf<html>", "is a web page"),
        ("m.bin", b"version https://git-lfs.github.com/spec/v1\n", "is a Git LFS pointer"),
        ("c.json", b"{", "is not valid JSON"),
        ("c.json", b"[" * 100_000, "is not valid JSON"),
        ("c.json", b"\xff\xfe", "is not valid JSON"),
    ],
)
def test_a_bad_file_is_named_with_its_remedy(
    tmp_path: Path, name: str, data: bytes, problem: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(BundleError, match=problem) as caught:
        verify.check(path, "toy")
    assert str(path) in str(caught.value)
    assert "visavis pull toy --force" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_directory_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.gguf", tmp_path):
        with pytest.raises(BundleError, match="cannot be read"):
            verify.check(path)


def test_a_file_of_unknown_structure_passes(tmp_path: Path) -> None:
    (tmp_path / "m.bin").write_bytes(b"\x06\0\0\0anything")
    verify.check(tmp_path / "m.bin")


@pytest.mark.model
@pytest.mark.parametrize("bundle", catalogue.tier("tiny").bundles)
def test_the_models_of_the_tier_pass(model_options: Callable[[str], Options], bundle: str) -> None:
    for path in model_options(bundle).files.values():
        verify.check(path, bundle)


@pytest.mark.model
def test_a_real_model_cut_short_is_seen(
    model_options: Callable[[str], Options], tmp_path: Path
) -> None:
    for bundle in ("silero-vad", "smollm2-135m"):
        whole = model_options(bundle).files["model"]
        cut = tmp_path / whole.name
        with whole.open("rb") as stream:
            cut.write_bytes(stream.read(2_000_000))
        with pytest.raises(BundleError, match="truncated"):
            verify.check(cut, bundle)
