"""FLAC: lossless on the 16-bit grid, honest about what is not on it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from visavis.govern import flac

LEVELS = arrays.arrays(np.int16, st.integers(1, 6000), elements=st.integers(-32768, 32767))


@settings(deadline=None)
@given(LEVELS, st.sampled_from([8000, 16_000, 22_050, 24_000, 48_000]))
def test_sound_on_the_grid_comes_back_to_the_bit(levels: np.ndarray, rate_hz: int) -> None:
    samples = levels.astype(np.float32) / np.float32(32768)
    found, off_grid = flac.quantise(samples)
    assert off_grid == 0
    again = flac.decode(flac.encode(found, rate_hz), len(levels))
    assert again.dtype == np.float32
    np.testing.assert_array_equal(again, samples)


def test_long_sound_comes_back_to_the_bit() -> None:
    levels = np.random.default_rng(0).integers(-32768, 32768, 700_000).astype(np.int16)
    again = flac.decode(flac.encode(levels, 22_050), len(levels))
    np.testing.assert_array_equal(again * 32768, levels)


def test_silence_costs_next_to_nothing() -> None:
    assert len(flac.encode(np.zeros(16_000, np.int16), 16_000)) < 300


def test_what_is_off_the_grid_is_rounded_and_counted() -> None:
    off = [0.5 / 32768, 1.0, 2.0, -1.5, np.nan, np.inf]
    levels, off_grid = flac.quantise(np.array([0, -1, 3 / 32768, *off], np.float32))
    assert off_grid == len(off)
    assert levels.tolist() == [0, -32768, 3, 0, 32767, 32767, -32768, 0, 32767]


def test_more_samples_than_expected_are_refused() -> None:
    data = flac.encode(np.zeros(5000, np.int16), 16_000)
    with pytest.raises(ValueError, match="more than 4999"):
        flac.decode(data, 4999)


@pytest.mark.parametrize("data", [b"", b"fLaC", b"RIFF" * 100], ids=["empty", "head", "other"])
def test_what_is_not_flac_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not FLAC"):
        flac.decode(data, 9000)


def test_what_is_cut_off_is_refused() -> None:
    levels = np.random.default_rng(0).integers(-99, 99, 20_000).astype(np.int16)
    whole = flac.encode(levels, 16_000)
    with pytest.raises(ValueError, match="not FLAC"):
        flac.decode(whole[: len(whole) // 2], 20_000)
