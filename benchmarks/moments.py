"""Questions about a scene that changes beside them; two sections of benchmarks/eyes.py.

The user asks through the audio path, a drawn scene is filmed at 30 pictures a second, and the
embedded eye answers. Each question has two scenes with different right answers; the second takes
the place of the first half a second before the question ends, or half a second after.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle, islice, permutations
from random import Random

from dialogue import PITCH, percentile, prepare, speech
from visavis.conversation import Conversation, Pace
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S
from visavis.govern.meter import Meter
from visavis.source.scene import Scene, Thing
from visavis.source.script import ScriptedSpeaker
from visavis.source.stage import ScriptedCamera
from visavis.wiring import Parts

BESIDE_NS = NS_PER_S // 2
"""The change comes so long before the end of the question, or after it."""
LEAD_NS = 3 * NS_PER_S // 2
"""The first scene is in view so long before the question begins."""
COLOURS = ("red", "green", "blue", "yellow", "orange", "purple")
SHAPES = ("circle", "square", "triangle", "star")
COUNTS = ("one", "two", "three")
FAMILIES = (COLOURS, SHAPES, COUNTS, ("left", "right", "top", "bottom", "middle"))


@dataclass(frozen=True)
class Case:
    """A question, the two scenes, and the word that is the right answer to each."""

    asked: str
    scenes: tuple[Scene, Scene]
    words: tuple[str, str]


@dataclass
class Answer:
    """What came of a question. `late`: the scene changed after it, not before."""

    case: Case
    late: bool
    end_ns: int
    text: str = ""
    offset_ms: float = float("nan")
    sounded_ns: int = 0

    @property
    def is_right(self) -> bool:
        """The right word, and no other of its kind."""
        right = self.case.words[0 if self.late else 1]
        said = set(re.findall(r"[a-z]+", self.text.lower()))
        family = next(family for family in FAMILIES if right in family)
        return said & set(family) == {right}


def cases(count: int, seed: int = 0) -> list[Case]:
    """`count` of them: colours, shapes, sides and numbers in turn."""
    kinds = (_colours(), _shapes(), _sides(), _counts())
    order = list(islice((next(kind) for kind in cycle(kinds)), count))
    Random(seed).shuffle(order)
    return order


def _colours() -> Iterator[Case]:
    for shape, (one, other) in zip(cycle(SHAPES), cycle(permutations(COLOURS, 2)), strict=False):
        pair = tuple(Scene("white", (Thing(colour, shape),)) for colour in (one, other))
        yield Case(f"What color is the {shape}?", (pair[0], pair[1]), (one, other))


def _shapes() -> Iterator[Case]:
    for colour, (one, other) in zip(cycle(COLOURS), cycle(permutations(SHAPES, 2)), strict=False):
        pair = tuple(Scene("gray", (Thing(colour, shape),)) for shape in (one, other))
        yield Case("What shape is it?", (pair[0], pair[1]), (one, other))


def _sides() -> Iterator[Case]:
    for colour, (one, other) in zip(
        cycle(COLOURS), cycle(permutations(("left", "right"), 2)), strict=False
    ):
        pair = tuple(Scene("white", (Thing(colour, "circle", place),)) for place in (one, other))
        yield Case("Where is the circle?", (pair[0], pair[1]), (one, other))


def _counts() -> Iterator[Case]:
    rows = {
        "one": (Thing("red", "circle"),),
        "two": (Thing("red", "circle", "left"), Thing("blue", "square", "right")),
        "three": (
            Thing("red", "circle", "left"),
            Thing("blue", "square"),
            Thing("green", "triangle", "right"),
        ),
    }
    for one, other in cycle(permutations(COUNTS, 2)):
        pair = (Scene("white", rows[one]), Scene("white", rows[other]))
        yield Case("How many shapes are there?", pair, (one, other))


class Asker:
    """A tap: asks each case once the last answer is over, changing the scene beside it.

    `still`: the scene does not change, and the first one is what is asked about.
    """

    def __init__(
        self,
        lines: list[tuple[Case, e.Samples]],
        speaker: ScriptedSpeaker,
        camera: ScriptedCamera | None,
        *,
        still: bool = False,
    ) -> None:
        self.answers: list[Answer] = []
        self._lines = lines
        self._speaker, self._camera, self._still = speaker, camera, still
        self._cued = False
        self._epoch = 0
        self._ask(0)

    def watch(self, event: e.Event) -> None:
        match event:
            case e.TurnEnded() | e.TurnDropped():
                self._cued = False
            case e.ReplyStart(say="") | e.ReplyAdopt():
                self._epoch = event.epoch
                self.answers[-1].offset_ms = event.view_offset_ms
            case e.SoundPlayed() if len(event.samples) and event.epoch == self._epoch:
                self.answers[-1].sounded_ns = self.answers[-1].sounded_ns or event.t_ns
            case e.ItemKept(role="assistant"):
                self.answers[-1].text += event.text
            case e.StateChanged() if event.state == "idle" != event.previous and not self._cued:
                self._ask(event.t_ns)

    def _ask(self, t_ns: int) -> None:
        if not self._lines:
            self._speaker.end()
            if self._camera is not None:
                self._camera.end()
            return
        case, samples = self._lines.pop(0)
        self._cued = True
        begin_ns = t_ns + LEAD_NS
        end_ns = begin_ns + len(samples) * NS_PER_S // self._speaker.rate_hz
        late = len(self.answers) % 2 == 1 or self._still
        self.answers.append(Answer(case, late, end_ns))
        self._speaker.say(samples, begin_ns)
        if self._camera is not None:
            self._camera.show(case.scenes[0], t_ns)
            if not self._still:
                self._camera.show(case.scenes[1], end_ns + BESIDE_NS * (1 if late else -1))


def converse(
    parts: Parts, asked: list[Case], *, pace: Pace, still: bool = False
) -> tuple[list[Answer], Meter]:
    """Asks all of them in one conversation; without frames in the parts, with no picture."""
    lines = [(case, speech(parts, case.asked)) for case in asked]
    speaker = ScriptedSpeaker(round(parts.output_rate_hz * PITCH))
    scenes = list(dict.fromkeys(scene for case in asked for scene in case.scenes))
    camera = ScriptedCamera(parts.frames, scenes) if parts.frames is not None else None
    asker = Asker(lines, speaker, camera, still=still)
    meter = Meter(output_rate_hz=parts.output_rate_hz)
    conversation = Conversation(parts, pace=pace, taps=(asker.watch, meter.watch))
    conversation.run(speaker.events(), *([camera.events()] if camera else []))
    conversation.close()
    return asker.answers, meter


def seeing() -> Parts:
    """The tiny tier with its eye, and without dice."""
    return prepare(sight=True, dice=False)


def moment(count: int, pace: Pace, tell: Callable[[str], None]) -> str:
    """Right answers when the scene changes beside the question; offsets of the frames."""
    answers, _ = converse(seeing(), cases(count), pace=pace)
    shares = []
    for late, name in ((False, "before"), (True, "after")):
        side = [answer for answer in answers if answer.late == late]
        right = sum(answer.is_right for answer in side)
        shares.append(f"changed 0.5 s {name} the end of the question: {right} of {len(side)} right")
        for answer in side:
            if not answer.is_right:
                expected = answer.case.words[0 if late else 1]
                tell(f"{name}: {answer.case.asked} {expected!r}, not {answer.text!r}")
    offsets = [abs(a.offset_ms) for a in answers if a.offset_ms == a.offset_ms]
    half, most = percentile(offsets, 50), percentile(offsets, 95)
    return f"{'; '.join(shares)}; frame off the moment by {half:.0f} / {most:.0f} ms p50/p95"


def voice(count: int, pace: Pace, tell: Callable[[str], None]) -> str:
    """Voice to voice with a picture against without, the same questions in turn."""
    asked = cases(count)
    found: dict[bool, list[float]] = {True: [], False: []}
    batches = [asked[at : at + 8] for at in range(0, count, 8)]
    for batch in batches:
        for sees in (True, False):
            parts = seeing()
            if not sees:
                parts.frames = None
            answers, _ = converse(parts, batch, pace=pace, still=True)
            took = [(a.sounded_ns - a.end_ns) / NS_PER_MS for a in answers if a.sounded_ns]
            tell(f"{'with' if sees else 'without'} a picture: {[round(ms) for ms in took]}")
            found[sees] += took
    halves = {sees: percentile(values, 50) for sees, values in found.items()}
    highs = {sees: percentile(values, 95) for sees, values in found.items()}
    ratio = halves[True] / halves[False] if found[False] else float("nan")
    return (
        f"voice to voice with a picture {halves[True]:.0f} / {highs[True]:.0f} ms, without"
        f" {halves[False]:.0f} / {highs[False]:.0f} ms (p50/p95 of {len(found[True])}):"
        f" {ratio:.2f}×"
    )
