"""Taking turns: plain questions, pauses, numbers, fillers, a long dialogue, Chinese."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TypeVar

from visavis.bench import phrases
from visavis.bench.scenarios.vary import BEGIN, BRIEF, script
from visavis.bench.script import Cue, Line, Manner, Script

T = TypeVar("T")
NEXT = Cue("idle", 0.7)
QUESTIONS_EACH = 3


def smooth(rng: random.Random, number: int) -> Script:
    """Three plain questions, one after the other's answer."""
    first = number * QUESTIONS_EACH
    asked = [_of(phrases.QUESTIONS, first + i) for i in range(QUESTIONS_EACH)]
    return script(rng, *_dialogue(asked), end=Cue("answer", 0.3))


def thirty(rng: random.Random, number: int) -> Script:
    """Thirty rounds in one conversation: nothing may grow slower."""
    asked = rng.sample(phrases.QUESTIONS, 30)
    made = script(rng, *_dialogue(asked), manner=Manner(max_tokens=24))
    return replace(made, patience_s=20)  # a reply that rambles ends no dialogue


def pauses(rng: random.Random, number: int) -> Script:
    """One sentence with pauses of 0.4 to 1.2 s where nobody would think that it is over."""
    return _paused(rng, _of(phrases.PAUSED, number), 0.4, 1.2)


def numbers(rng: random.Random, number: int) -> Script:
    """Digits in groups, with the pauses of someone who reads them off."""
    return _paused(rng, _of(phrases.NUMBERS, number), 0.4, 1.0)


def fillers(rng: random.Random, number: int) -> Script:
    """Um, uh, and taking it back."""
    return _paused(rng, _of(phrases.FILLED, number), 0.3, 0.9)


def chinese(rng: random.Random, number: int) -> Script:
    """Plain questions in Chinese."""
    asked = [_of(phrases.CHINESE, number * 2 + i) for i in range(2)]
    return script(rng, *_dialogue(asked, language="zh"), manner=BRIEF)


def _paused(rng: random.Random, pieces: tuple[str, ...], least_s: float, most_s: float) -> Script:
    gaps = tuple(round(rng.uniform(least_s, most_s), 2) for _ in pieces[1:])
    return script(rng, Line("question", pieces, BEGIN, gaps), end=Cue("answer", 0.3))


def _dialogue(asked: list[str], language: str = "") -> list[Line]:
    cues = [BEGIN, *[NEXT] * (len(asked) - 1)]
    return [
        Line("question", (text,), cue, language=language)
        for text, cue in zip(asked, cues, strict=True)
    ]


def _of(table: tuple[T, ...], number: int) -> T:
    return table[number % len(table)]
