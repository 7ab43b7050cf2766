"""A small line with everything a recording has to carry, and its table.

Sound is captured in pairs of chunks, heard by a lane, answered by a lane, spoken by a lane; a lane
sees; what is between is inline. All of it is a function of the sound and of the seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, SimulatedClock
from visavis.flow.line import Line
from visavis.flow.ring import AudioRing
from visavis.flow.simulate import SimulatedLoop
from visavis.govern.record import Recorder
from visavis.govern.replay import Rebuilt

CHUNK = 320
RATE_HZ = 22_050
WALL_NS = 1_700_000_000_000_000_000


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    lane: str = ""


ROWS = (
    Row("toy.align", ("audio.captured", "source.ended"), ("audio.aligned",)),
    Row("toy.vad", ("audio.aligned",), ("speech.started", "speech.paused")),
    Row("toy.asr", ("speech.paused",), ("words.heard",), "asr"),
    Row(
        "toy.decide",
        ("words.heard", "speech.started", "view.taken", "sound.played", "node.failed"),
        ("turn.ended", "reply.start", "reply.cancel", "item.kept", "look.start"),
    ),
    Row("toy.eye", ("look.start",), ("view.taken", "view.missed", "memory.recalled"), "vision"),
    Row("toy.llm", ("reply.start",), ("token.made", "reply.written"), "llm"),
    Row("toy.segment", ("token.made", "reply.written"), ("phrase.released",)),
    Row("toy.tts", ("phrase.released",), ("sound.made",), "tts"),
    Row("toy.player", ("clock.ticked", "sound.made", "reply.cancel"), ("sound.played",)),
    Row("toy.ear", ("sound.played",), ()),
)
INLINE = ("toy.vad", "toy.decide", "toy.segment", "toy.player")


class Align:
    """Gives the chunk it got in two halves; keeps a few samples back until the end."""

    name = "toy.align"

    def __init__(self, ring: AudioRing) -> None:
        self._ring = ring
        self._rest = np.zeros(0, np.float32)

    def on(self, event: e.Event) -> Iterator[e.Event]:
        if isinstance(event, e.AudioCaptured):
            fresh = np.frombuffer(event.data, np.int16).astype(np.float32) / 32768
            sound = np.concatenate([self._rest, fresh])
            sound, self._rest = sound[:-7], sound[-7:]
            half = len(sound) // 2
            yield from self._give(event, sound[:half])
            yield from self._give(event, sound[half:])
        else:
            yield from self._give(event, self._rest)

    def _give(self, cause: e.Event, sound: e.Samples) -> Iterator[e.Event]:
        start = self._ring.end
        yield e.AudioAligned(t_ns=cause.t_ns, start=start, samples=self._ring.write(sound))


class Vad:
    """Voice is what is loud; measured on the ring, as prosody is."""

    name = "toy.vad"

    def __init__(self, ring: AudioRing, threshold: float = 0.1) -> None:
        self._ring = ring
        self._threshold = threshold
        self._since = -1

    def on(self, event: e.Event) -> Iterator[e.Event]:
        assert isinstance(event, e.AudioAligned)
        end = event.start + len(event.samples)
        view = self._ring.slice(max(self._ring.begin, end - 2 * CHUNK), end)
        loud = float(np.abs(view).mean()) > self._threshold
        if loud and self._since < 0:
            self._since = event.start
            yield e.SpeechStarted(t_ns=event.t_ns, trace=event.start, start=event.start)
        elif not loud and self._since >= 0:
            yield e.SpeechPaused(t_ns=event.t_ns, trace=self._since, start=self._since, end=end)
            self._since = -1


class Asr:
    name = "toy.asr"

    def __init__(self, clock: SimulatedClock, chance: random.Random) -> None:
        self._clock, self._chance = clock, chance

    def on(self, event: e.Event) -> Iterator[e.Event]:
        assert isinstance(event, e.SpeechPaused)
        self._clock.spend(self._chance.randrange(5, 200) * NS_PER_MS)
        yield e.WordsHeard(
            t_ns=event.t_ns,
            trace=event.trace,
            text=f"wörds of {event.end - event.start}",
            stable=3,
            final=True,
            start=event.start,
            end=event.end,
            confidence=self._chance.random(),
        )


class Decide:
    """Answers what it hears; a voice while it answers cuts it off."""

    name = "toy.decide"

    def __init__(self, reason: str = "voice", fail_on: str = "") -> None:
        self._reason, self._fail_on = reason, fail_on
        self._epoch = 0
        self._talking = False
        self._view: e.View | None = None

    def on(self, event: e.Event) -> Iterator[e.Event]:
        if event.topic == self._fail_on:
            raise RuntimeError("as told")
        base: dict[str, Any] = {"t_ns": event.t_ns, "trace": event.trace}
        if isinstance(event, e.WordsHeard):
            yield e.TurnEnded(
                **base,
                text=event.text,
                start=event.start,
                end=event.end,
                probability=event.confidence,
                reasons=("words", "silence"),
            )
            self._epoch += 1
            self._talking = True
            yield self._reply(base, event.text)
        elif isinstance(event, e.ViewTaken):
            self._view = event.view
        elif isinstance(event, e.SpeechStarted):
            yield e.LookStart(**base, moment_ns=event.t_ns, reason="speech")
            if self._talking:
                self._talking = False
                yield e.ReplyCancel(**base, epoch=self._epoch, reason=self._reason)
        elif isinstance(event, e.SoundPlayed) and event.done:
            self._talking = False
            yield e.ItemKept(**base, role="assistant", text=event.heard, start_ns=event.t_ns)

    def _reply(self, base: dict[str, Any], text: str) -> e.ReplyStart:
        if self._view is None:
            said = e.Message("user", text)
            return e.ReplyStart(**base, epoch=self._epoch, messages=(said,))
        return e.ReplyStart(
            **base,
            epoch=self._epoch,
            messages=(e.Message("user", text, (self._view,)),),
            view_id=self._view.id,
            view_captured_ns=self._view.captured_ns,
            view_offset_ms=self._view.captured_ns / 1e6,
        )


class Eye:
    """Sees one picture after another, some of them twice, or nothing; it remembers each second."""

    name = "toy.eye"

    def __init__(self, clock: SimulatedClock, chance: random.Random) -> None:
        self._clock, self._chance = clock, chance
        self._looks = 0
        self._last = ""

    def on(self, event: e.Event) -> Iterator[e.Event]:
        assert isinstance(event, e.LookStart)
        self._clock.spend(self._chance.randrange(1, 30) * NS_PER_MS)
        base: dict[str, Any] = {"t_ns": event.t_ns, "trace": event.trace}
        number = (0, 0, 2, -1, 1)[self._looks % 5]
        self._looks += 1
        if number < 0:
            yield e.ViewMissed(**base, moment_ns=event.moment_ns, reason=event.reason)
            return
        data = picture(number)
        view = e.View(f"{number:08x}", event.moment_ns - NS_PER_MS, 64, 48)
        new = view.id != self._last
        self._last = view.id
        yield e.ViewTaken(
            **base,
            view=view,
            moment_ns=event.moment_ns,
            reason=event.reason,
            data=data if new else b"",
        )
        if self._looks % 2 == 0:
            old = picture(number + 1)
            yield e.MemoryRecalled(**base, view=e.View("ffff", 1, 64, 48), ago_ms=2.5, data=old)


def picture(number: int) -> bytes:
    """Something like a JPEG, or for 2 like a PNG."""
    head = b"\x89PNG\r\n\x1a\n" if number == 2 else b"\xff\xd8\xff"
    return head + random.Random(number).randbytes(500 + number)


class Llm:
    name = "toy.llm"

    def __init__(self, clock: SimulatedClock, chance: random.Random) -> None:
        self._clock, self._chance = clock, chance

    def on(self, event: e.Event) -> Iterator[e.Event]:
        base: dict[str, Any] = {"t_ns": event.t_ns, "trace": event.trace, "epoch": event.epoch}
        count = self._chance.randrange(1, 6)
        for index in range(count):
            self._clock.spend(self._chance.randrange(1, 60) * NS_PER_MS)
            yield e.TokenMade(**base, text=f" tok{index}", index=index)
        yield e.ReplyWritten(**base, reason="end", tokens=count)


class Segment:
    name = "toy.segment"

    def on(self, event: e.Event) -> Iterable[e.Event]:
        if not isinstance(event, e.TokenMade):
            return ()
        base: dict[str, Any] = {"t_ns": event.t_ns, "trace": event.trace, "epoch": event.epoch}
        text, index = event.text, event.index
        return [
            e.PhraseReleased(**base, index=index, written=text, spoken=text.strip(), char_start=0)
        ]


class Tts:
    name = "toy.tts"

    def __init__(self, clock: SimulatedClock, chance: random.Random) -> None:
        self._clock, self._chance = clock, chance

    def on(self, event: e.Event) -> Iterator[e.Event]:
        assert isinstance(event, e.PhraseReleased)
        self._clock.spend(self._chance.randrange(1, 90) * NS_PER_MS)
        levels = np.random.default_rng(self._chance.randrange(99)).integers(-9000, 9000, 9000)
        yield e.SoundMade(
            t_ns=event.t_ns,
            trace=event.trace,
            epoch=event.epoch,
            index=event.index,
            samples=levels.astype(np.float32) / 32768,
            words=(e.WordTime(0, 9000, len(event.written)),),
            written=event.written,
        )


class Player:
    """Plays a period at each tick, at a quarter of the volume."""

    name = "toy.player"

    def __init__(self, gain: float = 0.25) -> None:
        self._gain = np.float32(gain)
        self._left = np.zeros(0, np.float32)
        self._said = ""
        self._at = 0
        self._cause: e.Event | None = None

    def on(self, event: e.Event) -> Iterator[e.Event]:
        if isinstance(event, e.SoundMade):
            self._left = np.concatenate([self._left, event.samples])
            self._said += event.written
            self._cause = event
        elif isinstance(event, e.ReplyCancel):
            self._left, self._said = self._left[:0], ""
        elif len(self._left) and self._cause is not None:
            period, self._left = self._left[:441], self._left[441:]
            done = not len(self._left)
            yield e.SoundPlayed(
                t_ns=event.t_ns,
                trace=self._cause.trace,
                epoch=self._cause.epoch,
                start=self._at,
                samples=period * self._gain,
                heard=self._said if done else "",
                done=done,
            )
            self._at += len(period)
            self._said = "" if done else self._said


class Ear:
    name = "toy.ear"

    def on(self, event: e.Event) -> Iterable[e.Event]:
        return ()


def speech(seed: int, seconds: float = 4) -> list[e.Event]:
    """Bursts of noise between silences, as captured, and the end of the source."""
    chance = random.Random(seed)
    noise = np.random.default_rng(seed)
    events: list[e.Event] = []
    loud, left = False, 10
    for index in range(int(seconds * 50)):
        if left == 0:
            loud, left = not loud, chance.randrange(10, 40)
        left -= 1
        level = 12_000 if loud else 200
        data = noise.integers(-level, level, CHUNK).astype(np.int16).tobytes()
        t_ns = (index + 1) * 20 * NS_PER_MS + chance.randrange(3 * NS_PER_MS)
        events.append(
            e.AudioCaptured(t_ns=t_ns, data=data, encoding="s16", rate_hz=16_000, channels=1)
        )
    events.append(e.SourceEnded(t_ns=events[-1].t_ns, source="audio"))
    return events


def live_line(seed: int, **changes: Any) -> SimulatedLoop:
    """The whole line, in simulated time."""
    loop = SimulatedLoop(strict=False)
    ring = AudioRing(5)
    chance = random.Random(seed)
    nodes = {
        "toy.align": Align(ring),
        "toy.asr": Asr(loop.clock, chance),
        "toy.llm": Llm(loop.clock, chance),
        "toy.tts": Tts(loop.clock, chance),
        "toy.ear": Ear(),
        "toy.eye": Eye(loop.clock, random.Random(seed)),
        **inline_nodes(ring, **changes),
    }
    for row in ROWS:
        loop.add(nodes[row.name], row.takes, row.lane)
    return loop


def inline_nodes(ring: AudioRing, **changes: Any) -> dict[str, Any]:
    """What a replay runs; `changes` replace nodes, as a changed program would."""
    made = {
        "toy.vad": Vad(ring),
        "toy.decide": Decide(),
        "toy.segment": Segment(),
        "toy.player": Player(),
    }
    return made | changes


def builder(
    make: Callable[[AudioRing], dict[str, Any]] = inline_nodes,
) -> Callable[[Mapping[str, Any]], Rebuilt]:
    """Rebuilds the inline part of the line."""

    def build(settings: Mapping[str, Any]) -> Rebuilt:
        line, ring = Line(SimulatedClock()), AudioRing(5)
        nodes = make(ring)
        for row in ROWS:
            if row.name in nodes:
                line.add(nodes[row.name], row.takes)
        return Rebuilt(line, ROWS, ring)

    return build


def record(path: Path, seed: int = 1, seconds: float = 4, **changes: Any) -> list[e.Event]:
    """Runs the line and records it; returns every event that was published."""
    loop = live_line(seed, **changes)
    events: list[e.Event] = []
    with Recorder(
        path, rows=ROWS, settings={"toy": seed}, seed=seed, wall_ns=WALL_NS, threaded=False
    ) as recorder:
        loop.bus.tap(recorder.write)
        loop.bus.tap(events.append)
        loop.feed(speech(seed, seconds))
        loop.run(lambda: loop.clock.now_ns() > (seconds + 1) * 1000 * NS_PER_MS)
    return events
