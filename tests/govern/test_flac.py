"""FLAC: lossless on the 16-bit grid, honest about what is not on it."""

from __future__ import annotations

import io

import av
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


def test_sparse_sound_comes_back_to_the_bit() -> None:
    """FFmpeg finds false frames in this one if it is left to look for them."""
    levels = np.zeros(356, np.int16)
    levels[[3, 57, 66, 107]] = [-353, 356, -368, -859]
    again = flac.decode(flac.encode(levels, 8000), len(levels))
    np.testing.assert_array_equal(again * 32768, levels)


def test_more_samples_than_expected_are_refused() -> None:
    data = flac.encode(np.zeros(5000, np.int16), 16_000)
    with pytest.raises(ValueError, match="more than 4999"):
        flac.decode(data, 4999)


def test_a_file_that_understates_what_it_holds_is_refused_before_it_is_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = bytearray(flac.encode(np.zeros(40 << 20, np.int16), 16_000))
    whole[21:26] = (whole[21] & 0xF0).to_bytes(1, "big") + (100).to_bytes(4, "big")
    monkeypatch.setattr(flac, "_levels", lambda *_: pytest.fail("unpacked"))
    with pytest.raises(ValueError, match="more than 100"):
        flac.decode(bytes(whole), 100)


@pytest.mark.parametrize("data", [b"", b"fLaC", b"RIFF" * 100, b"fLaC" + bytes(99)])
def test_what_is_not_flac_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="FLAC"):
        flac.decode(data, 9000)


@settings(deadline=None)
@given(st.integers(0, 16_000))
def test_what_is_cut_off_is_refused(kept: int) -> None:
    levels = np.random.default_rng(0).integers(-99, 99, 20_000).astype(np.int16)
    whole = flac.encode(levels, 16_000)
    with pytest.raises(ValueError, match="FLAC"):
        flac.decode(whole[:kept], 20_000)


def test_sound_of_another_shape_is_refused() -> None:
    file = io.BytesIO()
    with av.open(file, "w", format="flac") as container:
        stream = container.add_stream("flac", rate=16_000, layout="stereo")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 4000), np.int16), "s16", "stereo")
        frame.sample_rate = 16_000
        container.mux([*stream.encode(frame), *stream.encode(None)])
    with pytest.raises(ValueError, match="2 channels"):
        flac.decode(file.getvalue(), 9000)
