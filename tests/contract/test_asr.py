"""Every recogniser keeps the contract: what it hears, what it must not hear, what it forgets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from tests.perceive.sound import noises, read_wav
from visavis import backends
from visavis.backends.contract import Asr, Locating, Options
from visavis.backends.symbols import encode
from visavis.flow.errors import BackendMissing
from visavis.flow.events import Samples

NAMES = backends.names("asr")
BUNDLES = {"faster_whisper": "whisper-tiny-en"}


@dataclass(frozen=True)
class Subject:
    """A recogniser, and speech in which it must hear these words."""

    asr: Asr
    speech: Samples
    words: tuple[str, ...]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=pytest.mark.model) if name in BUNDLES else name for name in NAMES
    ],
)
def subject(
    request: pytest.FixtureRequest, model_options: Callable[[str], Options]
) -> Iterator[Subject]:
    name: str = request.param
    options = model_options(BUNDLES[name]) if name in BUNDLES else Options()
    try:
        asr: Asr = backends.load("asr", name, options)
    except BackendMissing as missing:
        pytest.skip(str(missing))
    if name == "fake":
        yield Subject(asr, encode("what is the capital of france"), ("capital", "france"))
    else:
        speech = read_wav(model_options("human-speech").files["beckett"])
        yield Subject(asr, speech, ("ever", "failed", "matter", "again"))
    asr.close()
    asr.close()


@pytest.fixture
def asr(subject: Subject) -> Asr:
    subject.asr.open()
    return subject.asr


def test_there_are_backends() -> None:
    assert {"fake", "faster_whisper"} <= set(NAMES)
    assert set(NAMES) - {"fake"} <= set(BUNDLES), "name the bundle that a new backend runs on"


def test_it_names_its_languages(asr: Asr) -> None:
    assert "en" in asr.languages
    assert all(2 <= len(language) <= 3 for language in asr.languages)


def test_it_hears_the_words(subject: Subject, asr: Asr) -> None:
    asr.feed(subject.speech)
    heard = asr.flush()
    assert all(word in heard.text.casefold() for word in subject.words), heard
    assert 0 < heard.confidence <= 1
    assert heard.language == "en"


def test_it_gives_words_while_they_are_spoken(subject: Subject, asr: Asr) -> None:
    chunks = np.array_split(subject.speech[: 3 * 16_000], 60)
    partials = [found for chunk in chunks if (found := asr.feed(chunk)) is not None]
    assert 1 <= len(partials) < 20
    assert partials[-1].text


def test_chunks_make_no_difference(subject: Subject, asr: Asr) -> None:
    asr.feed(subject.speech)
    whole = asr.flush()
    asr.open()
    for chunk in np.array_split(subject.speech, 7):
        asr.feed(chunk)
    assert asr.flush() == whole


def test_flush_may_be_called_again_and_more_may_follow(subject: Subject, asr: Asr) -> None:
    middle = len(subject.speech) // 2
    asr.feed(subject.speech[:middle])
    first = asr.flush()
    assert asr.flush() == first
    asr.feed(subject.speech[middle:])
    assert len(asr.flush().text) > len(first.text)


def test_open_forgets(subject: Subject, asr: Asr) -> None:
    asr.feed(subject.speech)
    asr.flush()
    asr.open()
    assert asr.flush().text == ""


@pytest.mark.parametrize("count", [0, 1, 100, 1_600])
def test_almost_nothing_says_nothing(asr: Asr, count: int) -> None:
    asr.feed(np.zeros(count, np.float32))
    assert asr.flush().text == ""


def test_bad_samples_say_nothing(asr: Asr) -> None:
    samples = np.zeros(16_000, np.float32)
    samples[::3], samples[1::3] = np.nan, np.inf
    asr.feed(samples)
    assert asr.flush().text == ""


@pytest.mark.parametrize("kind", noises(0.1))
def test_noise_says_nothing(asr: Asr, kind: str) -> None:
    partial = asr.feed(noises(1.2, seed=len(kind))[kind])
    assert partial is None or partial.text == ""
    assert asr.flush().text == ""


def test_it_keeps_a_copy(subject: Subject, asr: Asr) -> None:
    asr.feed(subject.speech)
    expected = asr.flush()
    asr.open()
    shared = subject.speech.copy()
    asr.feed(shared)
    shared[:] = 0
    asr.feed(shared[:0])
    assert asr.flush() == expected


def test_of_more_than_it_can_hold_the_newest_counts(subject: Subject, asr: Asr) -> None:
    for _ in range(3):
        asr.feed(np.zeros(8 * 16_000, np.float32))
    asr.feed(subject.speech)
    assert subject.words[-1] in asr.flush().text.casefold()


@pytest.fixture
def locating(subject: Subject, asr: Asr) -> Locating:
    if not isinstance(asr, Locating):
        pytest.skip("it does not tell when words were spoken")
    return asr


def test_each_word_has_its_time_after_the_word_before_it(
    subject: Subject, asr: Asr, locating: Locating
) -> None:
    asr.feed(subject.speech)
    text = asr.flush().text.casefold()
    places = [locating.locate(text.index(word), text.index(word) + 3) for word in subject.words]
    spans = [place for place in places if place is not None]
    assert len(spans) == len(subject.words)
    assert all(0 <= start < end <= len(subject.speech) for start, end in spans)
    assert [start for start, _ in spans] == sorted({start for start, _ in spans})


def test_words_keep_their_time_when_silence_comes_before_them(
    subject: Subject, asr: Asr, locating: Locating
) -> None:
    middles = []
    for pause in (0, 8_000):
        asr.open()
        asr.feed(np.concatenate([np.zeros(pause, np.float32), subject.speech[: 4 * 16_000]]))
        text = asr.flush().text.casefold()
        at = text.index(subject.words[0])
        found = locating.locate(at, at + len(subject.words[0]))
        assert found is not None
        middles.append((found[0] + found[1]) / 2 - pause)
    assert abs(middles[0] - middles[1]) < 16_000 * 0.15


def test_what_is_not_there_has_no_time(subject: Subject, asr: Asr, locating: Locating) -> None:
    assert locating.locate(0, 1) is None
    asr.feed(subject.speech)
    assert locating.locate(0, 1) is None
    text = asr.flush().text
    assert locating.locate(len(text), len(text) + 3) is None
    asr.feed(subject.speech[:800])
    assert locating.locate(0, 1) is None
