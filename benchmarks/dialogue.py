"""A scripted user who talks to the real line, for the benchmarks: questions in, events noted.

The user's voice is the tier's own, raised in pitch so that the recogniser does not hear its own
training data twice; silences around each question are trimmed, so that the end of an utterance is
the end of its speech.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from visavis.backends.contract import Speech
from visavis.config import load
from visavis.conversation import Conversation, Pace
from visavis.engines import load_parts
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S
from visavis.govern.meter import Meter
from visavis.source.script import ScriptedSpeaker
from visavis.speak.sink import NullSink
from visavis.wiring import Parts

PITCH = 1.12
FLOOR = 0.02
"""Of the peak: below it, speech has ended (−34 dB)."""

QUESTIONS = (
    "What is the capital of France?",
    "How many days are there in a week?",
    "What colour is the sky?",
    "Who wrote Romeo and Juliet?",
    "What is the largest ocean on Earth?",
    "How do you make a cup of tea?",
    "Can you tell me a short joke?",
    "What is two plus two?",
    "Where do penguins live?",
    "Why is the grass green?",
    "What do bees make?",
    "How far away is the moon?",
    "What is your favourite season?",
    "Which planet is the biggest?",
    "When should I water my plants?",
    "What is the opposite of hot?",
    "How many legs does a spider have?",
    "What is a good name for a cat?",
    "Who was the first person on the moon?",
    "What language do people speak in Brazil?",
    "How long does it take to boil an egg?",
    "What should I cook for dinner tonight?",
    "Is a tomato a fruit or a vegetable?",
    "What is the tallest mountain in the world?",
    "How do birds fly?",
    "What time does the sun rise in summer?",
    "Please name three kinds of fruit.",
    "What is bread made of?",
    "How can I sleep better at night?",
    "What is the fastest animal on land?",
)


def speech(parts: Parts, text: str) -> e.Samples:
    """The question as sound at the voice's rate, without silence around it."""
    assert parts.tts is not None
    samples = Speech.joined(parts.tts.synthesise(text)).samples
    loud = np.flatnonzero(np.abs(samples) > FLOOR * np.abs(samples).max())
    return samples[loud[0] : loud[-1] + 1]


class Asker:
    """A tap: asks the next question some time after each answer; notes when each one ended."""

    def __init__(
        self, lines: Sequence[e.Samples], speaker: ScriptedSpeaker, wait_s: float = 0.8
    ) -> None:
        self._lines = list(lines)
        self._speaker = speaker
        self._wait_s = wait_s
        self._cued = False
        self.ask(0)

    def watch(self, event: e.Event) -> None:
        if isinstance(event, e.TurnEnded):
            self._cued = False
        elif isinstance(event, e.StateChanged) and event.state == "idle" != event.previous:
            # Also after a question that was not understood.
            self.ask(event.t_ns)

    def ask(self, t_ns: int) -> None:
        if self._lines:
            self._speaker.say(self._lines.pop(0), t_ns + round(self._wait_s * NS_PER_S))
        else:
            self._speaker.end()


def prepare(seed: int = 1, *, sight: bool = False, dice: bool = True) -> Parts:
    """The tiny tier's engines, its eye too with `sight`, loaded. `dice`: answers are drawn."""
    config = load()
    temperature = config.reply.temperature if dice else 0.0
    reply = replace(config.reply, seed=seed, temperature=temperature)
    config = replace(config, reply=reply)
    parts = load_parts(config, sight=sight)
    parts.sink = NullSink()
    return parts


def converse(
    parts: Parts,
    lines: Sequence[e.Samples],
    *,
    pace: Pace = "real",
    taps: Sequence[Callable[[e.Event], None]] = (),
) -> tuple[Conversation, Meter, ScriptedSpeaker]:
    """Runs the whole dialogue; the caller closes the conversation."""
    speaker = ScriptedSpeaker(round(parts.output_rate_hz * PITCH))
    asker = Asker(lines, speaker)
    meter = Meter(output_rate_hz=parts.output_rate_hz)
    conversation = Conversation(parts, pace=pace, taps=(asker.watch, meter.watch, *taps))
    conversation.run(speaker.events())
    return conversation, meter, speaker


def percentile(values: Sequence[float], share: float) -> float:
    return float(np.percentile(np.asarray(values), share)) if values else float("nan")
