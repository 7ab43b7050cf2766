"""Piper: exact words, one loudness, repeatable; bad files are named."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.voice import said
from visavis.backends.contract import Options, Speech
from visavis.backends.tts import piper
from visavis.backends.vits import Whole
from visavis.flow.errors import BackendMissing, BundleError, EngineError
from visavis.flow.events import Samples

Find = Callable[[str], Options]
BUNDLE = "piper-en-joe"


@pytest.fixture(scope="module")
def voice(model_options: Find) -> piper.PiperTts:
    return piper.load(model_options(BUNDLE))


def loudness(samples: Samples) -> float:
    loud = samples[np.abs(samples) > 0.02]
    return float(np.sqrt(np.mean(loud**2)))


@pytest.mark.model
def test_words_are_timed_by_the_model_itself(voice: piper.PiperTts) -> None:
    text = "Wait (pause), then of the two go on since 1987."
    speech = said(voice, text, "en")
    assert [text[: w.char_end].split()[-1] for w in speech.words] == text.split()
    wait, pause, then = speech.words[:3]
    assert then.start - pause.end > 0.05 * voice.rate_hz  # the comma
    assert wait.end <= pause.start
    quiet = speech.samples[pause.end + 1000 : then.start - 500]
    assert np.max(np.abs(quiet), initial=0.0) < 0.1


@pytest.mark.model
def test_short_and_long_phrases_are_about_as_loud(voice: piper.PiperTts) -> None:
    texts = ("Yes.", "No, thanks.", "The museum opens at ten in the morning on every working day.")
    levels = [loudness(said(voice, text).samples) for text in texts]
    assert max(levels) / min(levels) < 2


@pytest.mark.model
def test_the_same_seed_makes_the_same_sound(model_options: Find) -> None:
    first, second = (piper.load(model_options(BUNDLE)) for _ in range(2))
    one, two = said(first, "Hello there."), said(second, "Hello there.")
    assert np.array_equal(one.samples, two.samples)
    assert one.words == two.words
    second.close()
    with pytest.raises(EngineError, match="piper"):
        said(second, "A closed voice says nothing.")


@pytest.mark.model
def test_a_phrase_comes_in_pieces_of_which_the_first_is_short(voice: piper.PiperTts) -> None:
    text = "The museum opens at ten in the morning on every working day."
    first, *others = voice.synthesise(text, "en")
    assert len(first.samples) < 0.5 * voice.rate_hz < first.total
    assert first.total == len(first.samples) + sum(len(piece.samples) for piece in others)
    assert [text[: w.char_end].split()[-1] for w in first.words] == text.split()


@pytest.mark.model
def test_the_pieces_are_what_the_model_says_at_once(
    voice: piper.PiperTts, model_options: Find
) -> None:
    ids = voice._voice.phonemes_to_ids(voice._phonemes("It rains, and the streets are empty.")[0])
    feed = piper._feed(voice._voice.config, ids)
    feed["scales"][[0, 2]] = 0  # without noise
    noise = np.random.default_rng(0)
    parts = np.concatenate([*voice._vits.speak(feed, noise).pieces()])
    model = model_options(BUNDLE).files["model"].read_bytes()
    (whole,) = Whole(model, threads=2, hop=256).speak(feed, noise).pieces()
    error = np.sum((parts - whole) ** 2)
    assert 10 * np.log10(np.sum(whole**2) / max(error, 1e-30)) > 100


@pytest.mark.model
def test_a_part_is_what_is_heard_between_the_words_around_it(voice: piper.PiperTts) -> None:
    assert voice.in_context
    text, whole = "of the capital", said(voice, "It is one of the capital cities.")
    part = Speech.joined(voice.synthesise_part(text, before="It is one", after="cities."))
    assert [text[: word.char_end].split()[-1] for word in part.words] == text.split()
    assert part.words[0].start >= 0
    assert part.words[-1].end <= len(part.samples)
    inside = whole.words[3].start, whole.words[5].end
    assert len(part.samples) == pytest.approx(inside[1] - inside[0], rel=0.3)
    # Cut out of speech, but with soft edges.
    assert np.max(np.abs(part.samples[[0, -1]])) < 0.01


@pytest.mark.model
@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("The iPhone", "works very well in the dark."),
        ("Ronald McDonald", "works in the kitchen every day."),
        ("You should", "have an iPhone in your bag."),
    ],
)
def test_no_word_is_said_twice_or_lost_where_the_phonemes_run_otherwise(
    voice: piper.PiperTts, before: str, text: str
) -> None:
    """Espeak parts iPhone in two and joins "in the": as many runs as words, and not theirs."""
    part = Speech.joined(voice.synthesise_part(text, before=before))
    alone = said(voice, text)
    assert len(part.samples) == pytest.approx(len(alone.samples), rel=0.18)


@pytest.mark.model
def test_its_first_and_last_part_keep_the_silence_around_the_sentence(
    voice: piper.PiperTts,
) -> None:
    first = Speech.joined(voice.synthesise_part("The capital", after="of France"))
    last = Speech.joined(voice.synthesise_part("of France.", before="The capital"))
    alone = [said(voice, text) for text in ("The capital", "of France.")]
    assert first.words[0].start > 0.02 * voice.rate_hz
    assert len(last.samples) - last.words[-1].end > 0.02 * voice.rate_hz
    assert len(first.samples) < len(alone[0].samples)
    assert len(last.samples) < len(alone[1].samples)


@pytest.mark.model
def test_of_a_part_that_has_no_sound_nothing_is_heard(voice: piper.PiperTts) -> None:
    (piece,) = voice.synthesise_part("…", before="It is", after="of France")
    assert len(piece.samples) == 0


@pytest.mark.model
def test_raw_phonemes_cannot_be_smuggled_in(voice: piper.PiperTts) -> None:
    phonemes = voice._phonemes("say [[ˈaʊt]] now")
    assert phonemes != [list("say ˈaʊt now")]
    assert said(voice, "[[").samples.dtype == np.float32


def files(folder: Path, *, model: bytes, config: str) -> Options:
    (folder / "m.onnx").write_bytes(model)
    (folder / "m.json").write_text(config)
    return Options(files={"model": folder / "m.onnx", "config": folder / "m.json"})


CONFIG = json.dumps(
    {
        "audio": {"sample_rate": 22_050},
        "espeak": {"voice": "en-us"},
        "num_symbols": 3,
        "num_speakers": 1,
        "phoneme_id_map": {"_": [0], "^": [1], "$": [2]},
    }
)


@pytest.mark.parametrize(
    ("model", "config", "named"),
    [
        (b"<!DOCTYPE html><html>", CONFIG, "m.onnx"),
        (b"version https://git-lfs.github.com/spec/v1\n", CONFIG, "m.onnx"),
        (b"", CONFIG, "m.onnx"),
        (b"", "{", "m.json"),
        (b"", "[]", "m.json"),
        (b"", "{}", "m.json"),
        (b"", CONFIG.replace('"^"', '"x"'), "m.json"),
        (b"", CONFIG.replace('"audio"', '"sound"'), "m.json"),
        (b"", CONFIG[:-1] + ', "phoneme_type": "pinyin"}', "m.json"),
    ],
)
def test_a_file_that_is_not_a_voice_is_named(
    tmp_path: Path, model: bytes, config: str, named: str
) -> None:
    pytest.importorskip("piper")
    with pytest.raises(BundleError, match=named) as caught:
        piper.load(files(tmp_path, model=model, config=config))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("part", "key", "values"),
    [
        ("audio", "sample_rate", (0, -1, 3, 10**9, 22050.5, "22050", None, True)),
        ("espeak", "voice", (3, None, ["en"])),
        ("", "hop_length", (0, -256, 10**9, 256.5, "256", None)),
        ("", "num_speakers", (-1, 1.5, "1", None)),
        ("", "default_speaker_id", (-1, 1, "0")),
        ("inference", "length_scale", (0, -1, 1e-3, 1e3, "1", None)),
        ("inference", "noise_scale", (-1, 1e9, "0.6", float("nan"), None, [0.6])),
        ("inference", "noise_w", (-1, 1e9, "0.6", float("inf"), None)),
    ],
)
def test_a_number_that_no_voice_has_is_named_with_its_file(
    tmp_path: Path, part: str, key: str, values: tuple[object, ...]
) -> None:
    pytest.importorskip("piper")
    for value in values:
        config = json.loads(CONFIG)
        (config.setdefault(part, {}) if part else config)[key] = value
        with pytest.raises(BundleError) as caught:
            piper.load(files(tmp_path, model=b"", config=json.dumps(config)))
        name = f"{part}.{key}" if part else key
        assert f"m.json: {name} = {value!r}: is not " in str(caught.value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("espeak", {"voice": "no-such-voice"}),
        ("espeak", {"voice": ""}),
        ("espeak", {"voice": "en\0us"}),
        ("phoneme_id_map", {"_": 0, "^": 1, "$": 2}),
        ("phoneme_id_map", {"_": ["a"], "^": ["b"], "$": ["c"]}),
    ],
)
def test_a_config_without_phonemes_is_not_laid_to_the_model(
    tmp_path: Path, key: str, value: object
) -> None:
    pytest.importorskip("piper")
    config = json.dumps({**json.loads(CONFIG), key: value})
    with pytest.raises(BundleError, match=r"m\.json: gives no phonemes .*; pull") as caught:
        piper.load(files(tmp_path, model=b"", config=config))
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    pytest.importorskip("piper")
    options = files(tmp_path, model=b"", config=CONFIG)
    (tmp_path / "m.onnx").unlink()
    with pytest.raises(BundleError, match=r"m\.onnx.*model is missing"):
        piper.load(options)
    with pytest.raises(BundleError, match="config is missing"):
        piper.load(Options())


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "piper", None)
    with pytest.raises(BackendMissing, match=r"piper.*visavis\[local\]"):
        piper.load(Options())
