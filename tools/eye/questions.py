"""Questions about a scene, with their answers: whole short sentences, as the product speaks.

Takes a `Scene` and a generator, gives `Question`s. Invariant: every question has exactly one
right answer in its scene; of questions answered with yes or no, half are yes; a held-out pair is
never named in a scene that does not show it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from scene import BACKGROUNDS, COLOURS, HELD_OUT, NUMBERS, PLACES, SHAPES, WORDS, Scene, Thing

FAMILIES: dict[str, frozenset[str]] = {
    "colour": frozenset({*COLOURS, *BACKGROUNDS, "grey"}),
    "shape": frozenset(SHAPES),
    "place": frozenset(word for place in PLACES for word in place.split()),
    "number": frozenset(NUMBERS),
    "size": frozenset({"big", "small"}),
    "word": frozenset(WORDS),
    "truth": frozenset({"yes", "no"}),
}
# Kinds as the evaluation reports them together.
GROUPS = {
    "single colour": ("colour",),
    "single shape": ("shape",),
    "single position": ("place",),
    "count": ("count",),
    "two-attribute": ("colour_of", "shape_of", "place_of", "colour_at", "shape_at", "what_at"),
    "yes/no": ("exists", "is_it", "is_the"),
}


@dataclass(frozen=True, slots=True)
class Question:
    """`key` is what the answer must say: words of the families named, and no others of them."""

    kind: str
    asked: str
    answer: str
    key: frozenset[str]
    families: tuple[str, ...]

    def is_answered_by(self, text: str) -> bool:
        """Whether `text` says exactly the key."""
        said = re.findall(
            r"[a-z]+", text.lower().replace("grey", "gray").replace("center", "middle")
        )
        if self.families == ("truth",):
            return bool(said) and {said[0]} == self.key
        wanted = frozenset().union(*(FAMILIES[family] for family in self.families))
        return set(said) & wanted == self.key


def questions(scene: Scene, rng: random.Random) -> list[Question]:
    """All that can be asked of the scene, each kind at most once, in random order."""
    asked = list(_any(scene, rng))
    if scene.text is not None:
        asked += _of_text(scene, rng)
    elif len(scene.things) == 1:
        asked += _of_one(scene, rng)
    else:
        asked += _of_many(scene, rng)
    rng.shuffle(asked)
    return [_as_heard(q, rng) for q in asked]


def article(word: str) -> str:
    """The word with "a" or "an" before it."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def at(place: str) -> str:
    """The place with its preposition."""
    if place == "middle":
        return "in the middle"
    return f"on the {place}" if place in {"left", "right"} else f"at the {place}"


def _as_heard(question: Question, rng: random.Random) -> Question:
    """Speech recognition is not always sure of capitals, marks and words; both spellings occur."""
    asked = question.asked
    if rng.random() < 0.1:
        asked = asked.replace("How many shapes", "How many shades")
    if rng.random() < 0.5:
        asked = asked.replace("color", "colour")
    if rng.random() < 0.1:
        asked = asked.rstrip("?.").lower()
    return Question(question.kind, asked, question.answer, question.key, question.families)


def _make(kind: str, asked: str, answer: str, key: str, *families: str) -> Question:
    answer = answer[0].upper() + answer[1:]
    return Question(kind, asked, answer, frozenset(key.split()), families)


def _any(scene: Scene, rng: random.Random) -> Iterator[Question]:
    ground = scene.background
    asked = rng.choice(("What color is the background?", "What is the color of the background?"))
    yield _make("background", asked, f"the background is {ground}.", ground, "colour")
    asked = rng.choice(
        (
            "What do you see?",
            "What can you see?",
            "Describe the picture.",
            "What is in the picture?",
        )
    )
    yield _see(scene, asked)


def _see(scene: Scene, asked: str) -> Question:
    if scene.text is not None:
        text, kind = scene.text, "word" if scene.text.is_word else "number"
        said = f"I see the {kind} {text.name} in {text.colour}."
        return _make("see", asked, said, f"{text.name} {text.colour}", "colour", kind)
    parts = [f"{article(t.colour)} {t.shape} {at(t.place)}" for t in scene.things]
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    key = " ".join(f"{t.colour} {t.shape} {t.place}" for t in scene.things)
    return _make("see", asked, f"I see {listed}.", key, "colour", "shape", "place")


def _of_text(scene: Scene, rng: random.Random) -> Iterator[Question]:
    assert scene.text is not None
    text = scene.text
    if text.is_word:
        asked = rng.choice(
            (
                "What word is this?",
                "What does it say?",
                "Can you read this?",
                "What is written here?",
            )
        )
        yield _make("word", asked, f"it says {text.name}.", text.name, "word")
    else:
        asked = rng.choice(
            (
                "What number is this?",
                "What number do you see?",
                "Which digit is this?",
                "What is the number?",
            )
        )
        yield _make("number", asked, f"it is the number {text.name}.", text.name, "number")
    name = "word" if text.is_word else "number"
    asked = f"What color is the {name}?"
    yield _make("text_colour", asked, f"the {name} is {text.colour}.", text.colour, "colour")


def _of_one(scene: Scene, rng: random.Random) -> Iterator[Question]:
    thing = scene.things[0]
    name = rng.choice(("it", f"the {thing.shape}", "the shape"))
    yield _make(
        "colour", f"What color is {name}?", f"{name} is {thing.colour}.", thing.colour, "colour"
    )
    asked = rng.choice(("What shape is it?", "What shape is this?", "Which shape do you see?"))
    yield _make("shape", asked, f"it is {article(thing.shape)}.", thing.shape, "shape")
    name = rng.choice(("it", f"the {thing.shape}", "the shape"))
    yield _make("place", f"Where is {name}?", f"{name} is {at(thing.place)}.", thing.place, "place")
    assert scene.size is not None
    asked = rng.choice((f"Is the {thing.shape} big or small?", "Is it big or small?"))
    yield _make("size", asked, f"it is {scene.size}.", scene.size, "size")
    asked = rng.choice(("What is this?", "What is it?", "What am I holding?"))
    said = f"it is {article(thing.colour)} {thing.shape}."
    yield _make("what", asked, said, f"{thing.colour} {thing.shape}", "colour", "shape")
    yield _count(scene, rng)
    yield _exists(scene, rng)
    yield _is(scene, thing, "it", "is_it", rng)


def _of_many(scene: Scene, rng: random.Random) -> Iterator[Question]:
    yield _count(scene, rng)
    yield _exists(scene, rng)
    thing = _alone(scene, rng, lambda t: t.shape)
    if thing is not None:
        said = f"the {thing.shape} is {thing.colour}."
        yield _make("colour_of", f"What color is the {thing.shape}?", said, thing.colour, "colour")
        said = f"the {thing.shape} is {at(thing.place)}."
        yield _make("place_of", f"Where is the {thing.shape}?", said, thing.place, "place")
        yield _is(scene, thing, f"the {thing.shape}", "is_the", rng)
    thing = _alone(scene, rng, lambda t: t.colour)
    if thing is not None:
        said = f"the {thing.colour} shape is {article(thing.shape)}."
        asked = rng.choice(("What shape is {}?", "What is the {} shape?")).format(thing.colour)
        yield _make("shape_of", asked, said, thing.shape, "shape")
    yield from _at_place(rng.choice(scene.things), rng)


def _at_place(thing: Thing, rng: random.Random) -> Iterator[Question]:
    where = at(thing.place)
    said = f"the shape {where} is {thing.colour}."
    yield _make("colour_at", f"What color is the shape {where}?", said, thing.colour, "colour")
    said = f"the shape {where} is {article(thing.shape)}."
    asked = rng.choice(("What shape is {}?", "Which shape is {}?")).format(where)
    yield _make("shape_at", asked, said, thing.shape, "shape")
    said = f"{article(thing.colour)} {thing.shape} is {where}."
    key = f"{thing.colour} {thing.shape}"
    yield _make("what_at", f"What is {where}?", said, key, "colour", "shape")


def _count(scene: Scene, rng: random.Random) -> Question:
    number = NUMBERS[len(scene.things)]
    asked = rng.choice(("How many shapes are there?", "How many shapes do you see?"))
    said = "there is one shape." if number == "one" else f"there are {number} shapes."
    return _make("count", asked, said, number, "number")


def _alone(scene: Scene, rng: random.Random, of: Callable[[Thing], str]) -> Thing | None:
    """A thing that no other shares this attribute with."""
    seen = [of(t) for t in scene.things]
    alone = [t for t in scene.things if seen.count(of(t)) == 1]
    return rng.choice(alone) if alone else None


def _exists(scene: Scene, rng: random.Random) -> Question:
    shown = {(t.colour, t.shape) for t in scene.things}
    asked = rng.choice(("Is there {}?", "Do you see {}?", "Can you see {}?"))
    if rng.random() < 0.5:
        colour, shape = rng.choice(sorted(shown))
        name = f"{colour} {shape}"
        return _truth("exists", asked.format(article(name)), f"there is {article(name)}", True)
    # Half of the absent pairs mix what is there: a list of attributes cannot answer those.
    mixed = [(c, s) for c in {t.colour for t in scene.things} for s in SHAPES]
    mixed += [(c, s) for c in COLOURS for s in {t.shape for t in scene.things}]
    absent = [p for p in sorted(set(mixed)) if p not in shown and p not in HELD_OUT]
    name = " ".join(rng.choice(absent))
    return _truth("exists", asked.format(article(name)), f"there is no {name}", False)


def _is(scene: Scene, thing: Thing, name: str, kind: str, rng: random.Random) -> Question:
    if rng.random() < 0.5:
        asked = f"Is {name} {thing.colour}?"
        return _truth(kind, asked, f"{name} is {thing.colour}", True)
    near = [t.colour for t in scene.things if t.colour != thing.colour]
    other = [c for c in COLOURS if c != thing.colour]
    named = rng.choice(near if near and rng.random() < 0.5 else other)
    if (named, thing.shape) in HELD_OUT:
        named = rng.choice([c for c in other if (c, thing.shape) not in HELD_OUT])
    return _truth(kind, f"Is {name} {named}?", f"{name} is {thing.colour}", False)


def _truth(kind: str, asked: str, said: str, true: bool) -> Question:
    word = "Yes" if true else "No"
    return Question(kind, asked, f"{word}, {said}.", frozenset({word.lower()}), ("truth",))
