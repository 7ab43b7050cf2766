"""The media of a recording, on their way back to the events that they were taken from.

Takes the messages of one topic's media; gives each event its own, in the order of the events.
Invariant: no more is kept than the events that wait have noted.
"""

from __future__ import annotations

from collections import deque
from typing import Any, Protocol

import msgspec
import numpy as np

from visavis.flow.events import Samples
from visavis.govern import flac
from visavis.govern.form import Media, Picture, Sound
from visavis.govern.tape import CompressedAudio, CompressedImage


class Shelf(Protocol):
    """Where the media of one topic wait. `inexact` counts those that are not to the bit the same.

    Notes are of the one kind that the topic's events have.
    """

    inexact: int

    def owe(self, note: Any) -> None:
        """An event with this note has come."""

    def add(self, data: bytes) -> None:
        """A message of media has come. Raises `ValueError` when it is not what was noted."""

    def take(self, note: Any) -> Media | None:
        """The media of the first event that still waits, which has this note; None = not here."""


class SoundShelf:
    """Sound is one stream: a message holds samples of any number of events."""

    def __init__(self) -> None:
        self.inexact = 0
        self._rest: Samples = np.zeros(0, np.float32)
        self._owed = 0

    def owe(self, note: Sound) -> None:
        self._owed += note.count

    def add(self, data: bytes) -> None:
        audio = msgspec.json.decode(data, type=CompressedAudio)
        more = flac.decode(audio.data, self._owed - len(self._rest))
        self._rest = np.concatenate([self._rest, more])

    def take(self, note: Sound) -> Samples | None:
        if len(self._rest) < note.count:
            return None
        samples, self._rest = self._rest[: note.count], self._rest[note.count :]
        self._owed -= note.count
        samples.flags.writeable = False
        self.inexact += Sound.of(samples) != note
        return samples


class PictureShelf:
    """A message holds the whole picture of one event; an event without one has no message."""

    def __init__(self) -> None:
        self.inexact = 0  # a picture that is not the same to the bit is refused
        self._owed: deque[Picture] = deque()
        self._here: deque[bytes] = deque()

    def owe(self, note: Picture) -> None:
        if note.size:
            self._owed.append(note)

    def add(self, data: bytes) -> None:
        picture = msgspec.json.decode(data, type=CompressedImage).data
        if not self._owed or Picture.of(picture) != self._owed.popleft():
            raise ValueError("it holds a picture that is not the one its event noted")
        self._here.append(picture)

    def take(self, note: Picture) -> bytes | None:
        if not note.size:
            return b""
        return self._here.popleft() if self._here else None
