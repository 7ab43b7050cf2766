"""The meter: how long each part of a reply and of an interruption took.

A tap on the bus: `bus.tap(meter.watch)`. All times are of the session axis. Invariant: a reply's
hops, from the end of speech to the first sound, add up to `voice_to_voice_ms`. Memory is bounded:
the last replies, and the last minute of marks.

    speech ends ─endpoint─▶ turn.ended ─decide─▶ reply.start ─first_token─▶ token.made
        ─phrase─▶ phrase.ready ─synthesis─▶ sound.made ─output─▶ sound.played
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from visavis.flow import events as e
from visavis.flow.bus import Bus
from visavis.govern.cuts import Cuts, Interruption
from visavis.govern.drafts import DraftAccount, Drafts
from visavis.govern.latency import Hearing, Reply, ReplyLatency
from visavis.govern.sight import Eyes, Look, SightAccount

REPLIES = 1000


@dataclass(frozen=True, slots=True)
class Spread:
    """How a quantity was distributed."""

    count: int
    p50: float
    p95: float
    highest: float


@dataclass(frozen=True, slots=True)
class Drops:
    """What a topic lost: to the fence, to age, to full queues (`nodes` says whose)."""

    topic: str
    stale: int
    expired: int
    dropped: int
    nodes: tuple[str, ...]


class Meter:
    """Watches the bus. `output_rate_hz`: of the output axis; `keep`: how many replies it keeps."""

    name = "govern.meter"

    def __init__(self, *, output_rate_hz: int = 22_050, keep: int = REPLIES) -> None:
        self.replies: deque[ReplyLatency] = deque(maxlen=keep)
        self.interruptions: deque[Interruption] = deque(maxlen=keep)
        self.looks: deque[Look] = deque(maxlen=keep)
        """Of those replies that had a picture."""
        self.unheard = 0
        """Replies that were begun and never sounded."""
        self._hearing = Hearing()
        self._reply: Reply | None = None
        self._cuts = Cuts(output_rate_hz, self.interruptions)
        self._account = DraftAccount()
        self._sight = SightAccount()
        self._watch: dict[str, Callable[[Any], None]] = {
            "audio.aligned": self._hearing.on_audio,
            "speech.paused": self._hearing.on_pause,
            "words.heard": self._hearing.on_words,
            "turn.ended": self._on_turn,
            "speech.started": self._cuts.on_voice,
            "playback.restore": self._cuts.on_resumed,
            "playback.release": self._cuts.on_resumed,
            "playback.stop": self._cuts.on_stop,
            "reply.start": self._on_start,
            "reply.adopt": self._on_adopt,
            "reply.cancel": self._on_cancel,
            "reply.written": self._on_written,
            "token.made": self._on_token,
            "phrase.ready": self._on_step,
            "sound.made": self._on_step,
            "sound.played": self._on_sound,
            "frame.captured": self._sight.on_frame,
            "frame.aligned": self._sight.on_aligned,
            "scene.changed": self._sight.on_change,
            "camera.changed": self._sight.on_camera,
            "view.taken": self._sight.on_taken,
            "view.missed": self._sight.on_missed,
            "prompt.prefill": self._sight.on_prefill,
            "prompt.prefilled": self._sight.on_prefilled,
        }

    def watch(self, event: e.Event) -> None:
        """Takes one event."""
        step = self._watch.get(event.topic)
        if step is not None:
            step(event)

    def summary(self) -> dict[str, Spread]:
        """Each quantity's spread over the replies kept; only those that were seen."""
        return _spreads(self.replies) | {
            f"interruption_{name}": found for name, found in _spreads(self.interruptions).items()
        }

    @property
    def drafts(self) -> Drafts:
        """How many replies were begun before the turn was over, and what came of them."""
        return self._account.count

    @property
    def eyes(self) -> Eyes:
        """What the eyes did so far."""
        return self._sight.eyes

    def _on_turn(self, event: e.TurnEnded) -> None:
        self._hearing.on_turn(event)
        self._sight.on_turn(event)

    def _on_start(self, event: e.ReplyStart) -> None:
        self._account.on_start(event)
        self._sight.on_start(event)
        if self._reply is not None and self._reply.wanted and not self._reply.sounded:
            self.unheard += 1
        self._reply = Reply(event, None if event.held else self._hearing.turn)

    def _on_adopt(self, event: e.ReplyAdopt) -> None:
        self._account.on_adopt(event)
        if self._reply is not None and self._reply.start.epoch == event.epoch:
            self._reply.adopt(event, self._hearing.turn)

    def _on_cancel(self, event: e.ReplyCancel) -> None:
        self._account.on_cancel(event)
        self._cuts.on_cancel(event)

    def _on_written(self, event: e.ReplyWritten) -> None:
        self._account.on_written(event)
        self._cuts.on_written(event)

    def _on_token(self, event: e.TokenMade) -> None:
        self._sight.on_token(event)
        self._on_step(event)

    def _on_step(self, event: e.Event) -> None:
        if self._reply is not None and event.epoch == self._reply.start.epoch:
            self._reply.first_ns.setdefault(event.topic, event.t_ns)

    def _on_sound(self, event: e.SoundPlayed) -> None:
        self._cuts.on_sound(event)
        reply = self._reply
        if reply is None or event.epoch != reply.start.epoch or reply.sounded:
            return
        if len(event.samples):
            reply.sounded = True
            self._on_step(event)
            self.replies.append(reply.latency(self._hearing))
            if (look := self._sight.look(reply.start, reply.command)) is not None:
                self.looks.append(look)


def drops(bus: Bus) -> list[Drops]:
    """What each topic lost so far; only topics that lost something."""
    full: dict[str, list[str]] = {}
    for subscription in bus.subscriptions():
        if subscription.dropped:
            full.setdefault(subscription.topic.name, []).append(subscription.node.name)
    return [
        Drops(name, count.stale, count.expired, count.dropped, tuple(full.get(name, ())))
        for name, count in bus.counts().items()
        if count.stale or count.expired or count.dropped
    ]


def spread(values: Iterable[float]) -> Spread:
    """The distribution of at least one value."""
    found = np.fromiter(values, np.float64)
    p50, p95 = np.percentile(found, (50, 95))
    return Spread(len(found), float(p50), float(p95), float(found.max()))


def _spreads(records: Iterable[ReplyLatency | Interruption]) -> dict[str, Spread]:
    columns: dict[str, list[float]] = {}
    for record in records:
        for column in fields(record):
            value = getattr(record, column.name)
            if column.name.endswith("_ms") and value is not None:
                columns.setdefault(column.name, []).append(value)
    return {name: spread(values) for name, values in columns.items()}
