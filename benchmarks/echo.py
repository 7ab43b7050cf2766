"""Echo in simulated rooms: what is left of our own voice, and of the user who speaks over it.

    python benchmarks/echo.py [--minutes 10] [--rooms plain,drift]

Our voice plays through each room into the microphone, and the aligner and the detector of voice
hear it, in simulated time. First nobody speaks: echo return loss enhancement (ERLE) in the first
second and at the median of all, error of the delay, cost of 10 ms, and how often a voice began
that nobody had: must be 0. Then a user speaks over it, as loud as the echo and 6 dB below: how
many of the voices were found, how soon after their onset, and the share of their energy that is
left. `alone`: the same voices where nothing plays.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from dialogue import FLOOR, PITCH, percentile
from row import print_row
from visavis import backends
from visavis.align.audio import AudioAligner
from visavis.align.echo import Cancelling
from visavis.align.reference import Reference
from visavis.backends.contract import Options, Tts
from visavis.bench import phrases
from visavis.bench.room import Place, Room, RoomSource
from visavis.config import load
from visavis.engines import find_bundles, make_resampler
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.flow.ring import AudioRing
from visavis.perceive.vad import VoiceActivity
from visavis.source.script import ScriptedSpeaker

OURS = (
    "The museum on the hill opens at ten in the morning, and closes at six.",
    "A fox once lived beside a quiet river, where nobody ever came.",
    "You should water the plants early in the day, before it gets too hot outside.",
    "There are many kinds of bread, but the simplest needs only flour, water, salt and time.",
    "The largest ocean on Earth is the Pacific, which covers about a third of the planet.",
    "Penguins live mostly in the southern half of the world, and they swim very well.",
    "If you cannot sleep, go to bed at the same time each night, and put the phone away.",
    "My favourite season is autumn, because the leaves turn red and yellow.",
    "It takes about seven minutes to boil an egg, if you like it soft in the middle.",
    "The moon is nearly four hundred thousand kilometres away from us.",
    "Bees make honey, and they carry pollen from one flower to another.",
    "Romeo and Juliet was written by William Shakespeare, more than four centuries ago.",
)
THEIRS = (*phrases.CUTS[:6], "Excuse me.", "What about tomorrow?")
ROOMS = {
    "dry": Place(delay_ms=40, tail_ms=0),
    "plain": Place(delay_ms=60, tail_ms=200),
    "near": Place(delay_ms=20, tail_ms=150),
    "far": Place(delay_ms=250, tail_ms=300),
    "clipping": Place(delay_ms=60, tail_ms=150, nonlinearity=2),
    "drift": Place(delay_ms=60, tail_ms=150, drift_ppm=100),
    "loud": Place(delay_ms=120, tail_ms=200, gain_db=3),
}
EVERY_S = 3.1
"""Between the beginnings of the user's utterances: over other words each time."""
LATE = 128
"""Samples by which the canceller's sound is later."""
REPLIES = 3
GAP_S = 0.25
PAUSE_S = 2.0
SETTLED_S = 3.0
EARLY_NS = 100 * NS_PER_MS
AUDIBLE = 10 ** (-45 / 20)
WAY_MS = 16 / 22.05
"""The room's own lookahead: the way through the air."""


def spoken(tts: Tts, text: str) -> e.Samples:
    """The text as sound, without silence around it."""
    samples = np.concatenate([part.samples for part in tts.synthesise(text)])
    loud = np.flatnonzero(np.abs(samples) > FLOOR * np.abs(samples).max())
    return samples[loud[0] : loud[-1] + 1]


def level(samples: e.Samples) -> float:
    return float(np.sqrt(np.mean(np.square(samples, dtype=np.float64)) + 1e-12))


def db(ratio: float) -> float:
    return 20 * float(np.log10(ratio))


@dataclass
class Voices:
    """Our sentences, replies of some of them each, and the user's utterances."""

    rate_hz: int
    sentences: list[e.Samples]
    replies: list[e.Samples]
    users: list[e.Samples]

    @classmethod
    def of(cls, tts: Tts) -> Voices:
        gap = np.zeros(int(GAP_S * tts.rate_hz), np.float32)
        ours = [np.concatenate([spoken(tts, text), gap]) for text in OURS]
        replies = [np.concatenate(ours[at::REPLIES]) for at in range(REPLIES)]
        return cls(tts.rate_hz, ours, replies, [spoken(tts, text) for text in THEIRS])

    def periods(self, seconds: float, pause_s: float) -> Iterator[e.SoundPlayed]:
        """One reply after the other for so long; nothing is played in the pauses."""
        period, at = self.rate_hz // 50, 0
        for epoch in itertools.count(1):
            reply = self.replies[epoch % REPLIES]
            for begin in range(0, len(reply) - period + 1, period):
                if at > seconds * self.rate_hz:
                    return
                samples, t_ns = reply[begin : begin + period], at * NS_PER_S // self.rate_hz
                yield e.SoundPlayed(t_ns=t_ns, epoch=epoch, start=at, samples=samples)
                at += period
            at += int(pause_s * self.rate_hz) // period * period


@dataclass
class Heard:
    """What came out: the sound, what of it may be echo, the voices that began, what it cost."""

    sound: e.Samples
    begun: list[e.SpeechStarted] = field(default_factory=list)
    doubted: list[e.Span] = field(default_factory=list)
    delay_ms: float = float("nan")
    spent_s: float = 0.0


class Ears:
    """An aligner and a detector of voice, with or without a canceller."""

    def __init__(self, rate_hz: int, vad: VoiceActivity | None, *, cancel: bool) -> None:
        self._echo = None
        if cancel:
            canceller = backends.load("echo", "webrtc", Options())
            self._echo = Cancelling(canceller, Reference(rate_hz, make_resampler))
        self._aligner = AudioAligner(AudioRing(5), make_resampler, echo=self._echo)
        self._vad = vad
        self._parts: list[e.Samples] = []
        self.heard = Heard(np.zeros(0, np.float32))

    def on(self, event: e.Event) -> None:
        begun = time.thread_time()
        given = list(self._aligner.on(event))
        self.heard.spent_s += time.thread_time() - begun
        for out in given:
            assert isinstance(out, e.AudioAligned)
            self._parts.append(out.samples.copy())
            self.heard.doubted += out.doubted
            facts = self._vad.on(out) if self._vad is not None else ()
            self.heard.begun += [fact for fact in facts if isinstance(fact, e.SpeechStarted)]

    def finish(self) -> Heard:
        self.heard.sound = np.concatenate(self._parts)
        if self._echo is not None:
            self.heard.delay_ms = self._echo.delay_ms
            self._echo.close()
        return self.heard


def play(source: RoomSource, periods: Iterator[e.SoundPlayed], ears: list[Ears]) -> list[Heard]:
    """Runs to the end of the source; a chunk is made when the one before it was heard, as live."""
    coming = next(periods, None)

    def until(t_ns: int) -> None:
        nonlocal coming
        while coming is not None and coming.t_ns <= t_ns:
            source.room.hear(coming)
            for ear in ears:
                ear.on(coming)
            coming = next(periods, None)

    until(0)
    for event in source.events():
        until(event.t_ns - 1)
        for ear in ears:
            ear.on(event)
        until(event.t_ns)
    return [ear.finish() for ear in ears]


class Bench:
    """Voices in rooms."""

    def __init__(self) -> None:
        found = find_bundles(load())
        engines = {
            kind: backends.load(kind, found[kind].manifest.backend, found[kind].options)
            for kind in ("tts", "vad")
        }
        self.voices = Voices.of(engines["tts"])
        self._vad = engines["vad"]
        self._user_hz = round(self.voices.rate_hz * PITCH)
        self._level = level(np.concatenate(self.voices.replies))

    def alone(self, place: Place, seconds: float) -> list[Heard]:
        """Nobody but us: with the canceller, and what the microphone hears."""
        speaker = ScriptedSpeaker(self._user_hz, tail_s=seconds)
        return self._run(place, speaker, self.voices.periods(seconds, PAUSE_S), (True, False))

    def over(self, place: Place, level_db: float) -> tuple[Heard, ScriptedSpeaker]:
        """A user over our voice, `level_db` against its echo."""
        speaker = self._speaker(self._level * 10 ** ((place.gain_db + level_db) / 20))
        periods = self.voices.periods(60, 0)
        [heard] = self._run(place, speaker, periods, (True,))
        return heard, speaker

    def dry(self, place: Place, level_db: float) -> tuple[Heard, ScriptedSpeaker]:
        """The same user where nothing sounds."""
        speaker = self._speaker(self._level * 10 ** ((place.gain_db + level_db) / 20))
        [heard] = self._run(replace(ROOMS["dry"], noise_db=-120), speaker, iter(()), (False,))
        return heard, speaker

    def _speaker(self, loudness: float) -> ScriptedSpeaker:
        said = [
            (SETTLED_S + number * EVERY_S, user * np.float32(loudness / level(user)))
            for number, user in enumerate(self.voices.users * 2)
        ]
        return ScriptedSpeaker(self._user_hz, said, tail_s=1)

    def _run(
        self,
        place: Place,
        speaker: ScriptedSpeaker,
        periods: Iterator[e.SoundPlayed],
        cancel: tuple[bool, ...],
    ) -> list[Heard]:
        room = Room(speaker.rate_hz, self.voices.rate_hz, place)
        ears = []
        for each in cancel:
            # One model serves them all: it is asked for one ear only.
            vad = VoiceActivity(self._vad) if each or len(cancel) == 1 else None
            ears.append(Ears(self.voices.rate_hz, vad, cancel=each))
        return play(RoomSource(speaker, room), periods, ears)


def erle_db(raw: e.Samples, clean: e.Samples) -> tuple[float, float]:
    """Of the first second with sound, and at the median of all such seconds."""
    gains = []
    for at in range(0, min(len(raw), len(clean)) - e.INPUT_RATE_HZ + 1, e.INPUT_RATE_HZ):
        second = slice(at, at + e.INPUT_RATE_HZ)
        if level(raw[second]) > AUDIBLE:
            gains.append(db(level(raw[second]) / level(clean[second])))
    return gains[0], percentile(gains, 50)


def found(heard: Heard, speaker: ScriptedSpeaker) -> list[float]:
    """From the onset of each voice that was found to the event, in ms."""
    delays = []
    for start_ns, end_ns in speaker.spoken:
        times = [
            begun.t_ns
            for begun in heard.begun
            if start_ns - EARLY_NS <= begun.start * NS_PER_S // e.INPUT_RATE_HZ < end_ns
        ]
        delays += [(min(times) - start_ns) / NS_PER_MS] if times else []
    return delays


def kept(heard: Heard, alone: Heard, speaker: ScriptedSpeaker) -> float:
    """The share of the user's energy that is left, in pieces of 20 ms; more than all is all."""
    left = whole = 0.0
    for start_ns, end_ns in speaker.spoken:
        begin, end = (t_ns * e.INPUT_RATE_HZ // NS_PER_S for t_ns in (start_ns, end_ns))
        for at in range(begin, end - 320, 320):
            truth = float(np.sum(alone.sound[at : at + 320] ** 2))
            whole += truth
            left += min(truth, float(np.sum(heard.sound[at + LATE : at + LATE + 320] ** 2)))
    return left / whole


def report(bench: Bench, name: str, minutes: float) -> tuple[int, str]:
    """One room's figures: the false voices, and a line."""
    place = ROOMS[name]
    seconds = minutes * 60
    clean, raw = bench.alone(place, seconds)
    first, median = erle_db(raw.sound, clean.sound)
    drifted_ms = seconds * place.drift_ppm / 1e3
    error_ms = clean.delay_ms - place.delay_ms - WAY_MS - drifted_ms
    cost_ms = (clean.spent_s - raw.spent_s) / seconds * 10
    line = (
        f"{name}: ERLE {first:.0f} then {median:.0f} dB, delay {error_ms:+.1f} ms off,"
        f" {cost_ms:.2f} ms per 10 ms, {len(clean.begun)} false voices"
    )
    for level_db in (0, -6):
        over, speaker = bench.over(place, level_db)
        alone, _ = bench.dry(place, level_db)
        delays = found(over, speaker)
        line += (
            f"; {level_db} dB: {len(delays)} of {len(speaker.spoken)} after"
            f" {percentile(delays, 50):.0f}/{percentile(delays, 95):.0f} ms,"
            f" {100 * kept(over, alone, speaker):.0f} % kept"
        )
    return len(clean.begun), line


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rooms", default=",".join(ROOMS))
    chosen = parser.parse_args()
    bench = Bench()
    alone, speaker = bench.dry(ROOMS["plain"], 0)
    delays = found(alone, speaker)
    parts = [f"alone: {len(delays)} of {len(speaker.spoken)} after {percentile(delays, 50):.0f} ms"]
    false = 0
    for name in chosen.rooms.split(","):
        count, line = report(bench, name, chosen.minutes)
        print(line, flush=True)
        false += count
        parts.append(line)
    command = f"python benchmarks/echo.py --minutes {chosen.minutes:g}"
    print_row(command, f"{false} false voices; " + " · ".join(parts))


if __name__ == "__main__":
    main()
