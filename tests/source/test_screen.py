"""A live screen is asked for as each system wants it, and what cannot be looked at is said so.

There is no screen here: FFmpeg's test pictures stand in for one.
"""

from __future__ import annotations

import sys

import pytest

from tests.source.test_camera import Posted
from visavis.flow.clock import SystemClock
from visavis.flow.errors import InputError, VisavisError
from visavis.flow.ring import FrameRing, Room
from visavis.source.device import Device, opened
from visavis.source.screen import live_screen, screen_device


def named(name: str = "", *, display: str = ":0", is_wayland: bool = False) -> Device:
    return screen_device(name, display=display, is_wayland=is_wayland, rate_hz=2)


@pytest.mark.parametrize(
    ("platform", "name", "form", "told"),
    [
        ("linux", "", "x11grab", ":0"),
        ("linux", ":1.0", "x11grab", ":1.0"),
        ("darwin", "", "avfoundation", "Capture screen 0"),
        ("darwin", "1", "avfoundation", "Capture screen 1"),
        ("darwin", "Capture screen 2", "avfoundation", "Capture screen 2"),
        ("win32", "", "gdigrab", "desktop"),
        ("win32", "Slides", "gdigrab", "title=Slides"),
    ],
)
def test_a_name_is_told_as_the_system_s_devices_want_it(
    monkeypatch: pytest.MonkeyPatch, platform: str, name: str, form: str, told: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    found = named(name)
    assert (found.format, found.name, found.kind) == (form, told, "screen")
    assert found.options["framerate"] == "2"
    assert found.waits == ("fflags" not in found.options), "a read waits, or comes back at once"


def test_under_wayland_nothing_is_tried_but_an_x_display_that_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(InputError, match=r"screen: Wayland lets no program look at it") as caught:
        named(is_wayland=True)
    assert "--screen FILE" in caught.value.remedy
    assert "X11 session" in caught.value.remedy
    assert named(":1", is_wayland=True).name == ":1"


def test_without_a_display_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(InputError, match=r"screen: there is none: DISPLAY is not set; give a film"):
        named(display="")


def test_a_display_that_is_not_there_is_one_line() -> None:
    with pytest.raises(VisavisError) as caught:
        opened([Device("x11grab", ":731", waits=True, kind="screen")])
    assert str(caught.value).startswith("screen :731: it is not there, or lets nobody look at it; ")
    assert "--screen FILE" in str(caught.value)


def test_pictures_of_it_are_a_stream_of_their_own() -> None:
    device = Device("lavfi", "testsrc2=size=320x200:rate=60,realtime", waits=True)
    posted = Posted()
    ring = FrameRing.of({"camera": Room(2, 30), "screen": Room(9, 3 * 160 * 100)})
    with live_screen(ring, posted, SystemClock(), device, rate_hz=50):
        first, *_ = frames = posted.frames(4)
    assert {frame.stream for frame in frames} == {"screen"}
    assert (first.width, first.height) == (160, 100), "made to fit its own room"


def test_a_failure_bears_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    filming = live_screen(FrameRing(2, 30), Posted(), SystemClock(), named(":731"))
    with pytest.raises(VisavisError, match="screen :731"):
        filming.open()
