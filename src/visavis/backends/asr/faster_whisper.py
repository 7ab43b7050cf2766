"""Whisper through CTranslate2: the engine of faster-whisper, called directly.

Takes 16 kHz mono samples of one utterance, gives hypotheses. Whisper was made for 30 s; here the
encoder gets the speech and some silence, 8 s at least, and the decoder writes time stamps, which
tell it where to stop. That takes a third of the time and is as accurate: tiny.en got 11 of 245
words in 60 short phrases wrong, and 10 with 30 s. (With less than 8 s, or without time stamps, a
quarter to a half of the phrases loop.) What looks wrong is recognised again with the full 30 s,
in `flush` only. Long pauses are shortened before, see pauses.py. Invariant: nothing is said where
nothing was heard; see backends/invention.py.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.backends import invention
from visavis.backends.asr.hesitation import Hesitations, Suspicion
from visavis.backends.asr.pauses import shortened
from visavis.backends.asr.word_times import Decoded
from visavis.backends.contract import Asr, Hypothesis, Options
from visavis.backends.invention import Evidence
from visavis.backends.log_mel import HOP, WINDOW, log_mel
from visavis.backends.settings import MOST_THREADS, Settings
from visavis.flow.errors import BackendMissing, BundleError
from visavis.flow.events import INPUT_RATE_HZ, Samples

FULL_FRAMES = 3_000
SHORT_FRAMES = 800
PADDING_FRAMES = 200
CAPACITY = 29 * INPUT_RATE_HZ
# Less than this holds no word.
MIN_SAMPLES = INPUT_RATE_HZ // 10
SILENCE_LEVEL = -1.5
# English needs up to seven tokens a second; Chinese up to two a character, of which people speak
# six a second. The engine is told twice the number that it may write.
TOKENS_PER_S, TOKENS_PER_S_OF_CHARACTERS, LEAST_TOKENS = 7, 14, 8
WRITTEN_IN_CHARACTERS = frozenset(("zh", "yue", "ja", "ko"))
TIMES_PER_S = 50
# A segment that is said begins 0.04 s before the end of the sound at the latest, by its time stamp;
# one that is told again 0.67 s behind it at the earliest (630 recognitions).
BEHIND_S = 0.3
# Recognising a long utterance takes long, so its partial words come less often.
PARTIAL_SHARE = 12
# A word that the decoder holds so likely behind a hesitation is one. Of 38 that were none the
# likeliest got 0.07; of 23 that were, and well heard, the least 0.2 (0 to 0.07: "Mtokio", "unsee").
SUSPICIOUS, FOLLOWED = 0.2, 0.1
# Of the 448 that the decoder has places for, less the prompt.
MAX_TOKENS = 440
MOST_PARTIAL_MS = 60_000


class FasterWhisper:
    """One utterance at a time, recognised anew each time with all that was fed."""

    def __init__(
        self,
        folder: Path,
        *,
        threads: int = 0,
        compute_type: str = "int8",
        language: str = "",
        among: Sequence[str] = (),
        partial_ms: int = 480,
    ) -> None:
        self._model, self._tokenizer = _open_model(folder, threads, compute_type)
        self.languages: tuple[str, ...] = self._languages()
        for name in (language, *among):
            if name and name not in self.languages:
                known = ", ".join(self.languages)
                raise BundleError(f"language {name!r}", "not known to Whisper", f"known: {known}")
        self._language = language or ("" if self._model.is_multilingual else "en")
        self._among = frozenset(among or self.languages)
        self._end_of_text = self._token("<|endoftext|>")
        self._zero_time = self._token("<|notimestamps|>") + 1
        self._hesitations = Hesitations(self._write, self._read)
        self._partial = partial_ms * INPUT_RATE_HZ // 1_000
        self._store = np.zeros(CAPACITY, np.float32)
        self.open()

    def open(self) -> None:
        """Begins an utterance."""
        self._count = 0
        self._recognised = 0
        self._flushed: Hypothesis | None = None
        self._decoded: Decoded | None = None
        self._suspicion = Suspicion()  # of the newest decoding
        self._lost = 0  # samples since the beginning that are not kept any more

    def feed(self, samples: Samples) -> Hypothesis | None:
        """Adds samples, of which the newest 29 s count; recognises every `partial_ms` of them."""
        self._keep(samples)
        if self._count - self._recognised < max(self._partial, self._count // PARTIAL_SHARE):
            return None
        self._recognised = self._count
        return self._recognise(careful=False)

    def flush(self) -> Hypothesis:
        """Recognises all that was fed."""
        if self._flushed is None:
            self._recognised = self._count
            self._flushed = self._recognise(careful=True) or Hypothesis("")
        return self._flushed

    def locate(self, start: int, end: int) -> tuple[int, int] | None:
        """In 12 ms for a short phrase; see word_times.py."""
        if self._flushed is None or self._decoded is None:
            return None
        span = self._decoded.span(self._model, self._text, self._flushed.text, start, end)
        return (span[0] + self._lost, span[1] + self._lost) if span is not None else None

    def close(self) -> None:
        """Gives the memory of the weights back."""
        self._model.unload_model()

    # ── recognition ──────────────────────────────────────────────────────────────────────────

    def _recognise(self, *, careful: bool) -> Hypothesis | None:
        samples = self._store[: self._count]
        if self._count < MIN_SAMPLES:
            return Hypothesis("", thorough=True)
        mel = log_mel(np.concatenate([samples, np.zeros(WINDOW, np.float32)]), self._model.n_mels)
        heard = shortened(mel)
        frames = max(SHORT_FRAMES, len(heard) + PADDING_FRAMES) // 2 * 2
        text, evidence, language = self._decode(mel, heard, min(frames, FULL_FRAMES))
        if evidence.no_speech <= invention.NO_SPEECH and invention.is_doubtful(text, evidence):
            if not careful:
                return None
            text, evidence, language = self._decode(mel, heard, FULL_FRAMES)
        if not text or invention.is_invented(text, evidence):
            return Hypothesis("", thorough=True)
        return Hypothesis(
            text,
            confidence=min(1.0, math.exp(evidence.log_prob)),
            language=language,
            thorough=True,
            hesitation=self._hesitates() if language == "en" else 0.0,
        )

    def _decode(
        self, mel: Samples, heard: NDArray[np.intp], frames: int
    ) -> tuple[str, Evidence, str]:
        """Recognises these frames of the spectrogram, with silence up to so many."""
        import ctranslate2

        seconds = min(self._count, len(heard) * HOP) / INPUT_RATE_HZ
        heard = heard[:frames]
        padded = np.full((1, len(mel), frames), max(SILENCE_LEVEL, mel.max() - 2), np.float32)
        padded[0, :, : len(heard)] = mel[:, heard]
        encoded = self._model.encode(ctranslate2.StorageView.from_array(padded))
        language = self._language or self._detect(encoded)
        prompt = self._prompt(language)
        result = self._model.generate(
            encoded,
            [prompt],
            beam_size=1,
            max_length=_longest(seconds, language),
            return_scores=True,
            return_logits_vocab=True,
            return_no_speech_prob=True,
        )[0]
        ids = self._within(result.sequences_ids[0], seconds)
        self._decoded = Decoded(encoded, prompt, ids, heard)
        self._suspicion = self._hesitations.suspect(result.sequences_ids[0], result.logits[0])
        text = invention.cleaned(self._text(ids))
        score = result.scores[0]
        log_prob = score if math.isfinite(score) else -math.inf
        return text, Evidence(log_prob, result.no_speech_prob, seconds), language

    def _hesitates(self) -> float:
        """How likely the last word is a hesitation.

        Where one is likely, the decoder is asked, in 10 ms, whether the word comes behind it.
        """
        suspicion, decoded = self._suspicion, self._decoded
        if suspicion.likely < SUSPICIOUS or not suspicion.instead or decoded is None:
            return suspicion.likely
        try:
            (told,) = self._model.align(
                decoded.encoded, decoded.prompt, [list(suspicion.instead)], len(decoded.heard)
            )
        except RuntimeError:  # converted without alignment heads
            return suspicion.likely
        return 0.0 if told.text_token_probs[suspicion.at] > FOLLOWED else suspicion.likely

    def _within(self, ids: Sequence[int], seconds: float) -> list[int]:
        """The words, up to the first segment that begins when the sound is over.

        The decoder that has reached the silence behind the sound may tell all of it again.
        """
        end = self._zero_time + (seconds + BEHIND_S) * TIMES_PER_S
        for at, (time, word) in enumerate(itertools.pairwise(ids)):
            if at and time > end and word < self._end_of_text:
                ids = ids[:at]
                break
        return [i for i in ids if i < self._end_of_text]

    def _detect(self, encoded: Any) -> str:
        ranked = (str(token).strip("<|>") for token, _ in self._model.detect_language(encoded)[0])
        return next(name for name in ranked if name in self._among)

    def _prompt(self, language: str) -> list[int]:
        names = ["<|startoftranscript|>"]
        if self._model.is_multilingual:
            names += [f"<|{language}|>", "<|transcribe|>"]
        return [self._token(name) for name in names]

    def _text(self, ids: Sequence[int]) -> str:
        # Special tokens and time stamps come after all words in the vocabulary.
        text: str = self._tokenizer.decode([i for i in ids if i < self._end_of_text])
        return text.replace("\ufffd", "")

    def _write(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids

    def _read(self, token: int) -> str:
        return self._text([token])

    def _token(self, name: str) -> int:
        token: int | None = self._tokenizer.token_to_id(name)
        assert token is not None, name
        return token

    def _languages(self) -> tuple[str, ...]:
        if not self._model.is_multilingual:
            return ("en",)
        first, last = self._token("<|startoftranscript|>") + 1, self._token("<|translate|>")
        names = (self._tokenizer.id_to_token(i) for i in range(first, last))
        return tuple(name.strip("<|>") for name in names)

    def _keep(self, samples: Samples) -> None:
        samples = np.nan_to_num(samples[-CAPACITY:], nan=0.0, posinf=0.0, neginf=0.0)
        surplus = self._count + len(samples) - CAPACITY
        if surplus > 0:
            self._store[: self._count - surplus] = self._store[surplus : self._count].copy()
            self._count -= surplus
            self._lost += surplus
            self._recognised = max(0, self._recognised - surplus)
        self._store[self._count : self._count + len(samples)] = samples
        self._count += len(samples)
        if len(samples):
            self._flushed = None


def _longest(seconds: float, language: str) -> int:
    """What to let the decoder write of so much sound, as the engine counts."""
    per_s = TOKENS_PER_S_OF_CHARACTERS if language in WRITTEN_IN_CHARACTERS else TOKENS_PER_S
    return min(MAX_TOKENS, 2 * (LEAST_TOKENS + int(per_s * seconds)))


def _open_model(folder: Path, threads: int, compute_type: str) -> tuple[Any, Any]:
    try:
        import ctranslate2
        import tokenizers
    except ImportError as error:
        raise BackendMissing("asr/faster_whisper", error.name or "ctranslate2", "local") from error
    try:
        model = ctranslate2.models.Whisper(
            str(folder),
            device="cpu",
            compute_type=compute_type,
            intra_threads=threads or min(4, os.cpu_count() or 1),
        )
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:
        raise BundleError(folder, f"is not a Whisper model of CTranslate2 ({error})") from error
    return model, tokenizer


def load(options: Options) -> Asr:
    """Files: `model`; its folder holds config, tokenizer and vocabulary too.

    Settings: `threads` (0 = the cores, at most 4), `compute_type` (int8), `language` (empty =
    detect, `among` these or all that the model knows), `partial_ms` (480).
    """
    settings = Settings("asr/faster_whisper", options.settings)
    return FasterWhisper(
        options.files["model"].parent,
        threads=settings.whole("threads", 0, 0, MOST_THREADS),
        compute_type=settings.text("compute_type", "int8"),
        language=settings.text("language"),
        among=settings.texts("among"),
        partial_ms=settings.whole("partial_ms", 480, 1, MOST_PARTIAL_MS),
    )
