"""What was played stands at its own place of the input axis, however it came."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.align.reference import Reference
from visavis.backends.resample.soxr import SoxrResampler
from visavis.flow.clock import NS_PER_S
from visavis.flow.events import Samples, SoundPlayed

RATES_HZ = [16_000, 22_050, 24_000, 44_100, 48_000]


def tone(rate_hz: int, seconds: float, begin_s: float = 0) -> Samples:
    """400 Hz, in phase with session time."""
    at = np.arange(int(rate_hz * seconds)) / rate_hz + begin_s
    return (0.5 * np.sin(2 * np.pi * 400 * at)).astype(np.float32)


def played(start: int, samples: Samples, rate_hz: int) -> SoundPlayed:
    return SoundPlayed(t_ns=start * NS_PER_S // rate_hz, epoch=1, start=start, samples=samples)


def hear(reference: Reference, start: int, samples: Samples, rate_hz: int) -> None:
    """In periods of 20 ms."""
    period = rate_hz // 50
    for at in range(0, len(samples), period):
        reference.hear(played(start + at, samples[at : at + period], rate_hz))


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_sound_stands_where_it_was_played(rate_hz: int) -> None:
    reference = Reference(rate_hz, SoxrResampler)
    hear(reference, rate_hz * 2, tone(rate_hz, 1, begin_s=2), rate_hz)
    assert reference.began == 32_000
    found = reference.read(32_000 + 400, 48_000 - 400)
    assert np.abs(found - tone(16_000, 1, begin_s=2)[400:-400]).max() < 0.05  # half a sample late


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_between_sounds_there_is_silence_and_the_second_is_in_its_place_too(rate_hz: int) -> None:
    reference = Reference(rate_hz, SoxrResampler)
    hear(reference, 0, tone(rate_hz, 0.5), rate_hz)
    start = rate_hz + 7  # on no common place of the two axes
    hear(reference, start, tone(rate_hz, 0.5, begin_s=start / rate_hz), rate_hz)
    found = reference.read(0, 24_000)
    assert np.abs(found[:7_600] - tone(16_000, 0.5)[:7_600]).max() < 0.05  # half a sample late
    assert np.abs(found[8_100:15_900]).max() < 1e-3
    assert (
        np.abs(found[16_400:23_600] - tone(16_000, 1.5)[16_400:23_600]).max() < 0.05
    )  # half a sample late


@pytest.mark.parametrize("place", [8_000.0, 8_000.25, 8_123.5, 8_400.99])
def test_between_two_samples_it_is_as_true(place: float) -> None:
    reference = Reference(16_000, SoxrResampler)
    hear(reference, 0, tone(16_000, 1), 16_000)
    at = (place + np.arange(160)) / 16_000
    expected = 0.5 * np.sin(2 * np.pi * 400 * at)
    assert np.abs(reference.read_at(place, 160) - expected).max() < 1e-3


@given(cuts=st.lists(st.integers(1, 22_049), unique=True, max_size=20))
@settings(max_examples=40, deadline=None)
def test_how_the_sound_was_cut_does_not_show(cuts: list[int]) -> None:
    sound = tone(22_050, 1)
    whole, pieces = (Reference(22_050, SoxrResampler) for _ in range(2))
    whole.hear(played(0, sound, 22_050))
    for begin, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(sound)], strict=True):
        pieces.hear(played(begin, sound[begin:end], 22_050))
    assert np.array_equal(whole.read(0, 16_000), pieces.read(0, 16_000))


def test_reading_the_end_of_a_sound_gives_what_the_filter_held() -> None:
    reference = Reference(48_000, SoxrResampler)
    hear(reference, 0, tone(48_000, 0.1), 48_000)
    found = reference.read(0, 3_200)
    assert np.abs(found[1_500:1_590]).max() > 0.4
    assert not found[1_600:].any()


def test_sound_for_a_place_that_was_read_as_silent_is_late() -> None:
    reference = Reference(16_000, SoxrResampler)
    reference.hear(played(0, np.ones(320, np.float32), 16_000))
    reference.read(0, 480)
    reference.hear(played(320, np.ones(320, np.float32), 16_000))
    assert reference.late == 160
    assert np.flatnonzero(reference.read(0, 640) == 0).tolist() == list(range(320, 480))


def test_an_hour_of_silence_costs_nothing_and_moves_nothing() -> None:
    reference = Reference(22_050, SoxrResampler)
    hear(reference, 0, tone(22_050, 0.1), 22_050)
    hear(reference, 3_600 * 22_050, tone(22_050, 0.5), 22_050)
    begin = 3_600 * 16_000
    found = reference.read(begin - 1_600, begin + 8_000)
    assert not found[:1_500].any()
    assert (
        np.abs(found[2_000:9_000] - tone(16_000, 0.5)[400:7_400]).max() < 0.05
    )  # half a sample late


def test_what_is_no_longer_kept_is_silence() -> None:
    reference = Reference(16_000, SoxrResampler)
    for second in range(10):
        hear(reference, second * 16_000, np.ones(16_000, np.float32), 16_000)
    found = reference.read(0, 160_000)
    assert not found[:90_000].any()
    assert (found[-48_000:] == 1).all()


def test_nothing_played_is_nothing_begun() -> None:
    reference = Reference(16_000, SoxrResampler)
    reference.hear(played(0, np.zeros(0, np.float32), 16_000))
    assert reference.began is None
