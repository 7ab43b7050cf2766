"""Painted scenes: each thing where it should be, in its colour, in its shape."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from visavis.flow.ring import Pixels
from visavis.source.paint import CORNERS, STROKES, paint
from visavis.source.scene import BACKGROUNDS, COLOURS, DIGITS, PLACES, SHAPES, Scene, Thing

WIDTH, HEIGHT = 160, 120


def ink(picture: Pixels, colour: str) -> np.ndarray:
    """Which pixels have exactly the colour."""
    return np.all(picture == COLOURS[colour], axis=2)


@pytest.mark.parametrize("shape", [*SHAPES, *DIGITS])
def test_a_thing_lies_on_its_ground(shape: str) -> None:
    picture = paint(Scene("gray", (Thing("red", shape),)), WIDTH, HEIGHT)
    assert picture.shape == (HEIGHT, WIDTH, 3)
    assert picture.dtype == np.uint8
    assert 300 < ink(picture, "red").sum() < WIDTH * HEIGHT / 4
    edge = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    assert np.all(edge == BACKGROUNDS["gray"])


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_thing_lies_at_its_place_wholly(place: str, count: int) -> None:
    things = (Thing("red", "star", place), *[Thing("blue", "circle")] * (count - 1))
    picture = paint(Scene("white", things), WIDTH, HEIGHT)
    ground = np.all(picture == BACKGROUNDS["white"], axis=2)
    assert ground[[0, -1]].all()
    assert ground[:, [0, -1]].all()
    if place != "middle":
        rows, columns = np.nonzero(ink(picture, "red"))
        across, down = PLACES[place]
        assert np.sign(round((columns.mean() - WIDTH / 2) / 20)) == across
        assert np.sign(round((rows.mean() - HEIGHT / 2) / 20)) == down


def test_no_two_shapes_look_alike() -> None:
    masks = {
        shape: ink(paint(Scene("black", (Thing("white", shape),)), WIDTH, HEIGHT), "white")
        for shape in [*CORNERS, *STROKES, "circle"]
    }
    assert masks.keys() == {*SHAPES, *DIGITS}
    for one, other in itertools.combinations(masks, 2):
        differs = (masks[one] != masks[other]).sum()
        assert differs > 0.15 * min(masks[one].sum(), masks[other].sum()), (one, other)


def test_edges_are_smooth() -> None:
    picture = paint(Scene("black", (Thing("white", "circle"),)), WIDTH, HEIGHT)
    between = (picture > 40) & (picture < 220)
    assert 50 < between.all(axis=2).sum() < 500
