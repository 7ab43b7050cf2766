"""Wheels through pip: from the user's own index, kept until used, of any platform."""

from __future__ import annotations

import errno
import hashlib
import io
import sys
import zipfile
from pathlib import Path

import pytest

from visavis.bundle import address
from visavis.bundle.address import WheelAddress
from visavis.bundle.fetch import Access, Job, Progress, pip
from visavis.bundle.manifest import Source
from visavis.flow.errors import PullError

from .conftest import MakeJob

ADDRESS = WheelAddress("toy-weights", "1.0", "toy_weights/model.bin")


def write_wheel(directory: Path, tag: str = "py3-none-any") -> Path:
    """A wheel that pip accepts, carrying one small file."""
    info = "toy_weights-1.0.dist-info"
    files = {
        "toy_weights/model.bin": "weights",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: toy-weights\nVersion: 1.0\n",
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n",
        f"{info}/RECORD": "",
    }
    directory.mkdir(exist_ok=True)
    path = directory / f"toy_weights-1.0-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def local_index(directory: Path) -> Access:
    """An access whose pip looks into `directory` alone."""
    environ = {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(directory),
        "PIP_CONFIG_FILE": "/dev/null",
    }
    return Access(environ=environ)


def test_the_users_own_index_is_asked(make_job: MakeJob, tmp_path: Path) -> None:
    origin = write_wheel(tmp_path / "index")
    job = make_job(str(ADDRESS), access=local_index(origin.parent))
    wheel = pip.obtain(ADDRESS, job)
    assert hashlib.sha256(wheel.read_bytes()).digest() == (
        hashlib.sha256(origin.read_bytes()).digest()
    )
    assert [each.name for each in job.wheels.iterdir()] == ["toy-weights-1.0"]
    origin.unlink()
    assert pip.obtain(ADDRESS, job) == wheel


def test_a_wheel_of_another_platform_is_had_by_its_tag(make_job: MakeJob, tmp_path: Path) -> None:
    origin = write_wheel(tmp_path / "index", "py3-none-plan9_68020")
    job = make_job(str(ADDRESS), access=local_index(origin.parent))
    with pytest.raises(PullError, match=r"No matching distribution found for toy-weights==1\.0"):
        pip.obtain(ADDRESS, job)
    source = Source((address.parse(str(ADDRESS)),), "0" * 64, 7, platforms=("plan9_68020",))
    other = Job(**{name: getattr(job, name) for name in Job.__slots__} | {"source": source})
    assert pip.obtain(ADDRESS, other).name == origin.name


@pytest.mark.parametrize(
    ("said", "code", "kind", "words"),
    [
        ("WARNING: Retrying (Retry(total=4)) after connection broken", 1, PullError, "not answer"),
        (
            "ERROR: No matching distribution found for x==1",
            1,
            PullError,
            "No matching distribution",
        ),
        ("ERROR: Exception:\nTraceback\nKeyError: 'x'", 2, PullError, "KeyError"),
        ("ERROR: 404 for https://user:secret@index.example/x", 1, PullError, "404 for …"),
        ("", 1, PullError, "it gave no reason"),
        ("ERROR: [Errno 28] No space left on device", 1, OSError, "No space left"),
    ],
)
def test_what_pip_says_becomes_one_line(
    make_job: MakeJob,
    monkeypatch: pytest.MonkeyPatch,
    said: str,
    code: int,
    kind: type[Exception],
    words: str,
) -> None:
    monkeypatch.setattr(pip, "_run", lambda *_: (code, said))
    with pytest.raises(kind, match=words) as caught:
        pip.obtain(ADDRESS, make_job(str(ADDRESS)))
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    if isinstance(caught.value, OSError):
        assert caught.value.errno == errno.ENOSPC


def test_a_wheel_of_a_pip_that_failed_is_not_taken(
    make_job: MakeJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = make_job(str(ADDRESS))

    def half(_: WheelAddress, __: Job, scratch: Path, ___: list[str]) -> tuple[int, str]:
        (scratch / "toy_weights-1.0-py3-none-any.whl").write_bytes(b"PK")
        return 1, "ERROR: killed"

    monkeypatch.setattr(pip, "_run", half)
    with pytest.raises(PullError, match="killed"):
        pip.obtain(ADDRESS, job)
    assert list(job.wheels.iterdir()) == []


def test_progress_lines_become_progress(make_job: MakeJob, told: list[Progress]) -> None:
    lines = io.StringIO("Collecting x\nProgress 10 of 40\nProgress 40 of 40\nSaved x\n")
    assert pip._listen(lines, make_job(str(ADDRESS))) == "Collecting x\nSaved x\n"
    assert [(each.done_bytes, each.total_bytes) for each in told] == [(10, 40), (40, 40)]


def test_without_pip_the_one_bundled_with_python_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    bundled = Path("/lib/ensurepip/pip-1.whl")
    monkeypatch.setattr(pip.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(pip, "_bundled", lambda: iter([bundled]))
    assert pip.command() == [sys.executable, "-u", str(bundled / "pip")]


def test_without_any_pip_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pip.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setattr(pip.shutil, "which", lambda _: None)
    with pytest.raises(PullError, match="uv pip install pip"):
        pip.command()
