"""How soon a phrase begins to sound: the voice in pieces, against the same voice as a whole.

    python benchmarks/first_sound.py [--times 8]

First phrases of answers, and longer ones. For each, in turn: the voice as it is, until its first
piece and until its last; and the same model unsplit. The reserve: how much earlier than needed each
later piece was there, if the first began to sound at once.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from row import print_row
from visavis.backends.contract import Options
from visavis.backends.tts import piper
from visavis.backends.vits import Whole
from visavis.bundle.store import Store
from visavis.config import load

PHRASES = (
    "Of course.",
    "The capital of France is Paris.",
    "Penguins live mostly in the Southern Hemisphere,",
    "Yes, I would be happy to tell you about it.",
    "There are seven days in a week, and most people work on five of them.",
    "Bees make honey from the nectar of flowers, which they store in the comb and eat in winter.",
)


def ms(begin_s: float, end_s: float | None = None) -> float:
    return ((time.perf_counter() if end_s is None else end_s) - begin_s) * 1000


def spoken(voice: piper.PiperTts, phrase: str) -> tuple[float, float, float]:
    """Milliseconds to the first piece and to the last; the least reserve (inf: one piece)."""
    began = time.perf_counter()
    first_s, sounding_ms, reserve_ms = 0.0, 0.0, float("inf")
    for piece in voice.synthesise(phrase, "en"):
        now = time.perf_counter()
        if first_s:
            reserve_ms = min(reserve_ms, sounding_ms - ms(first_s, now))
        else:
            first_s = now
        sounding_ms += 1000 * len(piece.samples) / voice.rate_hz
    return ms(began, first_s), ms(began), reserve_ms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=8)
    times = parser.parse_args().times
    options: Options = Store(load().models).find("piper-en-joe").options
    voice, whole = piper.load(options), piper.load(options)
    whole._vits.close()
    whole._vits = Whole(options.files["model"].read_bytes(), threads=2, hop=256)
    rows = []
    for phrase in PHRASES:
        found = [(*spoken(voice, phrase), spoken(whole, phrase)[1]) for _ in range(times)]
        first, last, reserve, once = np.transpose(found)
        rows.append((np.median(first), np.median(last), reserve.min(), np.median(once)))
        told = " · ".join(f"{value:.0f}" for value in rows[-1])
        print(f"{len(phrase)} letters: first · all · least reserve · at once: {told} ms")
    first, last, reserve, once = np.transpose(rows)
    print_row(
        f"python benchmarks/first_sound.py --times {times}",
        f"{len(PHRASES)} phrases: first piece after {first.min():.0f} to {first.max():.0f} ms"
        f" (median {np.median(first):.0f}), at once {once.min():.0f} to {once.max():.0f} (median"
        f" {np.median(once):.0f}); all pieces take {last.sum() / once.sum():.2f} of that; the next"
        f" piece was there at least {reserve.min():.0f} ms before it was needed",
    )


if __name__ == "__main__":
    main()
