"""What a run of the bench gives: episodes with their truth and what happened, and the metrics.

Plain data, so that it can be written as JSON, compared with an older run and drawn. Times are
seconds from the beginning of the episode.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal[
    "question", "interruption", "backchannel", "continuation", "aside", "background", "noise",
]  # fmt: skip
"""What a stretch of sound at the microphone is. `continuation`: the rest of a sentence after a
pause; `aside`: said to someone else; `background`: other people."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Truth: this sounded at the microphone from `start_s` to `end_s`."""

    kind: Kind
    start_s: float
    end_s: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class Sounding:
    """Measured: the system's voice was heard from `start_s` to `end_s`, as reply `reply`."""

    reply: int
    start_s: float
    end_s: float
    ducked: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened: an event's topic, and a few words about it.

    `reply`: which it was about, 0 = none. bench/measure.py says which marks it reads.
    """

    at_s: float
    topic: str
    text: str = ""
    reply: int = 0


@dataclass(slots=True)
class Episode:
    """One scripted dialogue. `values`: each metric's samples; a rate's samples are 0 and 1.

    `envelopes`: peak of each 20 ms, of the `user` and of the `reply`, for drawing.
    """

    scenario: str
    name: str
    seed: int
    length_s: float = 0.0
    truth: list[Stretch] = field(default_factory=list)
    sounding: list[Sounding] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    history: list[tuple[str, str]] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)
    envelopes: dict[str, list[float]] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True, slots=True)
class Metric:
    """How a metric is shown. `rate`: the mean of zeros and ones, in %; else p50 and p95 of `unit`.

    `better`: which way is good. `reach`: what is aimed at, for p50 (or the rate) and for p95.
    A title that is indented belongs under the one before; `alone`: the title where that is not.
    """

    name: str
    title: str
    better: Literal["lower", "higher"]
    unit: str = "ms"
    rate: bool = False
    reach: tuple[float | None, float | None] = (None, None)
    alone: str = ""

    @property
    def is_part(self) -> bool:
        return self.title.startswith(" ")

    @property
    def full_title(self) -> str:
        """That can be understood by itself."""
        return self.alone or self.title.strip()


@dataclass(slots=True)
class Result:
    """A whole run. `about`: version, commit, date, tier, machine, target, command.

    `planned`: how many episodes there should have been; 0 = not known.
    """

    about: dict[str, str] = field(default_factory=dict)
    episodes: list[Episode] = field(default_factory=list)
    planned: int = 0

    @property
    def is_partial(self) -> bool:
        """Whether it was broken off."""
        return len(self.episodes) < self.planned

    def values(self, metric: str) -> list[float]:
        """All samples of a metric, over all episodes."""
        return [value for episode in self.episodes for value in episode.values.get(metric, ())]
