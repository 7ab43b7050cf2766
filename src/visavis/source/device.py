"""Devices: which camera there is, by what name FFmpeg opens it, and why one cannot be opened.

Takes what the user calls a camera (a screen: source/screen.py); gives an open container. Invariant:
what fails says which device, what is wrong with it and what can be done. Knows nothing of threads
and events. Video4Linux on Linux, AVFoundation on macOS, DirectShow on Windows.
"""

from __future__ import annotations

import errno
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import av
from av.container import InputContainer

from visavis.flow.errors import InputError, VisavisError
from visavis.flow.events import CAMERA, SCREEN
from visavis.source.container import DECODER_LIMITS

FORMATS = {"linux": "v4l2", "darwin": "avfoundation", "win32": "dshow"}
SIZES = ((1920, 1080), (1280, 720), (640, 480), (320, 240), (160, 120))
"""What nearly every camera can do."""
OPEN_S, READ_S = 5.0, 5.0
# AVFMT_FLAG_NONBLOCK has no name among FFmpeg's options: a read comes back at once, with nothing.
NON_BLOCKING = {"fflags": "4"}
_INSTEAD = {
    CAMERA: "plug one in, choose another with --camera, or give --video FILE",
    SCREEN: "choose another, or give a film or a picture of one: --screen FILE",
}
_ALLOW = {
    (CAMERA, "linux"): "add yourself to its group: sudo usermod -aG video $USER, then log in again",
    (CAMERA, "darwin"): "allow it in System Settings, Privacy & Security, Camera",
    (CAMERA, "win32"): "allow it in Settings, Privacy & security, Camera",
    (SCREEN, "darwin"): "allow it in System Settings, Privacy & Security, Screen Recording",
}


@dataclass(frozen=True, slots=True)
class Device:
    """What FFmpeg is told. `waits`: a read waits for the next frame, so that none ever queue up.

    `kind`: what it is to the user, camera or screen.
    """

    format: str
    name: str
    options: dict[str, str] = field(default_factory=dict)
    waits: bool = False
    kind: str = CAMERA

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


def cameras() -> list[str]:
    """The names of what may be a camera, the system's first one first."""
    if sys.platform == "linux":
        nodes = [str(path) for path in Path("/dev").glob("video*")]
        return sorted(nodes, key=lambda name: (len(name), name))
    return _listed() or (["default"] if sys.platform == "darwin" else [])


def devices(name: str | None, *, rate_hz: float, max_pixels: int) -> list[Device]:
    """What can be tried in turn to open camera `name`; None = the first that works.

    Wishes come first: a camera that does not know this size or rate gives what it likes. Raises
    `InputError` when there is nothing to try.
    """
    form = FORMATS.get(sys.platform, "v4l2")
    names = cameras() if name is None else [name]
    if not names:
        raise InputError(CAMERA, "there is none", _INSTEAD[CAMERA])
    size = next((size for size in SIZES if size[0] * size[1] <= max_pixels), SIZES[-1])
    wishes = {"video_size": f"{size[0]}x{size[1]}", "framerate": f"{rate_hz:g}"}
    return [
        Device(form, _as_ffmpeg_says(each), NON_BLOCKING | options)
        for each in names
        for options in (wishes, {})
    ]


def opened(tries: list[Device]) -> tuple[InputContainer, Device]:
    """The first that can be opened. Raises `InputError`, `VisavisError` for the first refusal."""
    refusal: VisavisError | None = None
    for device in tries:
        try:
            container = av.open(
                device.name,
                format=device.format,
                options=device.options | DECODER_LIMITS,
                timeout=(OPEN_S, READ_S),
            )
        except (av.FFmpegError, ValueError) as error:
            refusal = refusal or _refusal(device, error)
            continue
        if container.streams.video:
            return container, device
        container.close()
        refusal = refusal or InputError(str(device), "gives no pictures", _INSTEAD[device.kind])
    assert refusal is not None
    raise refusal


def _listed() -> list[str]:
    listing: Any = getattr(av, "enumerate_input_devices", lambda _: ())  # older PyAV has none
    try:
        found = listing(FORMATS.get(sys.platform, ""))
    except (av.FFmpegError, ValueError):
        return []
    return [each.name for each in found if "video" in each.media_types]


def _as_ffmpeg_says(name: str) -> str:
    if sys.platform == "linux":
        return f"/dev/video{name}" if name.isdecimal() else name
    if sys.platform == "win32":
        return name if name.startswith("video=") else f"video={name}"
    return name


def _refusal(device: Device, error: Exception) -> VisavisError:
    """What can be done depends on what is wrong."""
    instead, number = _INSTEAD[device.kind], getattr(error, "errno", None)
    if isinstance(error, ValueError) and not isinstance(error, av.FFmpegError):
        return VisavisError(f"{device}: PyAV is built without {device.format}; pip install av")
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return InputError(str(device), f"there is no such {device.kind}", instead)
    if number == errno.EIO and device.kind == SCREEN:
        return InputError(str(device), "it is not there, or lets nobody look at it", instead)
    if number in (errno.EACCES, errno.EPERM):
        remedy = _ALLOW.get((device.kind, sys.platform), instead)
        return InputError(str(device), "access is denied", remedy)
    if number == errno.EBUSY:
        remedy = f"close the program that holds it, or choose another with --{device.kind}"
        return InputError(str(device), "it is in use", remedy)
    reason = getattr(error, "strerror", None) or str(error)
    remedy = f"close what else may use it, or {instead}"
    return InputError(str(device), f"cannot be opened: {reason}", remedy)
