"""What a voice over ours is taken for, and how soon: the real detector and recogniser, no reply.

    python benchmarks/voices.py [--verbose] [--seed 1]

A user interrupts, listens ("uh-huh", "okay okay", hums), and speaks to someone else (12 dB weaker),
in a voice varied in pitch, level and noise; and people who read aloud interrupt. Each voice is
judged as the session judges it, as if a reply were sounding. From the true onset to INSISTS, when
we stand still, and to INTERRUPTION, when the reply is given up. Simulated time, to which the work
of the recogniser is billed.
"""

from __future__ import annotations

import argparse
import wave
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from dialogue import percentile, prepare, speech
from row import print_row
from visavis import config
from visavis.bench import acoustics
from visavis.bundle.store import Store
from visavis.decide.interrupt import Verdict, Voice
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S, SimulatedClock
from visavis.flow.simulate import SimulatedLoop
from visavis.source.script import ScriptedSpeaker
from visavis.wiring import Parts, connect

RATE_HZ = e.INPUT_RATE_HZ
USUAL_DB, ASIDE_DB, NOISE_DB = -24.0, -12.0, -52.0
PITCHES = (0.92, 1.05, 1.15)
INTERRUPTIONS = (
    *("Stop.", "Wait.", "No.", "Wait, wait.", "Hold on.", "Stop it, please.", "No, no, no."),
    *("Actually, how old are you?", "Okay, but what happens at the end?", "What about Rome?"),
    *("No, that is not what I meant.", "Can you say that again?", "How much does it cost?"),
    *("Tell me about something else.", "My name is not Mike.", "Maybe we should go."),
)
BACKCHANNELS = (
    *("Uh-huh.", "Right.", "Yeah.", "Okay, okay.", "I see.", "Yes.", "Okay.", "Sure.", "Wow."),
    *("Oh really?", "Of course.", "Great.", "Yeah, yeah.", "Got it."),
)
ASIDES = ("Put the kettle on, would you?", "I will be there in a minute.", "It is on the table.")
HUMS = 16
READINGS = 8
NS_PER_SAMPLE = NS_PER_S // RATE_HZ


@dataclass
class Utterance:
    """A sound, what it is meant for, and what it was taken for."""

    kind: str
    text: str
    samples: e.Samples
    verdict: str = "unheard"
    words: str = ""
    hum: float = float("nan")
    level_db: float = float("nan")  # beside what is usual
    onset_ns: int = 0
    end_ns: int = 0
    after_ms: dict[Verdict, float] = field(default_factory=dict)


class Judge:
    """A tap that judges each voice as decide does, and writes down what comes of it."""

    def __init__(self, utterances: Sequence[Utterance], speaker: ScriptedSpeaker) -> None:
        self._utterances, self._speaker = utterances, speaker
        self._voice: Voice | None = None
        self._speaking = False
        self._text = ""  # of the turn
        self.told: list[tuple[int, int, Verdict, Voice]] = []

    def watch(self, event: e.Event) -> None:
        """Takes one event."""
        match event:
            case e.SpeechStarted():
                self._speaking = True
                self._voice = self._voice or Voice(event.start, before=self._text)
            case e.SpeechPaused():
                self._speaking = False
            case e.VoiceMeasured() if self._voice and event.start == self._voice.start:
                self._voice.measured = event
                self._judge(event, event.end)
            case e.ClockTicked() if self._speaking:
                self._judge(event, event.t_ns // NS_PER_SAMPLE)
            case e.WordsHeard(text=text):
                self._text = text or self._text
                if self._voice is None:
                    return
                self._voice.hear(event.text, event.end)
                self._judge(event, event.end, final=event.final)
            case e.TurnEnded() | e.TurnDropped():
                self._judge(event, event.end, final=True)
                self._voice, self._text = None, ""

    def _judge(self, event: e.Event, end: int, *, final: bool = False) -> None:
        if (voice := self._voice) is None:
            return
        verdict = voice.verdict(end, final=final)
        if verdict is not Verdict.UNSURE:
            self.told.append((voice.start, event.t_ns, verdict, replace(voice)))
        if verdict not in (Verdict.UNSURE, Verdict.INSISTS):
            self._voice = None

    def settle(self) -> None:
        """Says of each utterance what became of it."""
        for utterance, (onset_ns, end_ns) in zip(
            self._utterances, self._speaker.spoken, strict=True
        ):
            utterance.onset_ns, utterance.end_ns = onset_ns, end_ns
            for start, t_ns, verdict, voice in self.told:
                if onset_ns - NS_PER_S // 4 <= start * NS_PER_SAMPLE <= end_ns:
                    _note(utterance, verdict, (t_ns - onset_ns) / NS_PER_MS, voice)


def _note(utterance: Utterance, verdict: Verdict, after_ms: float, voice: Voice) -> None:
    utterance.after_ms.setdefault(verdict, after_ms)
    if verdict is not Verdict.INSISTS and utterance.verdict != Verdict.INTERRUPTION.value:
        utterance.verdict, utterance.words = verdict.value, voice.words
        if voice.measured is not None:
            utterance.hum = voice.measured.hum
            utterance.level_db = voice.measured.level_db - voice.measured.usual_db


# ── the sounds ───────────────────────────────────────────────────────────────────────────────


def utterances(parts: Parts, seed: int) -> list[Utterance]:
    """All of them in an order of chance, after three turns from which the level is learnt."""
    random = np.random.default_rng(seed)
    spoken = [*_spoken(parts, random)]
    order = random.permutation(len(spoken))
    usual = [_said(parts, "turn", text, 1.0, USUAL_DB) for text in INTERRUPTIONS[-3:]]
    return [*usual, *(spoken[i] for i in order)]


def _spoken(parts: Parts, random: np.random.Generator) -> Iterator[Utterance]:
    for i, pitch in enumerate(PITCHES):
        for kind, texts in (("interruption", INTERRUPTIONS), ("backchannel", BACKCHANNELS)):
            for text in texts:
                yield _said(parts, kind, text, pitch, USUAL_DB + random.uniform(-3, 3))
        yield _said(parts, "aside", ASIDES[i], pitch, USUAL_DB + ASIDE_DB)
    for _ in range(HUMS):
        low_hz = random.uniform(90, 220)
        samples = acoustics.hum(random, RATE_HZ, low_hz=low_hz, high_hz=low_hz * 1.25)
        level_db = USUAL_DB + random.uniform(-6, 0)
        yield Utterance("backchannel", "(mm-hm)", acoustics.at_level(samples, level_db))
    for reading in _readings():
        yield Utterance("interruption", "(reading)", acoustics.at_level(reading, USUAL_DB))


def _said(parts: Parts, kind: str, text: str, pitch: float, level_db: float) -> Utterance:
    assert parts.make_resampler is not None
    resampler = parts.make_resampler(round(parts.output_rate_hz * pitch), RATE_HZ)
    samples = resampler.feed(speech(parts, text), last=True)
    return Utterance(kind, text, acoustics.at_level(samples, level_db))


def _readings() -> Iterator[e.Samples]:
    """A second and a half each, from where a reader begins anew."""
    path = Store(_models()).find("human-speech").options.files["two_cities"]
    with wave.open(str(path)) as file:
        data = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        step = file.getframerate() // RATE_HZ
        sound = data.reshape(-1, file.getnchannels()).mean(axis=1).astype(np.float32) / 32_768
    sound = sound[: len(sound) // step * step].reshape(-1, step).mean(axis=1)
    power = np.convolve(sound**2, np.ones(320) / 320, "same")
    loud = power > 4e-3 * np.percentile(power, 99)
    begins = np.flatnonzero(loud[1:] & ~loud[:-1]) + 1
    fresh = [b for b in begins if not loud[max(0, b - 3_200) : b].any()]
    for begin in fresh[:READINGS]:
        yield sound[begin : begin + 3 * RATE_HZ // 2]


def _models() -> Path:
    return config.load().models


# ── the run ──────────────────────────────────────────────────────────────────────────────────


def run(parts: Parts, spoken: Sequence[Utterance], seed: int) -> None:
    """Lets the line hear all of them, three seconds apart, so that each is a turn."""
    random = np.random.default_rng(seed)
    speaker = ScriptedSpeaker(RATE_HZ, tail_s=3)
    at_s = 1.0
    for utterance in spoken:
        speaker.say(utterance.samples, round(at_s * NS_PER_S))
        at_s += len(utterance.samples) / RATE_HZ + random.uniform(3.0, 3.5)
    loop = SimulatedLoop(SimulatedClock(bill_work=True))
    connect(loop, replace(parts, llm=None, tts=None, spare_tts=None, sink=None))
    judge = Judge(spoken, speaker)
    loop.bus.tap(judge.watch)
    ended: list[e.Event] = []
    loop.bus.tap(lambda event: ended.append(event) if isinstance(event, e.SourceEnded) else None)
    loop.feed(in_a_room(speaker.events(), random))
    loop.run(lambda: bool(ended) and not loop.busy)
    judge.settle()


def in_a_room(events: Iterator[e.Event], random: np.random.Generator) -> Iterator[e.Event]:
    """The same chunks with a room's noise."""
    for event in events:
        if not isinstance(event, e.AudioCaptured):
            yield event
            continue
        samples = np.frombuffer(event.data, "<f4")
        noise = random.standard_normal(len(samples)) * 10 ** (NOISE_DB / 20)
        yield replace(event, data=(samples + noise).astype("<f4").tobytes())


def share(spoken: Sequence[Utterance], kind: str, right: Verdict) -> str:
    """How many of a kind were taken for something else than `right`."""
    found = Counter(u.verdict for u in spoken if u.kind == kind)
    return f"{found.total() - found[right.value]} of {found.total()}"


def times(spoken: Sequence[Utterance], verdict: Verdict) -> str:
    """p50/p95 from the onset of interruptions to that verdict."""
    values = [
        u.after_ms[verdict] for u in spoken if u.kind == "interruption" and verdict in u.after_ms
    ]
    return f"{percentile(values, 50):.0f}/{percentile(values, 95):.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    parts = prepare()
    if parts.llm is not None:
        parts.llm.close()
    spoken = utterances(parts, options.seed)
    run(parts, spoken, options.seed)
    if options.verbose:
        for u in spoken:
            insists = u.after_ms.get(Verdict.INSISTS, float("nan"))
            sound = f"{insists:5.0f} ms hum {u.hum:.2f} {u.level_db:+5.1f} dB"
            print(f"{u.kind:12} {u.verdict:12} {sound} {u.text} → {u.words}")
    stopped = [u for u in spoken if u.kind == "backchannel"]
    held = sum(Verdict.INSISTS in u.after_ms for u in stopped if u.text == "(mm-hm)")
    wrong = sum(u.verdict == Verdict.INTERRUPTION.value for u in stopped)
    aside = sum(u.verdict == Verdict.INTERRUPTION.value for u in spoken if u.kind == "aside")
    print_row(
        "python benchmarks/voices.py",
        f"backchannels that stop us {wrong} of {len(stopped)}; interruptions missed"
        f" {share(spoken, 'interruption', Verdict.INTERRUPTION)}; asides that stop us {aside} of"
        f" {len(ASIDES)}; from the true onset p50/p95: insists {times(spoken, Verdict.INSISTS)} ms,"
        f" interruption {times(spoken, Verdict.INTERRUPTION)} ms; {held} of {HUMS} hums stood us"
        " still",
    )


if __name__ == "__main__":
    main()
