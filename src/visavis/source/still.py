"""A still picture as a camera: the same picture, a few times a second, for as long as wanted.

Takes a file of pictures and the frame ring. Gives `frame.captured` for ever, so that there is
always a frame near the moment that is asked for: the conversation ends with its sound. A film is
shown once, as it is. Invariant: each frame is a picture of its own in the ring, with its own time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from visavis.flow.clock import NS_PER_S
from visavis.flow.errors import InputError
from visavis.flow.events import Event
from visavis.flow.ring import FrameRing
from visavis.source.video import VideoFile

RATE_HZ = 5.0


class StillPicture:
    """The one picture of a file, `rate_hz` times a second, from session time zero, without end.

    Raises `InputError` when it holds none that can be shown.
    """

    def __init__(self, video: VideoFile, *, rate_hz: float = RATE_HZ) -> None:
        found = next(video.pictures(), None)
        if found is None:
            raise InputError(video.path, "its picture cannot be shown", "give another")
        self._video = video
        self._pixels = found[1].copy()
        self._rate_hz = rate_hz

    def events(self) -> Iterator[Event]:
        """Frames in order of time. May be called again, for a new run."""
        index = 0
        while True:
            t_ns = round(index * NS_PER_S / self._rate_hz)
            yield from self._video.captured(t_ns, self._pixels)
            index += 1


def eyes_of(
    path: str | Path, ring: FrameRing, *, max_rate_hz: float = 30, stream: str = "camera"
) -> VideoFile | StillPicture:
    """What the file shows: a film, or a picture held before the camera. Raises `InputError`."""
    video = VideoFile(path, ring, max_rate_hz=max_rate_hz, stream=stream)
    return StillPicture(video) if video.is_still else video
