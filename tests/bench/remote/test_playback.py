"""The client's playback buffer: what a listener would hear."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.bench.remote.playback import GRAIN_S, Item, Playback, soundings
from visavis.bench.remote.wire import RATE_HZ, Malformed
from visavis.bench.result import Sounding


def tone(length_s: float, level: float = 0.5) -> bytes:
    return np.full(round(length_s * RATE_HZ), level * 32_768, "<i2").tobytes()


def test_what_arrives_in_silence_plays_at_once():
    playback, item = Playback(), Item(1, "a")
    assert playback.played(2.0) == []
    playback.push(item, tone(0.1))
    grains = playback.played(2.06)
    assert (grains[0].start_s, grains[-1].end_s) == pytest.approx((2.0, 2.06))
    assert item.heard_ms == 60
    assert playback.waiting_s == pytest.approx(0.04)


def test_what_arrives_sooner_than_it_plays_waits_its_turn():
    playback = Playback()
    for reply in (1, 2):
        playback.push(Item(reply, "a"), tone(0.1))
    grains = playback.played(1.0)
    assert soundings(grains) == [
        Sounding(1, pytest.approx(0.0), pytest.approx(0.1)),
        Sounding(2, pytest.approx(0.1), pytest.approx(0.2)),
    ]


def test_after_an_underrun_sound_begins_when_it_comes():
    playback, item = Playback(), Item(1, "a")
    playback.push(item, tone(0.1))
    first = playback.played(0.6)
    playback.push(item, tone(0.1))
    second = playback.played(0.9)
    assert first[-1].end_s == pytest.approx(0.1)
    assert second[0].start_s == pytest.approx(0.6)
    assert len(soundings(first + second)) == 2


def test_what_was_cleared_is_never_heard():
    playback, item = Playback(), Item(1, "a")
    playback.push(item, tone(20.0))
    playback.played(1.0)
    playback.clear()
    assert playback.played(30.0) == []
    assert (item.heard_ms, item.waiting, playback.waiting_s) == (1000, 0, 0)


@given(
    st.lists(st.integers(0, 999), min_size=1, max_size=20),
    st.lists(st.floats(0, 0.05), min_size=1, max_size=20),
)
def test_however_bytes_and_time_are_split_each_sample_is_played_once(sizes, steps):
    """An odd byte is carried to the next delta."""
    sound = np.arange(sum(sizes), dtype=np.uint8).tobytes()
    playback, item, grains, at, t_s = Playback(), Item(1, "a"), [], 0, 0.0
    for k, size in enumerate(sizes):
        playback.push(item, sound[at : at + size])
        at, t_s = at + size, t_s + steps[k % len(steps)]
        grains += playback.played(t_s)
    grains += playback.played(t_s + 10)
    assert item.heard == len(sound) // 2
    played_s = sum(grain.end_s - grain.start_s for grain in grains)
    assert played_s == pytest.approx(len(sound) // 2 / RATE_HZ)
    assert all(a.end_s <= b.start_s + 1e-9 for a, b in pairwise(grains))


def test_quiet_is_no_sounding_and_a_short_silence_splits_none():
    playback, item = Playback(), Item(1, "a")
    for length_s, level in ((0.1, 0.0), (0.1, 0.5), (0.2, 0.001), (0.1, 0.5), (0.4, 0.0)):
        playback.push(item, tone(length_s, level))
    [sounding] = soundings(playback.played(2.0))
    assert sounding.start_s == pytest.approx(0.1, abs=GRAIN_S)
    assert sounding.end_s == pytest.approx(0.5, abs=GRAIN_S)


def test_a_server_far_ahead_is_refused():
    playback, item = Playback(), Item(1, "a")
    for _ in range(10):
        playback.push(item, tone(60.0))
    with pytest.raises(Malformed, match="ahead of its time"):
        playback.push(item, tone(0.1))
