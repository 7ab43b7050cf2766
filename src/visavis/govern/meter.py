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
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from visavis.flow import events as e
from visavis.flow.bus import Bus
from visavis.flow.clock import NS_PER_MS, NS_PER_S

REPLIES = 1000
# One minute of chunks of 20 ms: far longer than any turn waits for its end to be declared.
MARKS = 3000
NS_PER_SAMPLE = NS_PER_S // e.INPUT_RATE_HZ


@dataclass(frozen=True, slots=True)
class ReplyLatency:
    """One reply's way to its first sound, in milliseconds. None: that step was not seen.

    `recognition_ms` is from the pause to the final words; `late_recognition_ms` what of it lay
    after the turn had ended. Neither is a hop of its own: they lie within `endpoint` and `decide`.
    """

    epoch: int
    trace: int
    voice_to_voice_ms: float | None
    endpoint_ms: float | None
    decide_ms: float | None
    first_token_ms: float | None
    phrase_ms: float | None
    synthesis_ms: float | None
    output_ms: float | None
    recognition_ms: float | None
    late_recognition_ms: float | None


@dataclass(frozen=True, slots=True)
class Interruption:
    """A reply that was cut off, in milliseconds. None: there was no such step.

    `decide_ms`: the user's voice to `playback.stop`; `silence_ms`: from there to the end of the
    reply's last sample; `engine_ms`: from `reply.cancel` until the engine was free.
    """

    epoch: int
    decide_ms: float | None
    silence_ms: float
    engine_ms: float | None = None


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
        self.unheard = 0
        """Replies that were begun and never sounded."""
        self._hearing = _Hearing()
        self._reply: _Reply | None = None
        self._cuts = _Cuts(output_rate_hz, self.interruptions)
        self._watch: dict[str, Callable[[Any], None]] = {
            "audio.aligned": self._hearing.on_audio,
            "speech.paused": self._hearing.on_pause,
            "words.heard": self._hearing.on_words,
            "turn.ended": self._hearing.on_turn,
            "speech.started": self._cuts.on_voice,
            "playback.restore": self._cuts.on_resumed,
            "playback.release": self._cuts.on_resumed,
            "playback.stop": self._cuts.on_stop,
            "reply.cancel": self._cuts.on_cancel,
            "reply.written": self._cuts.on_written,
            "reply.start": self._on_start,
            "token.made": self._on_step,
            "phrase.ready": self._on_step,
            "sound.made": self._on_step,
            "sound.played": self._on_sound,
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

    def _on_start(self, event: e.ReplyStart) -> None:
        if self._reply is not None and not self._reply.sounded:
            self.unheard += 1
        self._reply = _Reply(event, self._hearing.turn)

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


class _Reply:
    """A reply under way: the first time of each step."""

    def __init__(self, start: e.ReplyStart, turn: e.TurnEnded | None) -> None:
        self.start = start
        self.turn = turn
        self.sounded = False
        self.first_ns: dict[str, int] = {}

    def latency(self, hearing: _Hearing) -> ReplyLatency:
        """The break-down, at its first sound."""
        at = self.first_ns.get
        turn_ns = self.turn.t_ns if self.turn else None
        speech_ns = hearing.time_of(self.turn.end) if self.turn else None
        recognition_ms, late_ms = hearing.recognition(self.turn)
        return ReplyLatency(
            epoch=self.start.epoch,
            trace=self.start.trace,
            voice_to_voice_ms=_ms(speech_ns, at("sound.played")),
            endpoint_ms=_ms(speech_ns, turn_ns),
            decide_ms=_ms(turn_ns, self.start.t_ns),
            first_token_ms=_ms(self.start.t_ns, at("token.made")),
            phrase_ms=_ms(at("token.made"), at("phrase.ready")),
            synthesis_ms=_ms(at("phrase.ready"), at("sound.made")),
            output_ms=_ms(at("sound.made"), at("sound.played")),
            recognition_ms=recognition_ms,
            late_recognition_ms=late_ms,
        )


class _Hearing:
    """When the user's speech ended, was recognised, and was declared a turn."""

    def __init__(self) -> None:
        self.turn: e.TurnEnded | None = None
        self._chunks: deque[tuple[int, int, int]] = deque(maxlen=MARKS)  # start, end, t_ns
        self._paused_ns: dict[int, int] = {}
        self._final_ns: dict[int, int] = {}

    def on_audio(self, event: e.AudioAligned) -> None:
        self._chunks.append((event.start, event.start + len(event.samples), event.t_ns))

    def on_pause(self, event: e.SpeechPaused) -> None:
        _mark(self._paused_ns, event.end, event.t_ns)

    def on_words(self, event: e.WordsHeard) -> None:
        if event.final and event.end not in self._final_ns:
            _mark(self._final_ns, event.end, event.t_ns)

    def on_turn(self, event: e.TurnEnded) -> None:
        self.turn = event

    def time_of(self, sample: int) -> int:
        """Session time of a position on the input axis, rather too early than too late.

        By its index, from which it may be some jitter away; or by the stamp of its chunk's end,
        which is late when the loop was: a stall must not hide the latency that it caused.
        """
        by_index_ns = sample * NS_PER_SAMPLE
        for start, end, t_ns in reversed(self._chunks):
            if start < sample <= end:
                return min(by_index_ns, t_ns - (end - sample) * NS_PER_SAMPLE)
        return by_index_ns

    def recognition(self, turn: e.TurnEnded | None) -> tuple[float | None, float | None]:
        """From the turn's last pause to its final words, and the part after the turn's end."""
        if turn is None:
            return None, None
        paused_ns, final_ns = self._paused_ns.get(turn.end), self._final_ns.get(turn.end)
        if paused_ns is None or final_ns is None:
            return None, None
        return _ms(paused_ns, final_ns), max(0.0, (final_ns - turn.t_ns) / NS_PER_MS)


class _Cuts:
    """Interruptions: told when the reply has fallen silent, completed when its engine is free."""

    def __init__(self, output_rate_hz: int, found: deque[Interruption]) -> None:
        self._rate_hz = output_rate_hz
        self._found = found
        self._sounding = 0  # epoch
        self._audible_ns = 0  # end of the last sample that sounded
        self._voice_ns: int | None = None
        self._stop: e.PlaybackStop | None = None
        self._cancel: e.ReplyCancel | None = None

    def on_voice(self, event: e.SpeechStarted) -> None:
        if self._sounding and self._voice_ns is None:
            self._voice_ns = event.t_ns

    def on_resumed(self, event: e.PlaybackRestore | e.PlaybackRelease) -> None:
        self._voice_ns = None  # it was no interruption

    def on_stop(self, event: e.PlaybackStop) -> None:
        if self._stop is None and self._sounding and event.epoch in (0, self._sounding):
            self._stop = event

    def on_cancel(self, event: e.ReplyCancel) -> None:
        self._cancel = event

    def on_written(self, event: e.ReplyWritten) -> None:
        cancel, self._cancel = self._cancel, None
        if cancel is None or cancel.epoch != event.epoch:
            return
        if self._found and self._found[-1].epoch == event.epoch:
            engine_ms = _ms(cancel.t_ns, event.t_ns)
            self._found[-1] = replace(self._found[-1], engine_ms=engine_ms)

    def on_sound(self, event: e.SoundPlayed) -> None:
        if len(event.samples):
            self._sounding = event.epoch
            self._audible_ns = event.t_ns + len(event.samples) * NS_PER_S // self._rate_hz
        if event.done and event.epoch == self._sounding:
            self._settle()

    def _settle(self) -> None:
        if self._stop is not None:
            silence_ms = max(0.0, (self._audible_ns - self._stop.t_ns) / NS_PER_MS)
            decide_ms = _ms(self._voice_ns, self._stop.t_ns)
            self._found.append(Interruption(self._sounding, decide_ms, silence_ms))
        self._sounding, self._voice_ns, self._stop = 0, None, None


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


def _mark(marks: dict[int, int], sample: int, t_ns: int) -> None:
    """Notes a time by its sample; the oldest mark is forgotten when there are too many."""
    marks[sample] = t_ns
    if len(marks) > MARKS:
        del marks[next(iter(marks))]


def _ms(begin_ns: int | None, end_ns: int | None) -> float | None:
    return None if begin_ns is None or end_ns is None else (end_ns - begin_ns) / NS_PER_MS
