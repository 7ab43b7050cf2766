"""What the recogniser says of a voice, while and after it speaks, however late it runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.backends.asr.fake import FakeAsr
from visavis.backends.contract import Hypothesis
from visavis.backends.symbols import VOCABULARY, encode, join, murmur, silence
from visavis.flow.errors import EngineError
from visavis.flow.events import (
    AudioAligned,
    Event,
    Samples,
    SpeechFading,
    SpeechPaused,
    SpeechStarted,
    TurnDropped,
    TurnEnded,
    WordsHeard,
)
from visavis.flow.ring import AudioRing
from visavis.perceive.asr import Recogniser


class Mouth:
    """Speaks into a recogniser: writes the ring, and hands over the events that come of it."""

    def __init__(self, asr: Any = None, **options: Any) -> None:
        self.asr = asr or FakeAsr(slip_rate=0)
        self.ring = AudioRing(60)
        self.node = Recogniser(self.asr, self.ring, **options)
        self.heard: list[WordsHeard] = []
        self.faded: list[int] = []
        self.trace = 0
        self.start = 0
        self.say(silence(500))

    @property
    def now(self) -> int:
        return self.ring.end * 62_500

    def send(self, event: Event) -> list[WordsHeard]:
        outcomes = list(self.node.on(event))
        found = [outcome for outcome in outcomes if isinstance(outcome, WordsHeard)]
        self.heard += found
        self.faded += [outcome.end for outcome in outcomes if isinstance(outcome, SpeechFading)]
        return found

    def say(self, samples: Samples, *, chunk: int = 320, deliver: bool = True) -> None:
        """Sound, and the news of it unless the recogniser's lane is busy."""
        for at in range(0, len(samples), chunk):
            start = self.ring.end
            view = self.ring.write(samples[at : at + chunk])
            if deliver:
                self.send(AudioAligned(t_ns=self.now, start=start, samples=view))

    def begin(self) -> None:
        """The voice begins here."""
        self.trace, self.start = self.trace + 1, self.ring.end
        self.send(SpeechStarted(t_ns=self.now, trace=self.trace, start=self.start))

    def pause(self) -> WordsHeard:
        """The voice ended 100 ms ago."""
        end = self.ring.end
        self.say(silence(100))
        *_, final = self.send(
            SpeechPaused(t_ns=self.now, trace=self.trace, start=self.start, end=end)
        )
        return final

    def speak(self, words: str | Sequence[str]) -> WordsHeard:
        """One voiced stretch; gives its final words."""
        self.begin()
        self.say(encode(words))
        return self.pause()

    def end_turn(self, trace: int) -> None:
        self.send(
            TurnEnded(
                t_ns=self.now,
                trace=trace,
                text="",
                start=0,
                end=self.ring.end,
                probability=1,
                reasons=(),
            )
        )


def test_a_pause_gives_the_final_words() -> None:
    final = Mouth().speak("what is the capital of france")
    assert final.text == "what is the capital of france"
    assert final.final
    assert final.stable == len(final.text)
    assert (final.trace, final.start, final.end) == (1, 8_000, 8_000 + 6 * 3_200)
    assert final.language == "en"


def test_what_the_ring_regained_is_heard() -> None:
    mouth, words = Mouth(), encode("stop it please")
    mouth.begin()
    start = mouth.ring.end
    mouth.ring.regain(start, words[:1_600])
    mouth.say(np.concatenate([np.zeros(1_600, np.float32), words[1_600:]]))
    assert mouth.pause().text == "stop it please"


def test_words_come_while_they_are_spoken() -> None:
    mouth = Mouth()
    mouth.speak("what is the capital of france and what is the weather")
    partials = [words for words in mouth.heard if not words.final]
    assert 3 <= len(partials) <= 8
    assert partials[-1].stable > 0
    assert all(words.trace == 1 and words.start == 8_000 for words in partials)


def test_what_was_said_before_the_onset_was_seen_is_heard() -> None:
    mouth = Mouth()
    mouth.say(encode("stop"))
    mouth.begin()
    mouth.say(encode("please"))
    assert mouth.pause().text == "stop please"


def test_who_goes_on_after_a_pause_stays_in_the_utterance() -> None:
    mouth = Mouth()
    first = mouth.speak("i want the")
    mouth.say(silence(600))
    second = mouth.speak("red book")
    assert (first.text, second.text) == ("i want the", "i want the red book")
    assert (second.trace, second.start) == (first.trace, first.start)


@pytest.mark.parametrize("dropped", [True, False])
def test_after_the_turn_a_new_utterance_begins(dropped: bool) -> None:
    mouth = Mouth()
    mouth.speak("what time")
    if dropped:
        mouth.send(TurnDropped(t_ns=mouth.now, trace=1, start=0, end=mouth.ring.end, reason=""))
    else:
        mouth.end_turn(1)
    mouth.say(silence(50))
    second = mouth.speak("stop")
    assert (second.text, second.trace) == ("stop", 2)


def test_the_end_of_another_turn_changes_nothing() -> None:
    mouth = Mouth()
    mouth.speak("what")
    mouth.end_turn(99)
    assert mouth.speak("time").text == "what time"


def test_noise_has_no_words() -> None:
    mouth = Mouth()
    mouth.begin()
    mouth.say(murmur(800))
    final = mouth.pause()
    assert (final.text, final.stable, final.final) == ("", 0, True)
    assert mouth.heard == [final]


def test_nothing_is_lost_when_the_lane_was_busy() -> None:
    mouth = Mouth()
    mouth.begin()
    mouth.say(encode("what is the"), deliver=False)
    mouth.say(encode("capital of france"))
    assert mouth.pause().text == "what is the capital of france"


def test_while_behind_it_skips_to_the_newest_sound() -> None:
    calls: list[int] = []

    class Counting(FakeAsr):
        def _recognise(self) -> list[str]:
            calls.append(1)
            return super()._recognise()

    mouth = Mouth(Counting(slip_rate=0))
    mouth.begin()
    start = mouth.ring.end
    mouth.say(encode("what is the capital of france"), deliver=False)
    for at in range(start, mouth.ring.end, 320):
        view = mouth.ring.slice(at, at + 320)
        mouth.send(AudioAligned(t_ns=mouth.now, start=at, samples=view))
    assert len(calls) == 1


def test_words_are_there_when_the_pause_is() -> None:
    """Recognition began when the sound died down; the pause itself costs nothing."""
    flushes: list[int] = []

    class Watched(FakeAsr):
        def flush(self) -> Hypothesis:
            flushes.append(1)
            return super().flush()

    mouth = Mouth(Watched(slip_rate=0))
    mouth.begin()
    mouth.say(encode("what is the time"))
    end = mouth.ring.end
    mouth.say(silence(100))
    before = len(flushes)
    (final,) = mouth.send(SpeechPaused(t_ns=mouth.now, trace=1, start=mouth.start, end=end))
    assert before > 0
    assert len(flushes) == before
    assert final.text == "what is the time"


def test_that_the_voice_dies_down_is_told_once_and_before_the_words() -> None:
    mouth = Mouth()
    mouth.begin()
    mouth.say(encode("what time is it"))
    end = mouth.ring.end
    mouth.say(silence(200))
    (faded,) = mouth.faded
    assert abs(faded - end) <= 160
    mouth.say(encode("now"))
    mouth.say(silence(200))
    assert len(mouth.faded) == 2


class Parrot(FakeAsr):
    """Hears "yes" in anything, at each feed, as well as it can or not; counts what it is asked."""

    thorough = True
    flushed = 0

    def feed(self, samples: Samples) -> Hypothesis | None:
        return Hypothesis("yes", thorough=self.thorough)

    def flush(self) -> Hypothesis:
        self.flushed += 1
        return Hypothesis("yes")


@pytest.mark.parametrize("thorough", [True, False])
def test_what_has_been_recognised_well_is_not_recognised_again(thorough: bool) -> None:
    parrot = Parrot()
    parrot.thorough = thorough
    final = Mouth(parrot).speak("yes please")
    assert (final.text, final.final) == ("yes", True)
    assert parrot.flushed == (not thorough)


def test_a_late_voice_after_an_early_recognition_is_heard() -> None:
    mouth = Mouth()
    mouth.begin()
    mouth.say(encode("what is"))
    mouth.say(silence(90))
    mouth.say(encode("it"))
    assert mouth.pause().text == "what is it"


def test_the_moment_of_a_word_that_points_is_known_once_it_is_final() -> None:
    mouth = Mouth()
    mouth.begin()
    start = mouth.ring.end
    mouth.say(encode("what is this thing"))
    final = mouth.pause()
    assert final.pointed == start + 2 * 3_200 + 1_600
    assert all(words.pointed == -1 for words in mouth.heard if not words.final)


@pytest.mark.parametrize("words", ["what is the time", "know that you are good", "there is a cat"])
def test_where_no_word_points_nobody_is_asked_when(words: str) -> None:
    class Unasked(FakeAsr):
        def locate(self, start: int, end: int) -> tuple[int, int] | None:
            pytest.fail("was asked")

    words = " ".join(word if word in VOCABULARY else "thing" for word in words.split())
    assert Mouth(Unasked(slip_rate=0)).speak(words).pointed == -1


def test_a_recogniser_that_cannot_tell_need_not() -> None:
    class Plain:
        languages = ("en",)

        def __init__(self) -> None:
            inner = FakeAsr(slip_rate=0)
            self.open, self.feed, self.flush = inner.open, inner.feed, inner.flush
            self.close = inner.close

    assert Mouth(Plain()).speak("what is this").pointed == -1


def test_who_goes_on_still_points_where_he_pointed_first() -> None:
    mouth = Mouth()
    start = mouth.ring.end
    first = mouth.speak("this is a book")
    mouth.say(silence(600))
    second = mouth.speak("and what is that")
    assert first.pointed == second.pointed == start + 1_600


def test_a_long_utterance_keeps_where_it_pointed_in_a_part_that_is_settled() -> None:
    mouth = Mouth()
    start = mouth.ring.end
    mouth.speak("look at this " + "book " * 60)
    mouth.say(silence(600))
    late = mouth.speak("and what is that")
    assert late.text.endswith("and what is that")
    assert late.pointed == start + 2 * 3_200 + 1_600


def test_pointing_late_in_a_long_utterance_is_dated_on_the_whole_axis() -> None:
    mouth = Mouth()
    mouth.speak("book " * 70)
    mouth.say(silence(600))
    mouth.begin()
    start = mouth.ring.end
    mouth.say(encode("what is that"))
    assert mouth.pause().pointed == start + 2 * 3_200 + 1_600


LONG = [VOCABULARY[7 * number % 200] for number in range(400)]


@pytest.mark.parametrize("pause_every", [0, 25, 60])
def test_an_utterance_longer_than_the_backend_can_hold_is_whole(pause_every: int) -> None:
    """80 s of words; FakeAsr would keep all of it, so a backend that forgets is asked."""

    class Forgetful(FakeAsr):
        def feed(self, samples: Samples) -> Hypothesis | None:
            found = super().feed(samples)
            held = np.concatenate(self._heard) if self._heard else samples
            self._heard = [held[-29 * 16_000 :]]
            return found

    mouth = Mouth(Forgetful(slip_rate=0, partial_ms=2_000))
    mouth.begin()
    for at, word in enumerate(LONG):
        # Real words have quiet between them; a cut has to find it.
        mouth.say(np.concatenate([encode([word]), silence(16)]))
        if pause_every and at % pause_every == pause_every - 1:
            mouth.pause()
            mouth.say(silence(300))
            mouth.begin()
    assert mouth.pause().text == join(LONG)


def test_who_speaks_long_and_pauses_is_recognised_in_parts() -> None:
    held: list[float] = []

    class Measured(FakeAsr):
        def flush(self) -> Hypothesis:
            held.append(sum(map(len, self._heard)) / 16_000)
            return super().flush()

    mouth = Mouth(Measured(slip_rate=0))
    for _ in range(12):
        mouth.speak("what is the capital of france and who is it")
        mouth.say(silence(300))
    assert max(held) < 16
    assert (
        mouth.heard[-1].text.split()
        == ["what", "is", "the", "capital", "of", "france", "and", "who", "is", "it"] * 12
    )


def test_a_recognition_that_fails_loses_nothing() -> None:
    class Failing(FakeAsr):
        fails = False

        def _recognise(self) -> list[str]:
            if self.fails:
                raise EngineError("out of order")
            return super()._recognise()

    asr = Failing(slip_rate=0)
    mouth = Mouth(asr)
    mouth.begin()
    mouth.say(encode("what is"))
    asr.fails = True
    with pytest.raises(EngineError):
        mouth.pause()
    asr.fails = False
    mouth.say(silence(300))
    assert mouth.speak("this").text == "what is this"


def test_a_pause_without_an_utterance_is_ignored() -> None:
    mouth = Mouth()
    assert mouth.send(SpeechPaused(t_ns=mouth.now, trace=4, start=0, end=100)) == []


def test_a_voice_that_the_ring_has_forgotten_is_heard_from_where_it_begins() -> None:
    mouth = Mouth()
    mouth.begin()
    mouth.say(encode("what"), deliver=False)
    for _ in range(25):
        mouth.say(silence(3_000), deliver=False)
    mouth.say(encode("time is it"))
    assert mouth.pause().text == "time is it"


def partial_texts(heard: Iterable[WordsHeard]) -> Iterable[tuple[WordsHeard, WordsHeard]]:
    words = list(heard)
    return itertools.pairwise(words)


@settings(max_examples=50, deadline=None)
@given(
    stretches=st.lists(
        st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12), min_size=1, max_size=4
    ),
    seed=st.integers(0, 1_000),
    chunk=st.integers(80, 3_000),
)
def test_stable_words_stay_and_the_final_ones_are_right(
    stretches: list[list[str]], seed: int, chunk: int
) -> None:
    mouth = Mouth(FakeAsr(seed=seed, slip_rate=0.5))
    said: list[str] = []
    for words in stretches:
        said += words
        mouth.begin()
        mouth.say(encode(words), chunk=chunk)
        assert mouth.pause().text == join(said)
        mouth.say(silence(300))
    for earlier, later in partial_texts(mouth.heard):
        assert 0 <= later.stable <= len(later.text)
        if not later.final and not earlier.final:
            assert later.text.startswith(earlier.text[: earlier.stable])
