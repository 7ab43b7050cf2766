"""The real engines of the tiny tier, loaded once for all tests here, and verbs run on them."""

from __future__ import annotations

import io
import sys
import wave
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from visavis import engines
from visavis.__main__ import main
from visavis.backends.contract import Options
from visavis.bundle import catalogue
from visavis.config import Config, load
from visavis.flow.events import Samples
from visavis.flow.ring import AudioRing
from visavis.wiring import Parts

KINDS = ("vad", "asr", "turn", "llm", "tts", "spare_tts")


class Ended(NamedTuple):
    """How a verb ended and what it said."""

    code: object
    out: str
    err: str


Run = Callable[..., Ended]


class Kept:
    """An engine that outlives the conversation that would close it."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self.engine, name)

    def close(self) -> None:
        """Not yet."""


@pytest.fixture(scope="package")
def loaded(model_options: Callable[[str], Options]) -> Iterator[Parts]:
    """The engines of the tiny tier; closed after the last test here."""
    for name in catalogue.tier("tiny").bundles:
        model_options(name)
    parts = engines.load_parts(load())
    yield parts
    for kind in KINDS:
        if (engine := getattr(parts, kind)) is not None:
            engine.close()


@pytest.fixture(scope="package")
def make_parts(loaded: Parts) -> Callable[..., Parts]:
    """`make_parts(config)` gives fresh parts around the loaded engines, as `load_parts` does."""
    kept = {kind: Kept(engine) for kind in KINDS if (engine := getattr(loaded, kind)) is not None}

    def make(
        config: Config, *, sight: bool = False, streams: tuple[str, ...] = ("camera",), **_: Any
    ) -> Parts:
        if sight and "ocr" not in kept and (ocr := engines.load_ocr(config)) is not None:
            kept["ocr"] = Kept(ocr)
        frames = engines.frame_ring(config, streams) if sight else None
        ring = AudioRing(config.sound.ring_s)
        return replace(loaded, config=config, ring=ring, frames=frames, streams=streams, **kept)

    return make


@pytest.fixture(scope="package")
def run(make_parts: Callable[..., Parts]) -> Run:
    """`run("talk", "--audio", path)`: a verb as the command line runs it, on the loaded engines."""

    def run(*arguments: object) -> Ended:
        out, err = io.StringIO(), io.StringIO()
        with (
            pytest.MonkeyPatch.context() as patch,
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            patch.setattr(engines, "load_parts", make_parts)
            patch.setattr(sys, "argv", ["visavis", *map(str, arguments)])
            with pytest.raises(SystemExit) as ended:
                main()
        return Ended(ended.value.code, out.getvalue(), err.getvalue())

    return run


@pytest.fixture(scope="package")
def speech(model_options: Callable[[str], Options]) -> dict[str, Path]:
    """Recordings of people speaking, by name."""
    return dict(model_options("human-speech").files)


def samples(path: Path) -> tuple[Samples, int]:
    """The first channel of a 16-bit WAV file, full scale ±1, and its rate."""
    with wave.open(str(path)) as file:
        levels = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        levels = levels.reshape(-1, file.getnchannels())[:, 0]
        return (levels / 32_768).astype(np.float32), file.getframerate()
