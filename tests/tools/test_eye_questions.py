from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from manner import PRODUCT_EXAMPLES, PRODUCT_SYSTEM, again, earlier, plain
from questions import GROUPS, questions
from scene import HELD_OUT, scene
from words import NOTHING, SLOTS, VOCABULARY, words

from visavis.think import prompt


def test_every_answer_answers_its_own_question() -> None:
    for i in range(800):
        for question in questions(scene("test", i), random.Random(i)):
            assert question.is_answered_by(question.answer), question


def test_a_wrong_colour_a_second_colour_and_a_longer_place_are_wrong_answers() -> None:
    seen = next(s for s in (scene("check", i) for i in range(99)) if len(s.things) == 1)
    asked = {q.kind: q for q in questions(seen, random.Random(0))}
    colour = seen.things[0].colour
    assert not asked["colour"].is_answered_by("It is brown.")
    assert not asked["colour"].is_answered_by(f"It is {colour} and brown.")
    assert asked["colour"].is_answered_by(f"{colour.upper()}!")
    assert not asked["exists"].is_answered_by("")


def test_yes_and_no_are_balanced_within_each_kind() -> None:
    tally: Counter[tuple[str, bool]] = Counter()
    for i in range(3000):
        for question in questions(scene("train", i), random.Random(i)):
            if question.kind in GROUPS["yes/no"]:
                tally[question.kind, question.key == frozenset({"yes"})] += 1
    for kind in GROUPS["yes/no"]:
        yes, no = tally[kind, True], tally[kind, False]
        assert 0.42 < yes / (yes + no) < 0.58, kind


def test_training_never_names_a_held_out_pair() -> None:
    pairs = {f"{colour} {shape}" for colour, shape in HELD_OUT}
    for i in range(2000):
        for question in questions(scene("train", i), random.Random(i)):
            assert not any(p in f"{question.asked} {question.answer}".lower() for p in pairs)


def test_a_picture_is_sixteen_known_words_and_tells_all_that_is_asked() -> None:
    for i in range(800):
        seen = scene("test", i)
        said = words(seen)
        assert len(said) == SLOTS
        assert set(said) <= set(VOCABULARY)
        for thing in seen.things:
            at = said.index(thing.colour, 4)
            assert thing.place.split()[0] in said
            assert thing.shape in said[at:]
        if seen.text:
            assert {seen.text.name, seen.text.colour} <= set(said)
            assert said[-4:] == [NOTHING] * 4


def test_different_things_are_never_said_alike() -> None:
    seen = {}
    for i in range(1500):
        one = scene("train", i)
        told = tuple(words(one))
        facts = (
            one.background,
            tuple((t.colour, t.shape, t.place) for t in one.things),
            one.text and (one.text.name, one.text.colour),
            one.size,
        )
        assert seen.setdefault(told, facts) == facts


@pytest.mark.parametrize("language", ["en"])
def test_training_opens_a_conversation_as_the_product_does(language: str) -> None:
    opening = prompt.opening(language=language)
    assert opening.system == PRODUCT_SYSTEM
    assert opening.examples == PRODUCT_EXAMPLES


def test_the_same_question_is_found_about_another_scene() -> None:
    rng = random.Random(1)
    found = [again("What colour is it", rng) for _ in range(20)]
    answers = {question.answer for question in found if question}
    assert len(answers) > 3
    assert {plain(question.asked) for question in found if question} == {"what color is it"}
    assert again("Who wrote Hamlet?", rng) is None


def test_what_is_the_same_question_depends_on_its_words_alone() -> None:
    said = "(You see: I see a red circle on the left.)\nWhat Colour is it?"
    assert plain(said) == plain("what color is it")
    assert plain(said) != plain("What shape is it?")


def test_histories_ask_the_same_question_about_several_scenes() -> None:
    histories = [earlier(random.Random(i), 6) for i in range(200)]
    assert max(map(len, histories)) == 6
    repeated = changed = 0
    for turns in histories:
        for (asked, answer), (next_asked, next_answer) in pairwise(turns):
            if plain(asked) == plain(next_asked):
                repeated += 1
                changed += answer != next_answer
    assert repeated > 100
    assert changed > repeated / 2
