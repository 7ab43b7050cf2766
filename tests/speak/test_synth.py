"""A phrase becomes sound, whatever the voices do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from visavis.backends.contract import Speech
from visavis.backends.tts.fake import FakeTts, decode
from visavis.flow.clock import SimulatedClock
from visavis.flow.events import PhraseReleased, Samples, SoundMade, WordTime
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


def make_parts(synth: Synthesiser, phrase: PhraseReleased) -> list[SoundMade]:
    parts = [event for event in synth.on(phrase) if isinstance(event, SoundMade)]
    assert [part.part for part in parts] == list(range(len(parts)))
    assert [part.more for part in parts] == [True] * (len(parts) - 1) + [False]
    return parts


def sound_of(parts: list[SoundMade]) -> Samples:
    return np.concatenate([part.samples for part in parts])


class Odd:
    """A voice that gives these pieces, whatever it is told to say."""

    rate_hz, languages = 16_000, ("en",)

    def __init__(self, *pieces: Speech | Exception) -> None:
        self._pieces = pieces

    def synthesise(self, text: str, language: str = "") -> Iterator[Speech]:
        for piece in self._pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

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
    tts = voice(piece_ms=100)
    synth = Synthesiser(tts)
    speak = tts.synthesise

    def interrupted(text: str, language: str = "") -> Iterator[Speech]:
        synth.cancel(1)
        return speak(text, language)

    tts.synthesise = interrupted  # type: ignore[method-assign]
    assert not list(synth.on(released("Gone.")))
    assert tts.calls == 1


# ── in parts ─────────────────────────────────────────────────────────────────────────────────

TEXTS = ("One two three.", "And so on, and so on; that is all there is to it. ")


@pytest.mark.parametrize("written", TEXTS)
@pytest.mark.parametrize("piece_ms", [20, 70, 300, 1_000, 10_000])
@pytest.mark.parametrize("timed", [True, False])
def test_in_parts_it_is_the_same_sound_with_the_same_words(
    written: str, piece_ms: int, timed: bool
) -> None:
    manner = {"lead_ms": 100, "tail_ms": 500, "timed": timed}
    whole = make(Synthesiser(voice(**manner)), released(written))
    parts = make_parts(Synthesiser(voice(piece_ms=piece_ms, **manner)), released(written))
    assert np.array_equal(sound_of(parts), whole.samples)
    assert "".join(part.written for part in parts) == parts[0].written == written
    assert not any(part.words or part.error for part in parts[1:])
    assert [w.char_end for w in parts[0].words] == [w.char_end for w in whole.words]
    if timed:
        assert parts[0].words == whole.words


def test_the_first_part_is_given_before_the_second_is_made() -> None:
    clock = SimulatedClock()
    synth = Synthesiser(FakeTts(clock, latency_ms=40, factor=0.1, piece_ms=200))
    parts = synth.on(released("A sentence of some length."))
    bills = [clock.measure(lambda: next(parts))[1] / 1e6 for _ in range(3)]
    assert bills == pytest.approx([40 + 20, 20, 20])


def test_a_voice_that_fails_in_mid_phrase_leaves_the_rest_silent() -> None:
    spare = voice()
    synth = Synthesiser(voice(piece_ms=100, snap={0}), spare)
    first, rest = make_parts(synth, released("Hello there."))
    assert (len(first.samples), first.error, first.written) == (1_600, "", "Hello there.")
    assert (len(rest.samples), rest.written) == (0, "")
    assert "call 0" in rest.error
    assert not spare.calls  # "Hel-Hello" would be worse
    (again,) = make_parts(synth, released("Yes."))[:1]
    assert len(again.samples)


def test_the_fallback_speaks_when_the_voice_fails_before_any_sound() -> None:
    spare = voice()
    breath = Speech(np.zeros(800, np.float32), total=8_000)
    (made,) = make_parts(Synthesiser(Odd(breath, RuntimeError("gone")), spare), released("Yes."))
    assert [word for word, _ in decode(made.samples)] == [0]
    assert made.error == ""


def test_a_cancelled_phrase_is_not_made_to_its_end() -> None:
    tts = voice(piece_ms=50)
    synth = Synthesiser(tts)
    parts = synth.on(released("One sentence of many letters."))
    assert next(parts)
    synth.cancel(1)
    assert not list(parts)


def test_a_voice_that_gives_less_than_it_promised_ends_the_phrase() -> None:
    loud = np.full(1_600, 0.5, np.float32)
    promised = Speech(loud, (WordTime(0, 1_600, 2), WordTime(1_600, 9_000, 5)), 9_000)
    parts = make_parts(Synthesiser(Odd(promised, Speech(loud))), released("Hm hm"))
    assert [len(part.samples) for part in parts] == [1_600, 1_600, 0]
    assert not any(part.error for part in parts)


def test_a_voice_that_gives_more_than_it_promised_is_cut_off_there() -> None:
    loud = np.full(1_600, 0.5, np.float32)
    parts = make_parts(Synthesiser(Odd(Speech(loud, total=1_600), Speech(loud))), released("Hm"))
    assert [len(part.samples) for part in parts] == [1_600]


def test_a_pause_at_the_end_of_a_piece_is_not_the_end_of_the_phrase() -> None:
    loud, pause = np.full(1_600, 0.5, np.float32), np.zeros(8_000, np.float32)
    pieces = [np.concatenate([loud, pause]), loud, pause]
    total = sum(len(piece) for piece in pieces)
    speech = (Speech(piece, total=0 if i else total) for i, piece in enumerate(pieces))
    parts = make_parts(Synthesiser(Odd(*speech)), released("Yes, no."))
    assert len(sound_of(parts)) == pytest.approx(1_600 + 8_000 + 1_600 + 4_000, abs=100)
    assert len(parts[0].samples) < 1_600 + 4_100
