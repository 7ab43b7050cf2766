"""A live screen: filmed as by a camera (source/camera.py), a few times a second.

Takes what the user calls a screen; gives what FFmpeg is told. x11grab on X11, AVFoundation on
macOS, GDI on Windows. Without the pointer, which would be a change wherever it goes. Invariant:
where no program may look at the screen, that is said before anything is opened.
"""

from __future__ import annotations

import sys

from visavis.flow.clock import Clock
from visavis.flow.errors import InputError
from visavis.flow.events import SCREEN
from visavis.flow.ring import FrameRing
from visavis.source.camera import Camera, Patience, Post
from visavis.source.device import NON_BLOCKING, Device

PATIENCE = Patience(still_s=10)
_INSTEAD = "give a film or a picture of it: --screen FILE"
_WAYLAND = f"name an X display (--screen :1), log in to an X11 session, or {_INSTEAD}"


def screen_device(
    name: str, *, display: str = "", is_wayland: bool = False, rate_hz: float = 2
) -> Device:
    """The screen of that name: an X display, the number of a screen, or the title of a window.

    Empty = the one before the user. `display`, `is_wayland`: what the session says of that. Raises
    `InputError` where it cannot be looked at.
    """
    rate = f"{rate_hz:g}"
    if sys.platform == "darwin":
        named = f"Capture screen {name or 0}" if name.isdecimal() or not name else name
        return Device("avfoundation", named, NON_BLOCKING | {"framerate": rate}, kind=SCREEN)
    if sys.platform == "win32":
        options = NON_BLOCKING | {"framerate": rate, "draw_mouse": "0"}
        return Device("gdigrab", f"title={name}" if name else "desktop", options, kind=SCREEN)
    if not name and is_wayland:
        raise InputError(SCREEN, "Wayland lets no program look at it", _WAYLAND)
    if not (name or display):
        raise InputError(SCREEN, "there is none: DISPLAY is not set", _INSTEAD)
    # It waits for its time in the read, whatever it is told.
    options = {"framerate": rate, "draw_mouse": "0"}
    return Device("x11grab", name or display, options, waits=True, kind=SCREEN)


def live_screen(
    ring: FrameRing, post: Post, clock: Clock, device: Device, *, rate_hz: float = 2
) -> Camera:
    """Captures it from `open` to `close`."""
    return Camera(
        ring, post, clock, device=[device], max_rate_hz=rate_hz, stream=SCREEN, patience=PATIENCE
    )
