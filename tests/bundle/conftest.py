"""Bundles made on the spot: files, and a manifest that fetches them from beside itself."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from visavis.bundle.manifest import Manifest
from visavis.bundle.parse import read
from visavis.bundle.store import Store

WEIGHTS = b"weights \x00\x01\x02" * 100
MakeBundle = Callable[..., Manifest]


def source(address: str, data: bytes, more: str = "") -> str:
    """A `[[files.sources]]` entry that gives `data`."""
    digest = hashlib.sha256(data).hexdigest()
    return (
        f"\n[[files.sources]]\nfrom = {address!r}\n"
        f'sha256 = "{digest}"\nsize_bytes = {len(data)}\n{more}'
    )


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def make_bundle(tmp_path: Path) -> MakeBundle:
    """`make_bundle({path: bytes})` writes a manifest with `file:` sources; gives it parsed."""

    def make(
        files: dict[str, bytes] | None = None,
        *,
        name: str = "toy",
        version: str = "1",
        sources: dict[str, str] | None = None,
    ) -> Manifest:
        lines = [f'name = "{name}"\nversion = "{version}"\nkind = "vad"\nbackend = "fake"\n']
        lines.append('licence = { spdx = "MIT" }\nsettings = { threads = 1 }\n')
        for number, (path, data) in enumerate((files or {"model.bin": WEIGHTS}).items()):
            origin = tmp_path / "origin" / path
            origin.parent.mkdir(parents=True, exist_ok=True)
            origin.write_bytes(data)
            role = "model" if number == 0 else f"file{number}"
            lines.append(f'\n[[files]]\nrole = "{role}"\npath = "{path}"\n')
            lines.append((sources or {}).get(path) or source(f"file:origin/{path}", data))
        manifest = tmp_path / f"{name}-{version}.toml"
        manifest.write_text("".join(lines))
        return read(manifest)

    return make
