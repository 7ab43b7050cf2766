"""What was known of a bundle's files when they were last hashed.

Hashing 100 MB at every start would cost a good part of a second. The stamp file keeps, for each
path, the hash with the size and the time of modification that the file had then. It saves work
and guards against accidents, not against an attacker who can write to the store.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

STAMP = "verified.json"


@dataclass(frozen=True, slots=True)
class Stamp:
    """A file had this hash while it had this size and time of modification."""

    sha256: str
    size_bytes: int
    mtime_ns: int


def of(status: os.stat_result, sha256: str) -> Stamp:
    return Stamp(sha256, status.st_size, status.st_mtime_ns)


def read(directory: Path) -> dict[str, Stamp]:
    """The stamps of a bundle by path; none when the stamp file is absent or unreadable."""
    try:
        rows = json.loads((directory / STAMP).read_text("utf-8"))
        return {path: Stamp(**row) for path, row in rows.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def write(directory: Path, stamps: dict[str, Stamp]) -> None:
    """Replaces the stamp file in one step. A read-only store goes without: it hashes again."""
    rows = {path: asdict(stamp) for path, stamp in stamps.items()}
    draft = directory / f".{STAMP}.{os.getpid()}"
    with contextlib.suppress(OSError):
        draft.write_text(json.dumps(rows, indent=1), "utf-8")
        draft.replace(directory / STAMP)
