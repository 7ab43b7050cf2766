"""What a busy second stream costs the first: a section of benchmarks/eyes.py.

A camera films a still drawn scene at 30 a second while a user asks one question after the other in
real time. Beside it there is no screen, one of 1280×720 that stands still, or one with a page that
is turned every three seconds and a film that plays beside it. They take turns, so that whatever
else the machine does falls on all three alike, and each is asked the same questions.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from dialogue import PITCH, QUESTIONS, Asker, percentile, speech
from visavis import engines
from visavis.backends.picture.pillow import PillowCodec
from visavis.backends.vad.fake import FakeVad
from visavis.config import Config, load
from visavis.conversation import Conversation
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S
from visavis.flow.loop import Loop
from visavis.flow.ring import AudioRing, FrameRing, Pixels
from visavis.govern.meter import Meter
from visavis.source.file import merged
from visavis.source.scene import Scene, Thing
from visavis.source.script import ScriptedSpeaker
from visavis.source.stage import ScriptedCamera
from visavis.speak.sink import NullSink
from visavis.wiring import Parts, connect

STREAMS = ("camera", "screen")
MODES = ("none", "still", "busy")
RATE_HZ, TURN_S = 2, 3
WIDTH, HEIGHT = 1280, 720
BLOCK = 3
"""Questions before it is the next mode's turn; the first, just after the change, does not count."""
FIRST = "What is the capital of France?"
SCENE = Scene("white", (Thing("red", "circle", "left"), Thing("blue", "square", "right")))
WORDS = ("quarter", "office", "revenue", "meeting", "people", "market", "product", "north", "plan")


def screen(questions: int) -> str:
    """First tokens and voice to voice, the median in each mode; then what it takes of a core."""
    parts = prepare()
    beside = Beside(parts)
    meter = beside.converse([speech(parts, text) for text in _some(questions)])
    figures = {mode: Figures() for mode in MODES}
    for reply in meter.replies:
        mode = beside.modes.get(reply.epoch)
        if mode is not None and reply.voice_to_voice_ms is not None:
            figures[mode].take(reply.first_token_ms, reply.voice_to_voice_ms)
    usual = figures["none"]
    told = [
        f"{mode}: first token {each.token:.0f} ms (×{each.token / usual.token:.2f}), voice to voice"
        f" {each.voice:.0f} ms (×{each.voice / usual.voice:.2f}) over {len(each.voices)}"
        for mode, each in figures.items()
    ]
    idle = {mode: idling(mode) for mode in MODES}
    cores = ", ".join(f"{mode} {share:.1%}" for mode, share in idle.items())
    return f"{'; '.join(told)}; while nobody speaks, of one core: {cores}"


@dataclass
class Figures:
    """Of the replies in one mode, in milliseconds."""

    tokens: list[float] = field(default_factory=list)
    voices: list[float] = field(default_factory=list)

    def take(self, token_ms: float | None, voice_ms: float) -> None:
        self.tokens += [] if token_ms is None else [token_ms]
        self.voices.append(voice_ms)

    @property
    def token(self) -> float:
        return percentile(self.tokens, 50)

    @property
    def voice(self) -> float:
        return percentile(self.voices, 50)


class Beside:
    """A dialogue before a camera and a screen. `modes`: of the replies that count, by epoch."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._asked = 0
        self.modes: dict[int, str] = {}

    @property
    def mode(self) -> str:
        return MODES[self._asked // BLOCK % len(MODES)]

    def converse(self, lines: Sequence[e.Samples]) -> Meter:
        parts = self._parts
        assert parts.frames is not None
        speaker = ScriptedSpeaker(round(parts.output_rate_hz * PITCH))
        asker, meter = Asker(lines, speaker), Meter(output_rate_hz=parts.output_rate_hz)
        camera = ScriptedCamera(parts.frames, [SCENE])
        taps = (asker.watch, meter.watch, self._watch)
        conversation = Conversation(parts, taps=taps)
        shown = filmed(parts.frames, lambda: self.mode)
        conversation.run(speaker.events(), camera.events(), shown)
        conversation.close()
        return meter

    def _watch(self, event: e.Event) -> None:
        if isinstance(event, e.ReplyStart) and not event.say and self._asked % BLOCK:
            self.modes[event.epoch] = self.mode
        elif isinstance(event, e.ItemKept) and event.role == "assistant":
            self._asked += 1


def prepare() -> Parts:
    """The tiny tier's engines, loaded, with eyes."""
    parts = engines.load_parts(load(), sight=True, streams=STREAMS)
    parts.sink = NullSink()
    return parts


def _some(questions: int) -> list[str]:
    """So many, or a few less: each mode is asked the same ones, one mode after the other."""
    asked: list[str] = []
    for begin in range(1, len(QUESTIONS), BLOCK - 1):
        if len(asked) + len(MODES) * BLOCK > questions:
            break
        asked += [FIRST, *QUESTIONS[begin : begin + BLOCK - 1]] * len(MODES)
    return asked


# ── while nobody speaks ──────────────────────────────────────────────────────────────────────


def idling(mode: str, seconds: float = 20) -> float:
    """What the process takes of a core with this screen, from its first frame on."""
    config = Config()
    ring = engines.frame_ring(config, STREAMS)
    parts = Parts(
        config=config,
        ring=AudioRing(config.sound.ring_s),
        make_resampler=None,
        vad=FakeVad(),
        frames=ring,
        streams=STREAMS,
        codec=PillowCodec(),
        ocr=engines.load_ocr(config),
    )
    camera, loop = ScriptedCamera(ring, [SCENE]), Loop()
    connect(loop, parts)
    loop.feed(merged(camera.events(), filmed(ring, lambda: mode)))
    begun = time.process_time()
    loop.run(lambda: loop.clock.now_ns() > seconds * NS_PER_S)
    spent = time.process_time() - begun
    camera.end()
    loop.close()
    return spent / seconds


# ── screens ──────────────────────────────────────────────────────────────────────────────────


def filmed(ring: FrameRing, mode: Callable[[], str]) -> Iterator[e.Event]:
    """Two frames a second of what the mode shows, for ever. Drawn before."""
    still, pages = page(0), [page(number) for number in range(1, 5)]
    films = [film(number) for number in range(8)]
    for number in count():
        t_ns = number * NS_PER_S // RATE_HZ
        pixels = still
        if mode() == "busy":
            pixels = pages[number // (RATE_HZ * TURN_S) % 4].copy()
            pixels[300:, 640:] = films[number % 8]
        place = ring.write(pixels, "screen") if mode() != "none" else None
        if place is None:
            yield e.SourceEnded(t_ns=t_ns, source="screen")  # it may begin again
            continue
        yield e.FrameCaptured(
            t_ns=t_ns,
            slot=place[0],
            generation=place[1],
            width=WIDTH,
            height=HEIGHT,
            stamp=t_ns,
            stream="screen",
        )


def page(number: int) -> Pixels:
    """Fifteen lines of writing."""
    image = Image.new("RGB", (WIDTH, HEIGHT), (250, 250, 248))
    draw, random = ImageDraw.Draw(image), np.random.default_rng(number)
    for line in range(15):
        words = " ".join(random.choice(WORDS, 5))
        draw.text((40, 20 + 46 * line), words, font=ImageFont.load_default(22), fill=(20, 20, 60))
    return np.asarray(image)


def film(number: int) -> Pixels:
    """A picture of one that plays, of 640×420."""
    coarse = np.random.default_rng(number).integers(0, 255, (21, 32, 3), np.uint8)
    return np.kron(coarse, np.ones((20, 20, 1), np.uint8))
