"""Memory over all processes: the runtime alone, with the tiny tier, and through a long dialogue.

    python benchmarks/memory.py [--minutes 10] [--part runtime|tiny]

Proportional set size, so that a page that several processes share counts once. `runtime`: every
node of the line, the recorder and the meter, with fake engines, after a minute of conversation.
`tiny`: the real engines through a dialogue as fast as they compute, weighed each simulated minute.
Growth is the slope of a straight line through anonymous memory from minute 2 on: pages of files
come and go with whatever else maps them on this machine. Each part runs in a process of its own.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from dialogue import PITCH, QUESTIONS, Asker, prepare, speech
from row import print_row
from visavis.backends.asr.fake import FakeAsr
from visavis.backends.llm.fake import FakeLlm
from visavis.backends.symbols import encode
from visavis.backends.tts.fake import FakeTts
from visavis.backends.turn.fake import FakeTurn
from visavis.backends.vad.fake import FakeVad
from visavis.config import Config
from visavis.conversation import Conversation
from visavis.engines import make_resampler
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S, SimulatedClock
from visavis.flow.ring import AudioRing
from visavis.govern.memory import processes, total_bytes
from visavis.govern.meter import Meter
from visavis.govern.record import Recorder
from visavis.source.script import ScriptedSpeaker
from visavis.speak.sink import NullSink
from visavis.wiring import WIRING, Parts

MINUTE_NS = 60 * NS_PER_S
SETTLED_MIN = 2
"""Growth is looked for after this minute: caches, arenas and the context are full by then."""


class Scale:
    """A tap that weighs all processes at the start of each minute, in MB."""

    def __init__(self) -> None:
        self.whole_mb: list[float] = []
        self.anonymous_mb: list[float] = []

    def watch(self, event: e.Event) -> None:
        if isinstance(event, e.ClockTicked) and event.t_ns >= len(self.whole_mb) * MINUTE_NS:
            self.whole_mb.append(weight_mb())
            self.anonymous_mb.append(anonymous_mb())


def weight_mb() -> float:
    weight = total_bytes()
    return float("nan") if weight is None else weight / 1e6


def anonymous_mb() -> float:
    """What belongs to no file, of all processes."""
    total_kib = 0
    for process in processes() or ():
        rollup = Path(f"/proc/{process.pid}/smaps_rollup").read_text("ascii")
        total_kib += sum(int(kib) for kib in re.findall(r"^Pss_Anon: +(\d+) kB", rollup, re.M))
    return total_kib * 1024 / 1e6


def fakes() -> Parts:
    """The line with nothing but fakes for engines."""
    config = Config()
    tts = FakeTts(SimulatedClock())
    return Parts(
        config=config,
        ring=AudioRing(config.sound.ring_s),
        make_resampler=make_resampler,
        vad=FakeVad(),
        asr=FakeAsr(),
        turn=FakeTurn(),
        llm=FakeLlm(),
        tts=tts,
        sink=NullSink(),
        output_rate_hz=tts.rate_hz,
    )


def talk(
    parts: Parts,
    rate_hz: int,
    questions: list[e.Samples],
    minutes: float,
    *taps: Callable[[e.Event], None],
) -> Conversation:
    """A recorded dialogue, until it has lasted so long or all questions are answered."""
    speaker = ScriptedSpeaker(rate_hz)
    asker = Asker(questions, speaker)
    meter = Meter(output_rate_hz=parts.output_rate_hz)
    conversation = Conversation(parts, pace="fast", taps=(asker.watch, meter.watch, *taps))
    with (
        tempfile.TemporaryDirectory() as folder,
        Recorder(Path(folder) / "run.mcap", rows=WIRING, output_rate_hz=parts.output_rate_hz) as it,
    ):
        conversation.loop.bus.tap(it.write)
        conversation.loop.feed(speaker.events())
        end_ns = round(minutes * MINUTE_NS)
        conversation.loop.run(lambda: conversation.loop.clock.now_ns() >= end_ns)
    return conversation


def runtime() -> str:
    """The runtime without models."""
    questions = [encode(text) for text in ("what is the time", "tell me a story about water")]
    conversation = talk(fakes(), e.INPUT_RATE_HZ, list(islice(cycle(questions), 100)), 1)
    found = f"without models {weight_mb():.0f} MB"
    conversation.close()
    return found


def tiny(minutes: float) -> str:
    """The tiny tier, soon after the start and over a long dialogue."""
    parts, scale = prepare(), Scale()
    loaded_mb = weight_mb()
    questions = [speech(parts, text) for text in QUESTIONS]
    many = list(islice(cycle(questions), 20 * round(minutes) + 10))
    rate_hz = round(parts.output_rate_hz * PITCH)
    conversation = talk(parts, rate_hz, many, minutes, scale.watch)
    conversation.close()
    whole, settled = scale.whole_mb, scale.anonymous_mb[SETTLED_MIN:]
    found = f"tiny tier {loaded_mb:.0f} MB loaded, {whole[1]:.0f} MB after a minute"
    if len(settled) < 3:
        return found
    slope, _ = np.polyfit(np.arange(len(settled)), settled, 1)
    each = " ".join(f"{mb:.0f}" for mb in settled)
    return (
        f"{found}, at most {max(whole):.0f} MB in {minutes:.0f} minutes; anonymous memory from"
        f" minute {SETTLED_MIN} on {slope:+.1f} MB a minute ({each})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--part", choices=["runtime", "tiny"])
    options = parser.parse_args()
    if options.part:
        print(runtime() if options.part == "runtime" else tiny(options.minutes))
        return
    command = [sys.executable, __file__, "--minutes", str(options.minutes), "--part"]
    parts = [
        subprocess.run([*command, part], stdout=subprocess.PIPE, text=True, check=True).stdout
        for part in ("runtime", "tiny")
    ]
    print_row("python benchmarks/memory.py", "; ".join(part.strip() for part in parts))


if __name__ == "__main__":
    main()
