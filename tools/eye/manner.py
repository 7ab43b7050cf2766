"""How conversations begin: system texts, examples and what was said before the picture.

The product's own opening comes first, and half of all training conversations use it; the others
keep the eye from depending on it. No torch here: training and evaluation share it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from questions import Question, questions
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


# Asked before a picture that has nothing to do with it: it must not get into the answer. The word
# that the answer is about stands at the end.
GENERAL: tuple[tuple[str, str, str], ...] = (
    ("How many days are there in a week?", "There are seven days in a week.", "seven"),
    ("How many months are in a year?", "There are twelve months in a year.", "twelve"),
    ("How many hours are in a day?", "There are twenty-four hours in a day.", "twenty"),
    ("How many minutes are in an hour?", "There are sixty minutes in an hour.", "sixty"),
    ("How many legs does a dog have?", "A dog has four legs.", "four"),
    ("How many legs does a spider have?", "A spider has eight legs.", "eight"),
    ("How many wheels does a car have?", "A car has four wheels.", "four"),
    ("How many fingers are on one hand?", "There are five fingers on one hand.", "five"),
    ("How many continents are there?", "There are seven continents.", "seven"),
    ("What color is the sky?", "The sky is blue.", "blue"),
    ("What color is grass?", "Grass is green.", "green"),
    ("What color is snow?", "Snow is white.", "white"),
    ("What color is a banana?", "A banana is yellow.", "yellow"),
    ("What color is blood?", "Blood is red.", "red"),
    ("What color are carrots?", "Carrots are orange.", "orange"),
    ("What color is coal?", "Coal is black.", "black"),
    ("What is the capital of France?", "The capital of France is Paris.", "Paris"),
    ("What is the capital of Japan?", "The capital of Japan is Tokyo.", "Tokyo"),
    ("What is the capital of Spain?", "The capital of Spain is Madrid.", "Madrid"),
    ("What is the capital of Germany?", "The capital of Germany is Berlin.", "Berlin"),
    ("What is the capital of England?", "The capital of England is London.", "London"),
    ("Where is the Eiffel Tower?", "The Eiffel Tower is in Paris.", "Paris"),
    ("What is the largest ocean?", "The largest ocean is the Pacific Ocean.", "Pacific"),
    ("What is the biggest planet?", "The biggest planet is Jupiter.", "Jupiter"),
    ("Who wrote Romeo and Juliet?", "William Shakespeare wrote Romeo and Juliet.", "William"),
    ("What do bees make?", "Bees make honey.", "honey"),
    ("What do cows drink?", "Cows drink water.", "water"),
    ("What do we breathe?", "We breathe air.", "air"),
    ("What is ice made of?", "Ice is made of water.", "water"),
    ("What is bread made of?", "Bread is made of flour and water.", "flour"),
    ("What is the opposite of hot?", "The opposite of hot is cold.", "cold"),
    ("What is the opposite of up?", "The opposite of up is down.", "down"),
    ("What is two plus two?", "Two plus two is four.", "four"),
    ("What is three plus four?", "Three plus four is seven.", "seven"),
    ("Can a fish fly?", "No, a fish cannot fly.", "No"),
    ("Can birds fly?", "Yes, birds can fly.", "Yes"),
    ("Is fire hot?", "Yes, fire is hot.", "Yes"),
    ("Is the moon made of cheese?", "No, the moon is made of rock.", "No"),
    ("Is a tomato a fruit?", "Yes, a tomato is a fruit.", "Yes"),
    ("What season comes after winter?", "Spring comes after winter.", "Spring"),
    ("What day comes after Monday?", "Tuesday comes after Monday.", "Tuesday"),
    ("What animal says meow?", "A cat says meow.", "cat"),
    ("What language is spoken in Brazil?", "Portuguese is spoken in Brazil.", "Portuguese"),
    ("What is your name?", "I am your voice assistant.", "assistant"),
    ("Hello.", "Hello! How can I help you?", "help"),
    ("Thank you.", "You are welcome.", "welcome"),
    ("Tell me a story.", "Once upon a time, there was a little girl.", "Once"),
    ("Tell me a story about a fox.", "Once upon a time, there was a fox.", "fox"),
)


CAPTION = "(You see: {text})\n{asked}"
"""How the product shows a picture of which only the words are left (think/pictures.py)."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """Token ids up to the picture, and what was asked in them, as `plain` gives it."""

    ids: list[int]
    asked: frozenset[str]


def plain(asked: str) -> str:
    """The question as it is compared with others, without what was seen."""
    return asked.splitlines()[-1].rstrip("?.").lower().replace("colour", "color")


def earlier(rng: random.Random, most: int) -> list[Turn]:
    """Up to `most` exchanges about other pictures, which are gone by now: not to be repeated.

    Every other one asks what the one before asked, as whoever watches something change does.
    """
    turns: list[Turn] = []
    while len(turns) < most and rng.random() < 0.8:
        before = again(turns[-1][0], rng) if turns and rng.random() < 0.5 else None
        offered = questions(scene("train", rng.randrange(1_000_000)), rng)
        question = before or offered[0]
        asked = question.asked
        said = [other.answer for other in offered if other.kind == "see"]
        if said and not before and rng.random() < 0.3:
            asked = CAPTION.format(text=said[0], asked=asked)
        turns.append((asked, question.answer))
    return turns


def again(asked: str, rng: random.Random, scenes: int = 40) -> Question | None:
    """The same question about another scene; none if there is none among so many."""
    for _ in range(scenes):
        for question in questions(scene("train", rng.randrange(1_000_000)), rng):
            if plain(question.asked) == plain(asked):
                return question
    return None


def talked(rng: random.Random) -> list[Turn]:
    """What was said before the picture: small talk, or questions about other pictures."""
    if rng.random() < 0.6:
        return earlier(rng, 6)
    return rng.sample(SMALL_TALK, rng.choice((0, 0, 1, 2, 3, 4)))


def beginnings(tokenizer: Tokenizer, count: int, longest: int, seed: int) -> list[Beginning]:
    """`count` different ones, half open exactly as the product leaves them."""
    rng = random.Random(seed)
    found: list[Beginning] = []
    while len(found) < count:
        ids, turns = _opening(tokenizer, rng), talked(rng)
        for asked, answered in turns:
            ids += exchange(tokenizer, asked, answered)
        ids += tokenizer.opening("user")
        if len(ids) <= longest:
            found.append(Beginning(ids, frozenset(plain(asked) for asked, _ in turns)))
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
