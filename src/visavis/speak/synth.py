"""Station speak, node `synth`: a phrase becomes sound. Runs in the lane `tts`.

Takes phrase.released. Gives sound.made, one for each phrase, whatever happens. Invariant: samples
lie on the 16-bit grid, and the words' `char_end`s count characters of the written text. A phrase
with nothing to say, or that no voice can speak, has no samples. Does not know what is played.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from visavis.backends import contract
from visavis.flow.errors import EngineError
from visavis.flow.events import Event, PhraseReleased, Samples, SoundMade, WordTime
from visavis.speak.sound import gap_ms, on_grid, trim
from visavis.speak.timing import on_written, spread

Sound = tuple[Samples, tuple[WordTime, ...]]
SILENT: Sound = (np.zeros(0, np.float32), ())


class Synthesiser:
    """Speaks phrases with `tts`, or with `fallback` where that fails or lacks the language."""

    name = "speak.synth"

    def __init__(self, tts: contract.Tts, fallback: contract.Tts | None = None) -> None:
        assert fallback is None or fallback.rate_hz == tts.rate_hz, "one output rate"
        self._voices = (tts,) if fallback is None else (tts, fallback)
        self.rate_hz = tts.rate_hz
        self._stale = -1

    def on(self, event: Event) -> Iterable[Event]:
        assert isinstance(event, PhraseReleased)
        if event.epoch <= self._stale:
            return ()
        sound, error = self._speak(event)
        if event.epoch <= self._stale:
            return ()
        samples, words = sound
        made = SoundMade(
            t_ns=event.t_ns,
            trace=event.trace,
            epoch=event.epoch,
            index=event.index,
            samples=samples,
            words=words,
            written=event.written,
            last=event.last,
            error=error,
        )
        return (made,)

    def cancel(self, epoch: int) -> None:
        """What is not yet begun of replies up to `epoch` will not be; what is begun is dropped."""
        self._stale = max(self._stale, epoch)

    def close(self) -> None:
        for voice in self._voices:
            voice.close()

    def _speak(self, phrase: PhraseReleased) -> tuple[Sound, str]:
        """The phrase's sound by the first voice that can, and why it is silent."""
        if not phrase.spoken:
            return SILENT, ""
        errors = []
        for voice in self._in_order(phrase.language):
            try:
                return self._shape(voice.synthesise(phrase.spoken, phrase.language), phrase), ""
            except Exception as error:  # noqa: BLE001 - whatever a voice raises, the rest is spoken
                errors.append(f"{type(error).__name__}: {error}")
        return SILENT, "; ".join(errors)

    def _in_order(self, language: str) -> Iterator[contract.Tts]:
        """The voices of this language, then the others; each as they were given."""
        spoken = language.partition("-")[0]
        yield from sorted(self._voices, key=lambda v: bool(spoken) and spoken not in v.languages)

    def _shape(self, speech: contract.Speech, phrase: PhraseReleased) -> Sound:
        samples, cut = trim(on_grid(speech.samples), self.rate_hz, gap_ms(phrase.written))
        if not len(samples):
            raise EngineError("the voice made no sound")
        if speech.words:
            words = tuple(WordTime(w.start - cut, w.end - cut, w.char_end) for w in speech.words)
        else:
            words = spread(phrase.spoken, len(samples))
        return samples, on_written(words, phrase.spoken, phrase.written, len(samples))
