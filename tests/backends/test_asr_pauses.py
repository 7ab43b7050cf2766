"""Which frames of an utterance are left out, and which never are."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.backends.asr.pauses import LONGEST, shortened
from visavis.backends.log_mel import FRAMES_PER_S, HOP, log_mel
from visavis.flow.events import INPUT_RATE_HZ, Samples


def voice(seconds: float, db: float = -20) -> Samples:
    """Syllables, five a second, each half of its time as quiet as the room."""
    times = np.arange(round(seconds * INPUT_RATE_HZ)) / INPUT_RATE_HZ
    harmonics = sum(np.sin(2 * np.pi * 120 * k * times) / k for k in range(1, 40))
    return np.asarray(harmonics * (times * 5 % 1 < 0.5) * 10 ** (db / 20), np.float32)


def pause(seconds: float) -> Samples:
    return np.zeros(round(seconds * INPUT_RATE_HZ), np.float32)


def in_room(*parts: Samples, db: float = -60) -> Samples:
    whole = np.concatenate(parts)
    noise = np.random.default_rng(1).standard_normal(len(whole)) * 10 ** (db / 20)
    return np.asarray(whole + noise, np.float32)


def left_out(samples: Samples) -> list[tuple[float, float]]:
    """Seconds [from, to) that are."""
    kept = shortened(log_mel(samples))
    ends = [*kept.tolist(), len(samples) // HOP]
    gaps = zip([-1, *kept.tolist()], ends, strict=True)
    return [((a + 1) / FRAMES_PER_S, b / FRAMES_PER_S) for a, b in gaps if b - a > 1]


@pytest.mark.parametrize("room_db", [-90, -60, -40, -30])
def test_the_middle_of_a_long_pause_is_left_out(room_db: float) -> None:
    ((start, end),) = left_out(in_room(voice(1.1), pause(2), voice(1.1), db=room_db))
    assert start == pytest.approx(1.1 + 0.25, abs=0.05)
    assert end == pytest.approx(3.1 - 0.25, abs=0.05)


def test_each_long_pause_becomes_as_long_as_the_longest() -> None:
    samples = in_room(voice(1.1), pause(1.5), voice(1.1), pause(4), voice(1.1))
    kept = shortened(log_mel(samples))
    assert len(left_out(samples)) == 2
    assert len(kept) == pytest.approx(330 + 2 * LONGEST, abs=20)


@pytest.mark.parametrize("room_db", [-90, -40, -20])
def test_without_a_long_pause_all_is_heard(room_db: float) -> None:
    samples = in_room(pause(0.3), voice(1.1), pause(0.4), voice(2.1), pause(0.3), db=room_db)
    assert not left_out(samples)


@pytest.mark.parametrize("softer_db", [12, 20, 28])
def test_a_soft_voice_is_no_pause(softer_db: float) -> None:
    assert not left_out(in_room(voice(2.1), voice(2.1, db=-20 - softer_db), db=-65))


def test_a_soft_voice_hardly_above_the_room_is_no_pause() -> None:
    assert not left_out(in_room(voice(2.1), voice(2.1, db=-40), voice(2.1), db=-46))


def test_what_is_too_short_for_a_pause_is_kept() -> None:
    for frames in range(3, 2 * LONGEST, 7):
        assert len(shortened(np.zeros((80, frames), np.float32))) == frames


def test_what_hardly_varies_has_no_pause() -> None:
    assert not left_out(in_room(pause(5)))
    assert not left_out(pause(5))
    assert not left_out(in_room(voice(1.1), pause(2), voice(1.1), db=-12))
