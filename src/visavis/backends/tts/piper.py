"""Piper: a neural voice on the CPU (VITS in ONNX, phonemes by espeak-ng).

Takes a voice's `model` and `config`. It speaks in pieces as they are made (backends/vits.py); the
model tells its phonemes' durations, so the word times are exact, and a part of a sentence can be
cut out of what it says with the words around it. The same text is the same sound each time: the
noise is drawn from the seed, the take and the phonemes. One loudness for the whole voice: each
sentence scaled to its own peak, as is Piper's habit, makes short answers shout.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from visavis.backends.contract import Options, Speech
from visavis.backends.settings import (
    MOST_RATE_HZ,
    MOST_SEED,
    MOST_THREADS,
    SPEEDS,
    Settings,
)
from visavis.backends.vits import Feed, Utterance, Vits, open_vits
from visavis.backends.word_times import Phone, word_times
from visavis.flow.errors import BackendMissing, BundleError, EngineError
from visavis.flow.events import Samples, WordTime

WARM_UP = ("Yes.", "The quick brown fox jumps over the lazy dog.", "What is the time, please?")
PEAK = 0.8
"""Of the loudest of them; leaves room for what is louder still."""
PROBE = WARM_UP[-1]
AROUND = 20
"""Words before and after a part that matter to how it sounds."""
MOST_KNOWN = 2_048
SEAM_MS = 4
"""Two parts of a sentence fade in and out so long where they meet: no click."""
PULL = "pull the bundle again"
LEAST_RATE_HZ, MOST_HOP, MOST_SPEAKERS, MOST_NOISE = 4_000, 65_536, 100_000, 10.0
SLOWNESS = (0.1, 10.0)


@dataclass(frozen=True, slots=True)
class _Part:
    """What is to be heard of a sound: its samples, and its words, both counted from its begin."""

    begin: int
    end: int
    words: tuple[WordTime, ...]
    cut_before: bool
    cut_after: bool

    @property
    def length(self) -> int:
        return self.end - self.begin

    @classmethod
    def of(cls, words: Sequence[WordTime], first: int, last: int, length: int) -> _Part:
        """The words of the characters [`first`, `last`); cut halfway to the word beyond."""
        before = [word for word in words if word.char_end <= first]
        after = [word for word in words if word.char_end > last]
        inside = words[len(before) : len(words) - len(after)]
        if (before or after) and not inside:
            return cls(0, 0, (), False, False)
        begin, end = 0, length
        if before:
            begin = (before[-1].end + inside[0].start) // 2
        if after:
            end = (inside[-1].end + after[0].start) // 2
        moved = tuple(
            WordTime(word.start - begin, word.end - begin, word.char_end - first) for word in inside
        )
        return cls(begin, end, moved, begin > 0, end < length)


class PiperTts:
    """One voice. The first piece takes a third of the time that the whole does.

    The whole takes about a tenth of its sound's length on one core.
    """

    def __init__(self, voice: Any, vits: Vits, seed: int = 0) -> None:
        self.rate_hz: int = voice.config.sample_rate
        self.languages: tuple[str, ...] = (re.split(r"[-_]", voice.config.espeak_voice)[0],)
        self._voice = voice
        self._vits = vits
        self._seed = seed
        self._known: dict[str, Sequence[str]] = {}
        self.in_context = False
        self._gain = 1.0
        speeches = [Speech.joined(self.synthesise(text)) for text in WARM_UP]
        peaks = [float(np.max(np.abs(speech.samples), initial=0.0)) for speech in speeches]
        self._gain = PEAK / max(peaks) if max(peaks) > 0 else 1.0
        # Without durations nobody knows where a part ends.
        self.in_context = all(speech.words for speech in speeches)

    def synthesise(self, text: str, language: str = "") -> Iterator[Speech]:
        return self.synthesise_part(text, language)

    def synthesise_part(
        self, text: str, language: str = "", *, before: str = "", after: str = ""
    ) -> Iterator[Speech]:
        return self._tried(before, text, after)

    def synthesise_take(self, text: str, language: str = "", *, take: int) -> Iterator[Speech]:
        return self._tried("", text, "", take)

    def _tried(self, before: str, text: str, after: str, take: int = 0) -> Iterator[Speech]:
        try:
            yield from self._speak(before, text, after, take)
        except Exception as error:
            raise EngineError(f"piper: cannot speak ({error})") from error

    def close(self) -> None:
        self._vits.close()

    def _speak(self, before: str, text: str, after: str, take: int) -> Iterator[Speech]:
        before = " ".join(before.split()[-AROUND:] * self.in_context)
        after = " ".join(after.split()[:AROUND] * self.in_context)
        first = len(before) + bool(before)
        whole = " ".join(part for part in (before, text, after) if part)
        spoken = [(one, self._sentence(one, take)) for one in self._phonemes(whole)]
        phones = [phone for phonemes, said in spoken for phone in self._share(phonemes, said)]
        sayings = [said for _, said in spoken]
        words = word_times(whole, phones, self._alone)
        part = _Part.of(words, first, first + len(text), sum(said.length for said in sayings))
        begun = False
        for samples in self._faded(part, _between(sayings, part.begin, part.end)):
            loud = np.clip(samples * np.float32(self._gain), -1.0, 1.0)
            yield Speech(loud) if begun else Speech(loud, part.words, part.length)
            begun = True
        if not begun:
            yield Speech(np.zeros(0, np.float32), part.words)

    def _faded(self, part: _Part, pieces: Iterable[Samples]) -> Iterator[Samples]:
        """The pieces, with soft edges where the part was cut out of more."""
        size = self.rate_hz * SEAM_MS // 1000
        at = 0
        for samples in pieces:
            places = np.arange(at, at + len(samples), dtype=np.float32)
            at += len(samples)
            loudness = np.ones(len(samples), np.float32)
            if part.cut_before:
                loudness *= np.minimum(places / size, 1)
            if part.cut_after:
                loudness *= np.minimum((part.length - places) / size, 1)
            yield samples * loudness

    def _phonemes(self, text: str) -> list[list[str]]:
        # Between [[ and ]] Piper takes raw phonemes; what a model writes is text.
        plain = text.replace("[[", " ").replace("]]", " ").replace("\0", " ")
        plain = plain.encode("utf-8", "ignore").decode()
        return [sentence for sentence in self._voice.phonemize(plain) if sentence]

    def _alone(self, word: str) -> Sequence[str]:
        """The phonemes of a word by itself: 0.1 ms, of words that come again nothing."""
        if word not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[word] = [p for sentence in self._phonemes(word) for p in sentence]
        return self._known[word]

    def _sentence(self, phonemes: list[str], take: int) -> Utterance:
        ids = self._voice.phonemes_to_ids(phonemes)
        noise = np.random.default_rng([self._seed % 2**32, take, *ids])
        return self._vits.speak(_feed(self._voice.config, ids), noise)

    def _share(self, phonemes: list[str], said: Utterance) -> list[Phone]:
        """Adds up the samples of each phoneme's ids and the padding behind them."""
        if said.durations is None:
            return []
        counts: list[int] = said.durations.tolist()
        known: Mapping[str, Sequence[int]] = self._voice.config.phoneme_id_map
        sizes = [len(known[p]) + len(known["_"]) if p in known else 0 for p in phonemes]
        places = list(accumulate(sizes, initial=len(known["^"]) + len(known["_"])))
        spoken = [sum(counts[i:j]) for i, j in pairwise(places)]
        head, tail = sum(counts[: places[0]]), sum(counts[places[-1] :])
        return [("", head), *zip(phonemes, spoken, strict=True), ("", tail)]


def _between(sayings: Sequence[Utterance], begin: int, end: int) -> Iterator[Samples]:
    """The samples [`begin`, `end`) of the utterances, one after the other."""
    at = 0
    for said in sayings:
        if begin < at + said.length and at < end:
            yield from said.pieces(max(begin - at, 0), end - at)
        at += said.length


def load(options: Options) -> PiperTts:
    """Files `model` and `config`; settings `threads` (2), `speed` (1.0; 0.25 to 4), `seed` (0)."""
    try:
        import onnxruntime
        from piper import PiperVoice
        from piper.config import PiperConfig
    except ImportError as error:
        raise BackendMissing("piper", error.name or "piper-tts", "local") from error
    settings = Settings("tts/piper", options.settings)
    speed = settings.number("speed", 1.0, *SPEEDS)
    seed = settings.whole("seed", 0, 0, MOST_SEED)
    threads = settings.whole("threads", 2, 0, MOST_THREADS)
    path = _file(options, "config")
    config = _config(path, PiperConfig)
    config.length_scale /= speed
    onnxruntime.set_seed(seed)  # for a voice that stays whole: the same calls, the same sound
    voice = PiperVoice(session=None, config=config)
    probe = _probe(path, voice)
    vits = _open(_file(options, "model"), probe, threads, config.hop_length)
    return PiperTts(voice, vits, seed)


def _file(options: Options, role: str) -> Path:
    path = options.files.get(role)
    if path is None or not path.is_file():
        raise BundleError(path or "piper", f"the voice's {role} is missing", PULL)
    return path


def _config(path: Path, config_class: Any) -> Any:
    try:
        given = json.loads(path.read_text("utf-8"))
        config = config_class.from_dict(given)
        kind = given.get("phoneme_type", "espeak")
        if not {"_", "^", "$"} <= set(config.phoneme_id_map):
            raise ValueError("a mark is missing in phoneme_id_map")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BundleError(path, "is not a Piper voice's config", PULL) from error
    _check(path, config)
    if kind not in {"espeak", "text"}:
        raise BundleError(path, f"its phonemes are of the kind {kind!r}", "choose an espeak voice")
    return config


def _check(path: Path, config: Any) -> None:
    """Refuses what the model would take without a word, or not take and be blamed for."""
    given = {
        "audio.sample_rate": config.sample_rate,
        "espeak.voice": config.espeak_voice,
        "hop_length": config.hop_length,
        "num_speakers": config.num_speakers,
        "default_speaker_id": config.default_speaker_id,
        "inference.length_scale": config.length_scale,
        "inference.noise_scale": config.noise_scale,
        "inference.noise_w": config.noise_w_scale,
    }
    said = Settings(str(path), given, PULL)
    said.whole("audio.sample_rate", 0, LEAST_RATE_HZ, MOST_RATE_HZ)
    said.text("espeak.voice")
    said.whole("hop_length", 0, 1, MOST_HOP)
    speakers = said.whole("num_speakers", 0, 0, MOST_SPEAKERS)
    said.whole("default_speaker_id", 0, 0, max(speakers - 1, 0))
    said.number("inference.length_scale", 1.0, *SLOWNESS)
    said.number("inference.noise_scale", 0.0, 0, MOST_NOISE)
    said.number("inference.noise_w", 0.0, 0, MOST_NOISE)


def _probe(path: Path, voice: Any) -> Feed:
    """What the model is tried with. What fails here is no fault of the model's."""
    try:
        return _feed(voice.config, voice.phonemes_to_ids(voice.phonemize(PROBE)[0]))
    except Exception as error:
        problem = f"gives no phonemes with the voice {voice.config.espeak_voice!r} ({error})"
        raise BundleError(path, problem, PULL) from error


def _open(path: Path, probe: Feed, threads: int, hop: int) -> Vits:
    try:
        return open_vits(path.read_bytes(), probe, threads=threads, hop=hop)
    except Exception as error:
        raise BundleError(path, "is not a Piper voice", PULL) from error


def _feed(config: Any, ids: list[int]) -> Feed:
    """The model's inputs."""
    scales = (config.noise_scale, config.length_scale, config.noise_w_scale)
    feed: Feed = {
        "input": np.array([ids], np.int64),
        "input_lengths": np.array([len(ids)], np.int64),
        "scales": np.array(scales, np.float32),
    }
    if config.num_speakers > 1:
        return {**feed, "sid": np.array([config.default_speaker_id], np.int64)}
    return feed
