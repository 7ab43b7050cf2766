"""A young canceller is passed by while a user speaks; an old one is left alone."""

from __future__ import annotations

import numpy as np

from visavis.backends.echo.apart import LATEST_BLOCKS, UNHEARD_BLOCKS
from visavis.backends.echo.early import (
    BACK_BLOCKS,
    EARLY_BLOCKS,
    HOLD_APART_BLOCKS,
    HOLD_BLOCKS,
    Early,
)
from visavis.flow.events import Samples

BLOCK, LATE = 160, 128
SILENCE: Samples = np.zeros(BLOCK, np.float32)


def block(level: float) -> Samples:
    return np.full(BLOCK, level, np.float32)


class Ear:
    """Feeds blocks, and keeps what went in and what came out."""

    def __init__(self) -> None:
        self.early = Early(LATE)
        self.direct: list[Samples] = []
        self.out: list[Samples] = []

    def feed(self, direct: Samples, *, played: float = 0.1, blind: bool = False) -> Samples:
        """A canceller that lets nothing through."""
        out = self.early.feed(direct, direct, block(played), SILENCE, rest=1e-6, blind=blind)
        self.direct.append(direct)
        self.out.append(out)
        return out

    def echo(self, count: int = 20) -> None:
        for _ in range(count):
            self.feed(block(0.01))


def test_a_user_is_let_past_a_young_canceller() -> None:
    ear = Ear()
    ear.echo()
    assert not np.concatenate(ear.out).any()
    for _ in range(10):
        ear.feed(block(0.1))
    assert np.allclose(ear.out[-1], 0.1)


def test_it_sounds_as_late_as_the_canceller() -> None:
    ear = Ear()
    ear.echo()
    noise = np.random.default_rng(1)
    for _ in range(10):
        ear.feed(noise.uniform(-0.3, 0.3, BLOCK).astype(np.float32))
    direct = np.concatenate(ear.direct)
    end = len(direct) - LATE
    assert np.allclose(ear.out[-1], direct[end - BLOCK : end])


def test_what_was_kept_back_is_given_once_with_the_first_block() -> None:
    ear = Ear()
    ear.echo()
    given = []
    for _ in range(6):
        ear.feed(block(0.1))
        given.append(ear.early.regained)
    [regained] = [each for each in given if len(each)]
    direct = np.concatenate([np.zeros(LATE, np.float32), *ear.direct])
    at = next(number for number, each in enumerate(given) if len(each)) + 21
    assert len(regained) == BACK_BLOCKS * BLOCK
    assert np.array_equal(regained, direct[(at - BACK_BLOCKS) * BLOCK : at * BLOCK])


def test_the_way_stays_open_for_a_while_and_closes_without_a_click() -> None:
    ear = Ear()
    ear.echo()
    for _ in range(10):
        ear.feed(block(0.1))
    opened = len(ear.out)
    ear.echo(HOLD_BLOCKS + 10)
    heard = np.concatenate(ear.out[opened:])
    assert heard[0]
    assert not heard[-BLOCK:].any()
    assert np.abs(np.diff(heard[BLOCK:])).max() < 0.01


def test_an_old_canceller_is_left_alone() -> None:
    ear = Ear()
    ear.echo(EARLY_BLOCKS + 1)
    for _ in range(10):
        assert not ear.feed(block(0.1)).any()
    assert not ear.early.beyond
    assert not len(ear.early.regained)


def test_a_new_canceller_in_the_same_room_is_young_again() -> None:
    ear = Ear()
    ear.echo(EARLY_BLOCKS + 1)
    ear.early.begin()
    for _ in range(10):
        ear.feed(block(0.1))
    assert ear.out[-1].any()


def test_while_the_delay_is_not_known_nothing_is_judged() -> None:
    ear = Ear()
    for _ in range(50):
        assert not ear.feed(block(0.1), blind=True).any()


def test_a_reset_forgets() -> None:
    ear = Ear()
    ear.echo()
    for _ in range(10):
        ear.feed(block(0.1))
    ear.early.reset()
    again = Ear()
    for _ in range(30):
        assert np.array_equal(ear.feed(block(0.05)), again.feed(block(0.05)))


def headset() -> Ear:
    """Nothing of what we said was heard."""
    ear = Ear()
    for _ in range(LATEST_BLOCKS + UNHEARD_BLOCKS):
        ear.feed(block(0.0005), blind=True)
    assert not np.concatenate(ear.out).any()
    return ear


def test_where_there_is_no_echo_a_user_is_let_past_as_heard() -> None:
    ear = headset()
    given = []
    for _ in range(10):
        # A filter thinks much of an echo that is not there, and takes it out of what is heard.
        near, left, far = block(0.1), block(0.07), block(0.1)
        ear.out.append(ear.early.feed(near, left, far, SILENCE, rest=100.0, blind=True))
        given.append(ear.early.regained)
        assert ear.early.beyond
    assert np.allclose(ear.out[-1], 0.1)
    [regained] = [each for each in given if len(each)]
    assert len(regained) == BACK_BLOCKS * BLOCK


def test_where_there_is_no_echo_a_user_may_draw_breath() -> None:
    ear = headset()
    for _ in range(10):
        ear.feed(block(0.1), blind=True)
    for _ in range(HOLD_APART_BLOCKS):
        assert ear.feed(block(0.0005), blind=True).any()
    for _ in range(5):
        last = ear.feed(block(0.0005), blind=True)
    assert not last.any(), "what leaks of ours is not to be heard for long"


def test_no_canceller_is_old_where_there_is_no_echo() -> None:
    ear = headset()
    for _ in range(2 * EARLY_BLOCKS):
        ear.feed(block(0.0005), blind=True)
    for _ in range(10):
        ear.feed(block(0.1), blind=True)
    assert np.allclose(ear.out[-1], 0.1)
