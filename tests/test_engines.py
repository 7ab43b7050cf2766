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
from visavis.config import Config, Sight, Sound
from visavis.flow.clock import SimulatedClock
from visavis.flow.errors import BackendMissing, BundleError, EngineError, InputError

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
    monkeypatch.setattr(Installed, "refuse_misfit", lambda self: None)


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


def test_a_language_that_is_not_understood_is_refused_before_anything_is_missed(
    config: Config,
) -> None:
    with pytest.raises(InputError) as caught:
        engines.find_bundles(replace(config, language="zh"))
    assert str(caught.value) == (
        "language 'zh': whisper-tiny-en understands only en; run 'visavis pull whisper-base' "
        'and set asr = "whisper-base" under [bundles] in config.toml'
    )


@pytest.mark.parametrize("language", ["", "en", "en-GB", "EN"])
def test_a_language_that_all_know_passes_without_a_warning(config: Config, language: str) -> None:
    config = replace(config, language=language)
    with pytest.raises(BundleError, match="not installed"):
        engines.find_bundles(config)
    assert engines.warnings(config) == []


def test_what_does_not_speak_the_language_is_warned_of(config: Config) -> None:
    told = engines.warnings(replace(config, language="zh", bundles={"asr": "whisper-base"}))
    assert [line.partition(":")[0] for line in told] == ["smollm2-135m", "piper-en-joe"]
    assert all("speaks only en, not zh; " in line for line in told)


def test_a_bundle_of_another_kind_is_named_with_its_kind(config: Config) -> None:
    with pytest.raises(BundleError, match=r"piper-en-joe: is a tts bundle, not asr; .*whisper"):
        engines.find_bundles(replace(config, bundles={"asr": "piper-en-joe"}))
    with pytest.raises(BundleError, match=r"bundles\.ears: no such kind; known are vad, asr, "):
        engines.find_bundles(replace(config, bundles={"ears": "whisper-base"}))


@pytest.mark.usefixtures("_pulled")
def test_the_time_of_loading_is_logged(
    config: Config, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(backends, "load", lambda *_: Engine())
    with caplog.at_level("INFO"):
        engines.load_parts(config)
    assert sum("loaded in" in line for line in caplog.messages) == len(engines.ENGINES)


@pytest.mark.usefixtures("_pulled")
def test_there_is_room_for_pictures_where_some_are_to_be_seen(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "load", lambda *_: Engine())
    assert engines.load_parts(config).frames is None
    sight = Sight(rate_hz=10, max_pixels=160 * 120, keep_s=3)
    frames = engines.load_parts(replace(config, sight=sight), sight=True).frames
    assert frames is not None
    assert frames.max_pixels() == 160 * 120
    assert frames.slots() >= 30
    assert frames.streams == ("camera",)


@pytest.mark.usefixtures("_pulled")
def test_a_screen_has_room_of_its_own(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "load", lambda *_: Engine())
    sight = Sight(screen_rate_hz=2, screen_max_pixels=1280 * 720, keep_s=2)
    config = replace(config, sight=sight)
    parts = engines.load_parts(config, sight=True, streams=("camera", "screen"))
    assert parts.streams == ("camera", "screen")
    assert parts.frames is not None
    assert parts.frames.max_pixels("camera") == sight.max_pixels
    assert parts.frames.max_pixels("screen") == 1280 * 720
    assert parts.frames.slots("screen") < 12, "so much takes 30 MB"
    alone = engines.load_parts(config, sight=True, streams=("screen",))
    assert alone.frames is not None
    assert alone.frames.streams == alone.streams == ("screen",)


def test_known_backends_are_listed_as_words() -> None:
    with pytest.raises(InputError) as caught:
        backends.load("asr", "nothing", Options())
    assert str(caught.value).endswith("known are fake, faster_whisper")


@pytest.mark.usefixtures("_pulled")
def test_the_parts_hold_every_engine_of_the_tier(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {kind: Engine() for kind in (*engines.ENGINES, "picture")}
    told: list[str] = []
    monkeypatch.setattr(backends, "load", lambda kind, *_: made[kind])
    parts = engines.load_parts(config, progress=told.append)
    found = {kind: getattr(parts, kind) for kind in engines.ENGINES}
    assert {**found, "picture": parts.codec} == made
    assert sorted(told) == sorted(TIER)
    assert parts.output_rate_hz == 16_000
    assert [engine.closed for engine in made.values()] == [0] * 6


@pytest.mark.usefixtures("_pulled")
@pytest.mark.parametrize("broken", engines.ENGINES)
def test_what_was_loaded_is_closed_when_one_engine_fails(
    config: Config, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    made = {kind: Engine() for kind in (*engines.ENGINES, "picture") if kind != broken}

    def load(kind: str, *_: Any) -> Engine:
        if kind == broken:
            raise EngineError("the engine died")
        return made[kind]

    monkeypatch.setattr(backends, "load", load)
    with pytest.raises(EngineError):
        engines.load_parts(config)
    assert [engine.closed for engine in made.values()] == [1] * 5


@pytest.mark.usefixtures("_pulled")
def test_the_language_that_is_expected_is_told_to_the_recogniser(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Options] = {}

    def load(kind: str, backend: str, options: Options) -> Engine:
        given[kind] = options
        return Engine()

    monkeypatch.setattr(backends, "load", load)
    engines.load_parts(replace(config, language="zh", bundles={"asr": "whisper-base"}))
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


@pytest.mark.usefixtures("_pulled")
@pytest.mark.parametrize(
    ("sound", "settings"),
    [
        (Sound(), None),
        (Sound(profile="headset"), None),
        (Sound(profile="browser"), None),
        (Sound(profile="half-duplex"), None),
        (Sound(profile="speaker"), {"echo": True, "noise_suppression": False}),
        (
            Sound(profile="speaker", noise_suppression=True),
            {"echo": True, "noise_suppression": True},
        ),
        (Sound(noise_suppression=True), {"echo": False, "noise_suppression": True}),
    ],
)
def test_a_canceller_is_loaded_when_the_sound_is_to_be_cleaned(
    config: Config, monkeypatch: pytest.MonkeyPatch, sound: Sound, settings: Any
) -> None:
    given: dict[str, Any] = {}

    def load(kind: str, backend: str, options: Options) -> Engine:
        given[kind] = options.settings
        return Engine()

    monkeypatch.setattr(backends, "load", load)
    parts = engines.load_parts(replace(config, sound=sound))
    assert given.get("echo") == settings
    assert (parts.echo is not None) == (settings is not None)


@pytest.mark.usefixtures("_pulled")
def test_a_canceller_that_is_missing_is_told_before_anything_is_loaded(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def load(kind: str, backend: str, options: Options) -> Engine:
        asked.append(kind)
        raise BackendMissing("echo/webrtc", "livekit", "device")

    monkeypatch.setattr(backends, "load", load)
    with pytest.raises(BackendMissing, match=r"pip install 'visavis\[device\]'"):
        engines.load_parts(replace(config, sound=Sound(profile="speaker")))
    assert asked == ["echo"]


@pytest.mark.usefixtures("_pulled")
@pytest.mark.parametrize(
    ("sight", "reading", "installed", "reads"),
    [
        (True, True, True, True),
        (False, True, True, False),
        (True, False, True, False),
        (True, True, False, False),
    ],
)
def test_who_reads_is_loaded_where_there_is_something_to_read(
    sight: bool,
    reading: bool,
    installed: bool,
    reads: bool,
    config: Config,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(backends, "load", lambda kind, backend, options: Engine())
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if installed else None)
    parts = engines.load_parts(replace(config, sight=Sight(reading=reading)), sight=sight)
    assert (parts.ocr is not None) == reads


def test_a_second_voice_speaks_at_the_rate_of_the_first_or_is_none() -> None:
    voice = engines.spare_voice(FakeTts(SimulatedClock(), rate_hz=24_000).rate_hz)
    assert voice is None or voice.rate_hz == 24_000
    if voice is not None:
        voice.close()
