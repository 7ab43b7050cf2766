"""Bytes as captured become the float32 they stand for."""

from __future__ import annotations

import av
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from visavis.align.encoding import DECODE, SAMPLE_BYTES, to_grid


def ffmpeg_table(codec_name: str) -> np.ndarray:
    """What FFmpeg's decoder says each byte means: an independent reading of the standard."""
    context = av.CodecContext.create(codec_name, "r")
    context.sample_rate, context.layout = 8_000, "mono"
    [frame] = context.decode(av.Packet(bytes(range(256))))
    return frame.to_ndarray().reshape(-1).astype(np.float32) / 32768


@pytest.mark.parametrize(("encoding", "codec"), [("mulaw", "pcm_mulaw"), ("alaw", "pcm_alaw")])
def test_g711_agrees_with_ffmpeg_on_every_byte(encoding: str, codec: str) -> None:
    assert np.array_equal(DECODE[encoding](bytes(range(256))), ffmpeg_table(codec))


@pytest.mark.parametrize(
    ("encoding", "data", "values"),
    [
        ("u8", b"\x00\x80\xff", [-1, 0, 127 / 128]),
        ("s16", b"\x00\x80\x00\x00\xff\x7f", [-1, 0, 32767 / 32768]),
        ("s24", b"\x00\x00\x80\x00\x00\x00\x00\x00\x40", [-1, 0, 0.5]),
        ("s32", b"\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x00\x40", [-1, 0, 0.5]),
        ("f32", np.array([-1, 0.25], "<f4").tobytes(), [-1, 0.25]),
        ("f64", np.array([-1, 0.25], "<f8").tobytes(), [-1, 0.25]),
    ],
)
def test_full_scale_zero_and_sign(encoding: str, data: bytes, values: list[float]) -> None:
    out = DECODE[encoding](data)
    assert out.dtype == np.float32
    assert out.tolist() == pytest.approx(values, abs=0)


def test_every_encoding_has_its_size() -> None:
    assert SAMPLE_BYTES.keys() == DECODE.keys()
    for encoding, size in SAMPLE_BYTES.items():
        assert len(DECODE[encoding](bytes(5 * size))) == 5


def test_a_double_beyond_float32_is_an_infinity() -> None:
    assert np.isinf(DECODE["f64"](np.array([1e300]).tobytes())).all()


@example([-1e-9])
@given(st.lists(st.floats(-4, 4, width=32), min_size=1))
def test_the_grid_is_16_bit_and_saturates(values: list[float]) -> None:
    samples = np.array(values, np.float32)
    out = to_grid(samples)
    steps = out.astype(np.float64) * 32768
    assert np.array_equal(steps, np.rint(steps))
    assert out.min() >= -1
    assert out.max() <= 32767 / 32768
    assert np.all(np.abs(out - np.clip(samples, -1, 32767 / 32768)) <= 0.5 / 32768)
    as_16_bit = (out * 32768).astype("<i2")
    assert out.tobytes() == DECODE["s16"](as_16_bit.tobytes()).tobytes()


@given(st.binary(min_size=2, max_size=200))
def test_16_bit_sound_lies_on_the_grid_already(data: bytes) -> None:
    samples = DECODE["s16"](data[: len(data) // 2 * 2])
    assert np.array_equal(to_grid(samples), samples)
