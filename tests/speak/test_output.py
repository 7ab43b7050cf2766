"""The ear hands sound to the sink and cuts it at a stop; a sink that fails ends nothing."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.flow.errors import EngineError, VisavisError
from visavis.flow.events import PlaybackStop, Samples, SoundPlayed
from visavis.speak.output import Ear
from visavis.speak.sink import NullSink


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


PLAYED = SoundPlayed(t_ns=0, epoch=1, start=0, samples=np.zeros(4, np.float32), heard="")


class Poor(NullSink):
    """A sink that fails again and again."""

    def __init__(self, *errors: Exception) -> None:
        self._errors = list(errors)

    def write(self, start: int, samples: Samples) -> None:
        raise self._errors.pop(0)

    def close(self) -> None:
        raise self._errors.pop(0)


def test_the_first_failure_of_a_sink_is_kept_and_ends_nothing() -> None:
    ear = Ear(Poor(EngineError("first"), EngineError("second"), EngineError("third")))
    assert ear.failure is None
    assert [*ear.on(PLAYED), *ear.on(PLAYED)] == []
    ear.close()
    assert str(ear.failure) == "first"


def test_a_failure_to_close_is_kept_too() -> None:
    ear = Ear(Poor(VisavisError("not whole")))
    ear.close()
    assert str(ear.failure) == "not whole"


def test_a_bug_of_ours_is_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        Ear(Poor(ZeroDivisionError())).on(PLAYED)
