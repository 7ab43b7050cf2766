"""What a demonstration draws is what the eye was trained on."""

from __future__ import annotations

import scene as trained

from visavis.source import scene


def test_the_demonstration_has_the_eyes_vocabulary() -> None:
    assert scene.COLOURS == trained.COLOURS
    assert scene.BACKGROUNDS == trained.BACKGROUNDS
    assert scene.SHAPES == trained.SHAPES
    assert scene.PLACES == trained.PLACES
