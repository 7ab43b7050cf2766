"""A real voice and a real detector: what it said of the recording, it says again, to the sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.govern.toys import Row
from visavis import backends
from visavis.align.audio import AudioAligner
from visavis.backends.contract import Options
from visavis.flow import events as e
from visavis.flow.clock import SimulatedClock
from visavis.flow.line import Line
from visavis.flow.ring import AudioRing
from visavis.flow.simulate import SimulatedLoop
from visavis.govern.record import Recorder
from visavis.govern.replay import Rebuilt, read, replay
from visavis.perceive.vad import VoiceActivity
from visavis.source.file import AudioFile

pytestmark = pytest.mark.model
ROWS = (
    Row("align.audio", ("audio.captured", "source.ended"), ("audio.aligned",)),
    Row(
        "perceive.vad",
        ("audio.aligned", "clock.ticked"),
        ("speech.started", "speech.paused"),
    ),
)
FindOptions = Callable[[str], Options]


def resampler(in_rate_hz: int, out_rate_hz: int) -> Any:
    settings = {"in_rate_hz": in_rate_hz, "out_rate_hz": out_rate_hz}
    return backends.load("resample", "soxr", Options(settings=settings))


@pytest.fixture
def recorded(tmp_path: Path, model_options: FindOptions) -> Path:
    speech = model_options("human-speech").files["beckett"]
    detector = backends.load("vad", "silero", model_options("silero-vad"))
    loop, ring, heard = SimulatedLoop(), AudioRing(30), set()
    with Recorder(tmp_path / "run.mcap", rows=ROWS, threaded=False) as recorder:
        loop.bus.tap(recorder.write)
        loop.bus.tap(lambda event: heard.add(event.topic))
        loop.add(AudioAligner(ring, resampler), ROWS[0].takes)
        loop.add(VoiceActivity(detector), ROWS[1].takes)
        loop.feed(AudioFile(speech, tail_silence_s=1).events())
        loop.run(lambda: e.SourceEnded.topic in heard)
        loop.close()
    assert recorder.off_grid == 0
    return tmp_path / "run.mcap"


def builder(options: Options, **changes: Any) -> Callable[[Mapping[str, Any]], Rebuilt]:
    def build(settings: Mapping[str, Any]) -> Rebuilt:
        line = Line(SimulatedClock())
        line.add(VoiceActivity(backends.load("vad", "silero", options), **changes), ROWS[1].takes)
        return Rebuilt(line, ROWS, AudioRing(30))

    return build


def test_a_real_voice_is_heard_the_same_again(recorded: Path, model_options: FindOptions) -> None:
    report = replay(read(recorded), builder(model_options("silero-vad")))
    assert report.identical
    assert report.inexact == 0
    assert report.compared >= 4


def test_another_pause_is_a_difference(recorded: Path, model_options: FindOptions) -> None:
    report = replay(read(recorded), builder(model_options("silero-vad"), pause_ms=160))
    assert report.difference is not None
    assert report.difference.node == "perceive.vad"
