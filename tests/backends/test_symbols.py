"""Symbolic audio: what is written can be read, whatever happens to it on the way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.backends.symbols import TRAILING, VOCABULARY, decode, encode, join, murmur, silence

WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=20)


@given(WORDS)
def test_what_is_written_is_read(words: list[str]) -> None:
    assert decode(encode(words)) == words


@given(WORDS, st.integers(0, 1_599), st.integers(0, 1_599))
def test_most_of_a_word_is_enough(words: list[str], head: int, tail: int) -> None:
    samples = encode(words)
    if len(words) > 1:
        samples = samples[head : len(samples) - tail]
    assert decode(samples) == words


@given(WORDS)
def test_16_bit_sound_keeps_it(words: list[str]) -> None:
    samples = encode(words)
    pcm = np.rint(samples * 32_768).astype(np.int16)
    assert np.array_equal(pcm.astype(np.float32) / 32_768, samples)


def test_silence_and_murmurs_are_no_words() -> None:
    sound = np.concatenate([silence(300), murmur(500), encode("yes"), silence(100), murmur(900)])
    assert decode(sound) == ["yes"]
    assert decode(silence(0)) == []


def test_half_a_word_is_not_understood() -> None:
    assert decode(encode("yes no")[:4_700]) == ["yes"]


def test_a_bad_sample_breaks_one_word() -> None:
    samples = encode("yes no")
    samples[1_600] = np.nan
    assert decode(samples)[-1] == "no"


def test_a_word_that_is_not_known_is_an_error() -> None:
    with pytest.raises(KeyError):
        encode("antidisestablishmentarianism")


def test_the_vocabulary_serves_both_languages() -> None:
    assert len(set(VOCABULARY)) == len(VOCABULARY) >= 200
    assert sum(word > "\u2e80" for word in VOCABULARY) >= 40
    assert set(VOCABULARY) >= {"um", "and", "stop", "uh-huh", "嗯", "不对", "然后", *TRAILING}


def test_levels_stay_within_full_scale() -> None:
    assert 0.2 < np.abs(encode(VOCABULARY)).min() < np.abs(encode(VOCABULARY)).max() < 0.9


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["what", "is", "it"], "what is it"),
        (["现在", "几点"], "现在几点"),
        (["看", "book", "吗"], "看book吗"),
        ([], ""),
    ],
)
def test_words_are_joined_as_one_writes(words: list[str], text: str) -> None:
    assert join(words) == text
