"""The demo's script on the tiny tier: two synthetic voices talk, one is cut off."""

from __future__ import annotations

import wave
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from visavis.config import Config
from visavis.verbs.demo import SCRIPT, perform
from visavis.wiring import Parts

from .conftest import Run

pytestmark = pytest.mark.model


def test_the_demo_happens(make_parts: Callable[[Config], Parts], run: Run, tmp_path: Path) -> None:
    config = Config()
    parts = make_parts(replace(config, reply=replace(config.reply, seed=7)))
    outcome = perform(parts, tmp_path, pace="fast")
    summary, cancelled = outcome.summary, outcome.cancelled
    assert not cancelled
    assert summary["failures"] == []
    roles = [item["role"] for item in summary["history"]]
    assert roles.count("user") == len(SCRIPT)
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
