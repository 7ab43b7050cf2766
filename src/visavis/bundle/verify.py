"""Is a model file what its name says? Cheap checks of structure, before an engine loads it.

Engines trust their files: llama.cpp aborts the whole process over a malformed GGUF. So a file is
looked at first, without reading its weights: a millisecond for ONNX, a few tens for a GGUF with
its vocabulary. Every failure is a `BundleError` that names the file and the remedy. It does not
prove that the weights are the right ones; the hash does that (store.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath

from visavis.bundle import gguf, onnx, projector
from visavis.bundle.malformed import Malformed
from visavis.flow.errors import BundleError

_HEAD_BYTES = 512
_MAX_JSON_BYTES = 1 << 28


def check(path: Path, bundle: str = "") -> None:
    """Raises `BundleError` if `path` is absent, empty, a stand-in, or not what its suffix says."""
    try:
        problem = complaint(path, path.name)
    except OSError as error:
        raise damaged(bundle, f"{path} cannot be read ({error.strerror})") from None
    if problem:
        raise damaged(bundle, f"{path} {problem}")


def complaint(path: Path, name: str) -> str:
    """What is wrong with the file at `path` that is to be called `name`; empty if nothing is."""
    if path.stat().st_size == 0:
        return "is empty"
    try:
        _CHECKS.get(PurePath(name).suffix.lower(), _nothing)(path)
    except Malformed as error:
        return stands_for(path) or str(error)
    return stands_for(path)


def misfit(files: Mapping[str, Path]) -> str:
    """What keeps the files of a bundle, by role, from being used together; empty if nothing."""
    if "mmproj" in files and "model" in files:
        return projector.complaint(files["mmproj"], files["model"])
    return ""


def damaged(bundle: str, problem: str) -> BundleError:
    """The error for a file of `bundle`, with what brings it back."""
    remedy = f"run 'visavis pull {bundle} --force'" if bundle else "pull its bundle again"
    return BundleError(bundle or "model file", problem, remedy)


def stands_for(path: Path) -> str:
    """What `path` holds in place of weights, in words; empty if its head looks like neither.

    A login or error page saved under the file's name, or the pointer that a repository keeps
    where large files are stored apart, are what one gets most often when a download went wrong.
    """
    with path.open("rb") as stream:
        head = stream.read(_HEAD_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith((b"<!doctype html", b"<html", b"<head", b"<?xml")):
        return "is a web page, not the file itself"
    if head.startswith(b"version https://git-lfs"):
        return "is a Git LFS pointer, not the file itself"
    return ""


def sha256(path: Path, bundle: str = "") -> str:
    """The SHA-256 of a file in hexadecimal. Raises `BundleError` if it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise damaged(bundle, f"{path} cannot be read ({error.strerror})") from None


def _json(path: Path) -> None:
    if path.stat().st_size > _MAX_JSON_BYTES:
        raise Malformed(f"is larger than {_MAX_JSON_BYTES} bytes")
    try:
        json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise Malformed(f"is not valid JSON ({error})") from None


def _nothing(path: Path) -> None:
    """Formats we know no structure of: hash and head must do."""


_CHECKS: dict[str, Callable[[Path], None]] = {
    ".gguf": gguf.check,
    ".onnx": onnx.check,
    ".json": _json,
}
