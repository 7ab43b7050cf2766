"""Station speak, node `ear`: the sound leaves the line.

Takes sound.played, playback.stop. Gives nothing. Invariants: after a stop, nothing that was
written before it sounds any more; a sink that fails does not end the reply, which goes on unheard.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from visavis.flow.errors import VisavisError
from visavis.flow.events import Event, PlaybackStop, SoundPlayed
from visavis.speak.sink import Sink

log = logging.getLogger(__name__)


class Ear:
    """Drives `sink`: a device, a file, or nothing. `failure`: the first that the sink raised."""

    name = "speak.ear"

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self.failure: VisavisError | None = None

    def on(self, event: Event) -> Iterable[Event]:
        with self._remembering():
            match event:
                case SoundPlayed() if len(event.samples):
                    self._sink.write(event.start, event.samples)
                case PlaybackStop():
                    self._sink.clear()
        return ()

    def close(self) -> None:
        with self._remembering():
            self._sink.close()

    @contextmanager
    def _remembering(self) -> Iterator[None]:
        try:
            yield
        except VisavisError as error:
            if self.failure is None:
                self.failure = error
                log.warning("%s", error)
