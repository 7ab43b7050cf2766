"""Samples are made fit to be played: on the grid, without the silence in front."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.flow.events import Samples
from visavis.speak.sound import LEAD_MS, Trim, gap_ms, on_grid

RATE_HZ = 16_000


def ms(count: float) -> int:
    return int(count * RATE_HZ / 1000)


def test_samples_lie_on_the_16_bit_grid() -> None:
    noise = np.random.default_rng(1).uniform(-1.2, 1.2, 5000).astype(np.float32)
    steps = on_grid(noise) * 32_768
    assert np.array_equal(steps, np.round(steps))
    assert np.array_equal(on_grid(on_grid(noise)), on_grid(noise))
    assert np.max(np.abs(on_grid(noise) - np.clip(noise, -1, 1))) <= 1 / 32_768
    assert on_grid(noise).dtype == np.float32


def test_what_is_no_number_is_silenced_and_what_is_too_loud_saturates() -> None:
    wild = np.array([np.nan, np.inf, -np.inf, 3.0, -3.0], np.float32)
    assert on_grid(wild).tolist() == [0.0, 0.0, 0.0, 32_767 / 32_768, -1.0]


def trim(samples: Samples, tail_ms: int) -> tuple[Samples, int]:
    trim = Trim(RATE_HZ, tail_ms)
    return trim.feed(samples), trim.cut


def test_silence_is_trimmed_but_for_a_lead_and_a_gap() -> None:
    sound = np.full(ms(100), 0.5, np.float32)
    padded = np.concatenate([np.zeros(ms(80)), sound, np.zeros(ms(400))]).astype(np.float32)
    trimmed, cut = trim(padded, 120)
    assert cut == ms(80 - LEAD_MS)
    assert abs(len(trimmed) - ms(LEAD_MS + 100 + 120)) <= ms(5)
    assert np.shares_memory(trimmed, padded)


def test_nothing_is_added_where_there_is_no_silence() -> None:
    sound = np.full(ms(50), -0.5, np.float32)
    trimmed, cut = trim(sound, 250)
    assert (len(trimmed), cut) == (len(sound), 0)


def test_a_voice_that_is_silent_throughout_leaves_nothing() -> None:
    assert len(trim(np.zeros(100, np.float32), 100)[0]) == 0
    assert len(trim(np.zeros(0, np.float32), 100)[0]) == 0


def test_a_breath_before_the_first_word_is_no_sound() -> None:
    trim = Trim(RATE_HZ, 100)
    breath = np.full(ms(200), 0.0009, np.float32)
    assert not len(trim.feed(breath))
    assert len(trim.feed(np.full(ms(50), 0.5, np.float32))) == ms(LEAD_MS + 50)
    assert trim.cut == ms(200 - LEAD_MS)


def test_a_pause_is_given_once_it_is_known_to_be_none_of_the_end() -> None:
    trim = Trim(RATE_HZ, 40)
    word, pause = np.full(ms(50), 0.5, np.float32), np.zeros(ms(300), np.float32)
    assert len(trim.feed(np.concatenate([word, pause]))) == ms(50) + ms(40 + 5) - 1
    assert not len(trim.feed(pause))
    assert len(trim.feed(word)) == ms(600 + 50) - ms(40 + 5) + 1


RUNS = st.lists(st.tuples(st.sampled_from([0.0, 0.0005, 0.3, -0.7]), st.integers(0, 900)))


@given(runs=RUNS, cuts=st.lists(st.integers(1, 700)), tail_ms=st.sampled_from([0, 40, 250]))
def test_however_it_is_cut_into_pieces_the_same_is_left(
    runs: list[tuple[float, int]], cuts: list[int], tail_ms: int
) -> None:
    # Each level is loud, or silence, by the peak of any piece.
    sound = np.concatenate([np.full(count, value, np.float32) for value, count in [(0, 0), *runs]])
    whole, cut = trim(sound, tail_ms)
    pieces = Trim(RATE_HZ, tail_ms)
    given = [pieces.feed(piece) for piece in np.split(sound, np.cumsum(cuts))]
    assert np.array_equal(np.concatenate(given), whole)
    assert pieces.cut == cut or not len(whole)


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("Yes. ", 250),
        ("“好。”", 250),
        ("a list\n", 250),
        ("Well, ", 120),
        ("好，", 120),
        ("and ", 40),
    ],
)
def test_the_gap_behind_a_phrase_follows_its_last_mark(written: str, kind: int) -> None:
    assert gap_ms(written) == kind
