"""The demo's script on the tiny tier: two synthetic voices talk, one is cut off."""

from __future__ import annotations

import wave
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from visavis.config import Config
from visavis.verbs.demo import FIRST, SCRIPT, SECOND, SEEING_SCRIPT, perform
from visavis.wiring import Parts

from .conftest import Run

pytestmark = pytest.mark.model


def test_the_demo_happens(make_parts: Callable[..., Parts], run: Run, tmp_path: Path) -> None:
    config = Config()
    parts = make_parts(replace(config, reply=replace(config.reply, seed=7)))
    outcome = perform(parts, tmp_path, pace="fast")
    summary, cancelled = outcome.summary, outcome.cancelled
    assert not cancelled
    assert summary["failures"] == []
    roles = [item["role"] for item in summary["history"]]
    # "Stop." may be a turn of its own, that is not answered.
    assert 0 <= roles.count("user") - len(SCRIPT) <= 1
    assert roles.count("assistant") >= len(SCRIPT) - 1
    (cut,) = summary["interruptions"]
    assert cut["silence_ms"] <= 20
    assert [item["cut"] for item in summary["history"]].count(True) == 1
    assert "Paris" in summary["history"][1]["text"]
    with wave.open(str(tmp_path / "conversation.wav")) as file:
        assert file.getnchannels() == 2
        levels = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)
    assert np.abs(levels.astype(np.int32)).max(axis=0).min() > 3_000
    assert run("replay", tmp_path / "run.mcap").out.startswith("identical: ")


def test_the_demo_looks_at_what_is_in_view(
    make_parts: Callable[..., Parts], run: Run, tmp_path: Path
) -> None:
    config = Config()
    parts = make_parts(replace(config, reply=replace(config.reply, seed=7)), sight=True)
    assert parts.llm is not None
    if not parts.llm.capabilities.picture_tokens:
        pytest.skip("the model of the tiny tier has no eye yet")
    summary = perform(parts, tmp_path, pace="fast").summary
    assert summary["failures"] == []
    asked = sum(item["role"] == "user" for item in summary["history"])
    assert 0 <= asked - len(SEEING_SCRIPT) <= 1  # as above
    scenes = [truth["scene"] for truth in summary["truths"]]
    assert scenes == [str(FIRST)] * 3 + [str(SECOND)]
    looks = [reply["view"] for reply in summary["replies"]]
    assert all(abs(look["offset_ms"]) <= 50 for look in looks)
    before, after = {look["view_id"] for look in looks[:3]}, {look["view_id"] for look in looks[3:]}
    assert not before & after
    assert summary["eyes"]["encodes"] <= 4
    assert run("replay", tmp_path / "run.mcap").out.startswith("identical: ")
