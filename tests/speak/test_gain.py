"""The volume moves without a click and without losing a sample."""

from __future__ import annotations

import numpy as np

from visavis.speak.gain import Gain

ONES = np.full(100, 0.5, np.float32)


def test_at_full_volume_samples_are_passed_on_untouched() -> None:
    assert Gain(10).apply(ONES) is ONES


def test_it_goes_down_in_a_straight_line_and_comes_back() -> None:
    gain = Gain(50)
    gain.aim(0.1)
    down = gain.apply(ONES)
    assert len(down) == len(ONES)
    assert np.max(np.abs(np.diff(down, prepend=0.5))) <= 0.5 / 50 + 1e-4
    assert np.allclose(down[50:], 0.05, atol=1e-4)
    gain.aim(1.0)
    up = gain.apply(ONES)
    assert np.max(np.abs(np.diff(up, prepend=down[-1]))) <= 0.5 / 50 + 1e-4
    assert gain.apply(ONES) is ONES


def test_the_line_goes_on_over_the_border_of_two_blocks() -> None:
    whole, split = Gain(60), Gain(60)
    whole.aim(0.2)
    split.aim(0.2)
    parts = [split.apply(ONES[:7]), split.apply(ONES[7:7]), split.apply(ONES[7:])]
    assert np.allclose(np.concatenate(parts), whole.apply(ONES), atol=1e-4)


def test_ducked_samples_lie_on_the_16_bit_grid() -> None:
    gain = Gain(10)
    gain.aim(0.3)
    steps = gain.apply(np.linspace(-1, 1, 300, dtype=np.float32)) * 32_768
    assert np.array_equal(steps, np.round(steps))
