"""Piper: a neural voice on the CPU (VITS in ONNX, phonemes by espeak-ng).

Takes a voice's `model` and `config`. The model's own phoneme durations are asked for as a second
output, so the word times are exact. One loudness for the whole voice: each sentence scaled to its
own peak, as is Piper's habit, makes short answers shout.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from visavis.backends.contract import Options, Speech
from visavis.flow.errors import BackendMissing, BundleError, EngineError
from visavis.flow.events import Samples, WordTime

DURATIONS = b"/Ceil_output_0"
"""The tensor with the frames of each phoneme, in every voice that Piper's own export made."""
WARM_UP = ("Yes.", "The quick brown fox jumps over the lazy dog.", "What is the time, please?")
PEAK = 0.8
"""Of the loudest of them; leaves room for what is louder still."""
PULL = "pull the bundle again"
SILENT = frozenset(' .,;:!?"()¡¿—…')

Phone = tuple[str, int]
"""A phoneme (empty: the sentence's begin or end) and its samples."""


class PiperTts:
    """One voice. `synthesise` blocks for about a tenth of the sound's length on one core."""

    def __init__(self, voice: Any, *, timed: bool) -> None:
        self.rate_hz: int = voice.config.sample_rate
        self.languages = (re.split(r"[-_]", voice.config.espeak_voice)[0],)
        self._voice = voice
        self._timed = timed
        self._gain = 1.0
        peaks = [np.max(np.abs(self.synthesise(text).samples), initial=0.0) for text in WARM_UP]
        self._gain = PEAK / float(max(peaks)) if max(peaks) > 0 else 1.0

    def synthesise(self, text: str, language: str = "") -> Speech:
        try:
            sentences = [self._sentence(phonemes) for phonemes in self._phonemes(text) if phonemes]
            words = self._words(text, [phone for _, phones in sentences for phone in phones])
        except Exception as error:
            raise EngineError(f"piper: cannot speak ({error})") from error
        if not sentences:
            return Speech(np.zeros(0, np.float32))
        samples = np.concatenate([sound for sound, _ in sentences]) * np.float32(self._gain)
        return Speech(np.clip(samples, -1.0, 1.0), words)

    def close(self) -> None:
        self._voice.session = None

    def _phonemes(self, text: str) -> list[list[str]]:
        # Between [[ and ]] Piper takes raw phonemes; what a model writes is text.
        plain = text.replace("[[", " ").replace("]]", " ").replace("\0", " ")
        plain = plain.encode("utf-8", "ignore").decode()
        phonemes: list[list[str]] = self._voice.phonemize(plain)
        return phonemes

    def _sentence(self, phonemes: list[str]) -> tuple[Samples, list[Phone]]:
        ids = self._voice.phonemes_to_ids(phonemes)
        result = self._voice.phoneme_ids_to_audio(ids, include_alignments=self._timed)
        audio, counts = result if self._timed else (result, None)
        samples = np.asarray(audio, np.float32).reshape(-1)
        return samples, [] if counts is None else self._share(phonemes, counts.reshape(-1).tolist())

    def _share(self, phonemes: list[str], counts: list[int]) -> list[Phone]:
        """Adds up the samples of each phoneme's ids and the padding behind them."""
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
    session = _session(onnxruntime, _file(options, "model"), int(settings.get("threads", 2)))
    timed = len(session.get_outputs()) > 1
    return PiperTts(PiperVoice(session=session, config=config), timed=timed)


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


def _session(onnxruntime: Any, path: Path, threads: int) -> Any:
    """The model in memory, without an arena (-60 MB) and without threads that spin when idle."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(
            _with_durations(path.read_bytes()), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        raise BundleError(path, "is not a Piper voice", PULL) from error
    session._model_bytes = None  # else the 60 MB are kept for a fallback to other hardware
    return session


def _with_durations(model: bytes) -> bytes:
    """The model with the phoneme durations among its outputs, where it has them inside.

    Protocol buffers merge a field that is given twice, so one more `graph` (field 7) behind the
    model, which holds nothing but an `output` (12) with its `name` (1), adds that output.
    """
    if DURATIONS not in model:
        return model
    name = b"\x0a" + bytes([len(DURATIONS)]) + DURATIONS
    output = b"\x62" + bytes([len(name)]) + name
    return model + b"\x3a" + bytes([len(output)]) + output
