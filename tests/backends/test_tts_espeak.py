"""eSpeak NG: many languages, any rate, exact words."""

from __future__ import annotations

import ctypes.util
import sys

import pytest

from tests.voice import said
from visavis.backends.contract import Options
from visavis.backends.tts import espeak
from visavis.flow.errors import BackendMissing, EngineError


def load(**settings: float) -> espeak.EspeakTts:
    try:
        return espeak.load(Options(settings=settings))
    except BackendMissing as missing:
        pytest.skip(str(missing))


def test_it_speaks_many_languages() -> None:
    assert {"en", "zh", "de", "fr", "es", "ru"} <= set(load().languages)


def test_each_ideograph_is_a_word() -> None:
    words = said(load(), "今天很冷。记得", "zh-CN").words
    assert [word.char_end for word in words] == [1, 2, 3, 5, 6, 7]


def test_a_number_is_one_word_however_many_it_is_read_as() -> None:
    text = "Not 1987 but 2001"
    words = said(load(), text, "en").words
    assert [text[: word.char_end] for word in words] == ["Not ", "Not 1987 ", "Not 1987 but ", text]


def test_it_speaks_at_the_rate_that_is_wanted() -> None:
    own, other = load(), load(rate_hz=16_000)
    assert other.rate_hz == 16_000
    a, b = said(own, "Good morning."), said(other, "Good morning.")
    assert len(b.samples) / 16_000 == pytest.approx(len(a.samples) / own.rate_hz, abs=0.001)
    assert b.words[-1].end / 16_000 == pytest.approx(a.words[-1].end / own.rate_hz, abs=0.001)


def test_it_speaks_faster_when_told_to() -> None:
    text = "The quick brown fox jumps over the dog."
    fast = len(said(load(speed=1.5), text).samples)
    assert fast < 0.8 * len(said(load(speed=1.0), text).samples)


def test_markup_is_read_as_text() -> None:
    plain = said(load(), "five", "en").samples
    assert len(said(load(), 'five <break time="9s"/>', "en").samples) > len(plain)
    assert len(said(load(), "five & <", "en").samples) < 9 * load().rate_hz


def test_an_unknown_language_is_an_engine_error() -> None:
    with pytest.raises(EngineError, match="xx"):
        said(load(), "hello", "xx")


def test_two_instances_share_the_library() -> None:
    one, two = load(), load()
    before = len(said(one, "Hello.", "en").samples)
    said(two, "今天", "zh")
    assert len(said(one, "Hello.", "en").samples) == pytest.approx(before, rel=0.02)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "espeakng_loader", None)
    monkeypatch.setattr(ctypes.util, "find_library", lambda _: None)
    with pytest.raises(BackendMissing, match=r"espeakng-loader.*visavis\[local\]"):
        espeak.load(Options())
