"""A whole conversation under the simulated clock: the real stations, scripted engines, a scripted
user with bad manners, all drawn from one seed.

The user speaks symbolic words (backends/asr/fake.py) through the real audio path. In each reply,
at an instant drawn from its whole length and beyond, something may happen: an interruption, a
backchannel, a noise, the user going on; engines are slow, jittery, and may fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from tests.sim.eyes import Camera, Seeing
from tests.sim.invariants import Invariants
from visavis.backends.asr.fake import FakeAsr, encode, murmur
from visavis.backends.llm.fake import FAULTS, FakeLlm, Fault, Latency
from visavis.backends.picture.fake import FakePictureCodec
from visavis.backends.resample.soxr import SoxrResampler
from visavis.backends.tts.fake import FakeTts
from visavis.backends.turn.fake import FakeTurn
from visavis.backends.vad.fake import FakeVad
from visavis.config import Config
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S, SimulatedClock
from visavis.flow.ring import AudioRing
from visavis.flow.simulate import SimulatedLoop
from visavis.source.file import merged
from visavis.source.script import ScriptedSpeaker
from visavis.speak.sink import NullSink
from visavis.wiring import Parts, connect

QUESTIONS = (
    "what is the capital of france",
    "when does the museum open today",
    "tell me a story about water",
    "who is in this book",
    "what is the weather tomorrow",
    "什么 时间 开门",
    "今天 天气 怎么样",
)
WARNING = "Careful now, there is a car"
LIMIT_S = 300
"""A run that lasts longer is caught in a trap."""


@dataclass(frozen=True)
class Weather:
    """How bad things are. Rates are per call, per reply or per question.

    `cut_at_s`: the first reply is interrupted so long after it was begun, for a sweep. `eyes`:
    there is a camera, whose scene changes; `gaps`: it is unplugged now and then.
    """

    interrupt: float = 0.35
    backchannel: float = 0.15
    noise: float = 0.15
    go_on: float = 0.15
    hesitate: float = 0.2
    notices: float = 0.0
    warnings: float = 0.0
    initiative: Literal["quiet", "polite", "lively"] = "quiet"
    cut_at_s: float | None = None
    engine_failures: float = 0.0
    voice_failures: float = 0.0
    slowness: float = 1.0
    jitter_ms: float = 25.0
    eyes: bool = False
    gaps: bool = False


def _jittered(events: Iterable[e.Event], random: Random, most_ms: float) -> Iterator[e.Event]:
    """Each chunk delivered up to so much late, in order; what it says of its own time stays."""
    last_ns = 0
    for event in events:
        late_ns = round(random.uniform(0, most_ms) * NS_PER_MS)
        last_ns = max(last_ns, event.t_ns + late_ns)
        yield replace(event, t_ns=last_ns)


class User:
    """A tap that speaks: asks, waits, interrupts, mumbles, goes on."""

    def __init__(
        self, loop: SimulatedLoop, speaker: ScriptedSpeaker, random: Random, weather: Weather
    ) -> None:
        self._loop, self._speaker = loop, speaker
        self._random, self._weather = random, weather
        self._questions = 2 + random.randrange(2)
        self._temper = 8  # so many disturbances, or a rude user would go on for ever
        self._spoken_ns = 0  # when all that is planned has been said
        self._idle = True
        self._cut_at_s = weather.cut_at_s
        self._look_around()

    def watch(self, event: e.Event) -> None:
        """Takes one event."""
        if isinstance(event, e.TurnEnded):
            self._maybe_go_on()
        elif isinstance(event, e.ReplyStart):
            self._maybe_disturb()
            self._maybe_raise(event)
        elif isinstance(event, e.StateChanged):
            self._idle = event.state == "idle"

    def _look_around(self) -> None:
        """Once nothing goes on: the next question, or the end."""
        now_ns = self._loop.clock.now_ns()
        if self._idle and now_ns > self._spoken_ns + NS_PER_S:
            if not self._questions:
                self._speaker.end()
                return
            self._questions -= 1
            self._ask(self._random.choice(QUESTIONS), self._random.uniform(0.1, 0.5))
        self._loop.after(300 * NS_PER_MS, self._look_around)

    def _ask(self, question: str, wait_s: float) -> None:
        """At once, or with a pause in the middle of it."""
        first, middle, rest = question.partition(" ")
        if not middle or self._random.random() >= self._weather.hesitate:
            self._say(question, wait_s)
            return
        begun = f"i would like to know the {first}"
        self._say(begun, wait_s)
        length_s = len(encode(begun)) / e.INPUT_RATE_HZ
        self._say(rest, wait_s + length_s + self._random.uniform(0.3, 1.8))

    def _maybe_raise(self, reply: e.ReplyStart) -> None:
        """Something happens meanwhile, of which we should tell, or must."""
        if reply.say or not self._temper:
            return
        w, dice = self._weather, self._random.random()
        if dice < w.notices + w.warnings:
            self._temper -= 1
            urgent = dice < w.warnings
            text = f"{WARNING} {reply.epoch}." if urgent else f"Someone is at door {reply.epoch}."
            wait_ns = round(self._random.uniform(0, 5) * NS_PER_S)
            self._spoken_ns = max(self._spoken_ns, self._loop.clock.now_ns() + wait_ns)
            notice = e.NoticeRaised(t_ns=0, text=text, urgent=urgent)
            self._loop.after(wait_ns, lambda: self._loop.post(notice))

    def _maybe_go_on(self) -> None:
        if self._temper and self._random.random() < self._weather.go_on:
            self._say("and what about me", self._random.uniform(0.0, 0.6))

    def _maybe_disturb(self) -> None:
        if self._cut_at_s is not None:
            self._say("stop", self._cut_at_s)
            self._cut_at_s = None
        if not self._temper:
            return
        w, dice = self._weather, self._random.random()
        wait_s = self._random.uniform(0.0, 6.0)
        if dice < w.interrupt:
            words = self._random.choice(("stop", "wait what is that", "no", "不对", "okay but why"))
            self._say(words, wait_s)
        elif dice < w.interrupt + w.backchannel:
            self._say(self._random.choice(("uh-huh", "okay okay", "嗯", "right")), wait_s)
        elif dice < w.interrupt + w.backchannel + w.noise:
            self._make(murmur(self._random.choice((60, 150, 400, 900))), wait_s)

    def _say(self, words: str, wait_s: float) -> None:
        self._make(encode(words), wait_s)

    def _make(self, samples: e.Samples, wait_s: float) -> None:
        if not self._idle:
            self._temper -= 1
        at_ns = self._loop.clock.now_ns() + round(wait_s * NS_PER_S)
        length_ns = len(samples) * NS_PER_S // e.INPUT_RATE_HZ
        self._spoken_ns = max(self._spoken_ns, at_ns + length_ns)
        self._speaker.say(samples, at_ns)


@dataclass
class Outcome:
    """What a run gave."""

    digest: str
    invariants: Invariants
    seconds: float
    seeing: Seeing | None = None


def run(seed: int, weather: Weather = Weather()) -> Outcome:
    """One conversation. Raises `AssertionError` at the first breach of an invariant."""
    random = Random(seed)
    clock = SimulatedClock()
    loop = SimulatedLoop(clock, strict=True)
    parts = _parts(clock, random, weather)
    camera = Camera(random, gaps=weather.gaps) if weather.eyes else None
    seeing = Seeing(camera) if camera else None
    if camera is not None:
        parts.frames = camera.frames
        parts.codec = FakePictureCodec(clock, seed=random.randrange(2**32))
    nodes = connect(loop, parts)
    assert "think.decode" in nodes
    speaker = ScriptedSpeaker(e.INPUT_RATE_HZ)
    invariants = Invariants(loop.bus, warning=WARNING)
    user = User(loop, speaker, random, weather)
    for tap in (invariants.watch, user.watch):
        loop.bus.tap(tap)
    ended: list[e.Event] = []

    def end(event: e.Event) -> None:
        if isinstance(event, e.SourceEnded):
            ended.append(event)
            if camera is not None:
                camera.end()

    loop.bus.tap(end)
    sound = _jittered(speaker.events(), Random(seed), weather.jitter_ms)
    if camera is None or seeing is None:
        loop.feed(sound)
    else:
        loop.bus.tap(seeing.watch)
        loop.feed(merged(sound, camera.events()))

    def over() -> bool:
        assert clock.now_ns() < LIMIT_S * NS_PER_S, f"caught in {invariants.state}"
        return bool(ended) and invariants.state == "idle" and not loop.busy

    loop.run(over)
    digest = invariants.finish()
    loop.close()
    return Outcome(digest, invariants, clock.now_ns() / NS_PER_S, seeing)


def _parts(clock: SimulatedClock, random: Random, weather: Weather) -> Parts:
    slow = weather.slowness * random.choice((0.3, 1.0, 1.0, 3.0))
    config = Config()
    config = replace(
        config,
        turns=replace(config.turns, patience_ms=15_000),
        initiative=weather.initiative,
    )
    tts = FakeTts(
        clock,
        seed=random.randrange(2**32),
        latency_ms=60 * slow,
        jitter=0.5,
        letter_ms=random.choice((30, 60)),
        fail={n for n in range(200) if random.random() < weather.voice_failures},
        piece_ms=random.choice((0, 90, 250)),
        snap={n for n in range(200) if random.random() < weather.voice_failures},
        in_context=random.random() < 0.5,
    )
    return Parts(
        config=config,
        ring=AudioRing(config.sound.ring_s),
        make_resampler=SoxrResampler,
        vad=FakeVad(clock),
        asr=FakeAsr(clock, seed=random.randrange(2**32), latency_ms=(40 * slow, 200 * slow)),
        turn=FakeTurn(clock, seed=random.randrange(2**32)) if random.random() < 0.5 else None,
        llm=_llm(clock, random, weather, slow),
        tts=tts,
        sink=NullSink(),
        in_context=tts.languages if tts.in_context else (),
        output_rate_hz=tts.rate_hz,
        strict=True,
    )


def _llm(clock: SimulatedClock, random: Random, weather: Weather, slow: float) -> FakeLlm:
    kinds = [kind for kind in FAULTS if kind != "abort"]  # that one ends the process
    faults = {
        call: Fault(random.choice(kinds), at=random.randrange(12))
        for call in range(100)
        if random.random() < weather.engine_failures
    }
    return FakeLlm(
        clock,
        seed=random.randrange(2**32),
        prefill_token=Latency(0.5 * slow),
        token=Latency(15 * slow, 5 * slow),
        faults=faults,
        picture_tokens=16 if weather.eyes else 0,
    )
