"""A job to fetch a file, with the part file in a temporary directory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from visavis.bundle import address
from visavis.bundle.fetch import Access, Job, Progress
from visavis.bundle.manifest import Source

DATA = bytes(range(256)) * 4096
MakeJob = Callable[..., Job]


@pytest.fixture
def told() -> list[Progress]:
    return []


@pytest.fixture
def make_job(tmp_path: Path, told: list[Progress]) -> MakeJob:
    def make(*parts: str, size_bytes: int = len(DATA), access: Access | None = None) -> Job:
        return Job(
            bundle="toy",
            file="model.bin",
            source=Source(tuple(map(address.parse, parts)), "0" * 64, size_bytes),
            part=tmp_path / "model.part",
            wheels=tmp_path / "wheels",
            base=tmp_path,
            access=access or Access(),
            report=told.append,
        )

    return make
