"""A drift is found from the delays, and no drift where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.align.drift import MOST, Drift

LOOK = 8_000
"""Twice a second."""


def seen(drift: Drift, ppm: float, seconds: float, begin: int = 0, noise: float = 0.3) -> Drift:
    random = np.random.default_rng(0)
    for at in range(begin, begin + int(seconds * 16_000), LOOK):
        drift.see(at, round(960 + at * ppm * 1e-6 + random.normal(0, noise)))
    return drift


@pytest.mark.parametrize("ppm", [30, 100, -100, 200])
def test_a_drift_is_found_to_a_few_ppm(ppm: float) -> None:
    assert seen(Drift(), ppm, 30).rate == pytest.approx(ppm * 1e-6, abs=4e-6)


def test_it_is_found_within_seconds() -> None:
    assert seen(Drift(), 100, 6).rate == pytest.approx(100e-6, abs=30e-6)


@pytest.mark.parametrize("noise", [0, 0.3])
def test_one_clock_has_no_drift(noise: float) -> None:
    drift = Drift()
    for second in range(60):
        seen(drift, 0, 1, second * 16_000, noise)
        assert drift.rate == 0


def test_silence_does_not_change_what_is_known() -> None:
    drift = seen(Drift(), 100, 20)
    seen(drift, 100, 1, begin=16_000 * 50)
    assert drift.rate == pytest.approx(100e-6, abs=5e-6)


def test_no_clock_is_that_wrong() -> None:
    assert seen(Drift(), 5_000, 20).rate == MOST


def test_a_reset_forgets() -> None:
    drift = seen(Drift(), 100, 20)
    drift.reset()
    assert drift.rate == 0
    assert seen(drift, 0, 20).rate == 0
