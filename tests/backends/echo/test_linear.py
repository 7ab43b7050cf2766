"""The linear stage learns a room fast, keeps the user, and finds its way in another room."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.backends.echo.linear import FRAME, LinearStage
from visavis.flow.events import Samples


def voice(seed: int, seconds: float, level: float = 0.1) -> Samples:
    """Noise in syllables, on a floor as every microphone has one."""
    count = int(seconds * 16_000)
    random = np.random.default_rng(seed)
    syllables = np.abs(np.sin(np.arange(count) * 2 * np.pi * 3 / 16_000 + seed))
    return (level * random.standard_normal(count) * syllables).astype(np.float32)


def room(far: Samples, seed: int = 0, tail: int = 800, gain: float = 0.5) -> Samples:
    random = np.random.default_rng(seed)
    response = random.standard_normal(tail) * np.exp(-6.9 * np.arange(tail) / tail)
    response *= gain / np.sqrt(np.sum(response**2))
    floor = random.standard_normal(len(far)) * 1e-4
    return (np.convolve(far, response)[: len(far)] + floor).astype(np.float32)


def run(stage: LinearStage, near: Samples, far: Samples) -> Samples:
    blocks = range(0, len(near), FRAME)
    return np.concatenate(
        [stage.feed(near[at : at + FRAME], far[at : at + FRAME]) for at in blocks]
    )


def db(samples: Samples) -> float:
    return 10 * float(np.log10(np.mean(samples.astype(np.float64) ** 2) + 1e-12))


def test_it_learns_a_room_within_a_second_and_goes_on_learning() -> None:
    far = voice(1, 5)
    near = room(far)
    out = run(LinearStage(), near, far)
    assert db(near[8_000:16_000]) - db(out[8_000:16_000]) > 10
    assert db(near[-16_000:]) - db(out[-16_000:]) > 25


def test_a_user_over_the_echo_is_kept_and_does_not_spoil_what_was_learnt() -> None:
    far, user = voice(1, 8), voice(2, 8)
    user[:48_000] = user[96_000:] = 0
    out = run(LinearStage(), room(far) + user, far)
    both = slice(48_000, 96_000)
    assert db(out[both] - user[both]) < db(user[both]) - 12
    assert db(room(far)[96_000:]) - db(out[96_000:]) > 20


def test_it_knows_about_how_much_it_has_not_learnt() -> None:
    """Low sound for two seconds, then high sound for the first time."""
    far = voice(1, 4)
    low = np.convolve(far, np.ones(16) / 16, "same").astype(np.float32)
    high = (far - low)[48_000:]
    far = np.concatenate([low[:32_000], high])
    near, stage = room(far), LinearStage()
    left, rests = [], []
    for at in range(0, len(near), FRAME):
        out = stage.feed(near[at : at + FRAME], far[at : at + FRAME])
        left.append(float(out @ out))
        rests.append(stage.rest)
    before, first = slice(150, 200), slice(200, 205)
    assert sum(rests[first]) > 20 * sum(rests[before]) * 5 / 50
    for part in (before, first):
        assert 0.2 < sum(rests[part]) / sum(left[part]) < 20


def test_with_nothing_played_nothing_is_left_of_it() -> None:
    far, stage = voice(1, 1), LinearStage()
    run(stage, room(far), far)
    assert stage.rest > 0
    run(stage, np.zeros(16_000, np.float32), np.zeros(16_000, np.float32))
    assert stage.rest == 0


def test_with_nothing_played_not_a_bit_changes() -> None:
    user = voice(2, 1)
    assert np.array_equal(run(LinearStage(), user, np.zeros_like(user)), user)


def test_long_after_the_last_sound_not_a_bit_changes() -> None:
    far, user = voice(1, 3), voice(2, 3)
    far[16_000:] = 0
    out = run(LinearStage(), room(far) + user, far)
    assert np.array_equal(out[20_000:], (room(far) + user)[20_000:])


def test_in_another_room_it_begins_anew_and_learns_that_one() -> None:
    far = voice(1, 10)
    near = np.concatenate([room(far, 0)[:80_000], -3 * room(far, 0)[80_000:]])
    stage = LinearStage()
    out = run(stage, near, far)
    assert stage.misled >= 1
    assert db(near[-16_000:]) - db(out[-16_000:]) > 20


def test_a_device_that_falls_silent_leaves_no_voice_of_ours_behind() -> None:
    far = voice(1, 5)
    near = room(far)
    near[64_000:64_960] = near[64_000:64_960] * 1e-3
    stage = LinearStage()
    out = run(stage, near, far)
    assert db(out[64_000:64_960]) < db(near[64_000:64_960]) + 2
    assert db(near[-8_000:]) - db(out[-8_000:]) > 20
    assert stage.misled == 0


def test_it_never_makes_much_louder_what_it_does_not_understand() -> None:
    far, near = voice(1, 5), voice(2, 5)
    out = run(LinearStage(), near, far)
    assert db(out) < db(near) + 1


def test_a_reset_forgets() -> None:
    stage, far = LinearStage(), voice(1, 1)
    first = run(stage, room(far), far)
    stage.reset()
    assert np.array_equal(run(stage, room(far), far), first)


@pytest.mark.parametrize("level", [1.0, 1e-4])
def test_any_level_stays_finite(level: float) -> None:
    far = np.clip(voice(1, 2, level * 3), -1, 1)
    assert np.isfinite(run(LinearStage(), np.clip(room(far, gain=2), -1, 1), far)).all()
