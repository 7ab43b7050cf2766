"""Down-mixing never clips and never depends on the length of the chunk."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.align.mix import mono, weights


@pytest.mark.parametrize("channels", range(1, 17))
def test_full_scale_in_every_channel_is_full_scale(channels: int) -> None:
    assert weights(channels).sum() == pytest.approx(1)
    for sign in (1, -1):
        out = mono(np.full((5, channels), sign, np.float32))
        assert out.shape == (5,)
        assert out.tolist() == pytest.approx([sign] * 5)


def test_stereo_is_the_mean() -> None:
    assert mono(np.array([[0.5, -0.25], [1, 1]], np.float32)).tolist() == [0.125, 1]


def test_surround_hears_the_centre_best_and_no_lfe() -> None:
    share = weights(6)
    assert share[2] == share.max()
    assert share[3] == 0
    assert share[4] == pytest.approx(share[0] * 0.5**0.5)


@pytest.mark.parametrize("channels", [2, 6, 8, 11])
def test_a_frame_mixes_alike_in_any_company(channels: int) -> None:
    frames = np.random.default_rng(0).uniform(-1, 1, (1000, channels)).astype(np.float32)
    alone = np.concatenate([mono(frames[at : at + 1]) for at in range(1000)])
    assert np.array_equal(mono(frames), alone)
