"""What a reply that begins with its first words sounds like where they meet the rest.

    python benchmarks/seams.py

Each answer is said three times by the tier's own voice, in turn: whole; in the phrases in which it
is spoken, each in its context; in the same phrases, each as if it stood alone. The step is how far
the pitch jumps at the first seam (in semitones, between the last voiced 60 ms before it and the
first after it; in the whole at the same word); wrong words are those that the tier's recogniser
does not hear as written; first sound is how long the voice takes to its first piece.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

import numpy as np
import soxr
from numpy.typing import NDArray

from dialogue import prepare
from row import print_row
from visavis.backends.contract import Asr, Tts
from visavis.flow.events import (
    PhraseReleased,
    ReplyStart,
    ReplyWritten,
    Samples,
    SoundMade,
    TokenMade,
)
from visavis.perceive.prosody import RATE_HZ, pitch_hz
from visavis.speak.ahead import LookAhead
from visavis.speak.segment import Segmenter
from visavis.speak.synth import Synthesiser

ANSWERS = (
    "The capital of France is Paris.",
    "The largest ocean on earth is the Pacific Ocean.",
    "You make a cup of tea by boiling water and adding a tea bag.",
    "The grass is green because it is made of a type of plant.",
    "Penguins live mostly in the Southern Hemisphere, where it is cold.",
    "The bees make wax and honey from the nectar of flowers.",
    "The moon is very far away from the Earth.",
    "I think you should drink a glass of water before you go to bed.",
    "There are many kinds of fruit that you can eat in the morning.",
    "My favourite season is the spring because the flowers bloom.",
    "A spider has eight legs and two body parts.",
    "Birds fly by flapping their wings up and down.",
    "The fastest animal on land is the cheetah.",
    "People in Brazil speak Portuguese at home and at school.",
    "It takes about seven minutes to boil an egg.",
    "Bread is made of flour, water and yeast.",
    "You can see a red square in the middle of the picture.",
    "The tallest mountain in the world is Mount Everest.",
    "Water your plants early in the morning, before it is hot.",
    "A tomato is a fruit but most people call it a vegetable.",
)
SPAN_S, VOICED = 0.16, 6
"""Seconds on each side of the seam, and how many frames of 10 ms with a pitch count there."""


def phrases(text: str, languages: Sequence[str]) -> list[PhraseReleased]:
    """As they are cut when the text is written at once; one phrase without `languages`."""
    segmenter = (
        Segmenter(in_context=languages) if languages else Segmenter(bound=(999,), soft=(999,))
    )
    events = [
        ReplyStart(t_ns=0, epoch=1, messages=(), language="en"),
        *(TokenMade(t_ns=0, epoch=1, text=piece, index=0) for piece in re.findall(r"\S+\s*", text)),
        ReplyWritten(t_ns=0, epoch=1, reason="end"),
    ]
    ahead = LookAhead(rate_hz=1, seconds=1e9)
    ready = [made for event in events for made in segmenter.on(event)]
    silent = SoundMade(
        t_ns=0, epoch=1, index=0, samples=np.zeros(0, np.float32), words=(), written=""
    )
    released = [
        out for event in [events[0], *ready] for given in (event, silent) for out in ahead.on(given)
    ]
    return [phrase for phrase in released if isinstance(phrase, PhraseReleased) and phrase.spoken]


def say(tts: Tts, said: Sequence[PhraseReleased]) -> tuple[list[SoundMade], float]:
    """The sound of each phrase, and milliseconds to the first."""
    synthesiser, sounds, first_ms = Synthesiser(tts), [], 0.0
    began = time.perf_counter()
    for phrase in said:
        for part in synthesiser.on(phrase):
            assert isinstance(part, SoundMade)
            first_ms = first_ms or (time.perf_counter() - began) * 1000
            sounds.append(part)
    return sounds, first_ms


def joined(sounds: Sequence[SoundMade]) -> Samples:
    return np.concatenate([sound.samples for sound in sounds])


def step(samples: Samples, rate_hz: int, seam: int) -> float | None:
    """Semitones from the pitch before the seam to that after it; None where there is none."""
    span = round(SPAN_S * rate_hz)
    before = _pitch(samples[max(seam - span, 0) : seam], rate_hz)
    after = _pitch(samples[seam : seam + span], rate_hz)
    if len(before) < 2 or len(after) < 2:
        return None
    return abs(float(12 * np.log2(np.median(after[:VOICED]) / np.median(before[-VOICED:]))))


def _pitch(samples: Samples, rate_hz: int) -> NDArray[np.float64]:
    frame, hop = RATE_HZ * 40 // 1000, RATE_HZ * 10 // 1000
    slow = soxr.resample(samples.astype(np.float64), rate_hz, RATE_HZ)
    if len(slow) < frame:
        return np.zeros(0)
    pitch = pitch_hz(np.lib.stride_tricks.sliding_window_view(slow, frame)[::hop])
    return pitch[pitch > 0]


def wrong(asr: Asr, text: str, samples: Samples, rate_hz: int) -> int:
    """How many words of the text are not heard."""
    quiet = np.zeros(rate_hz // 4, np.float32)
    asr.open()
    asr.feed(soxr.resample(np.concatenate([quiet, samples, quiet]), rate_hz, 16_000))
    heard, meant = (re.findall(r"[a-z0-9]+", t.lower()) for t in (asr.flush().text, text))
    same = SequenceMatcher(None, heard, meant, autojunk=False).get_matching_blocks()
    return len(meant) - sum(block.size for block in same)


def main() -> None:
    parts = prepare()
    tts, asr = parts.tts, parts.asr
    assert tts is not None
    assert asr is not None
    steps: dict[str, list[float]] = {"whole": [], "in context": [], "alone": []}
    firsts: dict[str, list[float]] = {way: [] for way in steps}
    errors = dict.fromkeys(steps, 0)
    for text in ANSWERS:
        cut = phrases(text, tts.languages)
        alone = [replace(phrase, before="", after="") for phrase in cut]
        for way, said in (("whole", phrases(text, ())), ("in context", cut), ("alone", alone)):
            sounds, first_ms = say(tts, said)
            samples, seam = joined(sounds), 0
            if way == "whole":
                count = len(cut[0].written.split())
                seam = (sounds[0].words[count - 1].end + sounds[0].words[count].start) // 2
            else:
                seam = sum(len(sound.samples) for sound in sounds if sound.index == 0)
            if (semitones := step(samples, tts.rate_hz, seam)) is not None:
                steps[way].append(semitones)
            firsts[way].append(first_ms)
            errors[way] += wrong(asr, text, samples, tts.rate_hz)
    words = sum(len(text.split()) for text in ANSWERS)
    told = []
    for way, jumps in steps.items():
        low, high = np.percentile(jumps, (50, 90))
        told.append(
            f"{way}: step p50 {low:.1f}, p90 {high:.1f} semitones of {len(jumps)}, wrong words"
            f" {errors[way]} of {words}, first sound p50 {np.median(firsts[way]):.0f} ms"
        )
        print(told[-1])
    print_row("python benchmarks/seams.py", f"{len(ANSWERS)} answers; " + "; ".join(told))


if __name__ == "__main__":
    main()
