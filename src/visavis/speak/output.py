"""Station speak, node `ear`: the sound leaves the line.

Takes sound.played, playback.stop. Gives nothing. Invariant: after a stop, nothing that was
written before it sounds any more.
"""

from __future__ import annotations

from collections.abc import Iterable

from visavis.flow.events import Event, PlaybackStop, SoundPlayed
from visavis.speak.sink import Sink


class Ear:
    """Drives `sink`: a device, a file, or nothing."""

    name = "speak.ear"

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def on(self, event: Event) -> Iterable[Event]:
        match event:
            case SoundPlayed() if len(event.samples):
                self._sink.write(event.start, event.samples)
            case PlaybackStop():
                self._sink.clear()
        return ()

    def close(self) -> None:
        self._sink.close()
