"""Parts of a line made of fakes, for verbs that would load models; and what they hear."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.media import write_wav
from visavis.backends.asr.fake import FakeAsr
from visavis.backends.contract import Speech
from visavis.backends.llm.fake import FakeLlm
from visavis.backends.picture.fake import FakePictureCodec
from visavis.backends.symbols import INDEX, encode, silence
from visavis.backends.tts.fake import FakeTts
from visavis.backends.turn.fake import FakeTurn
from visavis.backends.vad.fake import FakeVad
from visavis.config import Config
from visavis.engines import make_resampler
from visavis.flow.clock import SimulatedClock
from visavis.flow.events import INPUT_RATE_HZ, Samples
from visavis.flow.line import Line
from visavis.flow.ring import AudioRing, FrameRing
from visavis.govern.replay import Rebuilt
from visavis.wiring import WIRING, Parts, connect


class LegibleTts(FakeTts):
    """A voice that the fake recogniser understands, word by word."""

    def synthesise(self, text: str, language: str = "") -> Iterator[Speech]:
        words = [word for word in re.findall(r"[\w-]+", text.lower()) if word in INDEX]
        yield Speech(encode(words))


def parts(config: Config | None = None, **engines: Any) -> Parts:
    """A whole line of fakes that take no time; `engines` replaces some."""
    clock, config = SimulatedClock(), config or Config()
    made: Mapping[str, Any] = {
        "vad": FakeVad(clock),
        "asr": FakeAsr(clock),
        "turn": FakeTurn(clock),
        "llm": FakeLlm(clock),
        "tts": FakeTts(clock),
    }
    made = {**made, **engines}
    return Parts(
        config=config,
        ring=AudioRing(config.sound.ring_s),
        make_resampler=make_resampler,
        output_rate_hz=made["tts"].rate_hz,
        strict=True,
        **made,
    )


def eyes() -> dict[str, Any]:
    """What a line needs to see."""
    return {"frames": FrameRing(70, 640 * 480 * 3), "codec": FakePictureCodec()}


def rebuilt(settings: Mapping[str, Any]) -> Rebuilt:
    """What `engines.replay_line` is for a recording of such a line."""
    line, ring = Line(SimulatedClock()), AudioRing(60)
    parts = Parts(Config(), ring, None, FakeVad(), output_rate_hz=settings["output_rate_hz"])
    parts.seen_elsewhere, parts.scored_elsewhere = settings["sees"], settings["scores_turns"]
    parts.streams = tuple(settings["streams"])
    parts.in_context = tuple(settings["in_context"])
    connect(line, parts)
    return Rebuilt(line, WIRING, ring)


def write_speech(path: Path, *words: str, pause_ms: float = 4_000) -> Path:
    """A recording of utterances with pauses between them."""
    pieces: list[Samples] = [silence(200)]
    for text in words:
        pieces += [encode(text), silence(pause_ms)]
    return write_wav(path, np.concatenate(pieces), INPUT_RATE_HZ)
