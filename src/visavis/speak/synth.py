"""Station speak, node `synth`: a phrase becomes sound. Runs in the lane `tts`.

Takes phrase.released. Gives sound.made, one or several parts for each phrase, the last of them
whatever happens. Invariants: samples lie on the 16-bit grid; the words' `char_end`s count
characters of the written text; words and text come with the first part. A phrase with nothing to
say, or that no voice can speak, has no samples. Does not know what is played.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from visavis.backends import contract
from visavis.flow.errors import EngineError
from visavis.flow.events import Event, PhraseReleased, Samples, SoundMade, WordTime
from visavis.speak.sound import Trim, gap_ms, on_grid
from visavis.speak.timing import on_written, spread
from visavis.speak.voices import Voices


@dataclass(frozen=True, slots=True)
class _Part:
    samples: Samples
    words: tuple[WordTime, ...] = ()
    more: bool = False
    error: str = ""


class Synthesiser:
    """Speaks phrases with `tts`; with the `others` what that fails at, or whose language it lacks.

    A voice that fails in mid-phrase leaves its rest silent: what has been given may have sounded.
    """

    name = "speak.synth"

    def __init__(self, tts: contract.Tts, *others: contract.Tts | None) -> None:
        self._voices = Voices(tts, *(voice for voice in others if voice is not None))
        self._stale = -1

    def on(self, event: Event) -> Iterator[Event]:
        assert isinstance(event, PhraseReleased)
        parts = self._speak(event)
        number = 0
        while not self._is_stale(event) and (part := next(parts, None)) is not None:
            if not self._is_stale(event):
                yield _made(event, number, part)
            number += 1

    def cancel(self, epoch: int) -> None:
        """What is not yet begun of replies up to `epoch` will not be; what is begun is dropped."""
        self._stale = max(self._stale, epoch)

    def close(self) -> None:
        self._voices.close()

    def _is_stale(self, event: Event) -> bool:
        return event.epoch <= self._stale

    def _speak(self, phrase: PhraseReleased) -> Iterator[_Part]:
        """The phrase's sound by the first voice that can, and why it, or its rest, is silent."""
        errors = []
        begun = False
        for pieces in self._voices.attempts(phrase):
            try:
                for part in self._shape(pieces, phrase):
                    begun = True
                    yield part
                return
            except Exception as error:  # noqa: BLE001 - whatever a voice raises, the rest is spoken
                errors.append(f"{type(error).__name__}: {error}")
            if begun:
                break
        yield _Part(np.zeros(0, np.float32), error="; ".join(errors))

    def _shape(self, pieces: Iterable[contract.Speech], phrase: PhraseReleased) -> Iterator[_Part]:
        """The pieces as parts. Silence is held back while it may be the phrase's end."""
        trim = Trim(self._voices.rate_hz, gap_ms(phrase.written))
        words: tuple[WordTime, ...] = ()
        begun, left = False, 0
        for i, piece in enumerate(pieces):
            if i == 0:
                words, left = piece.words, piece.total or len(piece.samples)
                total = left
            left -= len(piece.samples)
            samples = trim.feed(on_grid(piece.samples))
            if len(samples) and not begun:
                begun = True
                length = total - trim.cut if left > 0 else len(samples)
                yield _Part(samples, _placed(words, trim.cut, length, phrase), more=left > 0)
            elif len(samples) or (begun and left <= 0):
                yield _Part(samples, more=left > 0)
            if left <= 0:
                break
        if not begun:
            raise EngineError("the voice made no sound")
        if left > 0:
            yield _Part(np.zeros(0, np.float32))


def _placed(
    words: tuple[WordTime, ...], cut: int, length: int, phrase: PhraseReleased
) -> tuple[WordTime, ...]:
    """The words' times in the trimmed sound of `length`, and their places in the written text."""
    if words:
        words = tuple(WordTime(w.start - cut, w.end - cut, w.char_end) for w in words)
    else:
        words = spread(phrase.spoken, length)
    return on_written(words, phrase.spoken, phrase.written, length)


def _made(phrase: PhraseReleased, number: int, part: _Part) -> SoundMade:
    return SoundMade(
        t_ns=phrase.t_ns,
        trace=phrase.trace,
        epoch=phrase.epoch,
        index=phrase.index,
        samples=part.samples,
        words=part.words,
        written="" if number else phrase.written,
        last=phrase.last,
        error=part.error,
        part=number,
        more=part.more,
    )
