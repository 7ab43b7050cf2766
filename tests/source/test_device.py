"""Which camera there is, how FFmpeg is told to open it, and one clear line when it cannot be."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import av
import pytest

from visavis.flow.errors import InputError, VisavisError
from visavis.source import device
from visavis.source.device import NON_BLOCKING, Device, cameras, devices, opened

PICTURES = Device("lavfi", "testsrc2=size=64x48:rate=30")


def tried(name: str | None, max_pixels: int = 640 * 480) -> list[Device]:
    return devices(name, rate_hz=30, max_pixels=max_pixels)


def test_the_first_that_opens_is_taken() -> None:
    container, found = opened([Device("lavfi", "no such filter"), PICTURES])
    with container:
        assert found == PICTURES
        assert container.streams.video[0].width == 64


@pytest.mark.parametrize(
    ("number", "problem", "remedy"),
    [
        (errno.ENOENT, "there is no such camera", "plug one in, choose another with --camera"),
        (errno.ENODEV, "there is no such camera", "or give --video FILE"),
        (errno.EBUSY, "it is in use", "close the program that holds it"),
        (errno.EACCES, "access is denied", "usermod -aG video"),
        (errno.EIO, "cannot be opened: Input/output error", "close what else may use it"),
    ],
)
def test_a_refusal_says_what_is_wrong_and_what_can_be_done(
    monkeypatch: pytest.MonkeyPatch, number: int, problem: str, remedy: str
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")

    def refuse(*_: object, **__: object) -> None:
        av.error.err_check(-number)

    monkeypatch.setattr(av, "open", refuse)
    with pytest.raises(InputError) as caught:
        opened(tried("/dev/video7"))
    assert str(caught.value).startswith(f"camera /dev/video7: {problem}")
    assert remedy in caught.value.remedy
    assert "\n" not in str(caught.value)


def test_what_is_really_not_there_is_said_so() -> None:
    with pytest.raises(InputError, match=r"camera /dev/video99: there is no such camera; plug"):
        opened([Device("v4l2", "/dev/video99", NON_BLOCKING)])


def test_what_is_no_camera_is_said_so() -> None:
    with pytest.raises(InputError, match=r"camera /dev/null: cannot be opened: "):
        opened([Device("v4l2", os.devnull)])
    with pytest.raises(InputError, match=r"camera sine: gives no pictures"):
        opened([Device("lavfi", "sine")])


def test_a_pyav_without_the_system_s_cameras_is_said_so() -> None:
    with pytest.raises(VisavisError, match=r"camera 0: PyAV is built without nosuch"):
        opened([Device("nosuch", "0")])


def test_on_linux_the_nodes_are_tried_in_order(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for number in (10, 2, 0):
        (tmp_path / f"video{number}").touch()
    monkeypatch.setattr(device, "Path", lambda _: tmp_path)
    names = [str(tmp_path / f"video{number}") for number in (0, 2, 10)]
    assert cameras() == names
    found = tried(None)
    assert [each.name for each in found] == [name for name in names for _ in range(2)]
    assert found[0].options == {"fflags": "4", "video_size": "640x480", "framerate": "30"}
    assert found[1].options == {"fflags": "4"}, "a camera may know neither"


def test_without_any_there_is_a_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(device, "Path", lambda _: tmp_path)
    with pytest.raises(InputError, match=r"camera: there is none; plug one in, .*--video FILE"):
        tried(None)


@pytest.mark.parametrize(
    ("platform", "name", "form", "told"),
    [
        ("linux", "2", "v4l2", "/dev/video2"),
        ("linux", "/dev/video2", "v4l2", "/dev/video2"),
        ("darwin", "0", "avfoundation", "0"),
        ("darwin", "FaceTime HD Camera", "avfoundation", "FaceTime HD Camera"),
        ("win32", "Integrated Camera", "dshow", "video=Integrated Camera"),
        ("win32", "video=Integrated Camera", "dshow", "video=Integrated Camera"),
    ],
)
def test_a_name_is_told_as_the_system_s_devices_want_it(
    monkeypatch: pytest.MonkeyPatch, platform: str, name: str, form: str, told: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    found = tried(name)
    assert {(each.format, each.name) for each in found} == {(form, told)}
    assert not any(each.waits for each in found)


@pytest.mark.parametrize(("platform", "names"), [("darwin", ["default"]), ("win32", [])])
def test_elsewhere_the_system_is_asked(
    monkeypatch: pytest.MonkeyPatch, platform: str, names: list[str]
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    known: list[Any] = []
    monkeypatch.setattr(av, "enumerate_input_devices", lambda _: known, raising=False)
    assert cameras() == names
    known += [
        SimpleNamespace(name="Microphone", media_types=["audio"]),
        SimpleNamespace(name="Camera", media_types=["video"]),
    ]
    assert cameras() == ["Camera"]
    monkeypatch.delattr(av, "enumerate_input_devices")
    assert cameras() == names, "older PyAV cannot be asked"


@pytest.mark.parametrize(
    ("max_pixels", "size"),
    [(1920 * 1080, "1920x1080"), (1_000_000, "1280x720"), (16_384, "160x120")],
)
def test_it_is_asked_for_no_more_than_is_kept(
    monkeypatch: pytest.MonkeyPatch, max_pixels: int, size: str
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    assert tried("0", max_pixels)[0].options["video_size"] == size
