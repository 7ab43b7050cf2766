"""Scenes in words."""

from __future__ import annotations

import pytest

from visavis.source.scene import Scene, Thing

CIRCLE = Thing("red", "circle", "left")
STAR = Thing("orange", "star")


def test_a_scene_says_what_is_in_it() -> None:
    assert str(Scene("white", (STAR,))) == "an orange star in the middle, on white"
    scene = Scene("gray", (CIRCLE, STAR, Thing("blue", "7", "bottom right")))
    assert str(scene) == (
        "a red circle on the left, an orange star in the middle"
        " and a blue 7 at the bottom right, on gray"
    )


@pytest.mark.parametrize(
    "wrong", [("mauve", "circle", "left"), ("red", "77", "left"), ("red", "star", "behind")]
)
def test_what_the_eye_has_no_word_for_is_not_drawn(wrong: tuple[str, str, str]) -> None:
    with pytest.raises(AssertionError):
        Thing(*wrong)
