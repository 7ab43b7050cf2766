from __future__ import annotations

import numpy as np
import pytest
from scene import COLOURS, HELD_OUT, SHAPES, draw, extent, letterbox, scene, view, visible_size


def test_same_split_and_index_give_the_same_pixels() -> None:
    assert scene("train", 7) == scene("train", 7)
    np.testing.assert_array_equal(view(scene("train", 7), 128), view(scene("train", 7), 128))


def test_splits_share_no_seed() -> None:
    seeds = [scene(s, i).light.seed for s in ("train", "check", "test") for i in range(200)]
    assert len(set(seeds)) == len(seeds)


def test_training_never_shows_a_held_out_pair_and_testing_does() -> None:
    assert not any(scene("train", i).is_novel for i in range(2000))
    shown = {(t.colour, t.shape) for i in range(600) for t in scene("test", i).things}
    assert shown >= HELD_OUT


def test_every_colour_shape_and_count_occurs() -> None:
    scenes = [scene("train", i) for i in range(1000)]
    assert {t.colour for s in scenes for t in s.things} == set(COLOURS)
    assert {t.shape for s in scenes for t in s.things} == set(SHAPES)
    assert {len(s.things) for s in scenes} == {0, 1, 2, 3}
    assert all((s.text is None) == bool(s.things) for s in scenes)


@pytest.mark.parametrize("size", [(256, 192), (320, 180), (97, 131)])
def test_a_thing_is_drawn_where_and_in_the_colour_it_is_said_to_be(size: tuple[int, int]) -> None:
    width, height = size
    right = checked = 0
    for seen in (scene("check", i) for i in range(120)):
        picture = draw(seen, width, height, 1)
        assert picture.shape == (height, width, 3)
        for thing in seen.things:
            x, y, _ = extent(thing, width, height)
            pixel = picture[int(y), int(x)].astype(int)
            distance = {c: int(np.abs(pixel - rgb).sum()) for c, rgb in COLOURS.items()}
            right += min(distance, key=distance.__getitem__) == thing.colour
            checked += 1
    assert checked > 50
    # Light and warmth may tip a single one over; the rule holds.
    assert right / checked > 0.93


def test_no_two_things_touch() -> None:
    for seen in (scene("train", i) for i in range(1000)):
        for width, height in (visible_size(seen.aspect, 128),):
            spots = [extent(t, width, height) for t in seen.things]
            for i, (x, y, radius) in enumerate(spots):
                for other_x, other_y, other in spots[:i]:
                    assert np.hypot(x - other_x, y - other_y) > 0.8 * (radius + other)


def test_letterbox_centres_between_black_bars() -> None:
    boxed = letterbox(np.full((48, 64, 3), 200, np.uint8), 128)
    assert boxed.shape == (128, 128, 3)
    assert (boxed[:16] == 0).all()
    assert (boxed[112:] == 0).all()
    assert (boxed[16:112] == 200).all()


def test_letterbox_leaves_a_fitting_picture_alone() -> None:
    picture = np.random.default_rng(0).integers(0, 255, (128, 128, 3), np.uint8)
    np.testing.assert_array_equal(letterbox(picture, 128), picture)
