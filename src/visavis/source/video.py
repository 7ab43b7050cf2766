"""Pictures from a file: anything FFmpeg reads, as they would have come from a camera.

Takes a path and the frame ring. Gives `frame.captured`, stamped in media time on the same zero
as the sound of the same file, then `source.ended`. Invariant: pictures stand upright (rotation
is applied) and never exceed `max_pixels`. Pacing is the runner's: this is an iterator.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import av
import numpy as np
from av.video.frame import VideoFrame

from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.flow.errors import InputError
from visavis.flow.events import Event, FrameCaptured, SourceEnded
from visavis.flow.ring import FrameRing, Pixels
from visavis.source.container import opened, video_stream
from visavis.source.track import Axis, TimeJump, Track


class VideoFile:
    """A file's first video track. Raises `InputError` when it has none that can be shown.

    Larger pictures are scaled down to `max_pixels` (three bytes each must fit a slot of the
    ring); of more than `max_rate_hz` pictures a second, some are left out. Damaged pictures are
    skipped and reported in `SourceEnded.error`.
    """

    def __init__(
        self,
        path: str | Path,
        ring: FrameRing | None = None,
        *,
        lead_s: float = 0.0,
        max_pixels: int = 1280 * 720,
        max_rate_hz: float = 30,
    ) -> None:
        self.path = Path(path)
        self._ring = ring
        self._lead_ns = round(lead_s * NS_PER_S)
        self._max_pixels = max_pixels
        # A millisecond less: stamps in milliseconds jitter by one.
        self._spacing_ns = int(NS_PER_S / max_rate_hz) - NS_PER_MS
        self.error = ""
        with opened(self.path) as container:
            if not any(True for _ in Track(container, video_stream(container, self.path)).frames()):
                raise InputError(self.path, "holds no picture", "record or copy it again")

    def pictures(self) -> Iterator[tuple[int, Pixels]]:
        """(t_ns, RGB pixels of shape (height, width, 3)), ordered by time; then `error` is set."""
        self.error = ""
        t_ns = due_ns = self._lead_ns
        try:
            with opened(self.path) as container:
                track = Track(container, video_stream(container, self.path))
                axis = Axis(container, self._lead_ns)
                for frame in track.frames():
                    assert isinstance(frame, VideoFrame)
                    t_ns = max(t_ns, axis.place(frame, t_ns))
                    if t_ns >= due_ns:
                        due_ns = t_ns + self._spacing_ns
                        yield t_ns, self._upright(frame)
                self.error = track.complaint()
        except InputError as error:
            self.error = error.problem
        except (OSError, av.FFmpegError, TimeJump) as error:
            self.error = str(error)

    def events(self) -> Iterator[Event]:
        """All of it, each picture written to the ring. May be called again, for a new run."""
        assert self._ring is not None
        last_ns = self._lead_ns
        for t_ns, pixels in self.pictures():
            last_ns = t_ns
            if (place := self._ring.write(pixels)) is not None:
                slot, generation = place
                height, width, _ = pixels.shape
                yield FrameCaptured(
                    t_ns=t_ns, slot=slot, generation=generation, width=width, height=height
                )
        error = self.error and f"{self.path.name}: {self.error}"
        yield SourceEnded(t_ns=last_ns, source="video", error=error)

    def _upright(self, frame: VideoFrame) -> Pixels:
        scale = min(1.0, math.sqrt(self._max_pixels / (frame.width * frame.height)))
        width, height = (max(1, int(side * scale)) for side in (frame.width, frame.height))
        # A picture one pixel wide cannot be scaled down in proportion.
        width, height = min(width, self._max_pixels), min(height, self._max_pixels // width)
        plane = frame.reformat(width, height, "rgb24").planes[0]
        # A view without the padding of FFmpeg's lines: the copy into the ring is the only one.
        pixels: Pixels = np.ndarray(
            (height, width, 3), np.uint8, cast("memoryview", plane), strides=(plane.line_size, 3, 1)
        )
        return np.rot90(pixels, frame.rotation // 90)
