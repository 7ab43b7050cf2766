"""Being interrupted: how soon it is quiet, how soon the engine is free, and whether the history is
exactly what was heard.

    python benchmarks/interruption.py [--times 20] [--pace real] [--verbose]

The user asks for long stories and cuts into each, at another moment of it, with other words. From
the onset of the voice to the duck and to `playback.stop`; from that command to the end of the last
sample of the reply, in logical time; from `reply.cancel` to `reply.written`, which is when the
engine is free, and to the moment when it begins with the next prompt. What was heard is worked out
from the sound that was made and the number of its samples that were played. Each story begins a
conversation of its own: a small model that has been cut off three times tells no long story again.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from dialogue import PITCH, percentile, prepare, speech
from row import print_row
from visavis.bench import phrases
from visavis.bench.runner import Kept
from visavis.bench.script import STORYTELLER
from visavis.conversation import Conversation, Pace
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.flow.ring import AudioRing
from visavis.source.script import ScriptedSpeaker
from visavis.wiring import Parts

CUTS = phrases.CUTS[:6]
ENGINES = ("vad", "asr", "turn", "llm", "tts", "spare_tts")
LATEST_S = 2.0
"""The cuts are spread evenly over this much of the reply, from its first sample on."""

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
    """A tap: asks for a story, cuts into it at `moment_s`, and ends when that was answered."""

    def __init__(
        self, speaker: ScriptedSpeaker, request: e.Samples, cut: e.Samples, moment_s: float
    ) -> None:
        self.story = 0  # the epoch of the reply that was cut into
        self._speaker, self._cut, self._moment_s = speaker, cut, moment_s
        self._understood = self.over = False
        speaker.say(request, NS_PER_S // 2)

    def watch(self, event: e.Event) -> None:
        """Takes one event."""
        match event:
            case e.SoundPlayed() if len(event.samples) and not self.story:
                self.story = event.epoch
                self._speaker.say(self._cut, event.t_ns + round(self._moment_s * NS_PER_S))
            case e.SoundPlayed() if len(event.samples) and event.epoch > self.story:
                self.over = True
            case e.TurnEnded() | e.TurnDropped() if self.story:
                self._understood = True
            case e.StateChanged(state="idle") if self._understood:
                self.over = True


def watch_prompts(conversation: Conversation, replies: Replies) -> None:
    """Tells `replies` when the engine's lane takes up a command."""
    thinker: Any = conversation.nodes["think.decode"]
    answer = thinker.on

    def on(event: e.Event) -> Iterable[e.Event]:
        replies.prompted(conversation.loop.clock.now_ns())
        return answer(event)  # type: ignore[no-any-return]

    thinker.on = on


def heard(reply: Reply) -> str:
    """The words of which at least half of the samples were played, and what lies before them.

    Of a reply that came to its end, also what no voice can speak.
    """
    made = sorted(reply.made, key=lambda sound: (sound.index, sound.part))
    if reply.stop_ns is None:
        return "".join(sound.written for sound in made).strip()
    text, left = "", reply.played
    for _, group in groupby(made, key=lambda sound: sound.index):
        first, *others = group
        length = len(first.samples) + sum(len(part.samples) for part in others)
        ends = [word.char_end for word in first.words if 0 < word.start + word.end <= 2 * left]
        entire = 0 < length <= left and not [first, *others][-1].more
        text += first.written if entire else first.written[: max(ends, default=0)]
        left -= min(left, length)
        if not left:
            break
    return text.strip()


def ms(begin_ns: int | None, end_ns: int | None) -> Iterator[float]:
    """The milliseconds between, if both are known."""
    if begin_ns is not None and end_ns is not None:
        yield (end_ns - begin_ns) / NS_PER_MS


def spread(values: list[float]) -> str:
    return f"{percentile(values, 50):.0f}/{percentile(values, 95):.0f}"


def interrupted(parts: Parts, number: int, moment_s: float, pace: Pace) -> tuple[Reply, int]:
    """A story that is cut into; and when the voice that does so begins."""
    speaker = ScriptedSpeaker(round(parts.output_rate_hz * PITCH))
    request = speech(parts, phrases.STORIES[number % len(phrases.STORIES)])
    cut = speech(parts, CUTS[number % len(CUTS)])
    replies = Replies(parts.output_rate_hz)
    interrupter = Interrupter(speaker, request, cut, moment_s)
    conversation = Conversation(parts, pace=pace, taps=(replies.watch, interrupter.watch))
    watch_prompts(conversation, replies)
    try:
        conversation.loop.feed(speaker.events())
        conversation.loop.run(lambda: interrupter.over)
    finally:
        conversation.close()
    return replies.by_epoch[interrupter.story], speaker.spoken[-1][0]


def run(times: int, pace: Pace) -> list[tuple[Reply, int]]:
    """So many interrupted stories."""
    parts = prepare()
    manner = replace(parts.config.reply, system=STORYTELLER, max_tokens=MAX_TOKENS)
    config = replace(parts.config, reply=manner)
    engines = {name: getattr(parts, name) for name in ENGINES}
    kept: dict[str, Any] = {
        name: Kept(engine) for name, engine in engines.items() if engine is not None
    }
    try:
        return [
            interrupted(
                replace(parts, config=config, ring=AudioRing(config.sound.ring_s), **kept),
                number,
                number / times * LATEST_S,
                pace,
            )
            for number in range(times)
        ]
    finally:
        for engine in engines.values():
            engine.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--pace", choices=["real", "fast"], default="real")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    pairs = run(options.times, options.pace)
    cut = [(reply, onset_ns) for reply, onset_ns in pairs if (reply.stop_ns or 0) > onset_ns]
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
