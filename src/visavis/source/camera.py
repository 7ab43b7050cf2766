"""A live camera, by FFmpeg's devices (see source/device.py).

Gives `frame.captured` through a `post` callable, from a thread of its own: upright pictures in the
frame ring, with the camera's own stamps. Invariant: the newest picture is never waited for behind
older ones, nothing grows, and what is left out is counted. A camera that goes away or stands still
is opened again and again, ever more patiently, and `node.failed` says so, once an outage.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import av
from av.video.frame import VideoFrame

from visavis.flow.clock import NS_PER_S, Clock
from visavis.flow.errors import VisavisError
from visavis.flow.events import CAMERA, Event, FrameCaptured, NodeFailed
from visavis.flow.ring import FrameRing
from visavis.source.device import Device, devices, opened
from visavis.source.feed import Counts, Feed
from visavis.source.picture import Converter, Unshowable

Post = Callable[[Event], None]
POLL_S = 0.003
"""Between two looks for a frame: ten of a frame at 30 Hz."""
FIRST_S, CLOSE_S = 15.0, 2.0
"""How long `open` waits for the camera at most, and `close` for the thread."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Patience:
    """`still_s`: without a picture for longer, it is opened anew; `retry_s`: after these waits.

    The last wait stays; the first is back once pictures have come for `well_s`.
    """

    still_s: float = 3.0
    retry_s: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0)
    well_s: float = 10.0


class Camera:
    """Captures from `open` to `close`; a context manager does both. Nothing is opened before.

    `device`: a name as the system knows it (`/dev/video0`, `0`, "FaceTime HD Camera"); None = the
    first that works. Of more than `max_rate_hz` frames a second, some are left out. `open` raises
    `InputError` (no such camera, in use, not allowed) and `VisavisError`; later failures are
    events. `counts`: what was left out, so far. `stream`: what it is, a camera or a screen.
    """

    def __init__(
        self,
        ring: FrameRing,
        post: Post,
        clock: Clock,
        *,
        device: str | Iterable[Device] | None = None,
        max_rate_hz: float = 30,
        stream: str = CAMERA,
        patience: Patience = Patience(),
    ) -> None:
        self._ring, self._post, self._clock = ring, post, clock
        self._device, self._rate_hz, self._stream = device, max_rate_hz, stream
        self._name = f"source.{stream}"
        self._patience = patience
        self._converter = Converter(ring.max_pixels(stream))
        self._thread: threading.Thread | None = None
        self._closing = threading.Event()
        self._known = threading.Event()
        self._refusal: Exception | None = None
        self._spacing_ns = round(NS_PER_S / max_rate_hz)
        self._due_ns = self._came_ns = 0
        self.counts = Counts()

    def open(self) -> None:
        self._thread = threading.Thread(target=self._run, name=self._stream, daemon=True)
        self._thread.start()
        if not self._known.wait(FIRST_S):
            self.close()
            again = "plug it in again, or " if self._stream == CAMERA else ""
            raise VisavisError(
                f"the {self._stream} does not answer; {again}choose another with --{self._stream}"
            )
        if self._refusal is not None:
            raise self._refusal

    def close(self) -> None:
        """Stops, within two seconds whatever the camera does. Says nothing."""
        self._closing.set()
        if self._thread is not None:
            self._thread.join(CLOSE_S)
            if self._thread.is_alive():
                log.warning("%s does not answer; its thread is left behind", self._name)

    def __enter__(self) -> Camera:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        failures = 0
        while not self._closing.is_set():
            began_ns = self._clock.now_ns()
            try:
                self._film()
            except Exception as error:  # noqa: BLE001 - whatever it is, a camera comes back
                if not self._known.is_set():
                    self._refusal = error
                    self._known.set()
                    return
                filmed_s = (self._clock.now_ns() - began_ns) / NS_PER_S
                failures = 0 if filmed_s > self._patience.well_s else failures
                self._lost(error, is_new=failures == 0)
            waits = self._patience.retry_s
            self._closing.wait(waits[min(failures, len(waits) - 1)])
            failures += 1

    def _film(self) -> None:
        """Until it fails, or `close`."""
        container, device = opened(self._tries())
        feed = Feed(container, self.counts, waits=device.waits)
        self._known.set()
        log.info("%s: %s at %s", self._name, device.name, device.options)
        seen_ns = self._clock.now_ns()
        try:
            while not self._closing.is_set():
                frame = feed.take(self._is_due)
                if frame is not None and self._show(frame):
                    seen_ns = self._came_ns
                elif self._clock.now_ns() - seen_ns > self._patience.still_s * NS_PER_S:
                    raise VisavisError(f"no picture for {self._patience.still_s:g} s")
                elif not device.waits:
                    self._closing.wait(POLL_S)
        finally:
            feed.close()

    def _tries(self) -> list[Device]:
        if self._device is None or isinstance(self._device, str):
            most = self._ring.max_pixels(self._stream)
            return devices(self._device, rate_hz=self._rate_hz, max_pixels=most)
        return list(self._device)

    def _is_due(self) -> bool:
        """Frames at the wished rate that come a little early or late are all wanted."""
        now_ns = self._came_ns = self._clock.now_ns()
        if now_ns < self._due_ns - self._spacing_ns // 2:
            return False
        self._due_ns = max(self._due_ns, now_ns - self._spacing_ns // 2) + self._spacing_ns
        return True

    def _show(self, frame: VideoFrame) -> bool:
        """Whether it was one that can be shown."""
        try:
            pixels = self._converter.convert(frame)
        except Unshowable:
            self.counts.damaged += 1
            return False
        place = self._ring.write(pixels, self._stream)
        if place is None:
            self.counts.dropped += 1
            return True
        stamp, stamp_hz = _stamp(frame)
        self._post(
            FrameCaptured(
                t_ns=self._came_ns,
                slot=place[0],
                generation=place[1],
                width=pixels.shape[1],
                height=pixels.shape[0],
                stamp=stamp,
                stamp_hz=stamp_hz,
                stream=self._stream,
            )
        )
        return True

    def _lost(self, error: Exception, *, is_new: bool) -> None:
        expected = isinstance(error, (VisavisError, av.FFmpegError, EOFError))
        log.warning("%s: %s", self._name, error, exc_info=None if expected else error)
        if is_new and not self._closing.is_set():
            self.counts.outages += 1
            problem = f"{_reason(error)}; it is opened again as soon as it is there"
            t_ns = self._clock.now_ns()
            self._post(NodeFailed(t_ns=t_ns, node=self._name, on="", error=problem))


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)


def _stamp(frame: VideoFrame) -> tuple[int, int]:
    """In ticks of the camera's clock, and how many make a second; −1 where it does not say."""
    if frame.pts is None or frame.pts < 0 or not frame.time_base:
        return -1, NS_PER_S
    if frame.time_base.numerator == 1:
        return frame.pts, frame.time_base.denominator
    return int(frame.pts * frame.time_base * NS_PER_S), NS_PER_S
