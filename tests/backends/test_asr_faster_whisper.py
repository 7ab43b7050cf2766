"""Whisper on human speech: words, time, languages, damaged models."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.perceive.sound import noises, read_wav
from visavis import config
from visavis.backends.asr import faster_whisper
from visavis.backends.asr.faster_whisper import FULL_FRAMES, SHORT_FRAMES, FasterWhisper
from visavis.backends.contract import Options, Speech
from visavis.backends.resample.soxr import SoxrResampler
from visavis.backends.tts import piper
from visavis.bundle.store import Store
from visavis.flow.errors import BundleError
from visavis.flow.events import Samples
from visavis.perceive.completeness import is_hesitation

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def whisper(model_options: Callable[[str], Options]) -> Any:
    return faster_whisper.load(model_options("whisper-tiny-en"))


@pytest.fixture(scope="module")
def beckett(model_options: Callable[[str], Options]) -> Samples:
    return read_wav(model_options("human-speech").files["beckett"])


@pytest.fixture
def encoded(whisper: FasterWhisper, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many frames the encoder was given, call by call."""
    lengths: list[int] = []
    decode = whisper._decode

    def watched(mel: Samples, heard: Any, frames: int) -> Any:
        lengths.append(frames)
        return decode(mel, heard, frames)

    monkeypatch.setattr(whisper, "_decode", watched)
    whisper.open()
    return lengths


def test_speech_needs_the_short_context_only(
    whisper: FasterWhisper, beckett: Samples, encoded: list[int]
) -> None:
    whisper.feed(beckett[: 5 * 16_000])
    assert "failed" in whisper.flush().text.casefold()
    assert encoded
    assert set(encoded) == {SHORT_FRAMES}


def test_noise_is_not_looked_at_twice(whisper: FasterWhisper, encoded: list[int]) -> None:
    whisper.feed(noises(1)["white"])
    assert whisper.flush().text == ""
    assert FULL_FRAMES not in encoded


def test_what_looks_wrong_is_heard_again_in_full_once_it_is_final(
    whisper: FasterWhisper, beckett: Samples, encoded: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("visavis.backends.invention.POOR_LOG_PROB", 0.0)
    assert whisper.feed(beckett[:32_000]) is None
    assert FULL_FRAMES not in encoded
    whisper.flush()
    assert encoded[-1] == FULL_FRAMES


def test_partial_words_come_less_often_the_longer_it_gets(
    whisper: FasterWhisper, encoded: list[int]
) -> None:
    counts = []
    for _ in range(16):
        before = len(encoded)
        for _ in range(50):
            whisper.feed(np.zeros(320, np.float32))
        counts.append(len(encoded) - before)
    assert counts[0] == 2
    assert sum(counts[-4:]) < 6


def test_an_english_model_says_so(whisper: FasterWhisper) -> None:
    assert whisper.languages == ("en",)


def test_a_multilingual_model_names_what_it_hears(
    model_options: Callable[[str], Options], beckett: Samples
) -> None:
    if not Store(config.load().models).has("whisper-base"):
        pytest.skip("run visavis pull whisper-base (it is in no tier)")
    options = model_options("whisper-base")
    free = faster_whisper.load(options)
    assert {"en", "zh", "de"} <= set(free.languages)
    free.feed(beckett)
    assert free.flush().language == "en"
    settings = {"language": "de"}
    told = faster_whisper.load(Options(files=options.files, settings=settings))
    told.feed(beckett)
    assert told.flush().language in ("de", "")
    few = faster_whisper.load(Options(files=options.files, settings={"among": ["zh", "de"]}))
    few.feed(beckett)
    assert few.flush().language in ("zh", "de", "")


def test_a_language_it_does_not_know_is_refused(model_options: Callable[[str], Options]) -> None:
    options = Options(files=model_options("whisper-tiny-en").files, settings={"language": "zh"})
    with pytest.raises(BundleError, match="language 'zh': not known to Whisper; known: en"):
        faster_whisper.load(options)


def test_what_is_no_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"version https://git-lfs")
    with pytest.raises(BundleError, match="is not a Whisper model"):
        faster_whisper.load(Options(files={"model": tmp_path / "model.bin"}))


@pytest.fixture(scope="module")
def say(model_options: Callable[[str], Options]) -> Callable[..., Samples]:
    """Pieces with 1.5 s of silence between them, 0.3 s before and 0.16 s after."""
    voice = piper.load(model_options("piper-en-joe"))

    def spoken(*pieces: str) -> Samples:
        silence = np.zeros(24_000, np.float32)
        parts = [silence[:4_800]]
        for text in pieces:
            samples = Speech.joined(voice.synthesise(text)).samples
            parts += [SoxrResampler(voice.rate_hz, 16_000).feed(samples, last=True), silence]
        return np.concatenate([*parts[:-1], silence[:2_560]])

    return spoken


def test_who_pauses_in_mid_sentence_is_not_heard_to_say_it_again(
    whisper: FasterWhisper, say: Callable[..., Samples], encoded: list[int]
) -> None:
    """It was "… thinking about it. And... And I really mean it because I have been thinking …"."""
    said = (
        "I would like to know, if you have the time,",
        "and I really mean it, because I have been thinking about it, and",
    )
    whisper.feed(say(*said))
    words = re.findall(r"\w+", whisper.flush().text.casefold())
    assert words == re.findall(r"\w+", " ".join(said).casefold())
    assert FULL_FRAMES not in encoded


def test_words_behind_a_pause_are_dated_where_they_were_spoken(
    whisper: FasterWhisper, say: Callable[..., Samples]
) -> None:
    pieces = "Please look at the table,", "and tell me,", "what is that box over there?"
    middles = []
    for speech in (say(pieces[-1]), say(*pieces)):
        whisper.open()
        whisper.feed(speech)
        at = whisper.flush().text.index("that box")
        found = whisper.locate(at, at + 4)
        assert found is not None
        middles.append(sum(found) / 2 - len(speech))
    assert middles[0] == pytest.approx(middles[1], abs=0.15 * 16_000)


def test_what_is_told_again_behind_the_sound_was_not_said(whisper: FasterWhisper) -> None:
    zero, word = whisper._zero_time, 100
    first = [zero, word, word, zero + 2 * 50, zero + 3 * 50, word, zero + 4 * 50]
    again = [zero + 6 * 50, word, word]
    assert whisper._within(first + again, 4.2) == [word] * 3
    assert whisper._within(first + again, 7.0) == [word] * 5
    assert whisper._within(first + again, 5.8) == [word] * 5
    assert whisper._within([zero + 50, word, zero + 75], 0.6) == [word]


def spoken_to(whisper: FasterWhisper, voice: piper.PiperTts, text: str) -> Speech:
    """Feeds the text as the voice says it, behind 0.3 s of silence."""
    speech = Speech.joined(voice.synthesise(text))
    sound = SoxrResampler(voice.rate_hz, 16_000).feed(speech.samples, last=True)
    whisper.open()
    whisper.feed(np.pad(sound, (4_800, 2_560)))
    return speech


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("What is that box over there?", "that"),
        ("Please look here and tell me what you see.", "here"),
        ("This one, what is it called?", "This"),
    ],
)
def test_a_word_is_found_where_a_voice_spoke_it(
    whisper: FasterWhisper, model_options: Callable[[str], Options], text: str, word: str
) -> None:
    voice = piper.load(model_options("piper-en-joe"))
    speech = spoken_to(whisper, voice, text)
    heard = whisper.flush().text
    at = heard.index(word)
    found = whisper.locate(at, at + len(word))
    assert found is not None
    spoken = next(each for each in speech.words if each.char_end > text.index(word))
    truth = 0.3 + (spoken.start + spoken.end) / 2 / voice.rate_hz
    assert sum(found) / 2 / 16_000 == pytest.approx(truth, abs=0.2)


@pytest.mark.parametrize(
    ("text", "hesitates"),
    [
        ("How far is it to, um,", True),
        ("Where can I, uh,", True),
        ("She lives in Berlin.", False),
        ("Where can I go?", False),
        ("Can you play some, um, music?", False),
        ("Tell me about, uh, horses.", False),
    ],
)
def test_an_um_is_held_likely_whatever_word_is_made_of_it(
    whisper: FasterWhisper, model_options: Callable[[str], Options], text: str, hesitates: bool
) -> None:
    spoken_to(whisper, piper.load(model_options("piper-en-joe")), text)
    heard = whisper.flush()
    said = is_hesitation(heard.text.split()[-1]) or heard.hesitation > 0.5
    assert said == hesitates, heard


def test_the_engine_writes_half_of_what_it_is_told(
    whisper: FasterWhisper, beckett: Samples
) -> None:
    """What `_longest` counts on."""
    whisper.open()
    whisper.feed(beckett[: 5 * 16_000])
    whisper.flush()
    assert whisper._decoded is not None
    written = whisper._model.generate(whisper._decoded.encoded, [[50257]], max_length=20)
    assert len(written[0].sequences_ids[0]) == 10


@pytest.mark.parametrize(
    ("language", "per_s"), [("en", 7), ("de", 7), ("zh", 12), ("yue", 12), ("ja", 12)]
)
@pytest.mark.parametrize("seconds", [0.5, 3, 8])
def test_who_speaks_fast_is_written_down_to_the_end(
    language: str, per_s: int, seconds: float
) -> None:
    times = 2
    assert faster_whisper._longest(seconds, language) / 2 >= per_s * seconds + times


def test_the_words_of_an_utterance_that_outgrew_the_store_are_dated_from_its_beginning(
    whisper: FasterWhisper, beckett: Samples
) -> None:
    whisper.open()
    whisper.feed(np.zeros(25 * 16_000, np.float32))
    whisper.feed(beckett[: 6 * 16_000])
    heard = whisper.flush().text
    at = heard.casefold().index("failed")
    found = whisper.locate(at, at + 6)
    assert found is not None
    assert 25 * 16_000 < found[0] < found[1] <= 31 * 16_000


def test_a_model_without_alignment_heads_does_not_tell(
    whisper: FasterWhisper, beckett: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Headless:
        def __init__(self, model: Any) -> None:
            self._model = model

        def __getattr__(self, name: str) -> Any:
            return getattr(self._model, name)

        def align(self, *_: Any) -> Any:
            raise RuntimeError("no alignment heads")

    whisper.open()
    whisper.feed(beckett[: 4 * 16_000])
    whisper.flush()
    monkeypatch.setattr(whisper, "_model", Headless(whisper._model))
    assert whisper.locate(0, 4) is None
