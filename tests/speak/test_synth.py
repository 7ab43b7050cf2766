"""A phrase becomes sound, whatever the voices do."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.backends.contract import Speech
from visavis.backends.tts.fake import FakeTts, decode
from visavis.flow.clock import SimulatedClock
from visavis.flow.events import PhraseReleased, SoundMade, WordTime
from visavis.speak.synth import Synthesiser


def released(
    spoken: str, *, written: str = "", index: int = 0, epoch: int = 1, language: str = "en"
) -> PhraseReleased:
    return PhraseReleased(
        t_ns=3,
        trace=5,
        epoch=epoch,
        index=index,
        written=written or spoken,
        spoken=spoken,
        char_start=0,
        language=language,
    )


def voice(**settings: object) -> FakeTts:
    return FakeTts(SimulatedClock(), **settings)  # type: ignore[arg-type]


def make(synth: Synthesiser, phrase: PhraseReleased) -> SoundMade:
    (made,) = synth.on(phrase)
    assert isinstance(made, SoundMade)
    return made


class Odd:
    """A voice that does one odd thing."""

    rate_hz, languages = 16_000, ("en",)

    def __init__(self, result: Speech | Exception) -> None:
        self._result = result

    def synthesise(self, text: str, language: str = "") -> Speech:
        if isinstance(self._result, Exception):
            raise self._result
        return self._result

    def close(self) -> None:
        pass


def test_a_phrase_becomes_its_words_in_order() -> None:
    tts = voice()
    made = make(Synthesiser(tts), released("One two three."))
    assert tts.words == ["One", "two", "three."]
    assert [word for word, _ in decode(made.samples)] == [0, 1, 2]
    assert (made.t_ns, made.trace, made.epoch, made.error) == (3, 5, 1, "")


def test_word_times_fit_the_trimmed_sound_and_count_written_characters() -> None:
    tts = voice(lead_ms=100, tail_ms=500)
    written = "\n- **One** _two._ \n"
    made = make(Synthesiser(tts), released("One two.", written=written))
    counts = [count for _, count in decode(made.samples)]
    assert [word.end - word.start for word in made.words] == counts
    assert made.samples[made.words[0].start] != 0 == made.samples[made.words[0].start - 1]
    assert made.words[0].start < 100 * 16
    assert [written[: word.char_end] for word in made.words] == ["\n- **One** ", written]
    assert len(made.samples) < 16 * (100 + 500) + sum(counts)


def test_without_word_times_the_sound_is_shared_by_length() -> None:
    made = make(Synthesiser(voice(timed=False)), released("A lengthy word."))
    assert [word.char_end for word in made.words] == [2, 10, 15]
    assert made.words[0].start == 0
    assert made.words[-1].end <= len(made.samples)


def test_a_phrase_with_nothing_to_say_makes_no_call() -> None:
    tts = voice()
    made = make(Synthesiser(tts), released("", written="```\n"))
    assert (len(made.samples), made.words, made.written, made.error) == (0, (), "```\n", "")
    assert tts.calls == 0


def test_a_failing_phrase_stays_silent_and_the_others_are_spoken() -> None:
    synth = Synthesiser(voice(fail={1}))
    one, two, three = (make(synth, released(f"Sentence {i}.", index=i)) for i in range(3))
    assert len(one.samples)
    assert len(three.samples)
    assert not len(two.samples)
    assert "call 1" in two.error
    assert [made.written for made in (one, two, three)] == [f"Sentence {i}." for i in range(3)]


@pytest.mark.parametrize(
    "result",
    [
        RuntimeError("broken"),
        Speech(np.zeros(0, np.float32)),
        Speech(np.zeros(900, np.float32)),
        Speech(np.full(900, np.nan, np.float32)),
    ],
    ids=["raises", "empty", "silent", "nan"],
)
def test_the_fallback_speaks_when_the_voice_cannot(result: Speech | Exception) -> None:
    spare = voice()
    made = make(Synthesiser(Odd(result), spare), released("Hello."))
    assert [word for word, _ in decode(made.samples)] == [0]
    assert made.error == ""
    alone = make(Synthesiser(Odd(result)), released("Hello."))
    assert not len(alone.samples)
    assert alone.error


def test_the_fallback_speaks_a_language_that_the_voice_lacks() -> None:
    main, spare = voice(languages=("en",)), voice(languages=("en", "zh"))
    synth = Synthesiser(main, spare)
    make(synth, released("好。", language="zh-CN"))
    make(synth, released("Good.", language="en"))
    make(synth, released("Bien.", language="fr"))
    make(synth, released("Sure.", language=""))
    assert spare.words == ["好。"]
    assert main.words == ["Good.", "Bien.", "Sure."]


def test_samples_lie_on_the_16_bit_grid() -> None:
    sound = np.sin(np.arange(4000) / 7, dtype=np.float32) * np.float32(0.7)
    made = make(Synthesiser(Odd(Speech(sound, (WordTime(0, 4000, 2),)))), released("Hm"))
    steps = made.samples * 32_768
    assert np.array_equal(steps, np.round(steps))


def test_a_cancelled_reply_is_not_spoken() -> None:
    tts = voice()
    synth = Synthesiser(tts)
    synth.cancel(2)
    assert not list(synth.on(released("Old.", epoch=2)))
    assert tts.calls == 0
    assert len(make(synth, released("New.", epoch=3)).samples)


def test_what_was_cancelled_while_it_was_made_is_dropped() -> None:
    tts = voice()
    synth = Synthesiser(tts)
    speak = tts.synthesise

    def interrupted(text: str, language: str = "") -> Speech:
        synth.cancel(1)
        return speak(text, language)

    tts.synthesise = interrupted  # type: ignore[method-assign]
    assert not list(synth.on(released("Gone.")))
    assert tts.calls == 1
