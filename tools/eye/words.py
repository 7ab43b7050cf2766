"""What the eye says: a picture as sixteen words, one for each token it hands to the model.

Takes a `Scene`, gives sixteen words of a closed vocabulary, each a single token of the language
model. The tower learns to emit, token by token, the model's own embeddings of these words: the
frozen model can then read a picture as it reads text, and needs no new skill for binding.
Invariant: the list has `SLOTS` words, and the same role always has the same slot.

    white background one big red circle top left . . . . . . . .
    pink background two shapes red circle left , blue star right , . . . .
    black background the number seven in green . . . . . . . . .
"""

from __future__ import annotations

from scene import BACKGROUNDS, COLOURS, NUMBERS, SHAPES, WORDS, Scene, Text, Thing

SLOTS = 16
NOTHING = "."

VOCABULARY = tuple(
    dict.fromkeys(
        (
            *COLOURS, *BACKGROUNDS, *SHAPES, *NUMBERS, *WORDS,
            "top", "bottom", "left", "right", "middle", "big", "small",
            "background", "shapes", "the", "number", "word", "in", ",", NOTHING,
        )
    )
)  # fmt: skip


def words(scene: Scene) -> list[str]:
    """The sixteen words of a scene."""
    found = [scene.background, "background"]
    if scene.text is not None:
        found += _text(scene.text)
    else:
        found += [NUMBERS[len(scene.things)], scene.size or "shapes"]
        for thing in scene.things:
            found += _thing(thing)
    return found + [NOTHING] * (SLOTS - len(found))


def _thing(thing: Thing) -> list[str]:
    place = thing.place.split()
    return [thing.colour, thing.shape, place[0], place[1] if len(place) == 2 else ","]


def _text(text: Text) -> list[str]:
    return ["the", "word" if text.is_word else "number", text.name, "in", text.colour]


def token(word: str) -> str:
    """The word's token in the model's vocabulary: with the space before it, but for marks."""
    return word if word in {",", NOTHING} else "Ġ" + word
