"""eSpeak NG: a small formant voice in many languages, for when the better voice fails.

Takes the library from the package `espeakng-loader`, or the system's own. Its word events give
exact word times. The library keeps its state in globals: all instances share one lock.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import threading
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from visavis.backends.contract import Options, Speech
from visavis.backends.settings import MOST_RATE_HZ, SPEEDS, Settings
from visavis.flow.errors import BackendMissing, EngineError, InputError
from visavis.flow.events import Samples, WordTime

# The library's constants (speak_lib.h).
_SYNCHRONOUS, _DONT_EXIT, _CHARS_UTF8, _RATE = 2, 0x8000, 1, 1
_END_OF_EVENTS, _WORD = 0, 1
NORMAL_WPM = 175
PAUSE_MS = 150
"""Behind each phrase: the library itself ends with the last sound."""
VOICES = {"zh": "cmn", "en": "en-us"}
"""Where the voice is not named after the language."""

_lock = threading.Lock()


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),  # of the character, from 1
        ("length", ctypes.c_int),
        ("audio_position_ms", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", ctypes.c_void_p),
    )


class _Voice(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("languages", ctypes.c_char_p),  # a priority byte before the first
        ("identifier", ctypes.c_char_p),
        ("rest", ctypes.c_byte * 24),
    )


_Callback = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event)
)


class EspeakTts:
    """Speaks any of its `languages`, at `rate_hz` (0 = the library's own)."""

    def __init__(self, library: Any, data: str | None, rate_hz: int, speed: float) -> None:
        self._library = library
        self._own_hz: int
        self.rate_hz: int
        path = None if data is None else data.encode()
        with _lock:
            self._own_hz = library.espeak_Initialize(_SYNCHRONOUS, 0, path, _DONT_EXIT)
            if self._own_hz <= 0:
                raise InputError(
                    data or "espeak-ng", "its voice data cannot be read", "reinstall it"
                )
            library.espeak_SetParameter(_RATE, int(NORMAL_WPM * speed), 0)
            self.languages = _languages(library)
        self.rate_hz = rate_hz or self._own_hz

    def synthesise(self, text: str, language: str = "") -> list[Speech]:
        language = language.partition("-")[0] or "en"
        with _lock:
            samples, starts = self._speak(text, VOICES.get(language, language))
        words = _words(text, starts, len(samples))
        samples = np.pad(samples, (0, self._own_hz * PAUSE_MS // 1000))
        return [Speech(*self._at_rate(samples, words))]  # all of it takes a few milliseconds

    def close(self) -> None:
        """The library stays: it may have other users."""

    def _speak(self, text: str, voice: str) -> tuple[Samples, list[tuple[int, int]]]:
        """The sound, and of each word its first sample and first character."""
        pieces: list[Samples] = []
        starts: list[tuple[int, int]] = []

        def take(wave: Any, count: int, events: Any) -> int:
            if wave and count > 0:
                piece = np.ctypeslib.as_array(wave, (count,)).astype(np.float32)
                pieces.append(piece / np.float32(32_768))
            i = 0
            while events[i].type != _END_OF_EVENTS:
                if events[i].type == _WORD:
                    starts.append((events[i].sample, events[i].text_position - 1))
                i += 1
            return 0

        if self._library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise EngineError(f"espeak: has no voice {voice!r}")
        callback = _Callback(take)
        self._library.espeak_SetSynthCallback(callback)
        encoded = text.replace("\0", " ").encode("utf-8", "ignore") + b"\0"
        failed = self._library.espeak_Synth(
            encoded, ctypes.c_size_t(len(encoded)), 0, 1, 0, _CHARS_UTF8, None, None
        )
        if failed:
            raise EngineError(f"espeak: cannot speak (error {failed})")
        return np.concatenate(pieces or [np.zeros(0, np.float32)]), starts

    def _at_rate(
        self, samples: Samples, words: Sequence[WordTime]
    ) -> tuple[Samples, tuple[WordTime, ...]]:
        if self.rate_hz == self._own_hz:
            return samples, tuple(words)
        import soxr

        to, own = self.rate_hz, self._own_hz
        moved = np.asarray(soxr.resample(samples, own, to), np.float32)
        return moved, tuple(
            WordTime(w.start * to // own, w.end * to // own, w.char_end) for w in words
        )


def _words(text: str, starts: Sequence[tuple[int, int]], length: int) -> tuple[WordTime, ...]:
    """Each word lasts until the next begins, and takes the text up to there."""
    borders: list[tuple[int, int]] = []
    for sample, char in [*starts, (length, len(text))]:
        inside = char < len(text) and text[max(char - 1, 0) : char + 1].isdigit()
        # A number is read as many words; all of them are one.
        if not borders or (char > borders[-1][1] and not inside):
            borders.append((sample, char))
    return tuple(
        WordTime(sample, max(following, sample), char)
        for (sample, _), (following, char) in pairwise(borders)
    )


def _languages(library: Any) -> tuple[str, ...]:
    library.espeak_ListVoices.restype = ctypes.POINTER(ctypes.POINTER(_Voice))
    voices = library.espeak_ListVoices(None)
    found = set()
    i = 0
    while voices[i]:
        found.add(voices[i].contents.languages[1:].split(b"\0")[0].decode().partition("-")[0])
        i += 1
    named = {language for language, voice in VOICES.items() if voice.partition("-")[0] in found}
    return tuple(sorted(found | named))


def load(options: Options) -> EspeakTts:
    """Settings `rate_hz` (0 = the library's own) and `speed` (1.0; 0.25 to 4)."""
    settings = Settings("tts/espeak", options.settings)
    rate_hz = settings.whole("rate_hz", 0, 0, MOST_RATE_HZ)
    speed = settings.number("speed", 1.0, *SPEEDS)
    path, data = _find()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise BackendMissing("espeak", f"espeak-ng ({error})", "local") from error
    return EspeakTts(library, data, rate_hz, speed)


def _find() -> tuple[str, str | None]:
    """The library, and its voice data if not where the library itself looks."""
    try:
        import espeakng_loader
    except ImportError as error:
        path = ctypes.util.find_library("espeak-ng")
        if path is None:
            raise BackendMissing("espeak", "espeakng-loader", "local") from error
        return path, None
    return espeakng_loader.get_library_path(), espeakng_loader.get_data_path()
