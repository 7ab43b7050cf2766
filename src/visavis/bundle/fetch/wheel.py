"""`pypi:` sources: a file inside a wheel, taken out without installing the package.

The wheel is kept beside the part files until its bundle is complete: one wheel often carries
several of its files. Extraction is bounded by the size that the manifest states.
"""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

from visavis.bundle.address import WheelAddress
from visavis.bundle.fetch import Job, pip
from visavis.flow.errors import BundleError

_CHUNK_BYTES = 1 << 20
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


def fetch(job: Job) -> None:
    """Fills the part file with the parts, one after the other."""
    with job.part.open("wb") as out:
        for address in job.source.parts:
            assert isinstance(address, WheelAddress)
            wheel = pip.obtain(address, job)
            try:
                _extract(wheel, address.path, out, job)
            except _BROKEN as error:
                wheel.unlink()
                raise BundleError(wheel.name, f"is not a whole wheel ({error})") from None


def _extract(wheel: Path, member: str, out: BinaryIO, job: Job) -> None:
    """Appends `member` to `out`, up to one byte more than the whole file should have."""
    size = job.source.most_bytes
    with zipfile.ZipFile(wheel) as archive:
        if member not in archive.NameToInfo:
            raise BundleError(wheel.name, f"holds no file {member}")
        with archive.open(member) as stream:
            while chunk := stream.read(min(_CHUNK_BYTES, size + 1 - out.tell())):
                out.write(chunk)
                job.tell("extracting", min(out.tell(), size), size)
