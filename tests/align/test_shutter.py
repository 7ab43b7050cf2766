"""Half duplex: while we speak, and a little longer, the microphone hears nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.align.playing import RATE_HZ, aligner, heard, in_time, periods, played, voice
from visavis.align.shutter import HalfDuplex
from visavis.flow.events import SoundPlayed


@given(cuts=st.lists(st.integers(1, 31_999), max_size=40))
@settings(max_examples=40, deadline=None)
def test_the_microphone_is_shut_while_we_sound_and_200_ms_after(cuts: list[int]) -> None:
    near = np.full(32_000, 0.25, np.float32)
    shutter = HalfDuplex(RATE_HZ)
    sounding = periods(voice(1, 0.5), 8_000)
    out = heard(aligner(shutter=shutter), in_time(near, sounding, [*cuts, *range(0, 32_000, 320)]))
    assert np.flatnonzero(out == 0).tolist() == list(range(8_000, 16_000 + 3_200))
    assert shutter.muted == 11_200


def test_between_two_replies_the_user_is_heard() -> None:
    near = np.full(32_000, 0.25, np.float32)
    sounding = [*periods(voice(1, 0.1), 0), *periods(voice(1, 0.1), 16_000)]
    node = aligner(shutter=HalfDuplex(RATE_HZ))
    out = heard(node, in_time(near, sounding, range(0, 32_000, 320)))
    assert not out[:4_800].any()
    assert out[4_800:16_000].all()
    assert not out[16_000:20_800].any()
    assert out[20_800:].all()


def test_at_another_rate_not_a_sample_of_ours_is_heard() -> None:
    shutter = HalfDuplex(22_050, after_ms=0)
    shutter.hear(SoundPlayed(t_ns=0, start=22_051, samples=np.ones(441, np.float32)))
    out = shutter.feed(15_000, np.ones(3_000, np.float32))
    assert np.flatnonzero(out == 0).tolist() == list(range(1_000, 1_321))


def test_what_is_given_in_stays_as_it_is() -> None:
    shutter, near = HalfDuplex(RATE_HZ), np.ones(320, np.float32)
    shutter.hear(played(0, near))
    assert not shutter.feed(0, near).any()
    assert near.all()
