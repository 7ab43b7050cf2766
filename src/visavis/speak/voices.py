"""Who speaks a phrase: each part of it the voice of its language, or one voice all of it.

Takes a phrase and the voices at hand, the first of which is the one that is meant. Gives attempts,
the best first: each is the phrase as pieces of speech, and may raise whatever its voice raises.
Invariant: what one voice can say is one call, streamed as it comes. A phrase that several voices
share comes in one piece: where its later words lie is known only when the earlier ones are made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from visavis.backends.contract import Speech, Tts, TtsInContext
from visavis.flow.errors import EngineError
from visavis.flow.events import PhraseReleased, Samples, WordTime
from visavis.speak.sound import Trim, gap_ms, on_grid
from visavis.speak.timing import spread
from visavis.speak.tongues import runs


@dataclass(frozen=True, slots=True)
class _Share:
    """What one voice says in one call."""

    voice: Tts
    text: str
    language: str
    before: str = ""
    after: str = ""

    def say(self) -> Iterator[Speech]:
        voice = self.voice
        if isinstance(voice, TtsInContext) and voice.in_context:
            yield from voice.synthesise_part(
                self.text, self.language, before=self.before, after=self.after
            )
        else:
            yield from voice.synthesise(self.text, self.language)


class Voices:
    """Voices of one rate; at least one."""

    def __init__(self, *voices: Tts) -> None:
        assert len({voice.rate_hz for voice in voices}) == 1, "one output rate"
        self._voices = voices
        self.rate_hz = voices[0].rate_hz

    def attempts(self, phrase: PhraseReleased) -> Iterator[Iterable[Speech]]:
        """The ways to speak it; none when it has nothing to say."""
        if not phrase.spoken:
            return
        shares = self._shares(phrase.spoken, phrase.language)
        if len(shares) > 1:
            yield self._together(shares, phrase)
            shares = [_Share(self._of(phrase.language), phrase.spoken, phrase.language)]
        (first,) = shares
        around = self._around(phrase)
        for voice in sorted(self._voices, key=lambda voice: voice is not first.voice):
            yield _Share(voice, phrase.spoken, first.language, *around).say()

    def close(self) -> None:
        for voice in self._voices:
            voice.close()

    def _of(self, language: str) -> Tts:
        """The first voice that speaks it, or else the one that is meant."""
        return next((v for v in self._voices if _speaks(v, language)), self._voices[0])

    def _around(self, phrase: PhraseReleased) -> tuple[str, str]:
        """The words before and after it, if one voice can say them all."""
        before, after = phrase.before, phrase.after
        whole = f"{before} {phrase.spoken} {after}"
        alone = len(self._shares(whole, phrase.language)) > 1
        return ("", "") if alone else (before, after)

    def _shares(self, spoken: str, in_language: str) -> list[_Share]:
        shares: list[_Share] = []
        for run in runs(spoken, in_language):
            voice, text = self._of(run.language), run.text
            language = run.language if _speaks(voice, run.language) else in_language
            if shares and shares[-1].voice is voice:
                before = shares.pop()
                text = before.text + text
                language = language if language == before.language else in_language
            shares.append(_Share(voice, text, language))
        return shares

    def _together(self, shares: Sequence[_Share], phrase: PhraseReleased) -> Iterator[Speech]:
        """The shares one after the other, without the silence that each voice puts around it."""
        sounds: list[Samples] = []
        words: list[WordTime] = []
        begin = at = 0  # of the share: its first character, its first sample
        for share in shares:
            speech = Speech.joined(share.say())
            is_last = share is shares[-1]
            trim = Trim(self.rate_hz, gap_ms(phrase.written if is_last else share.text))
            samples = trim.feed(on_grid(speech.samples))
            if not len(samples):
                raise EngineError("a voice made no sound")
            moved = at - trim.cut if speech.words else at
            for word in speech.words or spread(share.text, len(samples)):
                words.append(WordTime(word.start + moved, word.end + moved, word.char_end + begin))
            sounds.append(samples)
            begin, at = begin + len(share.text), at + len(samples)
        yield Speech(np.concatenate(sounds), tuple(words))


def _speaks(voice: Tts, language: str) -> bool:
    return not language or language.partition("-")[0] in voice.languages
