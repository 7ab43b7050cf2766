"""The level of a voice, and where it ends."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.perceive.loudness import SILENCE_DB, loudness

TONE = np.sin(np.arange(3_200) * 0.3).astype(np.float32)


@pytest.mark.parametrize("level_db", [-60.0, -30.0, 0.0])
def test_the_level_is_that_of_the_root_mean_square(level_db: float) -> None:
    found, end = loudness(TONE * np.float32(np.sqrt(2) * 10 ** (level_db / 20)))
    assert found == pytest.approx(level_db, abs=0.1)
    assert end == len(TONE)


def test_gaps_and_what_follows_do_not_count() -> None:
    gap = np.zeros(13 * 128, np.float32)
    found, end = loudness(np.concatenate([TONE, gap, TONE, gap]))
    assert found == pytest.approx(loudness(TONE)[0], abs=0.1)
    assert end == 8_064


@pytest.mark.parametrize("count", [0, 1, 127, 128, 5_000])
def test_silence_has_the_lowest_level(count: int) -> None:
    assert loudness(np.zeros(count, np.float32)) == (SILENCE_DB, 0)
