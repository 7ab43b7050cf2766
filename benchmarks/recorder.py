"""The recorder: what an event costs the loop and the writer's thread, and how big files get.

    python benchmarks/recorder.py

A minute of conversation as the bus carries it: ticks, chunks of the input axis, played periods for
half of the time, 10 tokens a second while it answers, a phrase every three seconds. The
microphone hears half a minute of a voice-like sound (harmonics of a gliding pitch, in syllables,
over noise), then noise at −50 dB. Ten times faster than real.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from row import print_row
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS
from visavis.govern.meter import Meter
from visavis.govern.record import Recorder

MINUTE = 3000  # periods of 20 ms
SPEED = 10
RATE_HZ = 22_050


def voice(count: int, rate_hz: int) -> e.Samples:
    """Harmonics of a gliding pitch, in syllables, over a little noise; on the 16-bit grid."""
    chance = np.random.default_rng(0)
    t = np.arange(count) / rate_hz
    phase = 2 * np.pi * np.cumsum(120 + 30 * np.sin(2 * np.pi * 0.7 * t)) / rate_hz
    tones = sum(np.sin(k * phase) / k for k in range(1, 20))
    syllables = np.clip(np.sin(2 * np.pi * 2.2 * t) + 0.3, 0, 1)
    sound = 0.15 * tones * syllables + 0.003 * chance.standard_normal(count)
    return (np.rint(np.clip(sound, -1, 1) * 32767) / 32768).astype(np.float32)


def conversation() -> list[e.Event]:
    """A minute of events, in order."""
    heard = voice(MINUTE * 320, 16_000)
    quiet = np.random.default_rng(1).integers(-100, 100, MINUTE * 320).astype(np.float32) / 32768
    heard[len(heard) // 2 :] = quiet[len(heard) // 2 :]
    said = voice(2 * RATE_HZ, RATE_HZ)
    events: list[e.Event] = []
    for index in range(MINUTE):
        t_ns, at = index * 20 * NS_PER_MS, index * 320
        events.append(e.ClockTicked(t_ns=t_ns, index=index))
        events.append(e.AudioAligned(t_ns=t_ns, start=at, samples=heard[at : at + 320]))
        if index < MINUTE // 2:
            continue
        part = said[(index % 100) * 441 :][:441]
        events.append(e.SoundPlayed(t_ns=t_ns, epoch=1, start=index * 441, samples=part))
        if index % 5 == 0:
            events.append(e.TokenMade(t_ns=t_ns, epoch=1, text=" token", index=index))
        if index % 150 == 0:
            words = tuple(e.WordTime(k * 4000, k * 4000 + 3000, 5 * k + 5) for k in range(10))
            events.append(
                e.SoundMade(
                    t_ns=t_ns, epoch=1, index=index, samples=said, words=words, written="word " * 10
                )
            )
    return events


def cost_us(recorder: Recorder, events: list[e.Event]) -> list[float]:
    """Microseconds that the tap took for each event, paced."""
    found: list[float] = []
    pause_s = 60 / SPEED / len(events)
    for event in events:
        time.sleep(pause_s)
        began = time.perf_counter_ns()
        recorder.write(event)
        found.append((time.perf_counter_ns() - began) / 1000)
    return found


def metering_us(events: list[e.Event]) -> float:
    """Microseconds that the meter's tap takes for an event, on average."""
    meter = Meter(output_rate_hz=RATE_HZ)
    began = time.perf_counter_ns()
    for event in events:
        meter.watch(event)
    return (time.perf_counter_ns() - began) / 1000 / len(events)


def writing_us(path: Path, events: list[e.Event]) -> float:
    """Microseconds of processor time for an event, all of it in one thread."""
    recorder = Recorder(path, threaded=False, output_rate_hz=RATE_HZ)
    began = time.thread_time_ns()
    for event in events:
        recorder.write(event)
    recorder.close()
    return (time.thread_time_ns() - began) / 1000 / len(events)


def main() -> None:
    events = conversation()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        with Recorder(path, output_rate_hz=RATE_HZ) as recorder:
            costs = cost_us(recorder, events)
        size_mb = path.stat().st_size / 1e6
        writing_each = writing_us(Path(folder) / "sync.mcap", events)
    metering_each = metering_us(events)
    p50, p99 = np.percentile(costs, [50, 99])
    print_row(
        "python benchmarks/recorder.py",
        f"recorder's tap {np.mean(costs):.1f} µs an event (p50 {p50:.1f}, p99 {p99:.1f});"
        f" writing {writing_each:.0f} µs on its thread; {size_mb:.2f} MB a minute of"
        f" {len(events)} events, {recorder.dropped} dropped; meter's tap {metering_each:.1f} µs",
    )


if __name__ == "__main__":
    main()
