"""The audio model of turn end, in a lane of its own because it takes 50 ms.

Takes `turn.doubted`, and `turn.ended`, `turn.dropped` to know where the turn before ended; gives
`turn.scored`. Invariant: it hears the turn so far and nothing of the turn before.
"""

from __future__ import annotations

from collections.abc import Iterator

from visavis.backends.contract import TurnModel
from visavis.flow.events import (
    INPUT_RATE_HZ,
    Event,
    TurnDoubted,
    TurnDropped,
    TurnEnded,
    TurnScored,
)
from visavis.flow.ring import AudioRing


class TurnScorer:
    """Scores the turn so far when asked, unless its pause is `stale_ms` old already."""

    name = "perceive.turn_audio"

    def __init__(
        self,
        model: TurnModel,
        ring: AudioRing,
        *,
        preroll_ms: float = 200,
        tail_ms: float = 200,
        stale_ms: float = 1_200,
    ) -> None:
        self._model, self._ring = model, ring
        self._preroll, self._tail, self._stale = (
            round(ms * INPUT_RATE_HZ / 1_000) for ms in (preroll_ms, tail_ms, stale_ms)
        )
        self._floor = 0

    def on(self, event: Event) -> Iterator[Event]:
        match event:
            case TurnDoubted() if self._ring.end - event.end <= self._stale:
                yield self._score(event)
            case TurnEnded() | TurnDropped():
                self._floor = event.end

    def close(self) -> None:
        self._model.close()

    def _score(self, event: TurnDoubted) -> TurnScored:
        heard_from = max(event.start - self._preroll, self._floor, self._ring.begin)
        heard_to = min(event.end + self._tail, self._ring.end)
        probability = self._model.score(self._ring.slice(heard_from, heard_to))
        return TurnScored(
            t_ns=event.t_ns,
            trace=event.trace,
            start=event.start,
            end=event.end,
            probability=probability,
        )
