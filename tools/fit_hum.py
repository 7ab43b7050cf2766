"""Fits the weights of perceive/hum.py: which voices hum, which speak.

    python tools/fit_hum.py [--seed 1]

Hums are made here, of pulses through a nasal tract, since voices that read aloud spell them; and
by eSpeak NG from phonemes. Speech: the tier's voice, eSpeak in some languages and voices, and
people reading a novel. Each at a level and in a noise of its own. Ridge regression on the
log-odds, both kinds weighing the same; prints the weights, and how many hums are found when 3 in
100 voices that speak are taken for one, in the voices of a fifth that was left out.
"""

from __future__ import annotations

import argparse
import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import soxr
from numpy.typing import NDArray

from visavis import backends, config
from visavis.backends.contract import Options, Speech
from visavis.bundle.store import Store
from visavis.flow.events import INPUT_RATE_HZ
from visavis.perceive.hum import features

Array = NDArray[np.float64]
RATE_HZ = INPUT_RATE_HZ
AT_MS = (100, 140, 200, 300, 450)
RIDGE = 5.0
FALSE_ALARMS = 0.03
PHONEMES = 0x100  # eSpeak's flag: what stands between [[ and ]] is phonemes
HUMS = ("[[m:]]", "[[mm]]", "[[hm:]]", "[[m:h'm:]]", "[[mh'm]]", "[[n:]]", "[[N]]", "[[@n]]", "嗯")
SPEECH = (
    "Stop.",
    "Wait a second.",
    "No, no, no.",
    "Hold on.",
    "Enough.",
    "Be quiet.",
    "Never mind, what time is it?",
    "Maybe we should go.",
    "Actually, how old are you?",
    "Okay, but what happens at the end?",
    "Let me ask something else.",
    "How much does it cost?",
    "Yes, but why?",
    "Excuse me, I have a question.",
    "My name is not Mike.",
    "Um, what was that?",
)
FOREIGN = {
    "cmn": ("等等", "停一下", "不对", "我想问另外一个问题", "你说的是哪一个？", "那后来呢？"),
    "de": ("Nein, warte mal.", "Moment bitte.", "Was kostet das?"),
    "fr": ("Non, attends.", "Un moment."),
    "es": ("No, espera.", "Un momento."),
    "ru": ("Нет, подожди.", "Сколько стоит?"),
    "ja": ("ちょっとまって", "いいえ"),
}
VARIANTS = ("", "+f2", "+m3", "+f4", "+klatt2", "+Annie", "+m7", "+Andrea", "+rob", "+david")


@dataclass(frozen=True)
class Example:
    """A voice from its onset on, at 16 kHz, full scale ±1."""

    voice: str
    hums: bool
    samples: Array


# ── hums of our own ──────────────────────────────────────────────────────────────────────────


def resonance(x: Array, freq_hz: float, width_hz: float, *, zero: bool = False) -> Array:
    """A formant (or, `zero`, an antiformant) of gain 1 at 0 Hz, over the whole sound at once."""
    z = np.exp(2j * np.pi * np.fft.rfftfreq(2 * len(x)))
    pole = np.exp(-np.pi * width_hz / RATE_HZ + 2j * np.pi * freq_hz / RATE_HZ)
    response = (1 - pole / z) * (1 - pole.conjugate() / z) / abs(1 - pole) ** 2
    spectrum = np.fft.rfft(x, 2 * len(x))
    return np.fft.irfft(spectrum * response if zero else spectrum / response)[: len(x)]


def murmur(random: np.random.Generator, pitch_hz: float, ms: float) -> Array:
    """One syllable of "mm"."""
    count = int(ms * RATE_HZ / 1_000)
    glide = pitch_hz * random.uniform(0.8, 1.2) ** np.linspace(0, 1, count)
    jitter = 1 + 0.01 * random.standard_normal(count)
    pulses = np.diff(np.floor(np.cumsum(glide * jitter) / RATE_HZ), prepend=0.0)
    sound = resonance(resonance(pulses, 60, 120), 100, 900) + 1e-3 * random.standard_normal(count)
    for low, high, width in ((220, 330, 70), (950, 1_150, 250), (2_000, 2_500, 300)):
        sound = resonance(sound, random.uniform(low, high), width)
    sound = resonance(sound, random.uniform(700, 1_400), random.uniform(100, 300), zero=True)
    at = np.arange(count) / RATE_HZ * 1_000
    rise, fall = random.uniform(20, 60), random.uniform(40, 120)
    sound *= np.minimum(1, at / rise) * np.minimum(1, (ms - at) / fall)
    return np.asarray(sound / np.abs(sound).max())


def made_hum(random: np.random.Generator) -> Array:
    """ "Mm", "mm mm" or "mm-hm"."""
    pitch_hz = random.uniform(85, 260)
    first = murmur(random, pitch_hz, random.uniform(180, 450))
    if random.random() < 0.4:
        return first
    gap = np.zeros(int(random.uniform(0.02, 0.1) * RATE_HZ))
    gap += random.uniform(0, 0.02) * random.standard_normal(len(gap))
    second = murmur(random, pitch_hz * random.uniform(1.0, 1.3), random.uniform(130, 300))
    return np.concatenate([first[: random.integers(1_600, 3_600)], gap, second])


# ── what others say ──────────────────────────────────────────────────────────────────────────


def espeak_says(library: Any, text: str, voice: str) -> Array:
    """eSpeak NG's sound at 22.05 kHz; the backend itself takes no phonemes."""
    from visavis.backends.tts import espeak

    pieces: list[Any] = []

    def take(wave: Any, count: int, events: Any) -> int:
        if wave and count > 0:
            pieces.append(np.ctypeslib.as_array(wave, (count,)).astype(np.float64) / 32_768)
        return 0

    library.espeak_SetVoiceByName(voice.encode())
    callback = espeak._Callback(take)
    library.espeak_SetSynthCallback(callback)
    data = text.encode() + b"\0"
    library.espeak_Synth(data, ctypes.c_size_t(len(data)), 0, 1, 0, 1 | PHONEMES, None, None)
    return np.concatenate(pieces or [np.zeros(0)])


def examples(seed: int) -> Iterator[Example]:
    """All of them, without silence around."""
    random = np.random.default_rng(seed)
    store = Store(config.load().models)
    for i in range(240):
        yield Example(f"made {i % 8}", True, made_hum(random))
    espeak = backends.load("tts", "espeak", Options())
    for variant in VARIANTS:
        for hums, texts in ((True, list(HUMS)), (False, list(SPEECH))):
            for text in texts:
                voice = ("cmn" if text == "嗯" else "en-us") + variant
                sound = espeak_says(espeak._library, text, voice)
                yield Example(f"espeak {variant}", hums, to_16k(sound, espeak.rate_hz, random))
        for language, sayings in FOREIGN.items():
            for text in sayings:
                sound = espeak_says(espeak._library, text, language + variant)
                yield Example(f"espeak {variant}", False, to_16k(sound, espeak.rate_hz, random))
    piper = backends.load("tts", "piper", store.find("piper-en-joe").options)
    for text in SPEECH * 3:
        sound = Speech.joined(piper.synthesise(text)).samples.astype(np.float64)
        yield Example(f"piper {random.integers(3)}", False, to_16k(sound, piper.rate_hz, random))
    yield from people(store)


def to_16k(sound: Array, rate_hz: int, random: np.random.Generator) -> Array:
    return np.asarray(soxr.resample(sound, rate_hz * random.uniform(0.9, 1.15), RATE_HZ))


def people(store: Store) -> Iterator[Example]:
    """Where the readers begin anew after 70 ms of quiet."""
    files = store.find("human-speech").options.files
    for name in ("beckett", "two_cities"):
        import wave

        with wave.open(str(files[name])) as file:
            raw = np.frombuffer(file.readframes(file.getnframes()), "<i2")
            sound = raw.reshape(-1, file.getnchannels()).mean(axis=1) / 32_768
            sound = np.asarray(soxr.resample(sound, file.getframerate(), RATE_HZ))
        power = np.convolve(sound**2, np.ones(160) / 160, "same")
        loud = np.concatenate([[False], power > 1e-3 * np.percentile(power, 99)])
        begins, ends = (
            np.flatnonzero(np.diff(loud.astype(int)) > 0),
            np.flatnonzero(np.diff(loud.astype(int)) < 0),
        )
        for begin in begins:
            before = ends[ends < begin]
            quiet = begin - (before[-1] if len(before) else -RATE_HZ)
            piece = sound[begin : begin + RATE_HZ // 2]
            if quiet > 0.07 * RATE_HZ and np.abs(piece).max() > 0.1:
                yield Example(name, False, piece)


# ── the fit ──────────────────────────────────────────────────────────────────────────────────


def in_a_room(samples: Array, random: np.random.Generator) -> tuple[Array, Array]:
    """The voice from its onset on, which is not found exactly, and the room before it."""
    loud = np.flatnonzero(np.abs(samples) > 0.02 * np.abs(samples).max())
    voice = samples[loud[0] : loud[-1] + 1]
    voice = voice / np.sqrt(np.mean(voice**2)) * 10 ** (random.uniform(-36, -14) / 20)
    early = int(random.uniform(-0.02, 0.03) * RATE_HZ)
    voice = np.concatenate([np.zeros(max(early, 0)), voice[max(-early, 0) :]])
    noise = random.standard_normal(4_000 + len(voice))
    spectrum = np.fft.rfft(noise) / np.maximum(np.arange(len(noise) // 2 + 1), 8) ** random.choice(
        [0, 0.5, 1]
    )
    noise = np.fft.irfft(spectrum, len(noise))
    down_db = random.choice([12, 20, 30, 45])
    noise *= np.sqrt(np.mean(voice**2) / np.mean(noise**2)) * 10 ** (-down_db / 20)
    return voice + noise[4_000:], noise[:4_000]


def fit(x: Array, hums: Array, weight: Array) -> Array:
    """Newton's method; the last of the weights is the bias."""
    found = np.zeros(x.shape[1])
    ridge = RIDGE * np.diag([1.0] * (len(found) - 1) + [0.0])
    for _ in range(40):
        p = 1 / (1 + np.exp(-np.clip(x @ found, -30, 30)))
        slope = x.T @ (weight * (p - hums)) + ridge @ found
        curve = (x * (weight * p * (1 - p))[:, None]).T @ x + ridge + 1e-6 * np.eye(len(found))
        found = found - np.linalg.solve(curve, slope)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    rows: list[tuple[str, bool, int, Array]] = []
    for example in examples(options.seed):
        if not example.samples.any():
            continue
        voice, room = in_a_room(example.samples, random)
        for at_ms in AT_MS:
            if len(voice) >= at_ms * RATE_HZ // 1_000:
                cut = voice[: at_ms * RATE_HZ // 1_000]
                rows.append(
                    (
                        example.voice,
                        example.hums,
                        at_ms,
                        features(cut.astype(np.float32), room.astype(np.float32)),
                    )
                )
    x = np.array([row[3] for row in rows])
    mean, spread = x.mean(axis=0), x.std(axis=0)
    z = np.c_[(x - mean) / spread, np.ones(len(x))]
    hums = np.array([row[1] for row in rows], float)
    weight = np.where(hums > 0, 1 / hums.mean(), 1 / (1 - hums.mean())) / 2
    voices = np.array([row[0] for row in rows])
    names = random.permutation(sorted(set(voices)))
    scores = np.zeros(len(x))
    for part in range(5):
        left_out = np.isin(voices, names[part::5])
        scores[left_out] = z[left_out] @ fit(z[~left_out], hums[~left_out], weight[~left_out])
    at = np.array([row[2] for row in rows])
    for at_ms in AT_MS:
        here = at == at_ms
        limit = np.quantile(scores[here & (hums == 0)], 1 - FALSE_ALARMS)
        found = np.mean(scores[here & (hums == 1)] > limit)
        odds = 1 / (1 + np.exp(-limit))
        print(f"{at_ms} ms: {found:.0%} of {sum(here & (hums == 1))} hums, hum above {odds:.2f}")
    *weights, bias = fit(z, hums, weight)
    weights = np.array(weights) / spread
    print("WEIGHTS =", [round(float(w), 3) for w in weights])
    print("BIAS =", round(float(bias - mean @ weights), 2))


if __name__ == "__main__":
    main()
