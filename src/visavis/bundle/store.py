"""The model store: the directory where bundles live once they are complete and verified.

    <root>/<bundle>/<version>/…           the files, `bundle.toml`, and the stamps (stamp.py)
    <root>/.staging/<bundle>@<version>/   what a pull has so far; `admit` moves it in as a whole
    <root>/.locks/<bundle>                see lock.py

Invariant: the directory of a bundle appears complete or not at all, and a file handed out had the
hash its manifest states when it was last seen to change.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from visavis.backends.contract import Options
from visavis.bundle import catalogue, stamp, verify
from visavis.bundle.manifest import MANIFEST, File, Manifest
from visavis.bundle.parse import NAME, read
from visavis.bundle.stamp import Stamp
from visavis.flow.errors import BundleError


@dataclass(frozen=True, slots=True)
class Installed:
    """A bundle in the store whose files are all there."""

    manifest: Manifest
    directory: Path

    @property
    def files(self) -> dict[str, Path]:
        """The files by role."""
        return {file.role: self.directory / file.path for file in self.manifest.files}

    @property
    def options(self) -> Options:
        """What the backend's `load` takes."""
        files = _Files(self.manifest.name, self.files)
        return Options(files=files, settings=self.manifest.settings)

    def verify(self) -> None:
        """Hashes every file again and checks its structure. Raises `BundleError`."""
        for file in self.manifest.files:
            _hash(self.manifest, file, self.directory / file.path)
            verify.check(self.directory / file.path, self.manifest.name)
        self.refuse_misfit()

    def refuse_misfit(self) -> None:
        """Raises `BundleError` if its files do not belong together: an engine might abort."""
        if problem := verify.misfit(self.files):
            raise BundleError(self.manifest.name, problem, "correct the files in its manifest")


class Store:
    """The bundles under `root`, which need not exist yet."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def find(self, name: str) -> Installed:
        """The installed bundle `name`: the version of the catalogue, else the one pulled last.

        Raises `BundleError` when it is unknown, not installed or damaged.
        """
        name = catalogue.current(name)
        pinned = catalogue.manifest(name) if name in catalogue.names() else None
        if pinned and self.place(pinned).is_dir():
            return self.load(pinned)
        if latest := max(self._versions(name), key=_pulled_ns, default=None):
            return self.load(read(latest / MANIFEST))
        raise missing((pinned or catalogue.manifest(name)).name)

    def has(self, name: str) -> bool:
        """Some version of the bundle `name` lies here, whole or damaged."""
        return any(self._versions(catalogue.current(name)))

    def load(self, manifest: Manifest) -> Installed:
        """The files of exactly this manifest. Raises `BundleError` as `find` does."""
        directory = self.place(manifest)
        if not directory.is_dir():
            raise missing(manifest.name)
        known = stamp.read(directory)
        seen = {
            file.path: _stamped(manifest, file, directory, known.get(file.path))
            for file in manifest.files
        }
        if seen != known:
            stamp.write(directory, seen)
        return Installed(manifest, directory)

    def installed(self) -> tuple[Installed, ...]:
        """Every usable bundle of every version, by name; damaged ones are left out."""
        found = []
        for path in sorted(self.root.glob(f"[!.]*/*/{MANIFEST}")):
            with contextlib.suppress(BundleError):
                found.append(self.load(read(path)))
        return tuple(found)

    def place(self, manifest: Manifest) -> Path:
        """Where this bundle lies or would lie."""
        return self.root / manifest.name / manifest.version

    def staging(self, manifest: Manifest) -> Path:
        """Where a pull of this bundle collects what it has so far."""
        return self.root / ".staging" / f"{manifest.name}@{manifest.version}"

    def lock(self, manifest: Manifest) -> Path:
        """The file on which pulls of this bundle lock each other out."""
        return self.root / ".locks" / manifest.name

    def twins(self, manifest: Manifest) -> dict[str, Path]:
        """Files of other versions of this bundle by SHA-256, as they were last seen."""
        found = {}
        for directory in self._versions(manifest.name):
            for path, known in stamp.read(directory).items():
                if (directory / path).is_file():
                    found[known.sha256] = directory / path
        return found

    def admit(self, manifest: Manifest, ready: Path, stamps: dict[str, Stamp]) -> Installed:
        """Moves the directory `ready`, whose files are verified, into place in one step.

        A directory that was there steps aside first; `recover` brings it back if we die between.
        """
        (ready / MANIFEST).write_text(manifest.text, "utf-8")
        stamp.write(ready, stamps)
        place, aside = self.place(manifest), self._aside(manifest)
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():
            place.rename(aside)
        ready.rename(place)
        _sync(place.parent)
        shutil.rmtree(self.staging(manifest), ignore_errors=True)
        return Installed(manifest, place)

    def recover(self, manifest: Manifest) -> None:
        """Puts back a bundle that stepped aside for an `admit` that did not finish."""
        aside = self._aside(manifest)
        if aside.is_dir() and not self.place(manifest).exists():
            aside.rename(self.place(manifest))
        shutil.rmtree(aside, ignore_errors=True)

    def _aside(self, manifest: Manifest) -> Path:
        return self.staging(manifest) / "replaced"

    def _versions(self, name: str) -> Iterator[Path]:
        if not re.fullmatch(NAME, name):
            raise BundleError(repr(name), "is not the name of a bundle")
        return (path.parent for path in self.root.glob(f"{name}/*/{MANIFEST}"))


class _Files(dict[str, Path]):
    """Files by role. A role that the bundle lacks is a `BundleError`, not a `KeyError`."""

    def __init__(self, bundle: str, files: dict[str, Path]) -> None:
        super().__init__(files)
        self._bundle = bundle

    def __missing__(self, role: str) -> Path:
        remedy = f"add a [[files]] with role = {role!r} to its manifest"
        raise BundleError(self._bundle, f"has no file {role!r}, which its backend needs", remedy)


def missing(name: str) -> BundleError:
    """The error that says how to get the bundle `name`."""
    return BundleError(name, "is not installed", f"run 'visavis pull {name}'")


def _pulled_ns(directory: Path) -> int:
    return (directory / MANIFEST).stat().st_mtime_ns


def _stamped(manifest: Manifest, file: File, directory: Path, known: Stamp | None) -> Stamp:
    """The stamp of a file that is what the manifest says; raises `BundleError` if it is not."""
    path = directory / file.path
    try:
        status = path.stat()
    except OSError as error:
        problem = f"{file.path} cannot be read ({error.strerror})"
        raise verify.damaged(manifest.name, problem) from None
    if known and known.sha256 in file.hashes and stamp.of(status, known.sha256) == known:
        return known
    return stamp.of(status, _hash(manifest, file, path))


def _hash(manifest: Manifest, file: File, path: Path) -> str:
    digest = verify.sha256(path, manifest.name)
    if digest not in file.hashes:
        problem = verify.stands_for(path) or "is not what the manifest says (SHA-256 differs)"
        raise verify.damaged(manifest.name, f"{file.path} {problem}")
    return digest


def _sync(directory: Path) -> None:
    """Makes a rename in `directory` survive a power cut, where the system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
