"""Where the sound was last loud, and where it was quiet."""

from __future__ import annotations

import numpy as np

from visavis.flow.events import Samples
from visavis.perceive.envelope import FRAME, MEMORY, Envelope


def sound(*parts: tuple[float, int]) -> Samples:
    """Noise of these levels, for so many frames each."""
    random = np.random.default_rng(0)
    pieces = [random.uniform(-1, 1, count * FRAME) * level for level, count in parts]
    return np.concatenate(pieces).astype(np.float32)


def fed(*parts: tuple[float, int]) -> Envelope:
    envelope = Envelope()
    envelope.feed(sound(*parts))
    return envelope


def test_loud_until_the_last_loud_frame() -> None:
    assert fed((0.001, 20), (0.5, 20), (0.001, 10)).loud_until(0) == 40 * FRAME


def test_the_room_is_not_loud() -> None:
    assert fed((0.1, 40), (0.5, 20), (0.1, 10)).loud_until(0) == 60 * FRAME


def test_a_faint_end_of_a_word_is_loud() -> None:
    assert fed((0.001, 20), (0.5, 20), (0.02, 5), (0.001, 10)).loud_until(0) == 45 * FRAME


def test_never_before_what_is_asked_for() -> None:
    envelope = fed((0.001, 20), (0.5, 5), (0.001, 30))
    assert envelope.loud_until(50 * FRAME) == 50 * FRAME
    assert Envelope(700).loud_until(700) == 700


def test_steady_sound_is_loud() -> None:
    assert fed((0.3, 100), (0.25, 100)).loud_until(0) == 200 * FRAME


def test_digital_silence_is_not_loud() -> None:
    assert fed((0, 30)).loud_until(0) == 0


def test_quietest_is_within_the_quiet() -> None:
    envelope = fed((0.5, 60), (0.01, 14), (0.5, 60))
    assert 60 * FRAME <= envelope.quietest() <= 74 * FRAME


def test_its_memory_is_bounded() -> None:
    envelope = fed((0.5, 10), (0.001, 2 * MEMORY), (0.01, 1))
    assert envelope.loud_until(0) == envelope.end
    assert envelope.quietest() >= envelope.end - MEMORY * FRAME


def test_pieces_make_no_difference() -> None:
    whole, pieces = Envelope(), Envelope()
    samples = sound((0.001, 20), (0.5, 20), (0.01, 30))
    whole.feed(samples)
    for at in range(0, len(samples), 2 * FRAME):
        pieces.feed(samples[at : at + 2 * FRAME])
    assert pieces.loud_until(0) == whole.loud_until(0)
    assert pieces.end == whole.end
