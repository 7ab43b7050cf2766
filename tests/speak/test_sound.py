"""Samples are made fit to be played: on the grid, without the silence in front."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.speak.sound import LEAD_MS, gap_ms, on_grid, trim

RATE_HZ = 16_000


def ms(count: float) -> int:
    return int(count * RATE_HZ / 1000)


def test_samples_lie_on_the_16_bit_grid() -> None:
    noise = np.random.default_rng(1).uniform(-1.2, 1.2, 5000).astype(np.float32)
    steps = on_grid(noise) * 32_768
    assert np.array_equal(steps, np.round(steps))
    assert np.array_equal(on_grid(on_grid(noise)), on_grid(noise))
    assert np.max(np.abs(on_grid(noise) - np.clip(noise, -1, 1))) <= 1 / 32_768
    assert on_grid(noise).dtype == np.float32


def test_what_is_no_number_is_silenced_and_what_is_too_loud_saturates() -> None:
    wild = np.array([np.nan, np.inf, -np.inf, 3.0, -3.0], np.float32)
    assert on_grid(wild).tolist() == [0.0, 0.0, 0.0, 32_767 / 32_768, -1.0]


def test_silence_is_trimmed_but_for_a_lead_and_a_gap() -> None:
    sound = np.full(ms(100), 0.5, np.float32)
    padded = np.concatenate([np.zeros(ms(80)), sound, np.zeros(ms(400))]).astype(np.float32)
    trimmed, cut = trim(padded, RATE_HZ, 120)
    assert cut == ms(80 - LEAD_MS)
    assert abs(len(trimmed) - ms(LEAD_MS + 100 + 120)) <= ms(5)
    assert np.shares_memory(trimmed, padded)


def test_nothing_is_added_where_there_is_no_silence() -> None:
    sound = np.full(ms(50), -0.5, np.float32)
    trimmed, cut = trim(sound, RATE_HZ, 250)
    assert (len(trimmed), cut) == (len(sound), 0)


def test_a_voice_that_is_silent_throughout_leaves_nothing() -> None:
    assert len(trim(np.zeros(100, np.float32), RATE_HZ, 100)[0]) == 0
    assert len(trim(np.zeros(0, np.float32), RATE_HZ, 100)[0]) == 0


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("Yes. ", 250),
        ("“好。”", 250),
        ("a list\n", 250),
        ("Well, ", 120),
        ("好，", 120),
        ("and ", 40),
    ],
)
def test_the_gap_behind_a_phrase_follows_its_last_mark(written: str, kind: int) -> None:
    assert gap_ms(written) == kind
