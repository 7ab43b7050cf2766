"""What looking costs, and what it takes for a change: two sections of benchmarks/eyes.py.

Drawn scenes with a texture, filmed with everything that a cheap camera does to a still scene:
noise, an exposure and a white balance that wander, mains lamps, compression, a tripod that
trembles. Into such films, too, something changes that takes 3 % of the picture.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from dialogue import percentile
from visavis.backends.picture.pillow import PillowCodec
from visavis.backends.vad.fake import FakeVad
from visavis.config import Config
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.flow.loop import Loop
from visavis.flow.ring import AudioRing, FrameRing, Pixels
from visavis.perceive.scene import Scene, SceneWatcher
from visavis.source.paint import paint
from visavis.source.scene import BACKGROUNDS, COLOURS, PLACES, SHAPES, Thing
from visavis.source.scene import Scene as Drawn
from visavis.wiring import Parts, connect

SIZES = ((1920, 1080), (1280, 720), (640, 480))
WIDTH, HEIGHT, RATE_HZ = 320, 240, 30
SIDE = 53
"""Of a square of 3 % of the picture."""
STILL_S = 20
CHANGES = 60
MUST_SEE_NS = 300 * NS_PER_MS

Plate = NDArray[np.float32]
Film = Callable[[Plate, int, Random], Pixels]
"""Makes of a scene, full scale 255, what a camera gives of it in the frame of that number."""


def cost() -> str:
    """CPU time of a frame in which the light has changed, so that no short way is taken."""
    parts = []
    for width, height in SIZES:
        plate, scene = drawn(Random(1), width, height), Scene()
        frames = [noisy(plate * (1 + 0.1 * at), at, Random(at)) for at in range(6)]
        spent: list[float] = []
        for at in range(300):
            begun = time.thread_time_ns()
            scene.look(frames[at % 6], at * 33 * NS_PER_MS, at * 33 * NS_PER_MS)
            spent.append((time.thread_time_ns() - begun) / NS_PER_MS)
        parts.append(f"{height}p {percentile(spent, 50):.2f}/{percentile(spent, 95):.2f}")
    return f"a frame takes p50/p95 {', '.join(parts)} ms"


def falsely() -> str:
    """Changes told of a still scene, a minute, each camera filming four scenes."""
    parts = []
    for name, film in FILMS.items():
        told = 0
        for seed in range(4):
            random = Random(seed)
            eye, plate = Eye(), drawn(random)
            for number in range(STILL_S * RATE_HZ):
                told += len(eye.see(film(plate, number, random)))
            told -= 1  # the first picture
        parts.append(f"{name} {told / (4 * STILL_S / 60):g}")
    return f"false changes a minute: {', '.join(parts)}"


def seen() -> str:
    """Of changes of 3 % of the picture: how many are told in time, how soon, and how often each."""
    parts = []
    for name in ("noise", "compression", "exposure"):
        delays, told = [], 0
        for seed in range(CHANGES):
            random = Random(seed)
            eye, (before, after) = Eye(), changing(random)
            for number in range(60):
                eye.see(FILMS[name](before, number, random))
            changed_ns = eye.t_ns
            events = [
                event
                for number in range(60, 120)
                for event in eye.see(FILMS[name](after, number, random))
            ]
            told += len(events)
            if events and events[0].t_ns - changed_ns <= MUST_SEE_NS:
                delays.append((events[0].t_ns - changed_ns) / NS_PER_MS)
        parts.append(
            f"{name} {len(delays)} of {CHANGES} after {percentile(delays, 50):.0f} ms"
            f" ({told / CHANGES:.2f} events each)"
        )
    return f"3 % of the picture changed: {', '.join(parts)}"


class Eye:
    """A scene watcher with a ring, and the time."""

    def __init__(self) -> None:
        self._ring = FrameRing(4, 3 * WIDTH * HEIGHT)
        self._node = SceneWatcher(self._ring)
        self.t_ns = 0

    def see(self, pixels: Pixels) -> list[e.SceneChanged]:
        self.t_ns += NS_PER_S // RATE_HZ
        place = self._ring.write(pixels)
        assert place is not None
        event = e.FrameAligned(
            t_ns=self.t_ns,
            slot=place[0],
            generation=place[1],
            width=WIDTH,
            height=HEIGHT,
            captured_ns=self.t_ns,
        )
        return [given for given in self._node.on(event) if isinstance(given, e.SceneChanged)]


# ── scenes ───────────────────────────────────────────────────────────────────────────────────


def drawn(random: Random, width: int = WIDTH, height: int = HEIGHT) -> Plate:
    """One to three things on a wall that is not quite even."""
    places = random.sample(list(PLACES), random.randint(1, 3))
    things = (Thing(random.choice(list(COLOURS)), random.choice(SHAPES), at) for at in places)
    # Neither wholly black nor white: in those the light could not be told.
    walls = [name for name in BACKGROUNDS if name not in ("black", "white")]
    plate = paint(Drawn(random.choice(walls), tuple(things)), width, height)
    coarse = np.random.default_rng(random.randrange(2**32)).normal(0, 12, (12, 16))
    image = Image.fromarray(coarse.astype(np.float32))
    texture = np.asarray(image.resize((width, height), Image.Resampling.BICUBIC))
    lit: Plate = np.clip(plate * np.float32(0.8) + texture[..., None], 0, 255).astype(np.float32)
    return lit


def changing(random: Random) -> tuple[Plate, Plate]:
    """A scene, and the same with a square that came, went, or has another colour."""
    before = drawn(random)
    left, top = random.randrange(WIDTH - SIDE), random.randrange(HEIGHT - SIDE)
    place = (slice(top, top + SIDE), slice(left, left + SIDE))
    there = before[place].mean(axis=(0, 1))
    # A colour that one can tell from what is there.
    colours = [c for c in COLOURS.values() if np.abs(0.8 * np.array(c) - there).max() > 60]
    one, other = random.sample(colours, 2)
    with_one, with_other = before.copy(), before.copy()
    with_one[place], with_other[place] = 0.8 * np.array(one), 0.8 * np.array(other)
    return random.choice(((before, with_one), (with_one, before), (with_one, with_other)))


# ── cameras ──────────────────────────────────────────────────────────────────────────────────

# Drawn once; each frame is another cut of it.
_GRAIN = np.random.default_rng(0).standard_normal((1_200, 2_040, 3), np.float32)


def noisy(plate: Plate, number: int, random: Random, sigma: float = 5) -> Pixels:
    height, width = plate.shape[:2]
    top, left = random.randrange(1_200 - height), random.randrange(2_040 - width)
    lit = plate + sigma * _GRAIN[top : top + height, left : left + width]
    pixels: Pixels = np.clip(lit, 0, 255).astype(np.uint8)
    return pixels


def grainy(plate: Plate, number: int, random: Random) -> Pixels:
    return noisy(plate, number, random, 12)


def exposing(plate: Plate, number: int, random: Random) -> Pixels:
    """One stop up and down in eight seconds, a step of half a stop now and then, red to blue."""
    seconds = number / RATE_HZ
    stops = np.sin(seconds * 0.8) + 0.5 * (int(seconds) % 5 == 4)
    balance = 0.3 * np.sin(seconds * 0.5)
    light = (plate / 255) ** 2.2 * 2.0 ** (stops + balance * np.array([1, 0, -1]))
    lit: Plate = (255 * np.clip(light, 0, 1) ** (1 / 2.2)).astype(np.float32)
    return noisy(lit, number, random, 3)


def banded(plate: Plate, number: int, random: Random) -> Pixels:
    """Bands of a mains lamp, which wander."""
    rows = np.arange(len(plate), dtype=np.float32)[:, None, None]
    waves = np.sin(rows / 25 + np.float32(0.9 * number)) * np.float32(0.06)
    return noisy(plate + plate * waves, number, random, 3)


def compressed(plate: Plate, number: int, random: Random) -> Pixels:
    """Each second a good picture, and worse ones after it."""
    file = io.BytesIO()
    quality = 80 if number % RATE_HZ == 0 else 25
    Image.fromarray(noisy(plate, number, random)).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file))


def trembling(plate: Plate, number: int, random: Random) -> Pixels:
    shift = (random.randint(-1, 1), random.randint(-1, 1))
    return noisy(np.roll(plate, shift, (0, 1)), number, random, 3)


FILMS: dict[str, Film] = {
    "noise": noisy,
    "strong noise": grainy,
    "exposure": exposing,
    "lamps": banded,
    "compression": compressed,
    "trembling": trembling,
}


# ── idle ─────────────────────────────────────────────────────────────────────────────────────


class Idling(NamedTuple):
    """What the process took of one core, and what it did."""

    share: float
    looks: int
    encodes: int


def idling(seconds: float, *, filming: bool) -> Idling:
    """The line with eyes and nobody who speaks, in real time, with or without frames."""
    config = Config()
    ring = FrameRing.for_rate(WIDTH * HEIGHT * 4, RATE_HZ, 2)
    parts = Parts(
        config=config,
        ring=AudioRing(config.sound.ring_s),
        make_resampler=None,
        vad=FakeVad(),
        frames=ring,
        codec=PillowCodec(),
    )
    loop = Loop()
    connect(loop, parts)
    counts = {"look.start": 0, "encoded": 0}

    def count(event: e.Event) -> None:
        counts["look.start"] += isinstance(event, e.LookStart)
        counts["encoded"] += isinstance(event, e.ViewTaken) and bool(event.data)

    loop.bus.tap(count)
    if filming:
        loop.feed(_filmed(ring))
    loop.run(lambda: loop.clock.now_ns() > NS_PER_S)
    begun = time.process_time()
    loop.run(lambda: loop.clock.now_ns() > (1 + seconds) * NS_PER_S)
    spent = time.process_time() - begun
    loop.close()
    return Idling(spent / seconds, counts["look.start"], counts["encoded"])


def _filmed(ring: FrameRing) -> Iterator[e.Event]:
    """640 × 480 at 30 a second; drawn before, so that what is measured is not the drawing."""
    random = Random(0)
    plate = drawn(random, 2 * WIDTH, 2 * HEIGHT)
    frames = [noisy(plate, number, random) for number in range(16)]
    number = 0
    while True:
        place = ring.write(frames[number % 16])
        if place is not None:
            t_ns = number * NS_PER_S // RATE_HZ
            yield e.FrameCaptured(
                t_ns=t_ns,
                slot=place[0],
                generation=place[1],
                width=2 * WIDTH,
                height=2 * HEIGHT,
                stamp=t_ns,
            )
        number += 1
