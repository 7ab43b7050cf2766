"""What `talk` listens to and looks at: files, or the microphone and a camera.

Invariant: what cannot be used is refused before any model is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from visavis.source.file import AudioFile, merged
from visavis.source.still import StillPicture
from visavis.source.video import VideoFile

if TYPE_CHECKING:
    from visavis.conversation import Conversation
    from visavis.flow.events import Event
    from visavis.wiring import Parts

TAIL_S = 4.0
"""Silence after a recording: longer than the longest wait for the end of a turn."""


def from_files(audio: Path, video: Path | None) -> Callable[[Parts], Iterable[Event]]:
    """The sound of a file, and what is seen meanwhile: a film, or one picture all the time.

    Raises `InputError` when either cannot be used.
    """
    sound = AudioFile(audio, tail_silence_s=TAIL_S)
    if video is None:
        return lambda parts: sound.events()
    VideoFile(video)

    def events(parts: Parts) -> Iterable[Event]:
        if parts.frames is None:  # it would not be looked at
            return sound.events()
        film = VideoFile(video, parts.frames, max_rate_hz=parts.config.sight.rate_hz)
        seen = StillPicture(film).events() if film.is_still else film.events()
        return merged(sound.events(), seen)

    return events


def from_devices(camera: str | None) -> Callable[[Conversation], AbstractContextManager[None]]:
    """The microphone, and a camera by its name (empty = the first that works, None = none)."""
    from visavis.source.camera import Camera
    from visavis.source.mic import Microphone

    @contextmanager
    def live(conversation: Conversation) -> Iterator[None]:
        loop, parts = conversation.loop, conversation.parts

        def post(event: Event) -> None:
            loop.post(event, stamp=False)

        with ExitStack() as stack:
            if camera is not None and parts.frames is not None:
                rate_hz, device = parts.config.sight.rate_hz, camera or None
                stack.enter_context(
                    Camera(parts.frames, post, loop.clock, device=device, max_rate_hz=rate_hz)
                )
            # Last: from here on it listens.
            stack.enter_context(Microphone(post, loop.clock))
            yield

    return live
