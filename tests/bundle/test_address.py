"""Addresses: the five kinds, and what cannot be smuggled through them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.bundle.address import (
    FileAddress,
    HubAddress,
    PackageAddress,
    WebAddress,
    WheelAddress,
    parse,
    relative,
)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("file:weights/model.onnx", FileAddress("weights/model.onnx")),
        ("file:/mnt/usb/model.onnx", FileAddress("/mnt/usb/model.onnx")),
        ("https://example.org/m.onnx?v=2", WebAddress("https://example.org/m.onnx?v=2")),
        ("hf:owner/name@v1.0/a/b.gguf", HubAddress("owner/name", "v1.0", "a/b.gguf")),
        ("pypi:some-pkg==1.2.3/pkg/m.bin", WheelAddress("some-pkg", "1.2.3", "pkg/m.bin")),
        ("package:eye/eye.gguf", PackageAddress("eye/eye.gguf")),
    ],
)
def test_each_kind_is_read_and_written_back(text: str, address: object) -> None:
    assert parse(text) == address
    assert str(address) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "model.onnx",
        "http://example.org/m.onnx",
        "ftp://example.org/m.onnx",
        "https:///m.onnx",
        "https://user:secret@example.org/m.onnx",
        "https://[::1/m.onnx",
        "file:",
        "file://host/share",
        "hf:owner/m.gguf",
        "hf:owner/name@main/../../secret",
        "hf:owner/name@main//etc/passwd",
        "pypi:pkg/m.bin",
        "pypi:--index-url=x==1/m.bin",
        "pypi:pkg==1 --pre/m.bin",
        "pypi:pkg>=1/m.bin",
        "pypi:pkg==1/../m.bin",
        "package:",
        "package:../../etc/passwd",
        "package:/etc/passwd",
    ],
)
def test_what_is_not_an_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(text)


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../up", "a/../../b", "a//b", ".", ".hidden", "a\\b", "c:/x", "a/b."],
)
def test_a_path_that_could_leave_its_directory_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="plain relative path"):
        relative(path)


@given(st.text(alphabet="ab./\\-=:@~ \x00", max_size=20))
def test_a_path_that_is_accepted_stays_inside(path: str) -> None:
    try:
        accepted = relative(path)
    except ValueError:
        return
    assert all(part and not part.startswith(".") for part in accepted.split("/"))
    assert "\\" not in accepted
    assert "\0" not in accepted
