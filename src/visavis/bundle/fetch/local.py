"""`file:` sources: a copy from this machine, or from a disk that someone carried over.

And `package:` sources, which came with visavis.
"""

from __future__ import annotations

import stat
from pathlib import Path

from visavis.bundle.address import FileAddress, PackageAddress
from visavis.bundle.fetch import Job
from visavis.flow.errors import BundleError

_CHUNK_BYTES = 1 << 20
_PACKAGE = Path(__file__).parents[2]


def fetch(job: Job) -> None:
    """Copies at most one byte more than the manifest states, so that a surplus shows."""
    (address,) = job.source.parts
    assert isinstance(address, FileAddress | PackageAddress)
    home = job.base if isinstance(address, FileAddress) else _PACKAGE
    path = home / address.path
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise BundleError(path, "is not a regular file")
        stream = path.open("rb")
    except OSError as error:
        raise BundleError(path, f"cannot be read ({error.strerror})") from None
    size, done = job.source.most_bytes, 0
    with stream, job.part.open("wb") as out:
        while chunk := stream.read(min(_CHUNK_BYTES, size + 1 - done)):
            out.write(chunk)
            done += len(chunk)
            job.tell("copying", done, job.source.size_bytes)
