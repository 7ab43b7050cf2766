"""Copies from this machine: bounded, and of regular files only."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from visavis.bundle.fetch import local
from visavis.flow.errors import BundleError

from .conftest import DATA, MakeJob


def test_a_relative_path_starts_at_the_manifest(make_job: MakeJob, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(DATA)
    job = make_job("file:model.bin")
    local.fetch(job)
    assert job.part.read_bytes() == DATA


def test_a_larger_file_shows_and_is_not_copied_whole(make_job: MakeJob, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(DATA)
    job = make_job("file:model.bin", size_bytes=100)
    local.fetch(job)
    assert job.part.stat().st_size == 101


def test_what_is_no_regular_file_is_refused(make_job: MakeJob, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in ("pipe", "/dev/zero", "."):
        with pytest.raises(BundleError, match="is not a regular file"):
            local.fetch(make_job(f"file:{place}"))


def test_a_missing_file_is_named(make_job: MakeJob) -> None:
    with pytest.raises(BundleError, match=r"absent\.bin: cannot be read"):
        local.fetch(make_job("file:absent.bin"))


def test_a_file_of_the_package_is_found_wherever_it_is_installed(make_job: MakeJob) -> None:
    shipped = Path(local.__file__).parents[2] / "py.typed"
    job = make_job("package:py.typed", size_bytes=max(1, shipped.stat().st_size))
    local.fetch(job)
    assert job.part.read_bytes() == shipped.read_bytes()
    with pytest.raises(BundleError, match=r"absent\.gguf: cannot be read"):
        local.fetch(make_job("package:eye/absent.gguf"))
