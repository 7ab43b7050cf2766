"""The delay of an echo is found in any room, and kept when there is nothing to learn."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.align.delay import LEAST, MOST, WINDOW, DelayEstimator
from visavis.flow.events import Samples

RATE_HZ = 16_000


def voice(seed: int, seconds: float = 1.5) -> Samples:
    """Coloured noise in syllables."""
    random = np.random.default_rng(seed)
    noise = random.standard_normal(int(seconds * RATE_HZ) + 8)
    noise = np.convolve(noise, np.ones(4) / 4, "same")[: int(seconds * RATE_HZ)]
    syllables = np.abs(np.sin(np.arange(len(noise)) * 2 * np.pi * 3 / RATE_HZ + seed))
    return (0.2 * noise * syllables).astype(np.float32)


def heard(far: Samples, delay: int, gain: float = 0.5, tail: int = 1, seed: int = 0) -> Samples:
    """The last WINDOW samples at the microphone."""
    random = np.random.default_rng(seed)
    response = random.standard_normal(tail) * np.exp(-6.9 * np.arange(tail) / tail) * 0.2
    response[0] = 1
    echo = np.convolve(np.concatenate([np.zeros(delay), far]), response * gain)[: len(far)]
    return echo[-WINDOW:].astype(np.float32)


@pytest.mark.parametrize("delay", [0, 37, 640, 4_001, MOST - 10])
def test_a_delay_is_found_to_the_sample(delay: int) -> None:
    estimator, far = DelayEstimator(), voice(1)
    estimator.look(heard(far, delay), far)
    assert estimator.samples == delay


@pytest.mark.parametrize("gain", [-0.5, 0.03, 2.0])
def test_in_a_room_that_rings_the_direct_sound_counts(gain: float) -> None:
    estimator, far = DelayEstimator(), voice(2)
    for _ in range(2):
        estimator.look(heard(far, 960, gain=gain, tail=3_200), far)
    assert estimator.samples == pytest.approx(960, abs=2)


def test_a_user_over_it_does_not_move_it() -> None:
    estimator, far = DelayEstimator(), voice(3)
    estimator.look(heard(far, 960), far)
    for seed in range(4, 24):
        estimator.look(heard(far, 960) + voice(seed, 1.0) * 4, far)
    assert estimator.samples == 960
    assert estimator.jumps == 1


def test_unrelated_sound_has_no_delay() -> None:
    estimator = DelayEstimator()
    for seed in range(20):
        estimator.look(voice(seed, 1.0), voice(seed + 100))
    assert estimator.samples is None


def test_what_was_heard_before_anything_was_played_is_no_echo() -> None:
    """A question, loud, and right after it the first words of the answer."""
    found = []
    for seed in range(20):
        estimator, far = DelayEstimator(), voice(8 + seed)
        far[: -RATE_HZ // 4] = 0
        near = heard(far, 640) + 0.05 * voice(100 + seed, 1.0)
        near[: -RATE_HZ // 4] += 20 * voice(200 + seed, 0.75)
        estimator.look(near.astype(np.float32), far)
        assert estimator.samples in (None, 640)
        found.append(estimator.samples)
    assert 640 in found


def test_the_first_words_are_too_little_to_tell_the_delay_from() -> None:
    estimator, far = DelayEstimator(), voice(9)
    far[: 1 - LEAST] = 0
    assert not estimator.look(heard(far, 100), far)


def test_silence_on_either_side_changes_nothing() -> None:
    estimator, far = DelayEstimator(), voice(5)
    estimator.look(heard(far, 500), far)
    estimator.look(heard(far, 900) * 1e-6, far)
    estimator.look(heard(far, 900), far * 1e-6)
    assert estimator.samples == 500


def test_a_drift_is_followed() -> None:
    estimator, far = DelayEstimator(), voice(6)
    for delay in range(500, 700, 10):
        estimator.look(heard(far, delay), far)
    assert estimator.samples == 690
    assert estimator.jumps == 1


def test_a_jump_is_believed_when_it_was_seen_twice() -> None:
    estimator, far = DelayEstimator(), voice(7)
    estimator.look(heard(far, 500), far)
    estimator.look(heard(far, 3_000), far)
    assert estimator.samples == 500
    estimator.look(heard(far, 500), far)
    estimator.look(heard(far, 3_000), far)
    assert estimator.samples == 500
    estimator.look(heard(far, 3_010), far)
    assert estimator.samples == 3_010
    assert estimator.jumps == 2


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_has_no_delay(bad: float) -> None:
    estimator, far = DelayEstimator(), voice(1)
    near = heard(far, 640)
    near[100] = bad
    assert not estimator.look(near, far)
    assert estimator.samples is None
