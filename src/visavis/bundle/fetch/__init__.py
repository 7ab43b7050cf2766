"""How the bytes of one file are fetched: one module a kind of source, one table to choose by.

A fetcher takes a `Job` and fills `job.part`, going on from what is there already if it can. It
hashes nothing and renames nothing; pull.py does that. What goes wrong outside is a `PullError`;
what the source gives wrongly is a `BundleError`. Whatever happens, `job.part` may be left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from visavis.bundle.manifest import Source


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a pull has come with one file: `what` is happening, in bytes of that step.

    `total_bytes` is 0 when it is not known yet.
    """

    bundle: str
    file: str
    what: str
    done_bytes: int
    total_bytes: int


Report = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Access:
    """How the world may be reached.

    `hub_url` is the hub or a mirror of it. `environ` is what pip sees; None: what we see.
    """

    offline: bool = False
    hub_url: str = "https://huggingface.co"
    hub_token: str = field(default="", repr=False)
    environ: Mapping[str, str] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Job:
    """One file to fetch: from `source` into `part`; `wheels` is a directory to keep wheels in."""

    bundle: str
    file: str
    source: Source
    part: Path
    wheels: Path
    base: Path
    access: Access
    report: Report

    def tell(self, what: str, done_bytes: int, total_bytes: int) -> None:
        self.report(Progress(self.bundle, self.file, what, done_bytes, total_bytes))
