"""The eye of a llama.cpp engine: what is told to it, and what has to be told through its file."""

from __future__ import annotations

import struct
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.bundle.test_gguf import KEYS, U32, gguf, key
from visavis.backends.contract import Options
from visavis.backends.llm.eye import PREPROC_SIDE, open_eye, with_number
from visavis.backends.llm.xllamacpp import load
from visavis.backends.settings import Settings
from visavis.flow.errors import BundleError

SIDE = key(PREPROC_SIDE, U32, struct.pack("<I", 2048))


def parameters() -> SimpleNamespace:
    return SimpleNamespace(mmproj=SimpleNamespace(path=""), warmup=True, mmproj_use_gpu=True)


def test_it_is_opened_without_a_warm_up(tmp_path: Path) -> None:
    params = parameters()
    open_eye(params, tmp_path / "eye.gguf", Settings("llm/x", {"image_max_tokens": 144}), tmp_path)
    assert params.mmproj.path == str(tmp_path / "eye.gguf")
    assert (params.warmup, params.mmproj_use_gpu) == (False, False)
    assert (params.image_min_tokens, params.image_max_tokens) == (-1, 144)


def test_fewer_tiles_are_told_through_a_copy_of_the_file(tmp_path: Path) -> None:
    path, folder = tmp_path / "eye.gguf", tmp_path / "copies"
    folder.mkdir()
    path.write_bytes(gguf(keys=(*KEYS, SIDE)))
    params = parameters()
    open_eye(params, path, Settings("llm/x", {"preproc_image_size": 512}), folder)
    copied = Path(params.mmproj.path)
    assert copied.parent == folder
    wanted = gguf(keys=(*KEYS, key(PREPROC_SIDE, U32, struct.pack("<I", 512))))
    assert copied.read_bytes() == wanted
    assert path.read_bytes() == gguf(keys=(*KEYS, SIDE))


@pytest.mark.parametrize("keys", [KEYS, (*KEYS, key(PREPROC_SIDE, 8, struct.pack("<Q", 0)))])
def test_a_file_without_that_number_is_left_as_it_is(
    tmp_path: Path, keys: tuple[bytes, ...]
) -> None:
    path = tmp_path / "eye.gguf"
    path.write_bytes(gguf(keys=keys))
    assert with_number(path, PREPROC_SIDE, 512, tmp_path / "copy.gguf") == path
    assert not (tmp_path / "copy.gguf").exists()


def test_an_eye_that_is_no_gguf_is_refused_before_anything_starts(tmp_path: Path) -> None:
    model, eye = tmp_path / "model.gguf", tmp_path / "eye.gguf"
    model.write_bytes(gguf())
    eye.write_bytes(b"<html>")
    with pytest.raises(BundleError, match=r"eye\.gguf"):
        load(Options({"model": model, "mmproj": eye}))
