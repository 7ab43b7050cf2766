"""The eyes: does it look at the picture of the moment, and does looking cost no memory.

    python benchmarks/eyes.py [--only offset,flat,scene] [--seconds 30] [--top]

`offset`: how far the frame that is found for a moment was really taken from it, with frames of 30 a
second that arrive up to 40 ms late, stamped by a clock that drifts by ±200 ppm against the sound,
with stamps that begin anew on the way. Half a frame interval is in it whatever one does.
`flat`: 1080p at 60 frames a second (`--top`: as fast as it goes), through the camera, its ring and
the alignment; what grows is what cannot go on for ever. There is no camera on the machine of these
figures: FFmpeg's test picture stands in for one.
`reading`: a picture of 640×480 with nothing written on it, with three lines, and with twelve.
`recall`: whether the view is found that a question about the past asks for, in the quarter of an
hour of timeline.py; and what a question costs where 500 views are remembered.
`scene`, `idle` (looks.py): what a look at a frame costs, changes told of still scenes before bad
cameras, small changes that are told; and what eyes take of a core while nothing happens.
`moment`, `voice` (moments.py): right answers when the scene changes half a second before or after
the end of the question; voice to voice with a picture against without.
`screen` (screens.py): what a screen beside the camera costs the first token and the first sound,
and what it takes of a core while nobody speaks.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import looks
import moments
import screens
import timeline
from memory import anonymous_mb
from row import print_row
from visavis import backends
from visavis.align.video import FrameAligner
from visavis.backends.contract import Ocr, Options
from visavis.flow.clock import NS_PER_MS, NS_PER_S, Clock
from visavis.flow.events import ClockTicked, Event, FrameCaptured, WordsHeard
from visavis.flow.loop import Loop
from visavis.flow.ring import FrameRing, Pixels
from visavis.source.camera import Camera
from visavis.source.device import Device

DRIFTS_PPM = (-200, 0, 200)
JITTER_NS = 40 * NS_PER_MS
RTP_HZ, RTP_BITS = 90_000, 32
SECONDS = 300
"""Of film, for each drift."""
SETTLED_S = 5
"""After so long the ring has been full, and every cache too."""


# ── offset ───────────────────────────────────────────────────────────────────────────────────


def offset(options: argparse.Namespace) -> str:
    """Of moments up to 1.5 s back, asked for all the time, from the first second on."""
    found = {ppm: offsets_ms(ppm, Random(ppm)) for ppm in DRIFTS_PPM}
    parts = [
        f"{ppm:+d} ppm: median {np.median(each):.1f}, p95 {np.percentile(each, 95):.1f} ms"
        for ppm, each in found.items()
    ]
    worst = max(float(np.max(each)) for each in found.values())
    count = sum(map(len, found.values()))
    return f"frame of the moment off by, {'; '.join(parts)}; at most {worst:.1f} ms of {count}"


def offsets_ms(ppm: int, random: Random) -> list[float]:
    ring = FrameRing.for_rate(2, 30, 2)
    node, taken = FrameAligner(ring), dict[tuple[int, int], int]()
    found: list[float] = []
    for taken_ns, event in filmed(ring, ppm, random):
        taken[event.slot, event.generation] = taken_ns
        list(node.on(event))
        if event.t_ns > NS_PER_S:
            moment_ns = event.t_ns - random.randrange(200 * NS_PER_MS, 1_500 * NS_PER_MS)
            place = ring.nearest("camera", max(0, moment_ns))
            assert place is not None
            really_ns = taken[place.slot, place.generation]
            found.append(abs(really_ns - max(0, moment_ns)) / NS_PER_MS)
    assert node.dropped == 0
    return found


def filmed(ring: FrameRing, ppm: int, random: Random) -> Iterator[tuple[int, FrameCaptured]]:
    """When each frame was really taken, and the event that says that it came."""
    arrival_ns, pixels = 0, np.zeros((1, 2, 3), np.uint8)
    # The stamps begin anew in the middle.
    begin = (1 << RTP_BITS) - SECONDS * RTP_HZ // 2
    for index in range(SECONDS * 30):
        taken_ns = index * NS_PER_S // 30
        arrival_ns = max(arrival_ns, taken_ns + random.randrange(JITTER_NS))
        place = ring.write(pixels)
        assert place is not None
        ticks = taken_ns * (1_000_000 + ppm) * RTP_HZ // (1_000_000 * NS_PER_S)
        yield (
            taken_ns,
            FrameCaptured(
                t_ns=arrival_ns,
                slot=place[0],
                generation=place[1],
                width=2,
                height=1,
                stamp=(begin + ticks) % (1 << RTP_BITS),
                stamp_hz=RTP_HZ,
                stamp_bits=RTP_BITS,
            ),
        )


# ── flat ─────────────────────────────────────────────────────────────────────────────────────


def flat(options: argparse.Namespace) -> str:
    """Memory once the ring has been full and at the end; and how old the newest picture got."""
    ring = FrameRing.for_rate(640 * 480, 30, 2)
    loop = Loop()
    loop.add(FrameAligner(ring), ("frame.captured",))
    # Stamped by the clock as it is made, as a camera does.
    pace = "" if options.top else ",realtime,settb=1/1000000,setpts=RTCTIME"
    camera = Camera(
        ring,
        lambda event: loop.post(event, stamp=False),
        loop.clock,
        device=[Device("lavfi", f"testsrc2=size=1920x1080:rate=60{pace}", waits=True)],
        max_rate_hz=10_000 if options.top else 30,
    )
    watch = Watch(loop.clock, ring, options.seconds)
    loop.bus.tap(watch.see)
    with camera:
        loop.run(watch.is_over)
    loop.close()
    counts = camera.counts
    came = watch.taken + counts.skipped + counts.damaged + counts.dropped
    return (
        f"1080p at {came / options.seconds:.0f} frames a second for {options.seconds:.0f} s:"
        f" {watch.taken} taken, {counts.skipped} passed over, {counts.damaged} damaged,"
        f" {counts.dropped} dropped; {watch.begin_mb:.0f} MB of its own, then"
        f" {watch.end_mb - watch.begin_mb:+.1f} MB; the newest picture is"
        f" {np.percentile(watch.ages_ms, 99):.0f} ms old (p99), at most {max(watch.ages_ms):.0f}"
    )


class Watch:
    """A tap that weighs the process, and asks each period how old the newest picture is."""

    def __init__(self, clock: Clock, ring: FrameRing, seconds: float) -> None:
        self._clock, self._ring, self._seconds = clock, ring, seconds
        self.begin_mb = self.end_mb = 0.0
        self.ages_ms: list[float] = []
        self.taken = 0

    def see(self, event: Event) -> None:
        self.taken += isinstance(event, FrameCaptured)
        newest = self._ring.newest()
        if not isinstance(event, ClockTicked) or newest is None or event.t_ns < NS_PER_S:
            return
        self.ages_ms.append((event.t_ns - newest.captured_ns) / NS_PER_MS)
        if not self.begin_mb and event.t_ns > SETTLED_S * NS_PER_S:
            self.begin_mb = self.end_mb = anonymous_mb()

    def is_over(self) -> bool:
        over = self._clock.now_ns() > self._seconds * NS_PER_S
        if over:
            self.end_mb = anonymous_mb()
        return over


# ── reading ──────────────────────────────────────────────────────────────────────────────────


def reading(options: argparse.Namespace) -> str:
    """On one thread, the median of nine."""
    ocr = backends.load("ocr", "rapidocr", Options())
    parts = []
    for count in (0, 3, 12):
        pixels = written(count)
        right = sum(line.text == text_of(at) for at, line in enumerate(ocr.read(pixels)))
        call = partial(read_all, ocr, pixels)
        took_ms = np.median([timed_ms(call) for _ in range(9)])
        parts.append(f"{count} lines: {took_ms:.0f} ms, {right} right")
    return "; ".join(parts)


def read_all(ocr: Ocr, pixels: Pixels) -> None:
    for _ in ocr.read(pixels):
        pass


def written(count: int) -> Pixels:
    noise = np.random.default_rng(0).normal(90, 6, (480, 640, 3))
    image = Image.fromarray(noise.clip(0, 255).astype(np.uint8))
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(24)
    for at in range(count):
        draw.text((20, 16 + 38 * at), text_of(at), font=font, fill=(250, 250, 240))
    return np.asarray(image)


def text_of(at: int) -> str:
    return f"Line {at + 1} of the page 4{at}7"


def timed_ms(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1e3


# ── recall ───────────────────────────────────────────────────────────────────────────────────


def recall(options: argparse.Namespace) -> str:
    """recall@1, where to recall nothing is right if nothing is to be recalled."""
    made = f"{recalled_right(timeline.QUESTIONS):.1%} of {len(timeline.QUESTIONS)}"
    further = f"{recalled_right(timeline.FURTHER):.1%} of {len(timeline.FURTHER)}"
    memory, costs = timeline.full_memory(), []
    for trace, ask in enumerate(timeline.QUESTIONS, 1):
        words = WordsHeard(
            t_ns=1_000 * NS_PER_S, trace=trace, text=ask.text, stable=0, final=True, start=0, end=0
        )
        begun = time.thread_time()
        list(memory.on(words))
        costs.append((time.thread_time() - begun) * 1e3)
    return (
        f"recall@1 {made} questions, {further} put otherwise;"
        f" of 500 views p50 {np.median(costs):.1f}, p95 {np.percentile(costs, 95):.1f} ms of work"
    )


def recalled_right(questions: Sequence[timeline.Ask]) -> float:
    found = timeline.answers(questions)
    right = [view == ask.view for view, ask in zip(found, questions, strict=True)]
    return sum(right) / len(right)


# ── scene, idle (looks.py) ───────────────────────────────────────────────────────────────────


def scene(options: argparse.Namespace) -> str:
    return f"{looks.cost()}; {looks.falsely()}; {looks.seen()}"


def idle(options: argparse.Namespace) -> str:
    empty = looks.idling(options.seconds, filming=False)
    found = looks.idling(options.seconds, filming=True)
    return (
        f"the line at rest with a still scene at 30 frames a second: {found.share:.1%} of a core,"
        f" {empty.share:.1%} without frames; {found.looks} looks, {found.encodes} pictures encoded"
        f" in {options.seconds:.0f} s"
    )


SECTIONS: dict[str, Callable[[argparse.Namespace], str]] = {
    "offset": offset,
    "flat": flat,
    "reading": reading,
    "recall": recall,
    "scene": scene,
    "idle": idle,
    "moment": lambda options: moments.moment(options.questions, options.pace, tell),
    "voice": lambda options: moments.voice(options.questions, options.pace, tell),
    "screen": lambda options: screens.screen(options.questions),
}


def tell(line: str) -> None:
    """What is no result, but helps to understand one."""
    print(f"    {line}", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(SECTIONS), help="some of " + ", ".join(SECTIONS))
    parser.add_argument("--seconds", type=float, default=30, help="how long `flat` takes")
    parser.add_argument("--top", action="store_true", help="`flat` as fast as it goes")
    parser.add_argument("--questions", type=int, default=80, help="of the last three")
    parser.add_argument("--pace", choices=["real", "fast"], default="real", help="of two of them")
    options = parser.parse_args()
    for name in options.only.split(","):
        command = f"python benchmarks/eyes.py --only {name}"
        if name == "flat":
            command += f" --seconds {options.seconds:.0f}" + " --top" * options.top
        elif name in ("moment", "voice"):
            command += f" --questions {options.questions} --pace {options.pace}"
        elif name == "screen":
            command += f" --questions {options.questions}"
        print_row(command, SECTIONS[name](options))


if __name__ == "__main__":
    main()
