"""The fake takes out exactly the echo it was told of."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.backends.contract import Options
from visavis.backends.echo.fake import FakeCanceller, load


@pytest.mark.parametrize("delay_ms", [0, 3, 10, 25])
def test_a_delayed_scaled_copy_leaves_nothing(delay_ms: int) -> None:
    far = np.random.default_rng(0).integers(-9, 9, 3_200).astype(np.float32)
    near = np.concatenate([np.zeros(delay_ms * 16, np.float32), far])[:3_200] / 4
    canceller = load(Options(settings={"delay_ms": delay_ms, "gain": 0.25}))
    for at in range(0, 3_200, 160):
        assert not canceller.feed(near[at : at + 160], far[at : at + 160], 0.0).any()


def test_it_counts_what_it_was_fed() -> None:
    canceller = FakeCanceller()
    for _ in range(3):
        canceller.feed(np.zeros(160, np.float32), np.zeros(160, np.float32), 0.0)
    assert canceller.fed == 3
