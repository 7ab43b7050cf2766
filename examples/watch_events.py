"""Shows what happens inside: every event of a conversation that tells something, as it comes.

    python examples/watch_events.py question.wav

A tap sees all that the bus carries. Events are dataclasses; `event.topic` names them as
docs/topics.md does, `event.t_ns` is their time, `event.trace` the utterance that caused them.
"""

import sys
from dataclasses import fields
from typing import Any

from visavis import AudioFile, Conversation, Meter, load_config, load_parts

TOO_MANY = {"clock.ticked", "audio.captured", "audio.aligned", "sound.played", "prompt.prefill"}
COMMON = {"t_ns", "trace", "epoch", "samples", "words", "messages"}


def show(event: Any) -> None:
    """Prints one event on one line."""
    if event.topic not in TOO_MANY:
        told = [f"{f.name}={getattr(event, f.name)!r}" for f in fields(event)]
        told = [text for text in told if text.partition("=")[0] not in COMMON]
        print(f"{event.t_ns / 1e9:7.3f} s  #{event.trace}  {event.topic:16} {', '.join(told)}")


def main(question: str) -> None:
    """One recording; then where the time of each answer went."""
    source = AudioFile(question, tail_silence_s=4)
    parts = load_parts(load_config())
    meter = Meter(output_rate_hz=parts.output_rate_hz)
    conversation = Conversation(parts, pace="fast", taps=[show, meter.watch])
    try:
        conversation.run(source.events())
    finally:
        conversation.close()
    for name, spread in meter.summary().items():
        print(f"{name:24} p50 {spread.p50:6.0f} ms, p95 {spread.p95:6.0f} ms")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python examples/watch_events.py question.wav")
    main(*sys.argv[1:])
