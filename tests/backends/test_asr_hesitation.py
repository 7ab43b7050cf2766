"""How likely the last word is an "um": which word is the last, and what is weighed."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.backends.asr.hesitation import Hesitations

TOKENS = ["", " how", " far", " Ber", "lin", ".", "?", " um", " Uh", " on"]
NUMBERS = {text: number for number, text in enumerate(TOKENS)}
TIME = 0
"""A token that is no part of a word."""


def write(text: str) -> list[int]:
    return [NUMBERS[text]] if text in NUMBERS else [1, 2]


@pytest.fixture
def hesitations() -> Hesitations:
    return Hesitations(write, lambda token: TOKENS[token])


def logits(**likely: float) -> np.ndarray:
    """Keys are texts of tokens, without their space; without any, a time is certain."""
    values = np.full((1, len(TOKENS)), -30.0, np.float32)
    values[0, TIME] = -30.0 if likely else 0.0
    for name, value in likely.items():
        for text in (name, f" {name}"):
            if text in NUMBERS:
                values[0, NUMBERS[text]] = value
    return values


def ids(*texts: str) -> list[int]:
    return [NUMBERS[text] for text in texts]


def test_a_word_beside_which_nothing_is_likely_is_one(hesitations: Hesitations) -> None:
    given = [logits(how=0), logits(far=0), logits()]
    assert hesitations.suspect(ids(" how", " far"), given).likely < 0.05


def test_a_word_beside_which_an_um_is_possible_may_be_one(hesitations: Hesitations) -> None:
    given = [logits(how=0), logits(on=0, um=-4), logits()]
    assert hesitations.suspect(ids(" how", " on"), given).likely > 0.5


def test_an_um_that_may_follow_counts_too(hesitations: Hesitations) -> None:
    likely = {"um": -4.0, "?": 0.0}
    given = [logits(how=0), logits(far=0), logits(**likely), logits()]
    assert hesitations.suspect(ids(" how", " far", "?"), given).likely > 0.5


def test_the_last_word_is_found_behind_marks_times_and_its_own_pieces(
    hesitations: Hesitations,
) -> None:
    given = [logits(), logits(how=0), logits(Ber=0, um=-4), logits(lin=0), logits(), logits()]
    whole = [TIME, *ids(" how", " Ber", "lin", "."), TIME]
    assert hesitations.suspect(whole, given).likely > 0.5
    given[2] = logits(Ber=0)
    given[1] = logits(how=0, um=-4)
    assert hesitations.suspect(whole, given).likely < 0.05, "that was an earlier word"


@pytest.mark.parametrize("texts", [(), (".",), ("",), (" how",), ("", " how", ".")])
def test_without_two_words_nothing_is_known(
    hesitations: Hesitations, texts: tuple[str, ...]
) -> None:
    given = [logits(um=-1, how=0)] * (len(texts) + 1)
    assert hesitations.suspect(ids(*texts), given).likely == 0


def test_it_may_also_stand_before_the_last_word(hesitations: Hesitations) -> None:
    given = [logits(), logits(how=0), logits(Ber=0, um=-4), logits(lin=0), logits(), logits()]
    found = hesitations.suspect([TIME, *ids(" how", " Ber", "lin", "."), TIME], given)
    assert list(found.instead) == ids(" how", " um", " Ber", "lin")
    assert TOKENS[found.instead[found.at]] == " Ber"


def test_behind_the_last_word_it_stands_before_none(hesitations: Hesitations) -> None:
    given = [logits(how=0), logits(far=0), logits(**{"um": -4.0, "?": 0.0}), logits()]
    assert hesitations.suspect(ids(" how", " far", "?"), given).instead == ()


def test_what_the_engine_forbids_is_not_likely(hesitations: Hesitations) -> None:
    forbidden = logits(far=0)
    forbidden[0, ids(" um", " Uh")] = np.finfo(np.float32).min
    assert hesitations.suspect(ids(" how", " far"), [logits(how=0), forbidden]).likely < 1e-6


def test_a_vocabulary_without_such_words_tells_nothing() -> None:
    blind = Hesitations(lambda text: [1, 2], lambda token: TOKENS[token])
    assert blind.suspect(ids(" how", " far"), [logits(um=-1, how=0)] * 3).likely == 0
