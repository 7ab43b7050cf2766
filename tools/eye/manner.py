"""How conversations begin: system texts, examples and what was said before the picture.

The product's own opening comes first, and half of all training conversations use it; the others
keep the eye from depending on it. No torch here: training and evaluation share it.
"""

from __future__ import annotations

import random

from questions import questions
from scene import scene
from tokens import Tokenizer

Turn = tuple[str, str]

# The product's own opening comes first (a test holds it equal to visavis.think.prompt).
PRODUCT_SYSTEM = (
    "You are a voice assistant. Your answers are spoken aloud, so keep them short and simple:"
    " one or two plain sentences, no lists."
)
PRODUCT_EXAMPLES: tuple[Turn, ...] = (
    ("What is the capital of Italy?", "The capital of Italy is Rome."),
    ("How many months are in a year?", "There are twelve months in a year."),
)
OTHER_SYSTEMS = (
    "You are a helpful assistant. Answer in one short sentence.",
    "You are a friendly voice assistant. You see through a camera.",
    "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
)
SMALL_TALK: tuple[Turn, ...] = (
    ("Hello.", "Hello! How can I help you?"),
    ("Hi, can you hear me?", "Yes, I can hear you."),
    ("What is your name?", "I am your voice assistant."),
    ("How are you?", "I am fine, thank you."),
    ("What is two plus two?", "Two plus two is four."),
    ("What color is the sky?", "The sky is blue."),
    ("What color is grass?", "Grass is green."),
    ("Where is Paris?", "Paris is in France."),
    ("How many legs does a dog have?", "A dog has four legs."),
    ("What is the capital of France?", "The capital of France is Paris."),
    ("Is water wet?", "Yes, water is wet."),
    ("Can fish fly?", "No, fish cannot fly."),
    ("Tell me something nice.", "You are doing very well today."),
    ("Thank you.", "You are welcome."),
    ("What do bees make?", "Bees make honey."),
    ("I want to show you something.", "Please show it to me."),
)


CAPTION = "(You see: {text})\n{asked}"
"""How the product shows a picture of which only the words are left (think/pictures.py)."""


def earlier(rng: random.Random, most: int) -> list[Turn]:
    """Up to `most` exchanges about other pictures, which are gone by now: not to be repeated."""
    turns: list[Turn] = []
    while len(turns) < most and rng.random() < 0.7:
        seen = scene("train", rng.randrange(1_000_000))
        offered = questions(seen, rng)
        question = offered[0]
        asked = question.asked
        said = [other.answer for other in offered if other.kind == "see"]
        if said and rng.random() < 0.3:
            asked = CAPTION.format(text=said[0], asked=asked)
        turns.append((asked, question.answer))
    return turns


def talked(rng: random.Random) -> list[Turn]:
    """What was said before the picture: small talk, or questions about other pictures."""
    if rng.random() < 0.5:
        return earlier(rng, 3)
    return rng.sample(SMALL_TALK, rng.choice((0, 0, 1, 2, 3, 4)))


def prefixes(tokenizer: Tokenizer, count: int, longest: int, seed: int) -> list[list[int]]:
    """`count` different beginnings, up to the picture; half open exactly as the product does."""
    rng = random.Random(seed)
    found: list[list[int]] = []
    while len(found) < count:
        ids = _opening(tokenizer, rng)
        for asked, answered in talked(rng):
            ids += exchange(tokenizer, asked, answered)
        ids += tokenizer.opening("user")
        if len(ids) <= longest:
            found.append(ids)
    return found


def _opening(tokenizer: Tokenizer, rng: random.Random) -> list[int]:
    if rng.random() < 0.4:
        return tokenizer.turn("system", rng.choice(OTHER_SYSTEMS))
    ids = tokenizer.turn("system", PRODUCT_SYSTEM)
    for asked, answered in PRODUCT_EXAMPLES:
        ids += exchange(tokenizer, asked, answered)
    return ids


def exchange(tokenizer: Tokenizer, asked: str, answered: str) -> list[int]:
    """Ids of a question and its answer."""
    return tokenizer.turn("user", asked) + tokenizer.turn("assistant", answered)
