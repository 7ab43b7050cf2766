"""The share of a picture that changed, exactly, and the light that does not count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.perceive.blocks import Blocks
from visavis.perceive.difference import FLOOR, Reference, changed, gains, same_structure

QUIET = np.zeros((24, 32), np.float32)


def even(*colour: float) -> Blocks:
    return np.broadcast_to(np.array(colour, np.float32), (24, 32, 3)).copy()


def varied(seed: int = 3, low: float = 40, high: float = 120) -> Blocks:
    return np.random.default_rng(seed).uniform(low, high, (24, 32, 3)).astype(np.float32)


def share(before: Blocks, after: Blocks, restless: Blocks = QUIET) -> float:
    return changed(Reference.of(before), after, restless)


def test_the_same_is_no_change() -> None:
    assert share(varied(), varied()) == 0


@pytest.mark.parametrize("count", [1, 7, 23, 100])
def test_it_is_the_share_of_blocks(count: int) -> None:
    after = even(120, 120, 120)
    after.reshape(-1, 3)[:count] = (220, 30, 30)
    assert share(even(120, 120, 120), after) == count / 768


def test_up_to_the_floor_all_may_differ() -> None:
    before = even(120, 120, 120)
    after = before + np.where(np.arange(32)[:, None] % 2 == 0, FLOOR, -FLOOR).astype(np.float32)
    assert share(before, after) == 0


def test_a_restless_block_may_differ_by_more() -> None:
    after = even(120, 120, 120)
    after[4, 4:6] += 30
    restless = QUIET.copy()
    restless[4, 4] = 10
    assert share(even(120, 120, 120), after, restless) == 1 / 768


def test_a_dimmed_picture_with_one_thing_in_it_has_changed_by_that_thing() -> None:
    before = varied()
    after = before * np.float32(0.6)
    after[10:14, 10:14] = (200, 20, 20)
    assert share(before, after) == pytest.approx(16 / 768, abs=3 / 768)


@settings(max_examples=60, deadline=None)
@given(
    exposure=st.floats(0.35, 2.0),
    red=st.floats(0.85, 1.18),
    blue=st.floats(0.85, 1.18),
    seed=st.integers(0, 99),
)
def test_colours_multiplied_everywhere_are_no_change(
    exposure: float, red: float, blue: float, seed: int
) -> None:
    by = np.array([red, 1, blue], np.float32) * np.float32(exposure)
    before = varied(seed)
    assert share(before, np.clip(before * by, 0, 255).astype(np.float32)) == 0
    found = gains(before, before * by)
    assert found is not None
    assert found == pytest.approx(by, rel=1e-3)


def test_what_has_burnt_out_tells_nothing() -> None:
    """What was white may come down to anything lighter; never to black."""
    before = varied(low=120, high=200)
    before[:8] = 255
    after = before * np.float32(0.5)
    after[:8] = 180
    assert share(before, after) == 0
    after[:8] = 40
    assert share(before, after) == 8 / 24


def test_another_colour_everywhere_is_a_change() -> None:
    assert share(even(200, 30, 30), even(30, 30, 200)) == 1.0


def test_a_colour_that_tells_nothing_goes_with_the_others() -> None:
    found = gains(even(200, 100, 0), even(100, 50, 0))
    assert found is not None
    assert found == pytest.approx(np.array([0.5, 0.5, 0.5]))
    assert gains(even(255, 0, 0), even(255, 0, 0)) is None


def test_structure_is_kept_by_light_and_not_by_another_room() -> None:
    assert same_structure(varied(), varied() ** 0.8 * np.float32(0.3))
    assert not same_structure(varied(3), varied(4))
    assert not same_structure(even(9, 9, 9), even(9, 9, 9))
