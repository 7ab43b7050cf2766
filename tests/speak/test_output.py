"""The ear hands sound to the sink and cuts it at a stop."""

from __future__ import annotations

import numpy as np

from visavis.flow.events import PlaybackStop, Samples, SoundPlayed
from visavis.speak.output import Ear


class Noted:
    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []

    def write(self, start: int, samples: Samples) -> None:
        self.calls.append(("write", start))

    def clear(self) -> None:
        self.calls.append(("clear", 0))

    def close(self) -> None:
        self.calls.append(("close", 0))


def test_sound_is_written_at_its_place_and_a_stop_clears() -> None:
    sink = Noted()
    ear = Ear(sink)
    sound = np.ones(5, np.float32)
    assert not list(ear.on(SoundPlayed(t_ns=0, epoch=1, start=40, samples=sound)))
    assert not list(ear.on(PlaybackStop(t_ns=0, epoch=1)))
    assert not list(ear.on(SoundPlayed(t_ns=0, epoch=1, start=45, samples=sound[:0], done=True)))
    ear.close()
    assert sink.calls == [("write", 40), ("clear", 0), ("close", 0)]
