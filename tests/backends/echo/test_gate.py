"""The gate keeps back what the echo explains, and lets the user through."""

from __future__ import annotations

import numpy as np

from visavis.backends.echo.gate import (
    BLIND_BLOCKS,
    OPEN_BLOCKS,
    QUIET_BLOCKS,
    SHUT,
    WARM_BLOCKS,
    Gate,
)
from visavis.flow.events import Samples

BLOCK = 160
SILENCE: Samples = np.zeros(BLOCK, np.float32)


def block(level_db: float) -> Samples:
    return np.full(BLOCK, 10 ** (level_db / 20), np.float32)


def gains(gate: Gate, pairs: list[tuple[float, float]]) -> list[float]:
    """What becomes of clean blocks, at the end of each, while we sound."""
    return [
        float(gate.feed(block(near), block(clean), block(-20))[-1] / block(clean)[-1])
        for near, clean in pairs
    ]


def warm(gate: Gate) -> None:
    """Long enough for the canceller to have learnt the room."""
    gains(gate, [(-20, -45)] * (WARM_BLOCKS + 1))


def test_at_first_more_may_remain_than_later() -> None:
    gate = Gate()
    assert np.allclose(gains(gate, [(-20, -32)] * WARM_BLOCKS)[BLIND_BLOCKS:], SHUT)
    assert np.allclose(gains(gate, [(-20, -32)] * 10)[2:], 1)
    gate.reset()
    assert np.allclose(gains(gate, [(-20, -32)] * 50)[BLIND_BLOCKS:], SHUT)
    assert np.allclose(gains(gate, [(-18, -22)] * 10)[2:], 1)


def test_after_a_reset_nothing_passes_before_the_echo_was_heard() -> None:
    gate = Gate()
    found = gains(gate, [(-40, -40)] * (BLIND_BLOCKS + 5))
    assert not any(found[:BLIND_BLOCKS]), "a detector of voice hears the softest"
    assert np.allclose(found[BLIND_BLOCKS:], 1)


def test_what_remains_of_an_echo_is_kept_back() -> None:
    gate = Gate()
    found = gains(gate, [(-20, -45)] * 50)
    assert np.allclose(found[BLIND_BLOCKS:], SHUT)
    assert gate.shut == 50


def test_a_user_is_let_through_from_the_second_block_on_and_between_syllables() -> None:
    gate = Gate()
    warm(gate)
    assert np.allclose(gains(gate, [(-19, -30)] * 4), [SHUT, 1, 1, 1])
    assert np.allclose(gains(gate, [(-20, -45)] * (OPEN_BLOCKS - 1)), 1)


def test_what_the_canceller_has_not_learnt_yet_is_no_user() -> None:
    """The first "s" of a reply: nearly all of it remains, and so it was to be expected."""
    gate = Gate()
    warm(gate)

    def passed(clean_db: float, rest_db: float) -> list[bool]:
        rest = BLOCK * 10 ** (rest_db / 10)
        out = [gate.feed(block(-30), block(clean_db), block(-20), rest=rest)[-1] for _ in range(4)]
        return [sample == block(clean_db)[-1] for sample in out]

    assert not any(passed(-33, -33))
    assert not any(passed(-33, -34.5))
    assert passed(-31, -34) == [False, True, True, True]
    assert all(passed(-33, -33)), "who has been let through is heard out"


def test_what_was_to_remain_is_counted_until_the_clean_sound_is_there() -> None:
    gate = Gate()
    warm(gate)
    rests = [BLOCK * 10 ** (rest_db / 10) for rest_db in (-34, -80)] * 4
    out = [gate.feed(block(-30), block(-33), block(-20), rest=rest)[-1] for rest in rests]
    assert np.allclose(out, SHUT * block(-33)[-1])


def test_the_ringing_of_a_room_after_a_loud_sound_opens_nothing() -> None:
    gate = Gate()
    gains(gate, [(-20, -42)] * 50)
    assert np.allclose(
        gains(gate, [(-20 - 6 * number, -45 - number) for number in range(20)]), SHUT
    )


def test_with_nothing_played_for_long_it_is_open() -> None:
    gate = Gate()
    warm(gate)
    for _ in range(QUIET_BLOCKS + 1):
        out = gate.feed(block(-20), block(-60), SILENCE)
    assert np.array_equal(out, block(-60))


def test_never_played_means_never_touched() -> None:
    gate = Gate()
    for _ in range(100):
        clean = block(-60)
        assert gate.feed(block(-20), clean, SILENCE) is clean


def test_as_long_as_the_delay_is_unknown_it_stays_shut_but_not_for_ever() -> None:
    gate = Gate()
    opened = [
        gate.feed(block(-20), block(-20), block(-20), blind=True)[-1] == block(-20)[-1]
        for _ in range(WARM_BLOCKS + 10)
    ]
    assert opened.index(True) == WARM_BLOCKS
    gate.reset()
    silent = [gate.feed(block(-20), block(-20), SILENCE, blind=True) for _ in range(20)]
    assert all(np.array_equal(out, block(-20)) for out in silent)


def test_the_gain_glides() -> None:
    gate = Gate()
    warm(gate)
    gains(gate, [(-19, -30)])
    out = gate.feed(block(-19), np.ones(BLOCK, np.float32), block(-20))
    assert out[0] == np.float32(SHUT)
    assert np.abs(np.diff(out)).max() < 0.01


def test_what_may_be_but_echo_is_doubted_even_while_the_gate_is_open() -> None:
    """A burst that no filter knew opens the gate; what follows goes through, and tells nothing."""
    gate = Gate()
    warm(gate)
    assert gate.doubted

    def doubted(clean_db: float, rest_db: float = -80) -> bool:
        rest = BLOCK * 10 ** (rest_db / 10)
        gate.feed(block(-20), block(clean_db), block(-20), rest=rest)
        return gate.doubted

    assert [doubted(-25), doubted(-25)] == [False, False]
    passed = gate.feed(block(-20), block(-45), block(-20))
    assert passed[-1] == block(-45)[-1]
    assert gate.doubted
    assert doubted(-30, -31)
    assert doubted(-30), "the clean sound comes almost a block after its rest"
    assert not doubted(-30)


def test_without_an_echo_nothing_is_doubted() -> None:
    gate = Gate()
    for _ in range(5):
        gate.feed(block(-20), block(-60), SILENCE)
        assert not gate.doubted
    warm(gate)
    for _ in range(QUIET_BLOCKS):
        gate.feed(block(-20), block(-60), SILENCE)
    assert not gate.doubted
    warm(gate)
    gate.reset()
    assert not gate.doubted
