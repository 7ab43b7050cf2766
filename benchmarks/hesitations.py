"""Who hesitates, and what the recogniser makes of it: is an "um" known although a word was written?

    python benchmarks/hesitations.py [--takes 6]

The voice of the bench says the first pieces of turns/en_hesitating.txt, of which each ends in a
hesitation, and whole turns (turns/en_short.txt, and the questions and cuts of the bench). Counted
are those that the words alone would end: `known`, the hesitations among them that
backends/asr/hesitation.py holds likelier than not, and the whole turns that it takes for one.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from row import print_row
from visavis.backends.asr import faster_whisper
from visavis.backends.asr.faster_whisper import FasterWhisper
from visavis.backends.resample.soxr import SoxrResampler
from visavis.backends.tts import piper
from visavis.bench import acoustics, phrases
from visavis.bench.script import Line, Timbre
from visavis.bench.voice import RATE_HZ, TAKES, Voice
from visavis.bundle.store import Store
from visavis.config import load
from visavis.flow.events import INPUT_RATE_HZ, Samples
from visavis.perceive.completeness import completeness
from visavis.perceive.turn import OPEN

FOLDER = Path(__file__).parent / "turns"
RATIOS = (1.05, 1.1, 1.15, 1.2)
BEFORE, BEHIND = INPUT_RATE_HZ * 3 // 10, INPUT_RATE_HZ // 5
SNR_DB = 28


@dataclass(frozen=True, slots=True)
class Heard:
    """Whether it ends in a hesitation, and how `likely` the recogniser says that is."""

    hesitates: bool
    likely: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--takes", type=int, default=TAKES // 2, help="how often each is said")
    options = parser.parse_args()
    store = Store(load().models)
    asr = faster_whisper.load(store.find("whisper-tiny-en").options)
    assert isinstance(asr, FasterWhisper)
    voice = Voice(piper.load(store.find("piper-en-joe").options), SoxrResampler)
    heard = list(recognised(asr, voice, options.takes))
    of_both = [[one for one in heard if one.hesitates == hesitates] for hesitates in (True, False)]
    known, taken = (sum(one.likely > 0.5 for one in some) for some in of_both)
    result = (
        f"hesitations taken for the end of a turn by their words: {len(of_both[0])}, known {known};"
        f" whole turns {len(of_both[1])}, taken for a hesitation {taken}"
    )
    print_row(f"python benchmarks/hesitations.py --takes {options.takes}", result)


def recognised(asr: FasterWhisper, voice: Voice, takes: int) -> Iterator[Heard]:
    """All that the words would end."""
    for pieces in texts():
        for take in range(takes):
            asr.open()
            asr.feed(sound(voice, pieces, take))
            words = asr.flush()
            if completeness(words.text).log_odds > OPEN:
                yield Heard(len(pieces) > 1, words.hesitation)


def texts() -> Iterator[tuple[str, ...]]:
    """Whole turns, and hesitating ones in pieces."""
    for line in (FOLDER / "en_hesitating.txt").read_text("utf-8").splitlines():
        yield tuple(piece.strip() for piece in line.split("|"))
    short = (FOLDER / "en_short.txt").read_text("utf-8").splitlines()
    yield from ((text,) for text in (*short, *phrases.QUESTIONS, *phrases.CUTS))


def sound(voice: Voice, pieces: tuple[str, ...], take: int) -> Samples:
    """The first piece as a microphone hears it in a quiet room, some silence around it."""
    level_db = -30.0 + take
    timbre = Timbre(RATIOS[take % 4], level_db, (0.0, 0.0, 0.3)[take % 3])
    spoken = voice.speak(Line("question", pieces, gaps_s=(0.6,) * (len(pieces) - 1)), timbre, take)
    first = spoken.samples[: round(spoken.stretches[0].end_s * RATE_HZ)]
    resampled = SoxrResampler(RATE_HZ, INPUT_RATE_HZ).feed(first, last=True)
    whole = np.pad(resampled, (BEFORE, BEHIND)).astype(np.float32)
    room = acoustics.noise("pink", np.random.default_rng(take), len(whole), INPUT_RATE_HZ)
    return np.asarray(whole + acoustics.at_level(room, level_db - SNR_DB), np.float32)


if __name__ == "__main__":
    main()
