"""Piper: a neural voice on the CPU (VITS in ONNX, phonemes by espeak-ng).

Takes a voice's `model` and `config`. It speaks in pieces as they are made (backends/vits.py); the
model tells its phonemes' durations, so the word times are exact. One loudness for the whole voice:
each sentence scaled to its own peak, as is Piper's habit, makes short answers shout.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from visavis.backends.contract import Options, Speech
from visavis.backends.vits import Feed, Utterance, Vits, open_vits
from visavis.flow.errors import BackendMissing, BundleError, EngineError
from visavis.flow.events import WordTime

WARM_UP = ("Yes.", "The quick brown fox jumps over the lazy dog.", "What is the time, please?")
PEAK = 0.8
"""Of the loudest of them; leaves room for what is louder still."""
PROBE = WARM_UP[-1]
PULL = "pull the bundle again"
SILENT = frozenset(' .,;:!?"()¡¿—…')

Phone = tuple[str, int]
"""A phoneme (empty: the sentence's begin or end) and its samples."""


class PiperTts:
    """One voice. The first piece takes a third of the time that the whole does.

    The whole takes about a tenth of its sound's length on one core.
    """

    def __init__(self, voice: Any, vits: Vits) -> None:
        self.rate_hz: int = voice.config.sample_rate
        self.languages = (re.split(r"[-_]", voice.config.espeak_voice)[0],)
        self._voice = voice
        self._vits = vits
        self._gain = 1.0
        sounds = [Speech.joined(self.synthesise(text)).samples for text in WARM_UP]
        peaks = [float(np.max(np.abs(sound), initial=0.0)) for sound in sounds]
        self._gain = PEAK / max(peaks) if max(peaks) > 0 else 1.0

    def synthesise(self, text: str, language: str = "") -> Iterator[Speech]:
        try:
            yield from self._speak(text)
        except Exception as error:
            raise EngineError(f"piper: cannot speak ({error})") from error

    def close(self) -> None:
        self._vits.close()

    def _speak(self, text: str) -> Iterator[Speech]:
        spoken = [(phonemes, self._sentence(phonemes)) for phonemes in self._phonemes(text)]
        phones = [phone for phonemes, said in spoken for phone in self._share(phonemes, said)]
        words = self._words(text, phones)
        total = sum(said.length for _, said in spoken)
        pieces = chain.from_iterable(said.pieces for _, said in spoken)
        for i, samples in enumerate(chain(pieces, [np.zeros(0, np.float32)] * (not total))):
            loud = np.clip(samples * np.float32(self._gain), -1.0, 1.0)
            yield Speech(loud) if i else Speech(loud, words, total)

    def _phonemes(self, text: str) -> list[list[str]]:
        # Between [[ and ]] Piper takes raw phonemes; what a model writes is text.
        plain = text.replace("[[", " ").replace("]]", " ").replace("\0", " ")
        plain = plain.encode("utf-8", "ignore").decode()
        return [sentence for sentence in self._voice.phonemize(plain) if sentence]

    def _sentence(self, phonemes: list[str]) -> Utterance:
        ids = self._voice.phonemes_to_ids(phonemes)
        return self._vits.speak(_feed(self._voice.config, ids))

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

    def _words(self, text: str, phones: Sequence[Phone]) -> tuple[WordTime, ...]:
        """The times of the words of `text`, from those of its phonemes."""
        ends = [m.end() for m in re.finditer(r"\S+", text) if any(c.isalnum() for c in m[0])]
        sounds, firsts = _sounding(phones)
        if not sounds or not ends:
            return ()
        if len(firsts) != len(ends):  # "of the" is one run of phonemes, "1987" several
            firsts = self._borders(text, firsts, len(sounds))
        lasts = [*(max(i - 1, 0) for i in firsts[1:]), len(sounds) - 1]
        return tuple(
            WordTime(sounds[i][0], max(sounds[i][0], sounds[j][1]), end)
            for i, j, end in zip(firsts, lasts, ends, strict=True)
        )

    def _borders(self, text: str, firsts: Sequence[int], count: int) -> list[int]:
        """The first phoneme of each word: each takes as many as it has when it stands alone.

        Its end is moved to a space of the phonemes that is near; what is left is shared anew.
        """
        words = [word for word in text.split() if any(c.isalnum() for c in word)]
        alone = [max(sum(map(len, self._phonemes(word))), 1) for word in words]
        borders, left = [0], sum(alone)
        for size in alone[:-1]:
            at = borders[-1] + size * (count - borders[-1]) // left
            left -= size
            near = _nearest(firsts, at)
            fits = near > borders[-1] and abs(near - at) <= max(size // 3, 1)
            borders.append(near if fits else at)
        return borders


def _nearest(places: Sequence[int], at: int) -> int:
    return min(places, key=lambda place: abs(place - at))


def _sounding(phones: Sequence[Phone]) -> tuple[list[tuple[int, int]], list[int]]:
    """Begin and end of each phoneme that sounds, and which of them follow a silent one."""
    sounds: list[tuple[int, int]] = []
    firsts: list[int] = []
    at, silent = 0, True
    for phoneme, count in phones:
        if phoneme and phoneme not in SILENT:
            if silent:
                firsts.append(len(sounds))
            sounds.append((at, at + count))
        silent = not phoneme or phoneme in SILENT
        at += count
    return sounds, firsts


def load(options: Options) -> PiperTts:
    """Files `model` and `config`; settings `threads` (2), `speed` (1.0), `seed` (0)."""
    try:
        import onnxruntime
        from piper import PiperVoice
        from piper.config import PiperConfig
    except ImportError as error:
        raise BackendMissing("piper", error.name or "piper-tts", "local") from error
    settings = options.settings
    config = _config(_file(options, "config"), PiperConfig)
    config.length_scale /= float(settings.get("speed", 1.0))
    onnxruntime.set_seed(int(settings.get("seed", 0)))  # the same calls, the same sound
    voice = PiperVoice(session=None, config=config)
    return PiperTts(voice, _open(_file(options, "model"), voice, int(settings.get("threads", 2))))


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
    if kind not in {"espeak", "text"}:
        raise BundleError(path, f"its phonemes are of the kind {kind!r}", "choose an espeak voice")
    return config


def _open(path: Path, voice: Any, threads: int) -> Vits:
    config = voice.config
    try:
        probe = _feed(config, voice.phonemes_to_ids(voice.phonemize(PROBE)[0]))
        return open_vits(path.read_bytes(), probe, threads=threads, hop=config.hop_length)
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
