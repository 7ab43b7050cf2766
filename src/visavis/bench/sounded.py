"""What became of each reply, worked out from its samples: how loud it was, what was heard of it.

Takes the sound that was made and the sound that was played; believes no report. A phrase's sound
may have been made in parts. Gives soundings, and the two things only samples can tell: whether
each was played once and in order, and which words they held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from visavis.bench.result import Sounding
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S

DUCKED = 0.25
"""A reply at less than this share of its volume (-12 dB) is ducked."""
GRAIN_S = 0.005
BRIDGED_S = 0.04
"""Two output periods: a shorter hole is the loop's jitter, not a silence."""
STEP = 1 / 32_768
"""Of the 16-bit grid on which samples lie."""


@dataclass(slots=True)
class Reply:
    """One reply's sound. `ending`: whole, cut, or empty while it goes on."""

    epoch: int
    made: list[e.SoundMade] = field(default_factory=list)
    blocks: list[tuple[float, e.Samples]] = field(default_factory=list)
    ending: str = ""
    kept: str = ""

    def phrases(self) -> list[list[e.SoundMade]]:
        """The parts of each phrase, in order."""
        parts: dict[int, list[e.SoundMade]] = {}
        for sound in sorted(self.made, key=lambda sound: (sound.index, sound.part)):
            parts.setdefault(sound.index, []).append(sound)
        return list(parts.values())

    def source(self) -> e.Samples:
        """All samples that were made, in order."""
        pieces = [sound.samples for parts in self.phrases() for sound in parts]
        return np.concatenate([*pieces, np.zeros(0, np.float32)])

    def played(self) -> e.Samples:
        return np.concatenate([*(samples for _, samples in self.blocks), np.zeros(0, np.float32)])


def soundings(reply: Reply, rate_hz: int) -> list[Sounding]:
    """When the reply sounded, cut where it was ducked or came back."""
    found: list[Sounding] = []
    for start_s, end_s, ducked in _grains(reply, rate_hz):
        last = found[-1] if found else None
        if last and last.ducked == ducked and start_s - last.end_s <= BRIDGED_S:
            found[-1] = Sounding(reply.epoch, last.start_s, max(last.end_s, end_s), ducked)
        elif end_s > (last.end_s if last else -1.0):
            begin_s = max(start_s, last.end_s) if last else start_s
            found.append(Sounding(reply.epoch, begin_s, end_s, ducked))
    return found


def _grains(reply: Reply, rate_hz: int) -> Iterator[tuple[float, float, bool]]:
    """Every 5 ms that was played: from, to, and whether it was ducked."""
    source, at, ducked = reply.source(), 0, False
    grain = max(round(rate_hz * GRAIN_S), 1)
    for t_s, samples in reply.blocks:
        for begin in range(0, len(samples), grain):
            part = samples[begin : begin + grain]
            whole = source[at : at + len(part)]
            at += len(part)
            loud = float(np.sum(np.abs(whole)))
            if loud > 4 * STEP * len(part):  # else it says nothing about the volume
                ducked = float(np.sum(np.abs(part))) < DUCKED * loud
            yield t_s + begin / rate_hz, t_s + (begin + len(part)) / rate_hz, ducked


def is_same_sound(reply: Reply) -> bool:
    """Whether every sample was played once, in order: all, or up to where it was cut.

    Volume may have been lowered, never raised; a sample never changes its sign.
    """
    played = reply.played()
    source = reply.source()[: len(played)]
    complete = reply.ending != "whole" or len(reply.source()) == len(played)
    return (
        complete
        and len(source) == len(played)
        and bool(np.all(played * source >= 0))
        and bool(np.all(np.abs(played) <= np.abs(source) + STEP))
    )


def heard(reply: Reply) -> str:
    """The written text whose words sounded for at least half of their samples, and what lies
    before them; of a reply that came to its end, also what no voice can speak."""
    left = sum(len(samples) for _, samples in reply.blocks)
    text = silent = ""
    for parts in reply.phrases():
        written, length = parts[0].written, sum(len(sound.samples) for sound in parts)
        if not length:
            silent += written
            continue
        complete = not parts[-1].more and length <= left
        told = len(written) if complete else _told(parts[0].words, left)
        if told:
            text, silent = text + silent + written[:told], ""
        left -= min(left, length)
        if not left and reply.ending != "whole":
            break
    return (text + silent * (reply.ending == "whole")).strip()


def _told(words: tuple[e.WordTime, ...], played: int) -> int:
    """Characters up to the last word of which at least half was among so many samples."""
    past = [w.char_end for w in words if played > w.start and played * 2 >= w.start + w.end]
    return past[-1] if past else 0


class Replies:
    """Collects the replies of a session from its events."""

    def __init__(self) -> None:
        self.by_epoch: dict[int, Reply] = {}

    def watch(self, event: e.Event) -> None:
        """Takes one event."""
        match event:
            case e.SoundMade():
                self._of(event).made.append(event)
            case e.SoundPlayed():
                reply = self._of(event)
                if len(event.samples):
                    reply.blocks.append((event.t_ns / NS_PER_S, event.samples))
                if event.done:
                    reply.ending = "cut" if event.stopped else "whole"
            case e.ItemKept(role="assistant"):
                self._of(event).kept = event.text

    def sounded(self) -> list[Reply]:
        """Those of which something was heard, in order."""
        return [reply for _, reply in sorted(self.by_epoch.items()) if reply.blocks]

    def _of(self, event: e.Event) -> Reply:
        return self.by_epoch.setdefault(event.epoch, Reply(event.epoch))
