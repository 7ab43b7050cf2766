"""Settings: what is not of the right kind, or out of bounds, is named with what is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from visavis import backends
from visavis.backends.contract import Options
from visavis.backends.settings import Settings
from visavis.flow.errors import BackendMissing, BundleError

Read = Callable[[Settings], Any]
READS: dict[str, Read] = {
    "whole": lambda settings: settings.whole("key", 3, 1, 8),
    "number": lambda settings: settings.number("key", 1.0, 0.25, 4),
    "flag": lambda settings: settings.flag("key", True),
    "text": lambda settings: settings.text("key", "a"),
    "choice": lambda settings: settings.text("key", "a", ("a", "b")),
    "texts": lambda settings: settings.texts("key"),
    "table": lambda settings: settings.table("key"),
}


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        ("whole", 1, 1),
        ("whole", 8, 8),
        ("number", 4, 4.0),
        ("number", 0.25, 0.25),
        ("flag", False, False),
        ("text", "", ""),
        ("choice", "b", "b"),
        ("texts", ["a", "b"], ("a", "b")),
        ("table", {"a": 1}, {"a": 1}),
    ],
)
def test_what_is_within_its_bounds_is_read(kind: str, value: object, read: object) -> None:
    assert READS[kind](Settings("x/y", {"key": value})) == read


@pytest.mark.parametrize(
    ("kind", "default"),
    [("whole", 3), ("number", 1.0), ("flag", True), ("text", "a"), ("texts", ()), ("table", {})],
)
def test_what_is_not_there_is_the_default(kind: str, default: object) -> None:
    assert READS[kind](Settings("x/y", {"other": object()})) == default


@pytest.mark.parametrize(
    ("kind", "values", "allowed"),
    [
        ("whole", (0, 9, 2**70, 2.0, nan, inf, True, "two", None, [1]), "a whole number from 1 to"),
        ("number", (0, -1, 1e-3, 5, 10**400, nan, inf, -inf, True, "1"), "a number from 0.25 to 4"),
        ("flag", (0, 1, "yes", None), "true or false"),
        ("text", (1, None, ["a"]), "a text"),
        ("choice", ("c", "", 1), "'a' or 'b'"),
        ("texts", ("en", 1, [1], {"a": 1}), "a list of texts"),
        ("table", ("a", 1, [1]), "a table"),
    ],
)
def test_what_is_not_is_refused_with_what_is_allowed(
    kind: str, values: tuple[object, ...], allowed: str
) -> None:
    for value in values:
        with pytest.raises(BundleError, match=rf"^x/y: key = .*: is not {allowed}.*; ") as refused:
            READS[kind](Settings("x/y", {"key": value}))
        assert repr(value)[:20] in str(refused.value)
        assert len(str(refused.value)) < 200


BAD = {
    "tts/piper": ("speed", "threads", "seed"),
    "tts/espeak": ("speed", "rate_hz"),
    "asr/faster_whisper": ("threads", "compute_type", "language", "among", "partial_ms"),
    "turn/smart_turn": ("threads",),
    "llm/openai": ("context_tokens", "extra", "token_timeout_s", "connect_timeout_s", "api_key",
                   "picture_tokens", "most_pictures", "picture_reach", "picture_side"),
    "llm/fake": ("seed", "token_ms", "jitter_ms", "prefill_token_ms", "context_tokens"),
    "resample/soxr": ("in_rate_hz", "out_rate_hz", "low_latency"),
    "picture/pillow": ("quality",),
    "ocr/rapidocr": ("threads",),
    "echo/webrtc": ("echo", "noise_suppression", "gain_control", "high_pass"),
}  # fmt: skip
GOOD = {"llm/openai": {"base_url": "http://x", "model": "m"}, "resample/soxr": {"in_rate_hz": 8000}}


@pytest.mark.parametrize(("name", "key"), [(name, key) for name in BAD for key in BAD[name]])
@pytest.mark.parametrize("value", [-(2**70), nan, (0,)])
def test_every_backend_names_what_it_cannot_take(
    tmp_path: Path, name: str, key: str, value: object
) -> None:
    settings = {**GOOD.get(name, {}), key: value}
    files = {role: tmp_path / role for role in ("model", "config")}
    kind, _, backend = name.partition("/")
    told = re.escape(f"{name}: {key} = {value!r}"[:40])
    try:
        with pytest.raises(BundleError, match=rf"^{told}.*: is not .*; correct it"):
            backends.load(kind, backend, Options(files, settings))
    except BackendMissing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("speed", [0, -1, 1e-3, 4.1, inf, nan, "fast", 2**70])
@pytest.mark.parametrize("name", ["piper", "espeak"])
def test_no_voice_takes_a_speed_that_nobody_could_follow(name: str, speed: object) -> None:
    try:
        with pytest.raises(BundleError, match=r"speed = .* a number from 0\.25 to 4"):
            backends.load("tts", name, Options(settings={"speed": speed}))
    except BackendMissing as missing:
        pytest.skip(str(missing))
