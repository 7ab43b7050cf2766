"""From a configuration to engines: what is missing is named, what was loaded is closed again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from visavis import backends, engines
from visavis.backends.contract import Options
from visavis.backends.tts.fake import FakeTts
from visavis.backends.vad.fake import FakeVad
from visavis.bundle import catalogue
from visavis.bundle.store import Installed, Store
from visavis.config import Config
from visavis.flow.clock import SimulatedClock
from visavis.flow.errors import BundleError, EngineError

TIER = catalogue.tier("tiny").bundles


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(models=tmp_path / "store")


@pytest.fixture
def _pulled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every bundle seems to be in the store."""
    monkeypatch.setattr(Store, "has", lambda self, name: True)
    monkeypatch.setattr(
        Store, "find", lambda self, name: Installed(catalogue.manifest(name), tmp_path)
    )


class Engine:
    """Remembers that it was closed."""

    rate_hz = 16_000

    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def test_all_bundles_that_are_missing_are_named_at_once(config: Config) -> None:
    with pytest.raises(BundleError) as caught:
        engines.find_bundles(config)
    for name in TIER:
        assert name in str(caught.value)
    assert caught.value.remedy == "run 'visavis pull --tier tiny'"


def test_bundles_of_the_user_s_own_choice_are_pulled_by_name(config: Config) -> None:
    with pytest.raises(BundleError) as caught:
        engines.find_bundles(replace(config, bundles={"asr": "whisper-base"}))
    assert "whisper-base" in caught.value.remedy
    assert "--tier" not in caught.value.remedy
    assert "whisper-tiny-en" not in str(caught.value)


@pytest.mark.usefixtures("_pulled")
def test_the_parts_hold_every_engine_of_the_tier(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {kind: Engine() for kind in engines.ENGINES}
    told: list[str] = []
    monkeypatch.setattr(backends, "load", lambda kind, *_: made[kind])
    parts = engines.load_parts(config, progress=told.append)
    assert {kind: getattr(parts, kind) for kind in engines.ENGINES} == made
    assert sorted(told) == sorted(TIER)
    assert parts.output_rate_hz == 16_000
    assert [engine.closed for engine in made.values()] == [0] * 5


@pytest.mark.usefixtures("_pulled")
@pytest.mark.parametrize("broken", engines.ENGINES)
def test_what_was_loaded_is_closed_when_one_engine_fails(
    config: Config, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    made = {kind: Engine() for kind in engines.ENGINES if kind != broken}

    def load(kind: str, *_: Any) -> Engine:
        if kind == broken:
            raise EngineError("the engine died")
        return made[kind]

    monkeypatch.setattr(backends, "load", load)
    with pytest.raises(EngineError):
        engines.load_parts(config)
    assert [engine.closed for engine in made.values()] == [1] * 4


@pytest.mark.usefixtures("_pulled")
def test_the_language_that_is_expected_is_told_to_the_recogniser(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Options] = {}

    def load(kind: str, backend: str, options: Options) -> Engine:
        given[kind] = options
        return Engine()

    monkeypatch.setattr(backends, "load", load)
    engines.load_parts(replace(config, language="zh"))
    assert given["asr"].settings["language"] == "zh"
    assert "language" not in given["llm"].settings


def test_a_replay_needs_the_detector_of_voice_only(
    config: Config, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str] = []

    def find(self: Store, name: str) -> Installed:
        asked.append(name)
        return Installed(catalogue.manifest(name), tmp_path)

    monkeypatch.setattr(Store, "find", find)
    monkeypatch.setattr(backends, "load", lambda *_: FakeVad())
    settings = {"config": msgspec.to_builtins(config, enc_hook=str), "output_rate_hz": 16_000}
    rebuilt = engines.replay_line(settings)
    names = [node.name for node in rebuilt.line.nodes]
    rebuilt.line.close()
    assert asked == ["silero-vad"]
    assert "perceive.vad" in names
    assert "decide.session" in names
    assert "perceive.asr" not in names


def test_a_second_voice_speaks_at_the_rate_of_the_first_or_is_none() -> None:
    voice = engines.spare_voice(FakeTts(SimulatedClock(), rate_hz=24_000).rate_hz)
    assert voice is None or voice.rate_hz == 24_000
    if voice is not None:
        voice.close()
