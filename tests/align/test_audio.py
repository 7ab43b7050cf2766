"""Whatever is captured becomes 16 kHz mono on a true sample index, however it is split."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.align.audio import AudioAligner
from visavis.align.encoding import SAMPLE_BYTES
from visavis.backends.resample.soxr import SoxrResampler
from visavis.flow.clock import NS_PER_S
from visavis.flow.errors import InputError
from visavis.flow.events import AudioAligned, AudioCaptured, ReplyCancel, Samples, SourceEnded
from visavis.flow.ring import AudioRing

MS = 1_000_000


def aligner(seconds: float = 30) -> AudioAligner:
    return AudioAligner(AudioRing(seconds), SoxrResampler)


def captured(
    parts: Iterable[bytes], encoding: str, rate_hz: int, channels: int, start_ns: int = 0
) -> list[AudioCaptured]:
    """The parts as chunks that follow each other without a gap."""
    per_s, taken, events = SAMPLE_BYTES[encoding] * channels * rate_hz, 0, []
    for data in parts:
        taken += len(data)
        t_ns = start_ns + taken * NS_PER_S // per_s
        events.append(
            AudioCaptured(
                t_ns=t_ns, data=data, encoding=encoding, rate_hz=rate_hz, channels=channels
            )
        )
    return events


def chunks(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


def heard(node: AudioAligner, events: Sequence[AudioCaptured], *, end: bool = True) -> Samples:
    """All that comes out, joined; checks that the pieces follow each other on the index."""
    sound = [np.zeros(0, np.float32)]
    at: int | None = None
    last = [SourceEnded(t_ns=events[-1].t_ns, source="audio")] if end else []
    for event in [*events, *last]:
        for out in node.on(event):
            assert isinstance(out, AudioAligned)
            assert at is None or out.start == at
            assert len(out.samples) > 0
            at = out.start + len(out.samples)
            sound.append(out.samples.copy())
    return np.concatenate(sound)


def s16(samples: np.ndarray) -> bytes:
    return np.rint(samples * 32767).astype("<i2").tobytes()


def tone(rate_hz: int, seconds: float, freq_hz: float = 440) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * freq_hz * np.arange(int(rate_hz * seconds)) / rate_hz)


# ── the same bytes, the same samples ─────────────────────────────────────────────────────────

FORMS = st.tuples(
    st.sampled_from(sorted(SAMPLE_BYTES)),
    st.sampled_from((8_000, 16_000, 44_100, 48_000)),
    st.sampled_from((1, 2, 3, 6)),
)


@settings(max_examples=150, deadline=None)
@given(
    form=FORMS,
    data=st.binary(min_size=1, max_size=4_000),
    cuts=st.lists(st.integers(0, 4_000), max_size=40),
)
def test_no_split_changes_a_bit(form: tuple[str, int, int], data: bytes, cuts: list[int]) -> None:
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    parts = [data[a:b] for a, b in itertools.pairwise(edges)]
    whole = heard(aligner(), captured([data], *form))
    assert np.array_equal(heard(aligner(), captured(parts, *form)), whole)


def test_one_byte_at_a_time_loses_nothing() -> None:
    data = s16(tone(16_000, 0.1))
    node = aligner()
    out = heard(node, captured(chunks(data, 1), "s16", 16_000, 1))
    assert out.tobytes() == (np.frombuffer(data, "<i2") / 32768).astype(np.float32).tobytes()
    assert node.inserted == 0


def test_16_khz_16_bit_passes_untouched_and_undelayed() -> None:
    data = s16(tone(16_000, 0.02))
    [out] = aligner().on(captured([data], "s16", 16_000, 1)[0])
    assert isinstance(out, AudioAligned)
    assert np.array_equal(out.samples * 32768, np.frombuffer(data, "<i2"))


# ── any form ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 22_050, 44_100, 48_000, 192_000])
@pytest.mark.parametrize("channels", [1, 2, 6])
def test_a_tone_is_the_same_tone(rate_hz: int, channels: int) -> None:
    frames = np.repeat(tone(rate_hz, 1)[:, None], channels, axis=1)
    events = captured(chunks(s16(frames), 1_001), "s16", rate_hz, channels)
    out = heard(aligner(), events)
    assert len(out) == 16_000
    error = out[800:-800] - tone(16_000, 1)[800:-800]
    # Half a sample of lateness at 440 Hz is 4 % of its amplitude of one half.
    assert np.abs(error).max() < 0.05


def test_nan_and_infinity_are_silenced_and_counted() -> None:
    samples = np.full((1_000, 2), 0.25, np.float32)
    samples[10, 0], samples[20, 1], samples[30, 0] = np.nan, np.inf, -np.inf
    node = aligner()
    out = heard(node, captured(chunks(samples.tobytes(), 640), "f32", 16_000, 2))
    assert node.silenced == 3
    assert np.flatnonzero(out != 0.25).tolist() == [10, 20, 30]
    assert out[[10, 20, 30]].tolist() == [0.125] * 3


@pytest.mark.parametrize("rate_hz", [16_000, 48_000])
@pytest.mark.parametrize("value", [1.0, 5.0, 3e38])
def test_loud_saturates_and_never_wraps(value: float, rate_hz: int) -> None:
    square = np.where(np.arange(rate_hz // 2) // (rate_hz // 100) % 2, value, -value)
    out = heard(aligner(), captured([square.astype("<f4").tobytes()], "f32", rate_hz, 1))
    plateau = np.arange(80, 8_000, 160)
    assert out.min() == -1
    assert out.max() == pytest.approx(1, abs=1e-4)
    assert np.array_equal(np.sign(out[plateau]), np.where(np.arange(50) % 2, 1, -1))


def test_output_lies_on_the_16_bit_grid() -> None:
    noise = np.random.default_rng(0).uniform(-1, 1, 9_600).astype("<f4")
    steps = heard(aligner(), captured([noise.tobytes()], "f32", 48_000, 1)) * 32768
    assert np.array_equal(steps, np.rint(steps))


@pytest.mark.parametrize(
    ("encoding", "rate_hz", "channels"),
    [("mp3", 16_000, 1), ("s16", 0, 1), ("s16", 10**9, 1), ("s16", 16_000, 0)],
)
def test_an_impossible_form_is_named(encoding: str, rate_hz: int, channels: int) -> None:
    event = AudioCaptured(
        t_ns=0, data=b"\0\0", encoding=encoding, rate_hz=rate_hz, channels=channels
    )
    with pytest.raises(InputError, match="audio input"):
        list(aligner().on(event))


# ── the time line ────────────────────────────────────────────────────────────────────────────


def test_a_late_start_is_filled_so_that_the_index_is_the_time() -> None:
    events = captured([s16(tone(16_000, 0.02))], "s16", 16_000, 1, start_ns=NS_PER_S // 2)
    node = aligner()
    out = heard(node, events)
    assert len(out) == 8_320
    assert not out[:8_000].any()
    assert out[8_001] != 0
    assert node.inserted == 8_000


@pytest.mark.parametrize("rate_hz", [16_000, 48_000])
def test_lost_chunks_become_silence_of_their_length(rate_hz: int) -> None:
    events = captured(chunks(s16(tone(rate_hz, 1)), rate_hz // 25), "s16", rate_hz, 1)
    kept = events[:20] + events[25:]  # 100 ms are lost
    out = heard(aligner(), kept)
    assert len(out) == 16_000
    assert not out[6_400:8_000].any()
    truth = tone(16_000, 1)
    for part in (slice(200, 6_200), slice(8_200, 15_800)):
        assert np.abs(out[part] - truth[part]).max() < 0.05


def test_jitter_within_the_tolerance_changes_nothing() -> None:
    events = captured(chunks(s16(tone(16_000, 1)), 640), "s16", 16_000, 1)
    shaken = [
        replace(event, t_ns=event.t_ns + (index * 7 % 30) * MS)
        for index, event in enumerate(events)
    ]
    node = aligner()
    assert np.array_equal(heard(node, shaken), heard(aligner(), events))
    assert node.inserted == 0


def test_a_stall_of_the_loop_is_not_a_gap_when_the_source_has_stamped() -> None:
    events = captured(chunks(s16(tone(16_000, 1)), 640), "s16", 16_000, 1)
    late = [
        replace(event, t_ns=max(event.t_ns, NS_PER_S // 2), captured_ns=event.t_ns)
        for event in events
    ]
    assert np.array_equal(heard(aligner(), late), heard(aligner(), events))


def test_sound_that_comes_early_is_kept() -> None:
    events = captured(chunks(s16(tone(16_000, 1)), 640), "s16", 16_000, 1)
    early = [replace(event, t_ns=event.t_ns // 10) for event in events]
    assert np.array_equal(heard(aligner(), early), heard(aligner(), events))


def test_a_gap_forgets_half_a_sample_whose_rest_was_lost() -> None:
    data = s16(tone(16_000, 0.02))
    node = aligner()
    heard(node, captured([data + b"\x7f"], "s16", 16_000, 1), end=False)
    out = heard(node, captured([data], "s16", 16_000, 1, start_ns=NS_PER_S), end=False)
    assert np.array_equal(out[-320:] * 32768, np.frombuffer(data, "<i2"))


def test_a_change_of_form_goes_on_where_the_last_one_ended() -> None:
    first = captured([s16(tone(44_100, 0.5))], "s16", 44_100, 1)
    second = captured([tone(8_000, 0.5).tobytes()], "f64", 8_000, 1, start_ns=NS_PER_S // 2)
    out = heard(aligner(), [*first, *second])
    assert len(out) == 16_000
    truth = np.concatenate([tone(16_000, 0.5), tone(16_000, 0.5)])
    for part in (slice(200, 7_800), slice(8_200, 15_800)):
        assert np.abs(out[part] - truth[part]).max() < 0.05


def test_the_end_of_the_source_gives_what_the_filter_held() -> None:
    node = aligner()
    events = captured([s16(tone(48_000, 0.1))], "s16", 48_000, 1)
    held = 1_600 - len(heard(node, events, end=False))
    assert held > 0
    assert list(node.on(SourceEnded(t_ns=events[-1].t_ns, source="video"))) == []
    [out] = node.on(SourceEnded(t_ns=events[-1].t_ns, source="audio"))
    assert isinstance(out, AudioAligned)
    assert len(out.samples) == held
    assert list(node.on(SourceEnded(t_ns=events[-1].t_ns, source="audio"))) == []


def test_other_events_are_none_of_its_business() -> None:
    assert list(aligner().on(ReplyCancel(t_ns=0, reason="x"))) == []


# ── bounds ───────────────────────────────────────────────────────────────────────────────────


def test_a_chunk_of_ten_minutes_comes_in_pieces_of_a_second_at_most() -> None:
    node = aligner(seconds=5)
    [event] = captured([bytes(2 * 8_000 * 600)], "s16", 8_000, 1)
    sizes = [len(out.samples) for out in node.on(event) if isinstance(out, AudioAligned)]
    assert max(sizes) <= 16_000
    assert sum(sizes) > 599 * 16_000


def test_a_ring_shorter_than_a_piece_will_do() -> None:
    data = s16(tone(16_000, 1))
    out = heard(aligner(seconds=0.1), captured([data], "s16", 16_000, 1))
    assert np.array_equal(out * 32768, np.frombuffer(data, "<i2"))


def test_what_is_given_is_the_rings_own_memory() -> None:
    ring = AudioRing(1)
    node = AudioAligner(ring, SoxrResampler)
    [out] = node.on(captured([s16(tone(16_000, 0.02))], "s16", 16_000, 1)[0])
    assert isinstance(out, AudioAligned)
    assert np.shares_memory(out.samples, ring.slice(0, 320))


def test_trace_and_time_come_from_the_cause() -> None:
    event = AudioCaptured(
        t_ns=20 * MS, trace=7, epoch=3, data=bytes(640), encoding="s16", rate_hz=16_000, channels=1
    )
    [out] = aligner().on(event)
    assert (out.t_ns, out.trace, out.epoch) == (20 * MS, 7, 3)
