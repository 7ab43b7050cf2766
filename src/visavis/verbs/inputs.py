"""What `talk` listens to and looks at: files, or the microphone, a camera and a screen.

Invariant: what cannot be used is refused before any model is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from visavis.flow.errors import InputError
from visavis.flow.events import CAMERA, SCREEN
from visavis.source.file import AudioFile, merged
from visavis.source.still import StillPicture
from visavis.source.video import VideoFile

if TYPE_CHECKING:
    from visavis.config import Config
    from visavis.conversation import Conversation
    from visavis.flow.events import Event
    from visavis.source.device import Device
    from visavis.wiring import Parts

TAIL_S = 4.0
"""Silence after a recording: longer than the longest wait for the end of a turn."""

Live = Callable[["Conversation"], AbstractContextManager[None]]


def from_files(
    audio: Path, video: Path | None = None, screen: str | None = None
) -> Callable[[Parts], Iterable[Event]]:
    """The sound of a file, and what is seen meanwhile: a film, or one picture all the time.

    Raises `InputError` when one cannot be used.
    """
    sound = AudioFile(audio, tail_silence_s=TAIL_S)
    seen = {} if video is None else {CAMERA: video}
    if screen is not None:
        if not screen:
            raise InputError("--screen", "is a live one", "beside --audio give a film or a picture")
        seen[SCREEN] = Path(screen)
    for path in seen.values():
        VideoFile(path)

    def events(parts: Parts) -> Iterable[Event]:
        shown = [_shown(parts, path, stream) for stream, path in seen.items()]
        return merged(sound.events(), *shown)

    return events


def from_devices(config: Config, camera: str | None = None, screen: str | None = None) -> Live:
    """The microphone; a camera by its name, and a screen by its name, or from a file.

    None = none; an empty name = the first camera that works, the screen before the user. Raises
    `InputError` when the screen cannot be used.
    """
    from visavis.source.camera import Camera
    from visavis.source.mic import Microphone
    from visavis.source.screen import live_screen

    sight, shown = config.sight, None if screen is None else _screen(config, screen)

    @contextmanager
    def live(conversation: Conversation) -> Iterator[None]:
        loop, parts = conversation.loop, conversation.parts

        def post(event: Event) -> None:
            loop.post(event, stamp=False)

        with ExitStack() as stack:
            if camera is not None and parts.frames is not None:
                rate_hz, device = sight.rate_hz, camera or None
                stack.enter_context(
                    Camera(parts.frames, post, loop.clock, device=device, max_rate_hz=rate_hz)
                )
            if isinstance(shown, Path):
                loop.feed(_shown(parts, shown, SCREEN))
            elif shown is not None and parts.frames is not None:
                rate_hz = sight.screen_rate_hz
                stack.enter_context(
                    live_screen(parts.frames, post, loop.clock, shown, rate_hz=rate_hz)
                )
            # Last: from here on it listens.
            stack.enter_context(Microphone(post, loop.clock))
            yield

    return live


def _screen(config: Config, name: str) -> Path | Device:
    """A file, if there is one of that name; else the live screen."""
    from visavis.config import desktop
    from visavis.source.screen import screen_device

    if name and Path(name).is_file():
        VideoFile(name)
        return Path(name)
    display, is_wayland = desktop()
    rate_hz = config.sight.screen_rate_hz
    return screen_device(name, display=display, is_wayland=is_wayland, rate_hz=rate_hz)


def _shown(parts: Parts, path: Path, stream: str) -> Iterator[Event]:
    """A film, or a picture all the time; nothing where it would not be looked at."""
    if parts.frames is None:
        return iter(())
    sight = parts.config.sight
    rate_hz = sight.screen_rate_hz if stream == SCREEN else sight.rate_hz
    film = VideoFile(path, parts.frames, max_rate_hz=rate_hz, stream=stream)
    if not film.is_still:
        return film.events()
    still = StillPicture(film, rate_hz=rate_hz) if stream == SCREEN else StillPicture(film)
    return still.events()
