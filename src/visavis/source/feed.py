"""A feed: an open device, and the newest picture that has come from it.

Takes a container; gives decoded frames. Invariant: what waits in the driver's queue is passed over
for the newest, so that a slow reader sees the present, only less often. What is passed over is not
decoded where the codec allows it, and counted. Knows nothing of time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import av
from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.frame import VideoFrame

from visavis.source import jpeg
from visavis.source.container import DECODER_LIMITS

MOST_WAITING = 256
"""So many FFmpeg lets Video4Linux keep for us."""


@dataclass(slots=True)
class Counts:
    """Of frames: `skipped`, passed over for newer ones or for the rate; `damaged`, not decodable
    or not showable; `dropped`, without a free slot in the ring. `outages`: the times it went away.
    """

    skipped: int = 0
    damaged: int = 0
    dropped: int = 0
    outages: int = 0


class Feed:
    """`waits`: a read waits for the next frame, and none queue up."""

    def __init__(self, container: InputContainer, counts: Counts, *, waits: bool = False) -> None:
        self._counts = counts
        self._container: Any = container
        self._packets: Iterator[Packet[Stream]] | None = None
        self._stream = container.streams.video[0]
        codec = self._stream.codec_context
        codec.options = DECODER_LIMITS
        # Decoding several frames at a time would hold back as many.
        codec.thread_count = 1
        self._is_jpeg = codec.name == "mjpeg"
        self._has_ends = False
        self._may_skip = codec.codec.intra_only or codec.name == "wrapped_avframe"
        self._most = 1 if waits else MOST_WAITING

    def take(self, is_wanted: Callable[[], bool]) -> VideoFrame | None:
        """The newest frame; None when none has come, or none that is wanted and can be decoded.

        `is_wanted` is asked once something has come. Raises `EOFError` at the end, and `OSError`
        or `av.FFmpegError` when the device is gone.
        """
        packets = self._waiting()
        if not packets:
            return None
        wanted = is_wanted()
        if self._may_skip and not wanted:
            self._counts.skipped += 1
            return None
        frames = [frame for packet in packets for frame in self._decode(packet)]
        self._counts.skipped += max(0, len(frames) - wanted)
        return frames[-1] if frames and wanted else None

    def close(self) -> None:
        """Gives the device back."""
        self._container.close()

    def _waiting(self) -> list[Packet[Stream]]:
        """All that has come; of what can be skipped, the newest."""
        packets: list[Packet[Stream]] = []
        for _ in range(self._most):
            packet = self._read()
            if packet is None:
                break
            if not packet.size and packet.pts is None:
                if packets:
                    break  # they first; the end will come again
                raise EOFError("it has ended")
            if self._may_skip and packets:
                self._counts.skipped += 1
                packets.clear()  # a packet may hold one of the driver's few buffers
            packets.append(packet)
        return packets

    def _read(self) -> Packet[Stream] | None:
        # A reader of PyAV's ends when there is nothing to read; one that is let go before its end
        # leaks 250 bytes.
        if self._packets is None:
            self._packets = self._container.demux(self._stream)
        try:
            return next(self._packets)
        except (av.BlockingIOError, StopIteration):
            self._packets = None
            return None

    def _decode(self, packet: Packet[Stream]) -> list[VideoFrame]:
        if not packet.size or (self._is_jpeg and not self._is_whole(packet)):
            self._counts.damaged += 1
            return []
        try:
            frames = cast("list[VideoFrame]", packet.decode())
        except av.FFmpegError:
            self._counts.damaged += 1
            return []
        good = [frame for frame in frames if not frame.is_corrupt]
        self._counts.damaged += len(frames) - len(good)
        return good

    def _is_whole(self, packet: Packet[Stream]) -> bool:
        """Some cameras end no picture; of those that do, one without an end is cut off."""
        whole = jpeg.is_whole(bytes(packet))
        self._has_ends = self._has_ends or whole
        return whole or not self._has_ends
