"""Who speaks over the echo is known by how loud it is, and our own voice is not taken for them."""

from __future__ import annotations

import pytest

from visavis.backends.echo.double_talk import FIRST_BLOCKS, OF, VOTES, DoubleTalk


def energy(level_db: float) -> float:
    """Of 10 ms."""
    return 160 * float(10 ** (level_db / 10))


def feed(talk: DoubleTalk, count: int, near_db: float, far_db: float, rest_db: float = -60) -> None:
    for _ in range(count):
        talk.feed(energy(near_db), energy(near_db), energy(far_db), energy(rest_db))


def hears_echo(far_db: float = -20, echo_db: float = -30) -> DoubleTalk:
    talk = DoubleTalk()
    feed(talk, FIRST_BLOCKS + 10, echo_db, far_db)
    return talk


def test_what_is_louder_than_any_echo_so_far_is_a_user() -> None:
    talk = hears_echo()
    feed(talk, VOTES - 1, -28, -20)
    assert (talk.beyond, talk.spoken) == (True, False)
    feed(talk, 1, -28, -20)
    assert talk.spoken
    feed(talk, OF, -30, -20)
    assert not talk.spoken


def test_the_echo_grows_with_what_is_played() -> None:
    talk = hears_echo()
    feed(talk, 10, -20, -10)
    assert not talk.beyond


def test_an_echo_dies_away_later_than_what_was_played() -> None:
    talk = hears_echo()
    for number in range(1, 20):
        feed(talk, 1, -30 - 0.9 * number, -90)
        assert not talk.beyond, number


def test_a_filter_that_knows_nothing_yet_may_leave_more() -> None:
    talk = hears_echo()
    feed(talk, 10, -25, -20, rest_db=-28)
    assert not talk.beyond


def test_a_user_is_not_learnt_as_echo() -> None:
    talk = hears_echo()
    feed(talk, 300, -20, -20)
    assert talk.spoken


def test_the_first_blocks_are_echo_whatever_they_are() -> None:
    talk = DoubleTalk()
    feed(talk, FIRST_BLOCKS + 20, 0, -20)
    assert not talk.spoken


def test_the_dips_of_what_is_played_are_none_of_the_first_blocks() -> None:
    """Else the echo of the next word, which nobody has heard yet, is a user."""
    talk = DoubleTalk()
    feed(talk, 1, -49, -25)
    feed(talk, 10, -49, -45)
    feed(talk, FIRST_BLOCKS - 1, -20, -15)
    assert not talk.beyond
    feed(talk, 10, -20, -15)
    assert not talk.beyond


@pytest.mark.parametrize("far_db", [-100.0, -63.0])
def test_next_to_nothing_played_teaches_nothing(far_db: float) -> None:
    talk = DoubleTalk()
    feed(talk, 50, -64, far_db)
    assert not talk.spoken


def test_where_nothing_was_played_there_is_no_double_talk() -> None:
    talk = DoubleTalk()
    for _ in range(50):
        talk.feed(energy(-10), energy(-10), 0.0, 0.0)
    assert not talk.beyond


def test_a_reset_forgets_the_room() -> None:
    talk = hears_echo()
    feed(talk, 5, -20, -20)
    talk.reset()
    assert not talk.spoken
    feed(talk, FIRST_BLOCKS + 5, -10, -20)
    assert not talk.spoken
