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
JOINED_S = 0.1
"""Soundings of one reply that lie closer are one."""
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
    starts = sorted(part.start_s for part in episode.sounding)
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
        over = [s for s in episode.sounding if s.start_s <= turn.start_s < s.end_s]
        if over:
            yield Gap("stop", turn.start_s, _end_s(episode, over[0].reply, over[0].end_s))


def _end_s(episode: Episode, reply: int, from_s: float) -> float:
    """When a reply fell silent that sounded at `from_s`."""
    for part in sorted(episode.sounding, key=lambda part: part.start_s):
        if part.reply == reply and part.end_s > from_s and part.start_s <= from_s + JOINED_S:
            from_s = part.end_s
    return from_s
