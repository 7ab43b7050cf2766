"""Drawn scenes, in words: what is where, in which colour. A demonstration shows them to the eye.

The vocabulary is that of the embedded eye (tools/eye/scene.py): four shapes or one large digit, in
eight colours, on eight backgrounds, at nine places. Knows nothing of pixels; source/paint.py does.
"""

from __future__ import annotations

from dataclasses import dataclass

COLOURS = {
    "red": (214, 32, 38),
    "green": (36, 158, 62),
    "blue": (34, 74, 214),
    "yellow": (244, 218, 42),
    "white": (247, 247, 247),
    "black": (18, 18, 18),
    "orange": (244, 134, 26),
    "purple": (132, 44, 166),
}
BACKGROUNDS = {
    "white": (244, 244, 244),
    "black": (16, 16, 16),
    "gray": (128, 128, 128),
    "blue": (60, 102, 204),
    "green": (60, 148, 80),
    "yellow": (238, 224, 92),
    "pink": (244, 174, 194),
    "brown": (118, 80, 52),
}
SHAPES = ("circle", "square", "triangle", "star")
DIGITS = "0123456789"
# As (across, down).
PLACES = {
    "top left": (-1, -1),
    "top": (0, -1),
    "top right": (1, -1),
    "left": (-1, 0),
    "middle": (0, 0),
    "right": (1, 0),
    "bottom left": (-1, 1),
    "bottom": (0, 1),
    "bottom right": (1, 1),
}
MOST_THINGS = 3


@dataclass(frozen=True, slots=True)
class Thing:
    """A coloured shape, or a digit, at a place."""

    colour: str
    shape: str
    place: str = "middle"

    def __post_init__(self) -> None:
        assert self.colour in COLOURS, self.colour
        assert self.shape in SHAPES or (len(self.shape) == 1 and self.shape in DIGITS), self.shape
        assert self.place in PLACES, self.place

    def __str__(self) -> str:
        """`an orange star on the left`."""
        article = "an" if self.colour[0] in "aeiou" else "a"
        where = "on" if self.place in ("left", "right") else "at"
        where = "in the middle" if self.place == "middle" else f"{where} the {self.place}"
        return f"{article} {self.colour} {self.shape} {where}"


@dataclass(frozen=True, slots=True)
class Scene:
    """One to three things on a background."""

    background: str
    things: tuple[Thing, ...]

    def __post_init__(self) -> None:
        assert self.background in BACKGROUNDS, self.background
        assert 1 <= len(self.things) <= MOST_THINGS, self.things

    def __str__(self) -> str:
        """`a red circle on the left and a blue star on the right, on white`."""
        *first, last = map(str, self.things)
        listed = f"{', '.join(first)} and {last}" if first else last
        return f"{listed}, on {self.background}"
