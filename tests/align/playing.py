"""A microphone and a loudspeaker on one time axis, for the tests of `align`."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from visavis.align.audio import AudioAligner
from visavis.backends.resample.soxr import SoxrResampler
from visavis.flow.clock import NS_PER_S
from visavis.flow.events import (
    AudioAligned,
    AudioCaptured,
    Event,
    Samples,
    SoundPlayed,
    SourceEnded,
)
from visavis.flow.ring import AudioRing

RATE_HZ = 16_000


def voice(seed: int, seconds: float) -> Samples:
    """Noise in syllables, on the 16-bit grid."""
    count = int(seconds * RATE_HZ)
    noise = np.random.default_rng(seed).standard_normal(count)
    syllables = np.abs(np.sin(np.arange(count) * 2 * np.pi * 3 / RATE_HZ))
    return (np.rint(3_000 * noise * syllables).clip(-9_000, 9_000) / 32_768).astype(np.float32)


def played(start: int, samples: Samples) -> SoundPlayed:
    return SoundPlayed(t_ns=start * NS_PER_S // RATE_HZ, epoch=1, start=start, samples=samples)


def periods(sound: Samples, start: int = 0) -> list[SoundPlayed]:
    return [played(start + at, sound[at : at + 320]) for at in range(0, len(sound), 320)]


def captured(sound: Samples, start: int, late_ns: int = 0) -> AudioCaptured:
    end_ns = (start + len(sound)) * NS_PER_S // RATE_HZ
    return AudioCaptured(
        t_ns=end_ns + late_ns,
        captured_ns=end_ns,
        data=sound.astype("<f4").tobytes(),
        encoding="f32",
        rate_hz=RATE_HZ,
        channels=1,
    )


def in_time(near: Samples, sounding: Iterable[SoundPlayed], cuts: Iterable[int]) -> list[Event]:
    """The microphone's chunks, cut at `cuts`, and the periods, each before what it may sound in."""
    edges = sorted({0, len(near), *(cut for cut in cuts if cut < len(near))})
    chunks = [captured(near[a:b], a) for a, b in itertools.pairwise(edges)]
    # At the same moment the period comes first: it begins when the chunk ends.
    return sorted(
        [*sounding, *chunks], key=lambda event: (event.t_ns, event.topic != "sound.played")
    )


def heard(node: AudioAligner, events: Iterable[Event]) -> Samples:
    """What comes out, joined; checks that the pieces follow one another."""
    sound, at = [np.zeros(0, np.float32)], 0
    for event in [*events, SourceEnded(t_ns=0, source="audio")]:
        for out in node.on(event):
            assert isinstance(out, AudioAligned)
            assert out.start == at
            at += len(out.samples)
            sound.append(out.samples.copy())
    return np.concatenate(sound)


def aligner(**guards: Any) -> AudioAligner:
    return AudioAligner(AudioRing(30), SoxrResampler, **guards)


def delayed(sound: Samples, by: int, gain: float = 0.5) -> Samples:
    return np.concatenate([np.zeros(by, np.float32), sound[: len(sound) - by]]) * np.float32(gain)
