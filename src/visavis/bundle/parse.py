"""Makes a `Manifest` from TOML text, which may come from a stranger.

Takes text or a file. Gives a manifest (manifest.py), or `BundleError` naming the file and the key.
Invariant: a manifest that parsed is bounded in every dimension, writes only inside its own
directory, and has no key that we do not know.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from visavis.bundle import address, table
from visavis.bundle.address import WheelAddress
from visavis.bundle.manifest import (
    MANIFEST,
    Becomes,
    File,
    Licence,
    Manifest,
    Requires,
    Source,
)
from visavis.bundle.stamp import STAMP
from visavis.bundle.table import Table
from visavis.flow.errors import BundleError

MAX_TEXT_BYTES = 1 << 18
MAX_FILES, MAX_SOURCES, MAX_PARTS = 128, 8, 64
MAX_FILE_BYTES = 1 << 38
RESERVED = {MANIFEST, STAMP}

NAME, _VERSION = r"[a-z0-9][a-z0-9._-]{0,63}", r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}"
_WORD, _LIBRARY = r"[a-z][a-z0-9_-]{0,31}", r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
_ROLE, _LANGUAGE = r"[a-z][a-z0-9_-]{0,31}", r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*"
_HASH, _WEIGHTS = r"[0-9a-f]{64}", r"Q8_0"
_PLATFORM = r"[A-Za-z0-9][A-Za-z0-9_.]{0,63}"


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
    backend = top.text("backend", _WORD, default="")
    files = top.tables("files", MAX_FILES, optional=bool(backend))
    manifest = Manifest(
        name=top.text("name", NAME),
        version=top.text("version", _VERSION),
        kind=top.text("kind", _WORD),
        backend=backend,
        summary=top.text("summary", table.LINE, default=""),
        languages=top.texts("languages", _LANGUAGE),
        licence=_licence(top.table("licence")),
        requires=_requires(top.table("requires", optional=True)),
        settings=top.table("settings", optional=True).take_all(),
        files=tuple(_file(each) for each in files),
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
    if any(source.becomes for source in sources) and not path.endswith(".gguf"):
        raise part.error("path", f"{path!r} must end in .gguf where a source becomes another")
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
    about = part.has("about_bytes")
    source = Source(
        parts=parts,
        sha256=part.text("sha256", _HASH),
        size_bytes=part.whole("about_bytes" if about else "size_bytes", 1, MAX_FILE_BYTES),
        platforms=part.texts("platforms", _PLATFORM),
        is_exact=not about,
        becomes=_becomes(part.table("becomes")) if part.has("becomes") else None,
    )
    if source.becomes and about:
        raise part.error("about_bytes", "must be size_bytes where the file becomes another")
    if source.becomes and source.becomes.sha256 == source.sha256:
        raise part.error("becomes", "is what is fetched already")
    part.finish()
    return source


def _becomes(part: Table) -> Becomes:
    becomes = Becomes(
        weights=part.text("weights", _WEIGHTS),
        sha256=part.text("sha256", _HASH),
        size_bytes=part.whole("size_bytes", 1, MAX_FILE_BYTES),
    )
    part.finish()
    return becomes


def _refuse_collisions(top: Table, files: tuple[File, ...]) -> None:
    """Roles and paths are unique, the latter also where case does not count, and nest in none."""
    roles, paths = [file.role for file in files], [file.path.casefold() for file in files]
    for key, values in (("role", roles), ("path", paths)):
        if again := next((value for value in values if values.count(value) > 1), None):
            raise top.error(f"files.{key}", f"{again!r} stands twice")
    for path in paths:
        if inner := next((other for other in paths if other.startswith(path + "/")), None):
            raise top.error("files.path", f"{path!r} is a file and a directory of {inner!r}")
