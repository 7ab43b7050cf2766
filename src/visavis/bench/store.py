"""Results as JSON files.

Takes and gives a `Result`. Raises `InputError` for a file that cannot be read or written, or is
no result.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

import msgspec

from visavis.bench.result import Result
from visavis.flow.errors import InputError
from visavis.flow.files import unfinished


def save(result: Result, path: Path) -> None:
    """Writes it, whole or not at all."""
    written = msgspec.json.format(msgspec.json.encode(result), indent=1)
    write_whole(path, written, "give another name")


def write_whole(path: Path, data: bytes, remedy: str) -> None:
    """Writes a file, whole or not at all; through a link, into the file that it names.

    What is no regular file (a device, a pipe) is written straight into: to put a file in its place
    would do away with it. Raises `InputError` with the remedy.
    """
    try:
        if _is_stream(path):
            path.write_bytes(data)
        else:
            _replace(Path(os.path.realpath(path)), data)
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise InputError(path, problem, remedy) from error


def _is_stream(path: Path) -> bool:
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def _replace(path: Path, data: bytes) -> None:
    part = unfinished(path)
    try:
        part.write_bytes(data)
        os.replace(part, path)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def load(path: Path) -> Result:
    """Reads what `save` wrote, of this version or an older one."""
    try:
        result = msgspec.json.decode(path.read_bytes(), type=Result)
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise InputError(path, problem, "give a file that --json wrote") from None
    except msgspec.MsgspecError as error:
        problem = f"is no result of a bench ({error})"
        raise InputError(path, problem, "give a file that --json wrote") from None
    if not result.episodes:
        raise InputError(path, "has no episodes of a bench", "give a file that --json wrote")
    return result
