"""Each part of a phrase is spoken by the voice of its language."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from visavis.backends.contract import Speech
from visavis.backends.tts.fake import FakeTts, decode
from visavis.flow.clock import SimulatedClock
from visavis.flow.errors import EngineError
from visavis.flow.events import PhraseReleased
from visavis.speak.sound import GAP_MS, LEAD_MS
from visavis.speak.voices import Voices

RATE_HZ = 16_000
MIXED = "Please say 你好吗 to your friend."


def voice(*languages: str, **settings: object) -> FakeTts:
    return FakeTts(SimulatedClock(), languages=languages, **settings)  # type: ignore[arg-type]


def phrase(spoken: str, language: str = "en") -> PhraseReleased:
    return PhraseReleased(
        t_ns=0, epoch=1, index=0, written=spoken, spoken=spoken, char_start=0, language=language
    )


def said(voices: Voices, spoken: str, language: str = "en") -> Speech:
    """By the first attempt."""
    return Speech.joined(next(voices.attempts(phrase(spoken, language))))


def test_each_part_goes_to_the_voice_of_its_language() -> None:
    english, chinese = voice("en"), voice("zh")
    said(Voices(english, chinese), MIXED)
    assert english.words == ["Please", "say", "to", "your", "friend."]
    assert chinese.words == ["你好吗"]


def test_the_words_lie_where_they_sound_and_count_the_characters_of_the_whole() -> None:
    manner = {"lead_ms": 200, "tail_ms": 300}
    for timed in (True, False):
        english = voice("en", timed=timed, **manner)
        speech = said(Voices(english, voice("zh", timed=timed, **manner)), MIXED)
        ends = [MIXED[: word.char_end].split()[-1] for word in speech.words]
        assert ends[:2] == ["Please", "say"]
        assert ends[-3:] == ["to", "your", "friend." if timed else "friend"]
        assert all(0 <= w.start <= w.end <= len(speech.samples) for w in speech.words)
        if timed:
            sounds = [decode(speech.samples[w.start : w.end]) for w in speech.words]
            assert all(len(found) == 1 for found in sounds)


def test_there_is_no_long_silence_between_two_voices() -> None:
    manner = {"lead_ms": 200, "tail_ms": 300}
    speech = said(Voices(voice("en", **manner), voice("zh", **manner)), MIXED)
    loud = np.flatnonzero(speech.samples)
    most = RATE_HZ * (GAP_MS["none"] + LEAD_MS + 10) // 1000
    assert max(np.diff(loud)) <= most


@pytest.mark.parametrize("language", ["en", "zh", "fr", ""])
def test_one_voice_speaks_everything_in_one_call(language: str) -> None:
    for only in (voice("en"), voice("en", "zh")):
        said(Voices(only), MIXED, language)
        assert only.calls == 1


def test_a_language_that_nobody_speaks_goes_to_the_voice_that_is_meant() -> None:
    english, german = voice("en"), voice("de")
    said(Voices(english, german), MIXED)
    assert (english.calls, german.calls) == (1, 0)


def test_a_whole_phrase_in_another_language_is_streamed_by_its_voice() -> None:
    english, chinese = voice("en"), voice("zh", piece_ms=60)
    attempts = Voices(english, chinese).attempts(phrase("你好吗。"))
    assert len([*next(attempts)]) == 4
    assert english.calls == 0


def test_when_one_of_the_voices_fails_another_speaks_it_all() -> None:
    english, chinese = voice("en"), voice("zh", fail={0})
    first, *others = Voices(english, chinese).attempts(phrase(MIXED))
    with pytest.raises(Exception, match="call 0"):
        Speech.joined(first)
    english.words.clear()
    assert len(Speech.joined(others[0]).samples)
    assert english.words == MIXED.split()
    assert len(others) == 2


def within(before: str, spoken: str, after: str) -> PhraseReleased:
    return replace(phrase(spoken), before=before, after=after)


def test_a_voice_that_can_is_told_what_it_speaks_between() -> None:
    able, spare = voice("en", in_context=True, fail={0}), voice("en")
    for attempt in Voices(able, spare).attempts(within("The capital", "of France", "is Paris")):
        with suppress(EngineError):
            Speech.joined(attempt)
    assert able.around == [("The capital", "is Paris")]
    assert (spare.around, spare.words) == ([], ["of", "France"])


def test_words_that_another_voice_would_say_are_not_told() -> None:
    english, chinese = voice("en", in_context=True), voice("zh", in_context=True)
    for before, after in (("你好吗", "my friend"), ("and then", "你好吗")):
        Speech.joined(next(Voices(english, chinese).attempts(within(before, "I say", after))))
    assert english.around == [("", "")] * 2
    Speech.joined(next(Voices(english, chinese).attempts(within("I say", "你好吗", "to you"))))
    assert chinese.around == [("", "")]


def test_there_is_no_attempt_at_nothing() -> None:
    assert not [*Voices(voice("en")).attempts(phrase(""))]
