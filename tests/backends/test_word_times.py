"""Where each word sounds, when phonemes run together or one word is several runs of them."""

from __future__ import annotations

import pytest

from visavis.backends.word_times import Phone, word_times
from visavis.flow.events import WordTime

ALONE = {
    "one": "wˈʌn",
    "of": "ˈʌv",
    "the": "ðə",
    "best": "bˈɛst",
    "at": "ˈæt",
    "a": "ˈeɪ",
    "1987": "nˈaɪntiːn ˈeɪɾisˈɛvən",
    "or": "ˈɔːɹ",
    "2?": "tˈuː",
    "go": "ɡˈoʊ",
    "in": "ˈɪn",
    "iPhone": "ˈaɪ fˈoʊn",
    "works": "wˈɜːks",
}
EACH = 10


def phones(phonemes: str) -> list[Phone]:
    return [("", EACH), *((phoneme, EACH) for phoneme in phonemes), ("", EACH)]


def told(text: str, phonemes: str) -> list[str]:
    """The phonemes of each word."""
    times = word_times(text, phones(phonemes), lambda word: ALONE[word])
    assert [text[: word.char_end].split()[-1] for word in times] == text.split()
    return [phonemes[word.start // EACH - 1 : word.end // EACH - 1] for word in times]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("one of the best", ["wˈʌn ", "ʌv", "ðə ", "bˈɛst"]),
        ("of the best of the best", ["ʌv", "ðə ", "bˈɛst ", "ʌv", "ðə ", "bˈɛst"]),
        ("at a go", ["æɾ ", "ɐ ", "ɡˈoʊ"]),
        ("at 1987 or 2?", ["æt ", "nˈaɪntiːn ˈeɪɾisˈɛvən ", "ɔːɹ ", "tˈuː?"]),
        ("the iPhone works in the best", ["ðɪ ", "ˈaɪ fˈoʊn ", "wˈɜːks ", "ɪn", "ðə ", "bˈɛst"]),
        ("go", ["ɡˈoʊ"]),
    ],
)
def test_each_word_has_the_phonemes_that_are_its_own(text: str, runs: list[str]) -> None:
    assert told(text, "".join(runs)) == [run.strip(" ?") for run in runs]


def test_a_word_that_has_become_nothing_takes_no_time() -> None:
    words = word_times("at a go", phones("æt ɡˈoʊ"), lambda word: ALONE[word])
    assert words == (WordTime(10, 30, 2), WordTime(40, 40, 4), WordTime(40, 80, 7))


def test_a_text_of_any_length_is_timed_in_time() -> None:
    count = 3_000
    times = word_times("the " * count, phones("ðə " * count), lambda word: ALONE[word])
    assert len(times) == count
    assert times[-1].end == len(phones("ðə " * count)) * EACH - 2 * EACH


def test_no_sound_and_no_word_have_no_times() -> None:
    assert word_times("at", phones(" ."), lambda word: ALONE[word]) == ()
    assert word_times("…", phones("æt"), lambda word: ALONE[word]) == ()
