"""Being interrupted: how soon it is quiet, how soon the engine is free, and whether the history is
exactly what was heard.

    python benchmarks/interruption.py [--times 20] [--pace real] [--verbose]

The user asks for long stories and cuts into each, at another moment of it, with other words. From
the onset of the voice to the duck and to `playback.stop`; from that command to the end of the last
sample of the reply, in logical time; from `reply.cancel` to `reply.written`, which is when the
engine is free, and to the moment when it begins with the next prompt. What was heard is worked out
from the sound that was made and the number of its samples that were played.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from dialogue import PITCH, percentile, prepare, speech
from row import print_row
from visavis.conversation import Conversation
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.source.script import ScriptedSpeaker
from visavis.wiring import Parts

REQUESTS = tuple(
    f"Tell me a very long story about {theme}."
    for theme in ("a fox", "the sea", "an old king", "a lost dog", "the moon", "two friends")
)
CUTS = (
    "Stop.",
    "Wait, no.",
    "No, that is not what I meant.",
    "Hold on a moment, please.",
    "Actually, how old are you?",
    "Okay, but what happens at the end?",
)
LATEST_S = 2.0
"""The cuts are spread evenly over this much of the reply, from its first sample on."""

SYSTEM = "You are a storyteller. Your answer is always a very long story, told in plain words."
MAX_TOKENS = 512
"""Long enough for the engine to be still writing at most of the cuts."""


@dataclass
class Reply:
    """What became of one reply. Times on the session axis; None = it did not happen."""

    duck_ns: int | None = None
    stop_ns: int | None = None
    cancel_ns: int | None = None
    written_ns: int | None = None
    prompt_ns: int | None = None
    audible_ns: int = 0
    played: int = 0
    made: list[e.SoundMade] = field(default_factory=list)
    kept: str = ""

    @property
    def was_writing(self) -> bool:
        """Whether the engine was still at it when told to stop."""
        written, cancel = self.written_ns, self.cancel_ns
        return written is not None and cancel is not None and written >= cancel


class Replies:
    """A tap that keeps a `Reply` of each epoch."""

    def __init__(self, rate_hz: int) -> None:
        self.by_epoch: dict[int, Reply] = {}
        self._rate_hz = rate_hz

    def watch(self, event: e.Event) -> None:
        """Takes one event."""
        if event.epoch == 0:
            return
        reply = self.by_epoch.setdefault(event.epoch, Reply())
        match event:
            case e.PlaybackDuck() if reply.duck_ns is None:
                reply.duck_ns = event.t_ns
            case e.PlaybackStop():
                reply.stop_ns = event.t_ns
            case e.ReplyCancel():
                reply.cancel_ns = event.t_ns
            case e.ReplyWritten():
                reply.written_ns = event.t_ns
            case e.SoundMade():
                reply.made.append(event)
            case e.SoundPlayed() if len(event.samples):
                reply.played += len(event.samples)
                length_ns = len(event.samples) * NS_PER_S // self._rate_hz
                reply.audible_ns = event.t_ns + length_ns
            case e.ItemKept(role="assistant"):
                reply.kept = event.text

    def prompted(self, t_ns: int) -> None:
        """The engine has begun with a prompt."""
        for reply in self.by_epoch.values():
            if reply.cancel_ns is not None and reply.prompt_ns is None:
                reply.prompt_ns = t_ns


class Interrupter:
    """A tap: asks for a story, cuts into it, and asks for the next one. `cuts`: by epoch, the
    number of the utterance that was to cut into it."""

    def __init__(self, parts: Parts, speaker: ScriptedSpeaker, times: int) -> None:
        self.cuts: dict[int, int] = {}
        self._requests = [speech(parts, text) for text in REQUESTS]
        self._cuts = [speech(parts, text) for text in CUTS]
        self._speaker, self._times = speaker, times
        self._asked = self._said = self._sounded = 0
        self._cued = self._cutting = False
        self._ask(NS_PER_S)

    def watch(self, event: e.Event) -> None:
        """Takes one event."""
        match event:
            case e.TurnEnded() | e.TurnDropped():
                self._cued = False
            case e.SoundPlayed() if event.epoch > self._sounded and len(event.samples):
                self._sounded = event.epoch
                self._on_answer(event)
            case e.StateChanged() if event.state == "idle" != event.previous and not self._cued:
                self._ask(event.t_ns + NS_PER_S // 2)

    def _on_answer(self, event: e.SoundPlayed) -> None:
        if self._cutting:  # what it says to being cut off is not waited for
            self._ask(event.t_ns + NS_PER_S // 4)
            return
        done, self._cutting = len(self.cuts), True
        self.cuts[event.epoch] = self._said
        moment_ns = round(done / self._times * LATEST_S * NS_PER_S)
        self._say(self._cuts[done % len(CUTS)], event.t_ns + moment_ns)

    def _ask(self, t_ns: int) -> None:
        self._cutting = False
        if len(self.cuts) < self._times:
            self._asked += 1
            self._say(self._requests[self._asked % len(REQUESTS)], t_ns)
        else:
            self._speaker.end()

    def _say(self, samples: e.Samples, t_ns: int) -> None:
        self._cued = True
        self._said += 1
        self._speaker.say(samples, t_ns)


def watch_prompts(conversation: Conversation, replies: Replies) -> None:
    """Tells `replies` when the engine's lane takes up a command."""
    thinker: Any = conversation.nodes["think.decode"]
    answer = thinker.on

    def on(event: e.Event) -> Iterable[e.Event]:
        replies.prompted(conversation.loop.clock.now_ns())
        return answer(event)  # type: ignore[no-any-return]

    thinker.on = on


def heard(reply: Reply) -> str:
    """The words of which at least half of the samples were played, and what lies before them."""
    text, left = "", reply.played
    for sound in sorted(reply.made, key=lambda made: made.index):
        length = len(sound.samples)
        if not length:
            continue
        ends = [word.char_end for word in sound.words if 0 < word.start + word.end <= 2 * left]
        text += sound.written if left >= length else sound.written[: max(ends, default=0)]
        if left <= length:
            break
        left -= length
    return text.strip()


def ms(begin_ns: int | None, end_ns: int | None) -> Iterator[float]:
    """The milliseconds between, if both are known."""
    if begin_ns is not None and end_ns is not None:
        yield (end_ns - begin_ns) / NS_PER_MS


def spread(values: list[float]) -> str:
    return f"{percentile(values, 50):.0f}/{percentile(values, 95):.0f}"


def run(times: int, pace: Any) -> tuple[list[Reply], list[int]]:
    """The replies that were to be cut into, and the onset of the voice that did."""
    parts = prepare()
    manner = replace(parts.config.reply, system=SYSTEM, max_tokens=MAX_TOKENS)
    parts.config = replace(parts.config, reply=manner)
    speaker = ScriptedSpeaker(round(parts.output_rate_hz * PITCH))
    replies = Replies(parts.output_rate_hz)
    interrupter = Interrupter(parts, speaker, times)
    conversation = Conversation(parts, pace=pace, taps=(replies.watch, interrupter.watch))
    watch_prompts(conversation, replies)
    try:
        conversation.run(speaker.events())
    finally:
        conversation.close()
    onsets = [start_ns for start_ns, _ in speaker.spoken]
    found = [(replies.by_epoch[epoch], onsets[said]) for epoch, said in interrupter.cuts.items()]
    return [reply for reply, _ in found], [onset_ns for _, onset_ns in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--pace", choices=["real", "fast"], default="real")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    pairs = list(zip(*run(options.times, options.pace), strict=True))
    cut = [(reply, onset_ns) for reply, onset_ns in pairs if reply.stop_ns is not None]
    columns: dict[str, list[float]] = {
        "duck": [value for reply, onset_ns in cut for value in ms(onset_ns, reply.duck_ns)],
        "stop": [value for reply, onset_ns in cut for value in ms(onset_ns, reply.stop_ns)],
        "silence": [value for reply, _ in cut for value in ms(reply.stop_ns, reply.audible_ns)],
        "engine": [
            value
            for reply, _ in cut
            if reply.was_writing
            for value in ms(reply.cancel_ns, reply.written_ns)
        ],
        "prompt": [value for reply, _ in cut for value in ms(reply.cancel_ns, reply.prompt_ns)],
    }
    exact = sum(reply.kept == heard(reply) for reply, _ in pairs)
    if options.verbose:
        for reply, _ in pairs:
            mark = "=" if reply.kept == heard(reply) else f"≠ {heard(reply)!r}"
            how = "played out" if reply.stop_ns is None else "cut off"
            print(f"{how} after {reply.played} samples: {reply.kept!r} {mark}")
        for name, values in columns.items():
            print(f"{name:8} {[round(value) for value in values]}")
    print_row(
        f"python benchmarks/interruption.py --pace {options.pace}",
        f"{len(cut)} of {len(pairs)} replies cut off; from the voice's onset p50/p95: duck"
        f" {spread(columns['duck'])} ms, stop {spread(columns['stop'])} ms; then silent after at"
        f" most {max(columns['silence'], default=0):.0f} ms of logical time; engine free"
        f" {spread(columns['engine'])} ms after the cancel ({len(columns['engine'])} while it"
        f" wrote), next prompt begun {spread(columns['prompt'])} ms; history exactly what was"
        f" heard in {exact} of {len(pairs)}",
    )


if __name__ == "__main__":
    main()
