"""Devices: which camera there is, by what name FFmpeg opens it, and why it cannot be opened.

Takes what the user calls a camera; gives an open container. Invariant: what fails says which
camera, what is wrong with it and what can be done. Knows nothing of threads and events.
Video4Linux on Linux, AVFoundation on macOS, DirectShow on Windows.
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
from visavis.source.container import DECODER_LIMITS

FORMATS = {"linux": "v4l2", "darwin": "avfoundation", "win32": "dshow"}
SIZES = ((1920, 1080), (1280, 720), (640, 480), (320, 240), (160, 120))
"""What nearly every camera can do."""
OPEN_S, READ_S = 5.0, 5.0
# AVFMT_FLAG_NONBLOCK has no name among FFmpeg's options: a read comes back at once, with nothing.
NON_BLOCKING = {"fflags": "4"}
_INSTEAD = "plug one in, choose another with --camera, or give --video FILE"
_ALLOW = {
    "linux": "add yourself to its group: sudo usermod -aG video $USER, then log in again",
    "darwin": "allow it in System Settings, Privacy & Security, Camera",
    "win32": "allow it in Settings, Privacy & security, Camera",
}


@dataclass(frozen=True, slots=True)
class Device:
    """What FFmpeg is told. `waits`: a read waits for the next frame, so that none ever queue up."""

    format: str
    name: str
    options: dict[str, str] = field(default_factory=dict)
    waits: bool = False


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
        raise InputError("camera", "there is none", _INSTEAD)
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
        refusal = refusal or InputError(f"camera {device.name}", "gives no pictures", _INSTEAD)
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
    camera, number = f"camera {device.name}", getattr(error, "errno", None)
    if isinstance(error, ValueError) and not isinstance(error, av.FFmpegError):
        return VisavisError(f"{camera}: PyAV is built without {device.format}; pip install av")
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return InputError(camera, "there is no such camera", _INSTEAD)
    if number in (errno.EACCES, errno.EPERM):
        return InputError(camera, "access is denied", _ALLOW.get(sys.platform, _INSTEAD))
    if number == errno.EBUSY:
        remedy = "close the program that holds it, or choose another with --camera"
        return InputError(camera, "it is in use", remedy)
    reason = getattr(error, "strerror", None) or str(error)
    remedy = f"close what else may use it, or {_INSTEAD}"
    return InputError(camera, f"cannot be opened: {reason}", remedy)
