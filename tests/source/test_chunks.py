"""Sound is cut into 20 ms; the stamps follow from the sample count."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from visavis.flow.events import AudioCaptured
from visavis.source.chunks import Chunker, Form

S16 = Form("s16", 16_000, 1, 2)


@given(
    rate_hz=st.sampled_from((1_000, 8_000, 11_025, 44_100, 192_000)),
    counts=st.lists(st.integers(0, 20_000), max_size=8),
)
def test_stamps_are_exact_and_nothing_is_lost(rate_hz: int, counts: list[int]) -> None:
    form = Form("s16", rate_hz, 2, 2)
    chunker, events, data = Chunker(form), [], b""
    for index, count in enumerate(counts):
        block = bytes([index + 1]) * count * form.frame_bytes
        data += block
        events += chunker.add(form, block)
    events += chunker.flush()
    assert b"".join(event.data for event in events) == data
    frames = 0
    for event in events:
        frames += len(event.data) // form.frame_bytes
        assert event.t_ns == event.captured_ns == int(Fraction(frames * 10**9, rate_hz))
        assert 0 < len(event.data) <= rate_hz // 50 * form.frame_bytes
    assert all(len(event.data) == rate_hz // 50 * form.frame_bytes for event in events[:-1])


def test_a_new_form_begins_a_new_chunk_at_the_same_moment() -> None:
    f32 = Form("f32", 48_000, 2, 4)
    chunker = Chunker(S16, start_ns=1_000)
    events = [*chunker.add(S16, bytes(2 * 400)), *chunker.add(f32, bytes(8 * 960))]
    assert [len(event.data) for event in events] == [640, 160, 7_680]
    assert [event.t_ns for event in events] == [20_001_000, 25_001_000, 45_001_000]
    assert (events[2].encoding, events[2].rate_hz, events[2].channels) == ("f32", 48_000, 2)


def test_silence_is_silent_in_every_encoding() -> None:
    assert Form("u8", 8_000, 2, 1).silence == b"\x80\x80"
    assert Form("f64", 8_000, 1, 8).silence == bytes(8)


def test_endless_silence_comes_chunk_by_chunk() -> None:
    events = list(islice(Chunker(S16).add_silence(float("inf")), 1_000))
    assert isinstance(events[-1], AudioCaptured)
    assert events[-1].t_ns == 20 * 10**9
    assert {len(event.data) for event in events} == {640}
