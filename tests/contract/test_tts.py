"""Every voice keeps the contract: one rate, finite sound, words in order, typed errors."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import visavis.backends.tts as folder
from tests.voice import said
from visavis.backends.contract import Options, Speech, Tts, TtsInContext, TtsInTakes
from visavis.flow.clock import SimulatedClock
from visavis.flow.errors import BackendMissing

NAMES = [module.name for module in pkgutil.iter_modules(folder.__path__)]
BUNDLES = {"piper": "piper-en-joe"}
TIMED = {"espeak", "fake", "piper"}
TEXTS = [
    "Yes.",
    "The clinic on Main St. opens at 7:15 a.m. on Friday.",
    "It cost 1,987 euro & 3 < 4, she said: “no!”",
    "word " * 40,
]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=pytest.mark.model) if name in BUNDLES else name for name in NAMES
    ],
)
def tts(request: pytest.FixtureRequest, model_options: Callable[[str], Options]) -> Iterator[Tts]:
    name: str = request.param
    options = Options(settings={"clock": SimulatedClock()} if name == "fake" else {})
    if name in BUNDLES:
        options = model_options(BUNDLES[name])
    try:
        voice = importlib.import_module(f"visavis.backends.tts.{name}").load(options)
    except BackendMissing as missing:
        pytest.skip(str(missing))
    yield voice
    voice.close()
    voice.close()


def timed(tts: Tts, text: str) -> Speech:
    """Speech with words, which our own voices must know, and others need not."""
    speech = said(tts, text, "en")
    if type(tts).__module__.rpartition(".")[2] not in TIMED and not speech.words:
        pytest.skip("does not know its words")
    assert speech.words
    return speech


def test_it_names_its_rate_and_languages(tts: Tts) -> None:
    assert 8_000 <= tts.rate_hz <= 48_000
    assert "en" in tts.languages
    assert all(len(language) >= 2 for language in tts.languages)


@pytest.mark.parametrize("text", TEXTS)
def test_it_speaks_text_as_finite_mono_float32(tts: Tts, text: str) -> None:
    samples = said(tts, text, "en").samples
    assert samples.dtype == np.float32
    assert samples.ndim == 1
    assert np.isfinite(samples).all()
    assert 0.05 < np.max(np.abs(samples)) <= 1.0
    assert 0.02 < len(samples) / tts.rate_hz / len(text) < 0.3


@pytest.mark.parametrize("text", TEXTS)
def test_its_words_are_in_order_and_within_the_sound(tts: Tts, text: str) -> None:
    speech = timed(tts, text)
    last_start = last_char = 0
    for word in speech.words:
        assert last_start <= word.start <= word.end <= len(speech.samples)
        assert last_char < word.char_end <= len(text)
        last_start, last_char = word.start, word.char_end
    assert text[last_char:].strip(" .”!") == ""


def test_the_sound_of_a_word_is_where_the_word_is_said_to_be(tts: Tts) -> None:
    speech = timed(tts, "Hello, world.")
    inside = [speech.samples[word.start : word.end] for word in speech.words]
    assert all(np.max(np.abs(part)) > 0.05 for part in inside)
    before = speech.samples[: speech.words[0].start]
    assert np.max(np.abs(before), initial=0.0) < 0.05


@pytest.mark.parametrize("text", ["", "…", "\u200b", "```"])
def test_text_without_words_is_no_sound_or_silence_but_no_crash(tts: Tts, text: str) -> None:
    speech = said(tts, text, "en")
    assert len(speech.samples) < tts.rate_hz


def test_text_of_another_script_does_not_crash(tts: Tts) -> None:
    assert np.isfinite(said(tts, "今天 😀 \ud83d x\0y", "en").samples).all()


def test_it_speaks_without_being_told_the_language(tts: Tts) -> None:
    assert len(said(tts, "Good morning.").samples)


def test_a_take_is_the_same_sound_whatever_was_said_between(tts: Tts) -> None:
    if not isinstance(tts, TtsInTakes):
        pytest.skip("says it one way")
    takes = [Speech.joined(tts.synthesise_take("Uh-huh.", "en", take=take)) for take in (0, 1)]
    assert not np.array_equal(takes[0].samples, takes[1].samples)
    for _ in tts.synthesise(TEXTS[-1], "en"):
        break
    again = Speech.joined(tts.synthesise_take("Uh-huh.", "en", take=1))
    assert np.array_equal(again.samples, takes[1].samples)
    assert np.array_equal(said(tts, "Uh-huh.", "en").samples, takes[0].samples)


@pytest.mark.parametrize("text", [*TEXTS, "", "…"])
def test_its_first_piece_says_what_is_to_come(tts: Tts, text: str) -> None:
    first, *others = tts.synthesise(text, "en")
    count = sum(len(piece.samples) for piece in (first, *others))
    assert first.total == count or (first.total == 0 and not others)
    assert not any(piece.words for piece in others)
    assert all(word.end <= count for word in first.words)


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("", "The capital", "of France"),
        ("The capital", "of France is Paris.", ""),
        ("It is one of the", "best places", "in the world"),
        ("It was in", "1987 or so,", "and cost"),
    ],
)
def test_a_part_of_a_sentence_is_said_without_the_words_around_it(
    tts: Tts, before: str, text: str, after: str
) -> None:
    if not (isinstance(tts, TtsInContext) and tts.in_context):
        pytest.skip("speaks whole phrases only")
    first, *others = tts.synthesise_part(text, "en", before=before, after=after)
    part = Speech.joined([first, *others])
    assert [text[: word.char_end].split()[-1] for word in part.words] == text.split()
    assert all(0 <= word.start <= word.end <= len(part.samples) for word in part.words)
    assert first.total in (0, len(part.samples))
    assert 0.02 < len(part.samples) / tts.rate_hz / len(text) < 0.3
    # No more than it takes alone, with the silence that is around it then.
    assert len(part.samples) < 1.3 * len(said(tts, text, "en").samples)


def test_it_may_be_left_in_mid_phrase(tts: Tts) -> None:
    for _ in tts.synthesise(TEXTS[-1], "en"):
        break
    assert len(said(tts, "Yes.", "en").samples)
