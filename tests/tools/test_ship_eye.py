"""Shipping the eye: the manifest says what lies in the package, and is written the same twice."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.bundle.test_projector import MODEL, tower
from tools import ship_eye
from visavis.bundle.manifest import Manifest
from visavis.bundle.parse import parse

TEXT = ship_eye.EYE.sub("", ship_eye.SETTINGS.sub("", ship_eye.MANIFEST.read_text("utf-8"))) + "\n"


@pytest.fixture
def eye(tmp_path: Path) -> Path:
    path = tmp_path / "eye.gguf"
    path.write_bytes(tower())
    return path


def read(text: str) -> Manifest:
    return parse(text, name="smollm2-135m.toml")


def test_the_manifest_gets_an_eye_and_a_new_version(eye: Path) -> None:
    before, after = read(TEXT), read(ship_eye.with_eye(TEXT, eye))
    assert before.settings == {}
    assert after.settings == {
        "picture_tokens": 6,
        "most_pictures": 1,
        "picture_reach": 0,
        "picture_side": 64,
    }
    assert [file.role for file in after.files] == ["model", "mmproj"]
    assert after.files[0] == before.files[0]
    (source,) = after.files[1].sources
    assert str(source) == "package:eye/eye.gguf"
    assert source.sha256 == hashlib.sha256(eye.read_bytes()).hexdigest()
    assert source.size_bytes == eye.stat().st_size
    assert _minor(after) == _minor(before) + 1


def test_the_same_eye_again_changes_nothing_and_another_one_everything(eye: Path) -> None:
    once = ship_eye.with_eye(TEXT, eye)
    assert ship_eye.with_eye(once, eye) == once
    eye.write_bytes(tower() + b"\0" * 32)
    other = read(ship_eye.with_eye(once, eye))
    assert _minor(other) == _minor(read(once)) + 1
    assert len(other.files) == 2


def test_what_the_manifest_says_of_other_things_stays(eye: Path) -> None:
    text = TEXT.replace(
        "\n[[files]]", "settings = { batch_tokens = 16, picture_side = 1 }\n\n[[files]]", 1
    )
    settings = read(ship_eye.with_eye(text, eye)).settings
    assert (settings["batch_tokens"], settings["picture_side"]) == (16, 64)


def test_the_shipped_manifest_is_written_the_same_again() -> None:
    text = ship_eye.MANIFEST.read_text("utf-8")
    assert ship_eye.with_eye(text, ship_eye.PACKAGE / ship_eye.PLACE) == text


def test_what_does_not_fit_or_is_too_large_is_not_shipped(eye: Path, tmp_path: Path) -> None:
    model = tmp_path / "lm.gguf"
    model.write_bytes(MODEL)
    assert ship_eye.problem(eye, model) == ""
    assert "no vision tower" in ship_eye.problem(model, model)
    with eye.open("r+b") as stream:
        stream.truncate(ship_eye.MOST_BYTES + 1)
    assert "may be shipped" in ship_eye.problem(eye, None)


def _minor(manifest: Manifest) -> int:
    return int(manifest.version.split(".")[1])
