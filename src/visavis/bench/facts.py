"""An episode seen as turns, replies and pauses: what the measures of bench/measure.py ask about.

Takes an `Episode`; changes nothing. Times are seconds of the episode.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from visavis.bench.result import Episode, Mark, Stretch

TURNS = ("question", "interruption")
DISTURBANCES = ("backchannel", "aside", "noise", "background")


@dataclass(frozen=True, slots=True)
class Turn:
    """What the user said to us in one go: a question or an interruption, and its continuations."""

    pieces: tuple[Stretch, ...]

    @property
    def kind(self) -> str:
        return self.pieces[0].kind

    @property
    def start_s(self) -> float:
        return self.pieces[0].start_s

    @property
    def end_s(self) -> float:
        return self.pieces[-1].end_s


@dataclass(frozen=True, slots=True)
class Told:
    """A reply that sounded. `loud_until_s`: the end of its last stretch that was not ducked.

    `ending`: whole, cut, or empty if it had none (it went on, or nobody said).
    """

    reply: int
    start_s: float
    end_s: float
    loud_until_s: float
    ending: str


class Facts:
    """Everything worked out once."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode

    @cached_property
    def turns(self) -> list[Turn]:
        found: list[list[Stretch]] = []
        for stretch in self.stretches(*TURNS, "continuation"):
            if stretch.kind == "continuation" and found:
                found[-1].append(stretch)
            else:
                found.append([stretch])
        return [Turn(tuple(pieces)) for pieces in found]

    @cached_property
    def told(self) -> list[Told]:
        endings = {mark.reply: mark.text for mark in self.marks("sound.played")}
        found = []
        for reply in dict.fromkeys(sound.reply for sound in self.episode.sounding):
            sounds = [sound for sound in self.episode.sounding if sound.reply == reply]
            start_s, end_s = sounds[0].start_s, sounds[-1].end_s
            loud_s = max((sound.end_s for sound in sounds if not sound.ducked), default=start_s)
            found.append(Told(reply, start_s, end_s, loud_s, endings.get(reply, "")))
        return sorted(found, key=lambda told: told.start_s)

    @cached_property
    def same_sound(self) -> dict[int, bool]:
        """By reply, whether its samples were played once and in order, where that is known."""
        known = self.episode.values.get("same_sound", ())
        replies = sorted(told.reply for told in self.told)
        return {reply: same > 0 for reply, same in zip(replies, known, strict=False)}

    def stretches(self, *kinds: str) -> list[Stretch]:
        return [stretch for stretch in self.episode.truth if stretch.kind in kinds]

    def marks(self, topic: str) -> list[Mark]:
        return [mark for mark in self.episode.marks if mark.topic == topic]

    def first_mark(self, topic: str, begin_s: float, end_s: float) -> float | None:
        """When it first happened in between."""
        return next((m.at_s for m in self.marks(topic) if begin_s < m.at_s < end_s), None)

    def until_s(self, turn: Turn) -> float:
        """When the user's next turn begins, or the end of the episode."""
        later = [other.start_s for other in self.turns if other.start_s > turn.start_s]
        return min(later, default=self.episode.length_s)

    def answered(self) -> Iterator[tuple[Turn, Told]]:
        """Each turn that was answered, and the first reply that began in or after it."""
        for turn in self.turns:
            until_s = self.until_s(turn)
            for told in self.told:
                if turn.start_s < told.start_s < until_s:
                    yield turn, told
                    break

    def pauses(self) -> Iterator[tuple[float, float, float]]:
        """Each pause within a turn: from where on an end was too early (the first piece's
        beginning, or the end of the piece before), when the user resumed, and until when."""
        for turn in self.turns:
            begin_s = turn.start_s
            for before, after in zip(turn.pieces, turn.pieces[1:], strict=False):
                yield max(begin_s, before.start_s), after.start_s, after.end_s
                begin_s = after.end_s

    def begins_sounding(self, begin_s: float, end_s: float) -> bool:
        return any(begin_s < told.start_s < end_s for told in self.told)

    def over(self, *kinds: str) -> Iterator[tuple[Stretch, Told]]:
        """Each stretch of these kinds that began while a reply sounded, and that reply."""
        for stretch in self.stretches(*kinds):
            for told in self.told:
                if told.start_s < stretch.start_s < told.end_s:
                    yield stretch, told

    def next_sound_s(self, stretch: Stretch) -> float:
        """When the next thing sounds at the microphone that is not part of this one."""
        later = (s.start_s for s in self.episode.truth if s.start_s > stretch.start_s)
        return min(later, default=math.inf)

    def silent_s(self, reply: int, begin_s: float, end_s: float) -> float:
        """For how long nothing sounds of a reply in between, its beginning and end apart."""
        sounds = [sound for sound in self.episode.sounding if sound.reply == reply]
        return sum(
            overlap_s(before.end_s, after.start_s, begin_s, end_s)
            for before, after in itertools.pairwise(sounds)
        )

    def somebody_spoke(self, begin_s: float, end_s: float) -> bool:
        return any(s.start_s < end_s and s.end_s > begin_s for s in self.episode.truth)


def overlap_s(begin_s: float, end_s: float, other_begin_s: float, other_end_s: float) -> float:
    """How long two stretches of time have in common."""
    return max(0.0, min(end_s, other_end_s) - max(begin_s, other_begin_s))
