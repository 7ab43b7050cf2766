"""What the audio model of turn end gets to hear."""

from __future__ import annotations

import numpy as np

from visavis.flow.events import (
    Samples,
    TurnDoubted,
    TurnDropped,
    TurnEnded,
    TurnScored,
)
from visavis.flow.ring import AudioRing
from visavis.perceive.turn_audio import TurnScorer


class Model:
    """Remembers what it heard; the sound is its own sample index."""

    def __init__(self) -> None:
        self.heard: tuple[int, int] = (0, 0)
        self.closed = False

    def score(self, samples: Samples) -> float:
        self.heard = int(samples[0]), int(samples[-1]) + 1
        return 0.7

    def close(self) -> None:
        self.closed = True


def scorer(seconds: float = 10) -> tuple[Model, AudioRing, TurnScorer]:
    model, ring = Model(), AudioRing(20)
    ring.write(np.arange(int(seconds * 16_000), dtype=np.float32))
    return model, ring, TurnScorer(model, ring)


def doubted(trace: int, start: int, end: int) -> TurnDoubted:
    return TurnDoubted(t_ns=5, trace=trace, start=start, end=end)


def test_it_scores_the_turn_so_far_with_some_silence() -> None:
    model, _, node = scorer()
    (scored,) = node.on(doubted(1, 100_000, 155_000))
    assert scored == TurnScored(t_ns=5, trace=1, start=100_000, end=155_000, probability=0.7)
    assert model.heard == (100_000 - 3_200, 155_000 + 3_200)


def test_nothing_of_the_turn_before_is_heard() -> None:
    model, _, node = scorer()
    ended = TurnEnded(t_ns=0, trace=1, text="", start=0, end=139_000, probability=1, reasons=())
    for over in (ended, TurnDropped(t_ns=0, trace=1, start=0, end=139_000, reason="")):
        list(node.on(over))
        list(node.on(doubted(2, 140_000, 150_000)))
        assert model.heard[0] == 139_000


def test_of_a_short_ring_it_hears_what_is_left() -> None:
    model, ring, node = scorer()
    ring.write(np.arange(160_000, 400_000, dtype=np.float32))
    list(node.on(doubted(1, 10_000, 399_000)))
    assert model.heard == (ring.begin, 400_000)


def test_a_pause_that_is_long_over_is_not_worth_a_score() -> None:
    _, _, node = scorer()
    assert list(node.on(doubted(1, 10_000, 100_000))) == []


def test_closing_closes_the_model() -> None:
    model, _, node = scorer()
    node.close()
    assert model.closed
