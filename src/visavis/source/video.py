"""Pictures from a file: anything FFmpeg reads, as they would have come from a camera.

Takes a path and the frame ring. Gives `frame.captured`, stamped in media time on the same zero
as the sound of the same file, then `source.ended`. Invariant: pictures stand upright (rotation
is applied) and never exceed `max_pixels`. Pacing is the runner's: this is an iterator.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import av
from av.video.frame import VideoFrame

from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.flow.errors import InputError
from visavis.flow.events import CAMERA, Event, FrameCaptured, SourceEnded
from visavis.flow.ring import FrameRing, Pixels
from visavis.source import jpeg
from visavis.source.container import opened, video_stream
from visavis.source.picture import BY_EXIF, Converter, Turn, Unshowable
from visavis.source.track import Axis, TimeJump, Track

MAX_PIXELS = 1280 * 720
# Of a JPEG file, what is searched for its orientation; thumbnails come after it.
_HEAD_BYTES = 1 << 17
HOLD_NS = NS_PER_S // 5
"""A picture that stands for longer is given again so often: none for half a second is a camera that
is gone."""


class VideoFile:
    """A file's first video track. Raises `InputError` when it has none that can be shown.

    Larger pictures are scaled down to `max_pixels`, by default what a slot of the ring holds; of
    more than `max_rate_hz` pictures a second, some are left out. Damaged pictures, and those that
    cannot be shown, are skipped and reported in `SourceEnded.error`. `is_still`: it is one picture.
    """

    def __init__(
        self,
        path: str | Path,
        ring: FrameRing | None = None,
        *,
        lead_s: float = 0.0,
        max_pixels: int | None = None,
        max_rate_hz: float = 30,
        stream: str = CAMERA,
    ) -> None:
        self.path = Path(path)
        self.stream = stream
        self._ring = ring
        self._lead_ns = round(lead_s * NS_PER_S)
        fits = ring.max_pixels(stream) if ring is not None else MAX_PIXELS
        self._max_pixels = max_pixels or fits
        # A millisecond less: stamps in milliseconds jitter by one.
        self._spacing_ns = int(NS_PER_S / max_rate_hz) - NS_PER_MS
        self.error = ""
        with opened(self.path) as container:
            frames = Track(container, video_stream(container, self.path)).frames()
            if next(frames, None) is None:
                raise InputError(self.path, "holds no picture", "record or copy it again")
            self.is_still = next(frames, None) is None
        self._turn = _turn(self.path)

    def pictures(self) -> Iterator[tuple[int, Pixels]]:
        """(t_ns, RGB pixels of shape (height, width, 3)), ordered by time; then `error` is set."""
        self.error = ""
        t_ns = due_ns = self._lead_ns
        try:
            with opened(self.path) as container:
                track = Track(container, video_stream(container, self.path))
                axis = Axis(container, self._lead_ns)
                converter = Converter(self._max_pixels, self._turn)
                for frame in track.frames():
                    assert isinstance(frame, VideoFrame)
                    t_ns = max(t_ns, axis.place(frame, t_ns))
                    if t_ns < due_ns:
                        continue
                    try:
                        pixels = converter.convert(frame)
                    except Unshowable:
                        track.damaged += 1
                        continue
                    due_ns = t_ns + self._spacing_ns
                    yield t_ns, pixels
                self.error = track.complaint()
        except InputError as error:
            self.error = error.problem
        except (OSError, av.FFmpegError, TimeJump) as error:
            self.error = str(error)

    def events(self) -> Iterator[Event]:
        """All of it, each picture written to the ring. May be called again, for a new run."""
        last_ns, held = self._lead_ns, None
        for t_ns, pixels in self.pictures():
            if held is not None:
                yield from self._holding(held, last_ns, t_ns)
            yield from self.captured(t_ns, pixels)
            last_ns, held = t_ns, pixels
        error = self.error and f"{self.path.name}: {self.error}"
        name = "video" if self.stream == CAMERA else self.stream
        yield SourceEnded(t_ns=last_ns, source=name, error=error)

    def _holding(self, pixels: Pixels, since_ns: int, until_ns: int) -> Iterator[Event]:
        """A picture stands until the next one, however slowly the film goes."""
        for t_ns in range(since_ns + HOLD_NS, until_ns - HOLD_NS // 2, HOLD_NS):
            yield from self.captured(t_ns, pixels)

    def captured(self, t_ns: int, pixels: Pixels) -> Iterator[Event]:
        """Writes a picture to the ring; gives nothing when all its slots are leased."""
        assert self._ring is not None
        if (place := self._ring.write(pixels, self.stream)) is not None:
            slot, generation = place
            height, width, _ = pixels.shape
            yield FrameCaptured(
                t_ns=t_ns,
                slot=slot,
                generation=generation,
                width=width,
                height=height,
                stamp=t_ns,
                stream=self.stream,
            )


def _turn(path: Path) -> Turn | None:
    """Which way is up in a JPEG file; None for any other, whose frames say so themselves."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    return BY_EXIF[jpeg.orientation(head)] if jpeg.is_jpeg(head) else None
