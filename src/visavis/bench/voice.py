"""The user's voice: the lines of a script as sound, and where in it each piece lies.

Takes a voice of the tier and lines; gives samples at `RATE_HZ`. The voice is played faster and so
higher than the system's own, so that the recogniser does not hear its own training data twice and
the two can be told apart. Silence around a piece is trimmed: its end is the end of its speech.
Invariant: the same seed and voice give the same sound.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from visavis.backends.contract import Resampler, Speech, Tts, TtsInTakes
from visavis.bench import acoustics
from visavis.bench.result import Kind, Stretch
from visavis.bench.script import Line, Script, Surroundings, Timbre
from visavis.flow.errors import InputError
from visavis.flow.events import Samples

RATE_HZ = 24_000
FLOOR = 0.02
"""Of the peak: below it, speech has ended (-34 dB)."""
TAKES = 12
"""Nobody says "uh-huh" twice alike: a rendering that a recogniser takes for something else must not
decide every episode."""
REACH = 1_200
"""Samples around the end of a word, some 50 ms, among which the quietest is looked for."""
BED_S = 30.0
"""What surrounds the user repeats after so long."""
OTHERS = 0.92
"""Other people's voices are lower than the system's."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A line as sound. `stretches`: the truth, in seconds from its beginning; `samples` may go on
    behind the last of them, as a room does."""

    samples: Samples
    stretches: tuple[Stretch, ...]

    @property
    def length_s(self) -> float:
        """Up to the end of its speech."""
        return self.stretches[-1].end_s


class Voice:
    """Speaks lines, by each seed in one of a few takes. Pieces that were spoken are kept."""

    def __init__(
        self,
        tts: Tts,
        make_resampler: Callable[[int, int], Resampler],
        foreign: Tts | None = None,
    ) -> None:
        """`foreign` speaks the languages that `tts` does not."""
        self._tts = tts
        self._foreign = foreign
        self._make_resampler = make_resampler
        self._kept: dict[tuple[str, str, int], Samples] = {}
        self._cut: dict[tuple[tuple[str, ...], str, int], list[Samples]] = {}

    def speak(self, line: Line, timbre: Timbre, seed: int) -> Spoken:
        """The line as it reaches the microphone."""
        rng = np.random.default_rng(zlib.crc32(f"{seed} {line.text} {line.sound}".encode()))
        take = self._take(line.language, seed)
        pieces = self._in_one_breath(line, timbre, take) or [
            self._piece(line, text, timbre, rng, take) for text in unfinished(line.pieces)
        ]
        whole, stretches = joined(pieces, line)
        level_db = timbre.level_db + line.gain_db
        if line.away:
            whole = acoustics.turned_away(whole, RATE_HZ)
        loud = _scale(whole, stretches, level_db)
        if timbre.rt60_s > 0:
            loud = acoustics.in_room(loud, rng, timbre.rt60_s, RATE_HZ)
        return Spoken(np.clip(loud, -1, 1), stretches)

    def surround(self, around: Surroundings, timbre: Timbre, seed: int) -> Spoken | None:
        """What else is at the microphone, to be repeated; None if it is quiet."""
        if around.noise == "none" and not around.voices:
            return None
        rng = np.random.default_rng(seed)
        bed = np.zeros(round(BED_S * RATE_HZ), np.float32)
        if around.noise != "none":
            made = acoustics.noise(around.noise, rng, len(bed), RATE_HZ)
            bed += acoustics.at_level(made, timbre.level_db - around.snr_db)
        stretches = tuple(self._others(bed, around, timbre, rng))
        return Spoken(bed, stretches)

    def _others(
        self, bed: Samples, around: Surroundings, timbre: Timbre, rng: acoustics.Rng
    ) -> Iterator[Stretch]:
        at = round(0.3 * RATE_HZ)
        for text in around.voices:
            said = acoustics.at_level(
                self._at_ratio(self._said(text, "", self._take("", 0)), OTHERS),
                timbre.level_db + around.voices_db,
            )[: len(bed) - at]
            bed[at : at + len(said)] += said
            yield Stretch("background", at / RATE_HZ, (at + len(said)) / RATE_HZ, text)
            at += len(said) + round(rng.uniform(0.2, 0.8) * RATE_HZ)
            if at >= len(bed):
                return

    def _in_one_breath(self, line: Line, timbre: Timbre, take: int) -> list[Samples]:
        """The pieces, cut from the whole sentence where the voice says when its words sound: people
        pause on the melody of the sentence, not on that of its parts. Else nothing."""
        if line.sound != "speech" or len(line.pieces) < 2:
            return []
        key = line.pieces, line.language, take
        if key not in self._cut:
            self._cut[key] = cut(self._synthesised(line.text, line.language, take), line.pieces)
        return [self._at_ratio(piece, timbre.ratio) for piece in self._cut[key]]

    def _take(self, language: str, seed: int) -> int:
        """0: the voice says it one way."""
        return 1 + seed % TAKES if isinstance(self._tts_for(language), TtsInTakes) else 0

    def _tts_for(self, language: str) -> Tts:
        foreign = language and language not in self._tts.languages
        return self._foreign if foreign and self._foreign is not None else self._tts

    def _piece(
        self, line: Line, text: str, timbre: Timbre, rng: acoustics.Rng, take: int
    ) -> Samples:
        match line.sound:
            case "hum":
                return acoustics.hum(rng, RATE_HZ)
            case "burst":
                return acoustics.burst(rng, line.length_s, RATE_HZ)
            case "knock":
                return acoustics.knock(rng, line.length_s, RATE_HZ)
            case "cough":
                return acoustics.cough(rng, line.length_s, RATE_HZ)
        return self._at_ratio(self._said(text, line.language, take), timbre.ratio)

    def _said(self, text: str, language: str, take: int) -> Samples:
        """Trimmed, at the voice's own rate."""
        key = text, language, take
        if key not in self._kept:
            self._kept[key] = trimmed(self._synthesised(text, language, take).samples, text)
        return self._kept[key]

    def _synthesised(self, text: str, language: str, take: int) -> Speech:
        tts = self._tts_for(language)
        if take and isinstance(tts, TtsInTakes):
            return Speech.joined(tts.synthesise_take(text, language, take=take))
        return Speech.joined(tts.synthesise(text, language))

    def _at_ratio(self, samples: Samples, ratio: float) -> Samples:
        return self._make_resampler(round(self._tts.rate_hz * ratio), RATE_HZ).feed(
            samples, last=True
        )


def trimmed(samples: Samples, text: str) -> Samples:
    """Without the silence around it."""
    loud = np.flatnonzero(np.abs(samples) > FLOOR * np.max(np.abs(samples), initial=1e-9))
    if not len(loud):
        raise InputError(repr(text), "the voice has no sound for it", "say it in other words")
    return samples[loud[0] : loud[-1] + 1]


def cut(speech: Speech, pieces: tuple[str, ...]) -> list[Samples]:
    """The pieces of the sentence, without the silence around each; empty if it is not known where
    they are."""
    cuts = borders(speech, pieces)
    spans = zip((0, *cuts), (*cuts, None), pieces, strict=bool(cuts))
    return [trimmed(speech.samples[start:end], text) for start, end, text in spans if cuts]


def borders(speech: Speech, pieces: tuple[str, ...]) -> list[int]:
    """Between which samples one piece ends and the next begins; empty if it is not known.

    Around the end of the piece's last word, where it is quietest.
    """
    cuts: list[int] = []
    char = 0
    for text in pieces[:-1]:
        char += len(text) + 1
        ends = [word.end for word in speech.words if word.char_end <= char]
        if not ends or len(ends) == len(speech.words):
            return []
        near = np.arange(max(0, ends[-1] - REACH), min(len(speech.samples), ends[-1] + REACH))
        power = np.convolve(speech.samples**2, np.ones(REACH // 4), "same")
        cuts.append(int(near[power[near].argmin()]))
    return cuts if cuts == sorted(set(cuts)) else []


def unfinished(pieces: tuple[str, ...]) -> list[str]:
    """Each but the last with a comma, so that the voice does not fall as at the end of a sentence:
    people pause in mid-sentence on a level tone."""
    *firsts, last = pieces
    return [text if text[-1] in ",;…" else f"{text}," for text in firsts] + [last]


def joined(pieces: list[Samples], line: Line) -> tuple[Samples, tuple[Stretch, ...]]:
    """The pieces with the line's silences between them, and where each lies."""
    assert len(line.gaps_s) == len(pieces) - 1, "a gap between any two pieces"
    gaps = [np.zeros(round(gap_s * RATE_HZ), np.float32) for gap_s in (*line.gaps_s, 0.0)]
    stretches: list[Stretch] = []
    at = 0
    for samples, gap, text in zip(pieces, gaps, line.pieces, strict=True):
        kind: Kind = "continuation" if stretches else line.kind
        stretches.append(Stretch(kind, at / RATE_HZ, (at + len(samples)) / RATE_HZ, text))
        at += len(samples) + len(gap)
    whole = np.concatenate([part for pair in zip(pieces, gaps, strict=True) for part in pair])
    return whole, tuple(stretches)


def _scale(whole: Samples, stretches: tuple[Stretch, ...], level_db: float) -> Samples:
    """At its level, measured where something sounds."""
    spans = [slice(round(s.start_s * RATE_HZ), round(s.end_s * RATE_HZ)) for s in stretches]
    sounding = np.concatenate([whole[span] for span in spans])
    gain = acoustics.rms(acoustics.at_level(sounding, level_db)) / max(
        acoustics.rms(sounding), 1e-9
    )
    return np.asarray(whole * np.float32(gain), np.float32)


def speak_all(voice: Voice, script: Script) -> list[Spoken]:
    """Every line of the script, in order."""
    return [voice.speak(line, script.timbre, script.seed) for line in script.lines]
