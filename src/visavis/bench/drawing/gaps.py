"""The times that one would measure with a ruler on an episode's axis.

Takes the truth and the soundings, and nothing that any side reported; gives gaps to draw.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from visavis.bench.result import Episode

LONGEST_S = 10.0
TURNS = ("question", "continuation", "interruption")


@dataclass(frozen=True, slots=True)
class Gap:
    """From the end of a turn to the answer, or from an interruption to the end of the reply."""

    kind: Literal["answer", "stop"]
    start_s: float
    end_s: float

    @property
    def length_ms(self) -> float:
        return 1000 * (self.end_s - self.start_s)


def gaps(episode: Episode) -> list[Gap]:
    """All of an episode, 10 s long at most."""
    found = [*_answers(episode), *_stops(episode)]
    return [gap for gap in found if gap.end_s - gap.start_s <= LONGEST_S]


def _answers(episode: Episode) -> Iterator[Gap]:
    begun: dict[int, float] = {}  # a reply that comes back after a hold answers nothing
    for part in episode.sounding:
        begun[part.reply] = min(part.start_s, begun.get(part.reply, math.inf))
    starts = sorted(begun.values())
    turns = sorted(
        (part for part in episode.truth if part.kind in TURNS), key=lambda part: part.start_s
    )
    for turn, after_s in zip(turns, [*(t.start_s for t in turns[1:]), math.inf], strict=False):
        start_s = next((start for start in starts if start >= turn.end_s), math.inf)
        if start_s <= after_s and start_s < math.inf:
            yield Gap("answer", turn.end_s, start_s)


def _stops(episode: Episode) -> Iterator[Gap]:
    for turn in episode.truth:
        if turn.kind != "interruption":
            continue
        over = [s.reply for s in episode.sounding if s.start_s <= turn.start_s < s.end_s]
        if over:
            # To the very last of it: a reply that was held and came back had not stopped.
            ends = (part.end_s for part in episode.sounding if part.reply == over[0])
            yield Gap("stop", turn.start_s, max(ends))
