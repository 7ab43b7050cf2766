"""A track: the decoded frames of one stream of a media file, and their places in time.

Takes an open container; gives frames in order. Invariant: damage costs the damaged piece and
nothing more, and time never runs backwards. Knows nothing of events.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import av
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.source.container import DECODER_LIMITS, origin
from visavis.source.jpeg import is_whole

# Time stamps in milliseconds (Matroska) jitter by one; a gap is more than a few of them.
JITTER_NS = 10 * NS_PER_MS
# A longer jump of the time stamps is damage, not a pause.
MAX_GAP_NS = 3600 * NS_PER_S


class Track:
    """The decoded frames of one stream.

    Packets that are empty or cannot be decoded, and pictures that only half can, are skipped and
    counted in `damaged`; `error` says what ended it early.
    """

    def __init__(self, container: InputContainer, stream: AudioStream | VideoStream) -> None:
        self._container, self._stream = container, stream
        stream.codec_context.options = DECODER_LIMITS
        self._is_jpeg = stream.codec_context.name == "mjpeg"
        self.damaged = 0
        self.error = ""

    def frames(self) -> Iterator[AudioFrame | VideoFrame]:
        """Audio frames of an audio stream, video frames of a video stream."""
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets, None)
            except av.FFmpegError as error:
                self.error = error.strerror or str(error)
                return
            if packet is None:
                return
            yield from self._decode(packet)

    def complaint(self) -> str:
        """What was wrong with it; empty when nothing was."""
        if self.error:
            return f"could not be read to its end: {self.error}"
        return f"damaged pieces skipped: {self.damaged}" if self.damaged else ""

    def _decode(self, packet: Packet[Stream]) -> list[AudioFrame | VideoFrame]:
        # An empty packet tells a decoder that it was the last; only the real last has no time.
        is_empty = not packet.size and packet.pts is not None
        if is_empty or (self._is_jpeg and packet.size and not is_whole(bytes(packet))):
            self.damaged += 1
            return []
        try:
            frames = cast("list[AudioFrame | VideoFrame]", packet.decode())
        except av.FFmpegError:
            self.damaged += 1
            return []
        good = [frame for frame in frames if isinstance(frame, AudioFrame) or not frame.is_corrupt]
        self.damaged += len(frames) - len(good)
        return good


class TimeJump(Exception):
    """The time stamps jump by more than any pause."""

    def __str__(self) -> str:
        return "its time stamps jump; the rest is left out"


class Axis:
    """Maps a track's time stamps to the session axis, on which it never runs backwards."""

    def __init__(self, container: InputContainer, lead_ns: int) -> None:
        self._shift_ns = lead_ns - int(origin(container) * NS_PER_S)

    def place(self, frame: AudioFrame | VideoFrame, after_ns: int) -> int:
        """When `frame` begins, given that the track has come to `after_ns`.

        Where the stamps are missing, or go back (files glued together), it follows on directly.
        Raises `TimeJump`.
        """
        if frame.pts is None or not frame.time_base:
            return after_ns
        t_ns = int(frame.pts * frame.time_base * NS_PER_S) + self._shift_ns
        if t_ns < after_ns - JITTER_NS:
            self._shift_ns += after_ns - t_ns
            return after_ns
        if t_ns - after_ns > MAX_GAP_NS:
            raise TimeJump
        return t_ns
