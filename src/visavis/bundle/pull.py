"""Pulling a bundle into the store: under a lock, from the sources that may be used, all or nothing.

Interrupted at any instant (Ctrl-C, kill, power), the store is as it was, and the next pull goes on
from what has been fetched (stage.py). Two processes that pull the same bundle take turns, and the
second finds it done.
"""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

from visavis.bundle import catalogue, lock
from visavis.bundle.fetch import Access, Progress, Report
from visavis.bundle.manifest import Manifest
from visavis.bundle.stage import Stage, unreachable
from visavis.bundle.store import Installed, Store
from visavis.flow.errors import BundleError, InputError, PullError

_MARGIN_BYTES = 64 << 20
_FULL = {errno.ENOSPC, errno.EDQUOT}
_UNUSABLE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST}


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
            twins = {} if force else store.twins(manifest)
            stage = Stage(manifest, store.staging(manifest), access or Access(), report, twins)
            return _fetch(manifest, store, stage)
    except OSError as error:
        raise _cannot_store(error, manifest, store) from error


def refuse_impostor(manifest: Manifest) -> None:
    """A manifest from outside may bring a shipped bundle by another way, never other bytes."""
    if catalogue.current(manifest.name) not in catalogue.names():
        return
    shipped = catalogue.manifest(manifest.name)
    ours = {(file.role, file.path): file.hashes for file in shipped.files}
    theirs = {(file.role, file.path): file.hashes for file in manifest.files}
    same = ours.keys() == theirs.keys() and all(theirs[key] <= ours[key] for key in ours)
    if not same or manifest.version != shipped.version:
        problem = "is the name of a shipped bundle, which has other files"
        raise BundleError(manifest.name, problem, "choose another name in the manifest")


def _already(manifest: Manifest, store: Store) -> Installed | None:
    try:
        return store.load(manifest)
    except BundleError:
        return None


def _fetch(manifest: Manifest, store: Store, stage: Stage) -> Installed:
    if not stage.reachable:
        raise unreachable(manifest)
    _refuse_full_disk(manifest, store, stage.need_bytes)
    return store.admit(manifest, stage.ready, stage.fill())


def _refuse_full_disk(manifest: Manifest, store: Store, need_bytes: int) -> None:
    free = shutil.disk_usage(_existing(store.root)).free
    if need_bytes and free < need_bytes + _MARGIN_BYTES:
        raise PullError(
            manifest.name,
            f"needs {_mb(need_bytes + _MARGIN_BYTES)} in {store.root}, where {_mb(free)} are free",
            "make room, or set VISAVIS_MODELS to another disk",
        )


def _cannot_store(error: OSError, manifest: Manifest, store: Store) -> InputError | PullError:
    if error.errno in _UNUSABLE:
        remedy = "set VISAVIS_MODELS to a directory that you can write"
        return InputError(store.root, f"cannot be written ({error.strerror})", remedy)
    if error.errno in _FULL:
        remedy = "make room, or set VISAVIS_MODELS to another disk, and pull again"
        return PullError(manifest.name, f"no space is left in {store.root}", remedy)
    return PullError(manifest.name, f"cannot be stored in {store.root} ({error})")


def _existing(path: Path) -> Path:
    """`path` or the nearest directory above it that exists."""
    return next(each for each in (path, *path.absolute().parents) if each.exists())


def _mb(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"
