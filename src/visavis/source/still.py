"""A still picture, as a camera would film it that looks at nothing else.

Takes a file of one picture; gives `frame.captured` at a steady rate, for as long as anybody asks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from visavis.flow.clock import NS_PER_S
from visavis.flow.events import Event
from visavis.source.video import VideoFile

RATE_HZ = 10
"""Often enough to be found at any moment; it costs next to nothing."""


class StillPicture:
    """Films the first picture of `file`."""

    def __init__(self, file: VideoFile, *, rate_hz: float = RATE_HZ) -> None:
        self._file = file
        self._rate_hz = rate_hz

    def events(self) -> Iterator[Event]:
        """Frames in order of time, without end; none if the picture has gone meanwhile."""
        found = next(self._file.pictures(), None)
        if found is None:
            return
        for number in itertools.count():
            t_ns = math.ceil(number * NS_PER_S / self._rate_hz)
            yield from self._file.captured(t_ns, found[1])
