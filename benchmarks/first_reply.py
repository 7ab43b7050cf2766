"""The first reply in a room that the canceller has never heard, and users who cut into it.

    python benchmarks/first_reply.py [--rooms 120]

Each room is a random one: delay, tail, gain, distortion, drift. A user asks, and a third of a
second later we answer, for the first time in that room; all in simulated time. First nobody speaks
into it: how often did a voice begin that nobody had, and how often was enough of it taken for more
than echo to hold us? Then a user cuts in, a quarter of a second into the reply or later, as loud as
people are: how many were found, and how soon after their onset?
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator

import numpy as np

from dialogue import percentile
from echo import Bench, Heard, found, level
from row import print_row
from visavis.bench.scenarios.rooms import place
from visavis.decide.interrupt import SURE
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S
from visavis.source.script import ScriptedSpeaker

INTO_S = (0.25, 0.4, 0.7, 1.2, 1.7, 2.3)
LEVEL_DB = (-30, -16)
ASKED_S, AFTER_S, REPLY_S, TAIL_S = 0.6, 0.34, 4.5, 1.5
PERIODS_PER_S = 50
JUDGED = 140 * e.SAMPLES_PER_MS
"""When a voice is measured that may hold us."""


class FirstReplies(Bench):
    """One question and one reply in each room."""

    def once(self, number: int, into_s: float | None) -> tuple[Heard, ScriptedSpeaker, int]:
        """What was heard, who spoke, and the sample at which our reply begins."""
        rng = random.Random(number)
        room, loudness = place(rng), 10 ** (rng.uniform(*LEVEL_DB) / 20)

        def user(at: int) -> e.Samples:
            voice = self.voices.users[at % len(self.voices.users)]
            return voice * np.float32(loudness / level(voice))

        question = user(3 * number)
        begins_s = ASKED_S + len(question) / self._user_hz + AFTER_S
        begins_s = round(begins_s * PERIODS_PER_S) / PERIODS_PER_S
        said = [(ASKED_S, question)]
        if into_s is not None:
            said.append((begins_s + into_s, user(5 * number + 1)))
        tail_s = TAIL_S if into_s is not None else REPLY_S
        speaker = ScriptedSpeaker(self._user_hz, said, tail_s=tail_s)
        [heard] = self._run(room, speaker, self._reply(number, begins_s), (True,))
        return heard, speaker, round(begins_s * e.INPUT_RATE_HZ)

    def _reply(self, number: int, at_s: float) -> Iterator[e.SoundPlayed]:
        """A reply that begins with another of our sentences each time."""
        rate_hz, first = self.voices.rate_hz, number % len(self.voices.sentences)
        sentences = self.voices.sentences[first:] + self.voices.sentences[:first]
        sound = np.concatenate(sentences)[: round(REPLY_S * rate_hz)]
        period = rate_hz // PERIODS_PER_S
        start = round(at_s * PERIODS_PER_S) * period
        for at in range(0, len(sound) - period + 1, period):
            t_ns, samples = (start + at) * NS_PER_S // rate_hz, sound[at : at + period]
            yield e.SoundPlayed(t_ns=t_ns, epoch=1, start=start + at, samples=samples)


def holds(heard: Heard, voice: e.SpeechStarted) -> bool:
    """Whether enough of the voice is more than echo."""
    doubted = sum(span.within(voice.start, voice.start + JUDGED) for span in heard.doubted)
    return JUDGED - doubted >= SURE


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rooms", type=int, default=120)
    rooms = parser.parse_args().rooms
    bench = FirstReplies()
    false = held = 0
    for number in range(rooms):
        heard, _, begins = bench.once(number, None)
        voices = [voice for voice in heard.begun if voice.start >= begins]
        false += bool(voices)
        held += any(holds(heard, voice) for voice in voices)
    parts = [f"nobody there: {false} of {rooms} began a voice, {held} enough to hold us"]
    print(parts[0], flush=True)
    for into_s in INTO_S:
        delays: list[float] = []
        for number in range(rooms):
            heard, speaker, _ = bench.once(rooms + number, into_s)
            speaker.spoken.popleft()  # the question is none of it
            delays += found(heard, speaker)
        p50, p95 = (percentile(delays, share) for share in (50, 95))
        parts.append(f"{into_s} s into it: {len(delays)} of {rooms} after {p50:.0f}/{p95:.0f} ms")
        print(parts[-1], flush=True)
    print_row(f"python benchmarks/first_reply.py --rooms {rooms}", " · ".join(parts))


if __name__ == "__main__":
    main()
