"""Pulling a bundle into the store: fetch, hash, and move in as a whole.

Each file is fetched into a part file named by its hash, from the first source that gives the
right bytes; when all files are there, their directory is renamed into the store. Interrupted at
any instant (Ctrl-C, kill, power), the store is as it was and the next pull goes on from the part
files. Two processes that pull the same bundle take turns, and the second finds it done.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from visavis.bundle import catalogue, lock, stamp, verify
from visavis.bundle.address import FileAddress, HubAddress, WebAddress, WheelAddress
from visavis.bundle.fetch import Access, Job, Progress, Report, hub, local, web, wheel
from visavis.bundle.manifest import File, Manifest, Source
from visavis.bundle.stamp import Stamp
from visavis.bundle.store import Installed, Store
from visavis.flow.errors import BundleError, InputError, PullError

_FETCH: dict[type, Callable[[Job], None]] = {
    FileAddress: local.fetch,
    WebAddress: web.fetch,
    HubAddress: hub.fetch,
    WheelAddress: wheel.fetch,
}
_MARGIN_BYTES = 64 << 20
# While pip runs there are two copies of the wheel, and then the file beside them.
_WHEEL_COPIES = 3
_FULL = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


def ignore(progress: Progress) -> None:
    """A report that goes nowhere."""


def pull(
    manifest: Manifest,
    store: Store,
    *,
    access: Access | None = None,
    report: Report = ignore,
    force: bool = False,
) -> Installed:
    """The bundle of `manifest`, fetched unless it is in the store already and undamaged.

    `force` fetches it again; what was installed stays until the new files are verified. Raises
    `BundleError` for what a source gives wrongly, `PullError` for network and disk, `InputError`
    for a store that cannot be written.
    """
    refuse_impostor(manifest)
    if not force and (installed := _already(manifest, store)):
        return installed
    try:
        waiting = Progress(manifest.name, "", "waiting for another pull", 0, 0)
        with lock.held(store.lock(manifest), lambda: report(waiting)):
            store.recover(manifest)
            if not force and (installed := _already(manifest, store)):
                return installed
            return _Pull(manifest, store, access or Access(), report).run()
    except OSError as error:
        raise _cannot_store(error, manifest, store) from error


def refuse_impostor(manifest: Manifest) -> None:
    """A manifest from outside may bring a shipped bundle by another way, never other bytes."""
    if manifest.name not in catalogue.names():
        return
    shipped = catalogue.manifest(manifest.name)
    ours = {(file.role, file.path): file.hashes for file in shipped.files}
    theirs = {(file.role, file.path): file.hashes for file in manifest.files}
    same = ours.keys() == theirs.keys() and all(theirs[key] <= ours[key] for key in ours)
    if not same or manifest.version != shipped.version:
        raise BundleError(
            manifest.name, "is the name of a shipped bundle with other files", "choose another name"
        )


def _already(manifest: Manifest, store: Store) -> Installed | None:
    try:
        return store.load(manifest)
    except BundleError:
        return None


class _Pull:
    """One pull, under the lock."""

    def __init__(self, manifest: Manifest, store: Store, access: Access, report: Report) -> None:
        self._manifest, self._store = manifest, store
        self._access, self._report = access, report
        staging = store.staging(manifest)
        self._ready, self._parts = staging / "ready", staging / "parts"
        self._wheels = staging / "wheels"

    def run(self) -> Installed:
        files = self._manifest.files
        if self._access.offline and not all(self._sources(file) for file in files):
            raise BundleError(
                self._manifest.name,
                "is not in the store, and we are offline",
                f"run 'visavis pull {self._manifest.name}' with a network",
            )
        self._tidy()
        self._refuse_full_disk()
        self._parts.mkdir(parents=True, exist_ok=True)
        stamps = {file.path: self._stage(file) for file in files}
        return self._store.admit(self._manifest, self._ready, stamps)

    def _tidy(self) -> None:
        """Removes what an earlier pull left that this one has no use for."""
        wanted = {self._ready / file.path for file in self._manifest.files}
        for path in self._ready.rglob("*"):
            if path.is_file() and path not in wanted:
                path.unlink()
        for scratch in self._wheels.glob("pip-*"):
            shutil.rmtree(scratch, ignore_errors=True)

    def _refuse_full_disk(self) -> None:
        need = sum(self._need(file) for file in self._manifest.files)
        free = shutil.disk_usage(_existing(self._store.root)).free
        if need and free < need + _MARGIN_BYTES:
            raise PullError(
                self._manifest.name,
                f"needs {_mb(need + _MARGIN_BYTES)} free in {self._store.root}, which has {_mb(free)}",
                "make room, or set VISAVIS_MODELS to another disk",
            )

    def _need(self, file: File) -> int:
        """Bytes that fetching `file` still takes at its peak."""
        if (self._ready / file.path).exists():
            return 0
        source = self._sources(file)[0]
        if isinstance(source.parts[0], WheelAddress):
            return source.size_bytes * _WHEEL_COPIES
        return source.size_bytes - _size(self._part(source))

    def _stage(self, file: File) -> Stamp:
        """Brings `file` into the ready directory, verified."""
        target = self._ready / file.path
        if target.is_file() and (digest := verify.sha256(target)) in file.hashes:
            return stamp.of(target.stat(), digest)
        source = self._fetch(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        part = self._part(source)
        with part.open("rb+") as stream:
            os.fsync(stream.fileno())
        part.replace(target)
        return stamp.of(target.stat(), source.sha256)

    def _fetch(self, file: File) -> Source:
        """Fills the part file of the first source that gives the right bytes."""
        failures: list[BundleError | PullError] = []
        for source in self._sources(file):
            try:
                self._try(file, source)
                return source
            except (BundleError, PullError) as error:
                failures.append(error)
        raise _summary(self._manifest, file, failures)

    def _try(self, file: File, source: Source) -> None:
        """One source; a second time from nothing if what was resumed turns out wrong."""
        part = self._part(source)
        resumed = _size(part) > 0
        if _size(part) != source.size_bytes:
            self._run(file, source)
        try:
            self._check(file, source)
        except BundleError:
            part.unlink()
            if not resumed:
                raise
            self._run(file, source)
            self._check(file, source)

    def _run(self, file: File, source: Source) -> None:
        job = Job(
            bundle=self._manifest.name,
            file=file.path,
            source=source,
            part=self._part(source),
            wheels=self._wheels,
            base=self._manifest.base,
            access=self._access,
            report=self._report,
        )
        _FETCH[type(source.parts[0])](job)

    def _check(self, file: File, source: Source) -> None:
        """Raises `BundleError` unless the part file is what the manifest states of the source."""
        part, expected = self._part(source), source.size_bytes
        if problem := verify.stands_for(part):
            raise BundleError(file.path, f"what came {problem}")
        if (size := _size(part)) != expected:
            much = "more than" if size > expected else f"{size} of"
            raise BundleError(
                file.path, f"has {much} the {expected} bytes that the manifest states"
            )
        self._report(Progress(self._manifest.name, file.path, "verifying", expected, expected))
        if verify.sha256(part) != source.sha256:
            raise BundleError(file.path, "is not what the manifest says (SHA-256 differs)")

    def _part(self, source: Source) -> Path:
        return self._parts / f"{source.sha256}.part"

    def _sources(self, file: File) -> tuple[Source, ...]:
        if not self._access.offline:
            return file.sources
        return tuple(each for each in file.sources if isinstance(each.parts[0], FileAddress))


def _summary(
    manifest: Manifest, file: File, failures: list[BundleError | PullError]
) -> BundleError | PullError:
    """One line for all that was tried; of the kind of the first, which is the preferred source."""
    reasons = " | ".join(f"{error.subject}: {error.problem}" for error in failures)
    remedy = failures[0].remedy or "check the network or the manifest's sources, and try again"
    return type(failures[0])(manifest.name, f"{file.path} could not be had ({reasons})", remedy)


def _cannot_store(error: OSError, manifest: Manifest, store: Store) -> InputError | PullError:
    if error.errno in _FORBIDDEN:
        remedy = "set VISAVIS_MODELS to a directory that you can write"
        return InputError(store.root, f"cannot be written ({error.strerror})", remedy)
    if error.errno in _FULL:
        remedy = "make room, or set VISAVIS_MODELS to another disk; what is there will be used"
        return PullError(manifest.name, f"no space left in {store.root}", remedy)
    return PullError(manifest.name, f"cannot be stored in {store.root} ({error})")


def _existing(path: Path) -> Path:
    """`path` or the nearest directory above it that exists."""
    return next(each for each in (path, *path.absolute().parents) if each.exists())


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _mb(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"
