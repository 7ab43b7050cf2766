"""Voice to voice: the last sample of the user's speech to the first sample of the answer.

    python benchmarks/voice_to_voice.py [--questions 30] [--pace real] [--verbose]

Thirty questions through the audio path of the tiny tier, in real time. The end of speech is taken
from the sound that was spoken, not from what the detector of voice believed. The break-down is the
meter's; its parts add up to the time from the end of speech as it was detected.
"""

from __future__ import annotations

import argparse

from dialogue import QUESTIONS, converse, percentile, prepare, speech
from row import print_row
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS

HOPS = ("endpoint", "recognition", "decide", "first_token", "phrase", "synthesis", "output")


class FirstSounds:
    """A tap: when each reply first sounded, and what was understood."""

    def __init__(self) -> None:
        self.at_ns: list[int] = []
        self.epochs: set[int] = set()
        self.texts: list[str] = []

    def watch(self, event: e.Event) -> None:
        if isinstance(event, e.SoundPlayed) and len(event.samples):
            if event.epoch not in self.epochs:
                self.epochs.add(event.epoch)
                self.at_ns.append(event.t_ns)
        elif isinstance(event, e.ItemKept):
            self.texts.append(f"{event.role}: {event.text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=len(QUESTIONS))
    parser.add_argument("--pace", choices=["real", "fast"], default="real")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    parts = prepare()
    lines = [speech(parts, text) for text in QUESTIONS[: options.questions]]
    sounds = FirstSounds()
    conversation, meter, speaker = converse(parts, lines, pace=options.pace, taps=(sounds.watch,))
    conversation.close()
    measured = []
    for _, end_ns in speaker.spoken:
        after = [t_ns for t_ns in sounds.at_ns if t_ns > end_ns]
        if after:
            measured.append((after[0] - end_ns) / NS_PER_MS)
    if options.verbose:
        print("\n".join(sounds.texts))
        print([round(ms) for ms in measured])
    hops = " · ".join(
        f"{name} {percentile(values, 50):.0f}/{percentile(values, 95):.0f}"
        for name in HOPS
        if (values := [v for r in meter.replies if (v := getattr(r, f"{name}_ms")) is not None])
    )
    answered = f"{len(measured)} of {len(lines)} answered"
    leads = [r.draft_lead_ms for r in meter.replies if r.draft_lead_ms is not None]
    drafts = (
        f"{meter.drafts.adopted} of {meter.drafts.made} drafts adopted, begun"
        f" {percentile(leads, 50):.0f} ms before the turn's end,"
        f" {meter.drafts.wasted_tokens} tokens wasted"
    )
    print_row(
        f"benchmarks/voice_to_voice.py --pace {options.pace}",
        f"p50 {percentile(measured, 50):.0f} ms, p95 {percentile(measured, 95):.0f} ms"
        f" ({answered}; {drafts}; p50/p95 of hops: {hops})",
    )


if __name__ == "__main__":
    main()
