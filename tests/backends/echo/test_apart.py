"""Where nothing of what we say is heard for long enough, there is no echo, and a user is heard."""

from __future__ import annotations

import numpy as np

from visavis.backends.echo.apart import LATEST_BLOCKS, UNHEARD_BLOCKS, Apart
from visavis.backends.echo.double_talk import VOTES

BLOCK = 160
NOISE_DB, OURS_DB, USER_DB = -60, -20, -26
KNOWN_AFTER = LATEST_BLOCKS + UNHEARD_BLOCKS
SILENT_DB = -120


def energy(level_db: float) -> float:
    return BLOCK * 10 ** (level_db / 10)


def feed(
    apart: Apart, near_db: float, far_db: float = OURS_DB, count: int = 1, *, blind: bool = True
) -> list[bool]:
    """Whether it is known that there is no echo, after each block."""
    known = []
    for _ in range(count):
        apart.feed(energy(near_db), energy(far_db), blind=blind)
        known.append(apart.known)
    return known


def headset() -> Apart:
    apart = Apart()
    feed(apart, NOISE_DB, count=KNOWN_AFTER)
    return apart


def test_what_is_not_heard_for_so_long_has_no_echo() -> None:
    known = feed(Apart(), NOISE_DB, count=KNOWN_AFTER)
    assert known.index(True) == KNOWN_AFTER - 1


def test_an_echo_as_late_as_may_be_is_one() -> None:
    apart = Apart()
    feed(apart, NOISE_DB, count=LATEST_BLOCKS - 1)
    assert not any(feed(apart, -40, count=200))


def test_what_ends_before_its_echo_is_there_is_not_taken_for_unheard() -> None:
    apart = Apart()
    for _ in range(20):
        feed(apart, NOISE_DB, count=30)
        feed(apart, -45, SILENT_DB, count=30)
        assert not any(feed(apart, NOISE_DB, SILENT_DB, count=60))


def test_soft_sound_tells_nothing() -> None:
    assert not any(feed(Apart(), NOISE_DB, -45, count=500))


def test_a_user_makes_it_known_later_and_not_sooner() -> None:
    apart = Apart()
    feed(apart, NOISE_DB, count=KNOWN_AFTER - 1)
    assert not any(feed(apart, USER_DB, count=100))
    assert not apart.beyond, "it may be an echo yet"
    assert feed(apart, NOISE_DB, count=KNOWN_AFTER).index(True) == KNOWN_AFTER - 1


def test_where_there_is_no_echo_a_user_speaks_soon() -> None:
    apart = headset()
    assert not apart.beyond
    spoken: list[bool] = []
    for _ in range(VOTES):
        feed(apart, USER_DB)
        assert apart.beyond
        spoken.append(apart.spoken)
    assert spoken == [False] * (VOTES - 1) + [True]
    feed(apart, NOISE_DB, count=VOTES)
    assert not apart.spoken


def test_it_stays_known_while_a_user_speaks_and_from_reply_to_reply() -> None:
    apart = headset()
    assert all(feed(apart, USER_DB, count=300))
    assert all(feed(apart, NOISE_DB, SILENT_DB, count=1_000))
    assert all(feed(apart, NOISE_DB, count=300))


def test_what_leaks_softly_is_no_user() -> None:
    apart = headset()
    feed(apart, OURS_DB - 28, count=50)
    assert apart.known
    assert not apart.beyond
    assert not apart.spoken


def test_with_nothing_played_there_is_nobody_to_be_let_past() -> None:
    apart = headset()
    feed(apart, NOISE_DB, SILENT_DB, count=LATEST_BLOCKS)
    apart.feed(energy(USER_DB), 0.0, blind=True)
    for _ in range(LATEST_BLOCKS):
        apart.feed(energy(USER_DB), 0.0, blind=True)
    assert not apart.beyond


def test_an_echo_whose_delay_is_known_is_there() -> None:
    apart = headset()
    feed(apart, USER_DB, count=VOTES)
    assert not any(feed(apart, USER_DB, blind=False, count=3))
    assert not apart.beyond
    assert not apart.spoken


def test_a_reset_forgets() -> None:
    apart = headset()
    apart.reset()
    assert feed(apart, NOISE_DB, count=KNOWN_AFTER).index(True) == KNOWN_AFTER - 1


def test_energies_that_are_no_numbers_are_no_user() -> None:
    apart = headset()
    apart.feed(float(np.nan), energy(OURS_DB), blind=True)
    assert not apart.beyond
