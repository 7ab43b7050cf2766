"""Our own voice is taken out of what the microphone hears, and of nothing else anything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.align.playing import (
    RATE_HZ,
    aligner,
    captured,
    delayed,
    heard,
    in_time,
    periods,
    played,
    voice,
)
from visavis.align.audio import AudioAligner
from visavis.align.echo import BLOCK, Cancelling
from visavis.align.reference import Reference
from visavis.backends.echo.fake import FakeCanceller
from visavis.backends.resample.soxr import SoxrResampler
from visavis.bench.room import Place, Room
from visavis.flow.clock import NS_PER_S
from visavis.flow.errors import EngineError
from visavis.flow.events import AudioAligned, Event, Samples
from visavis.flow.ring import AudioRing

LAG = 320
"""What the canceller is given before the delay is known: the far sound of 20 ms ago."""


class Spy(FakeCanceller):
    """Remembers what it was given."""

    def __init__(self, **settings: float) -> None:
        super().__init__(**settings)
        self.far: list[Samples] = []
        self.delays_ms: list[float] = []
        self.resets = self.closed = 0
        self.raises = False

    def feed(self, near: Samples, far: Samples, delay_ms: float) -> Samples:
        self.far.append(far.copy())
        self.delays_ms.append(delay_ms)
        if self.raises:
            raise EngineError("it broke")
        return super().feed(near, far, delay_ms)

    def reset(self) -> None:
        super().reset()
        self.resets += 1

    def close(self) -> None:
        self.closed += 1


def lateness(far: Samples, near: Samples) -> float:
    """By how many samples `near` is later, to a sixteenth."""
    size = 2 * len(far)
    cross = np.fft.rfft(near, size) * np.fft.rfft(far, size).conj()
    return int(np.argmax(np.fft.irfft(cross, 16 * size)[: 8 * size])) / 16


def cancelling(canceller: FakeCanceller | None = None) -> Cancelling:
    return Cancelling(canceller or FakeCanceller(), Reference(RATE_HZ, SoxrResampler))


def test_the_echo_goes_and_the_user_stays() -> None:
    ours, user = voice(1, 2), voice(2, 2)
    near = user + delayed(ours, LAG)
    node = aligner(echo=cancelling(FakeCanceller(gain=0.5)))
    out = heard(node, in_time(near, periods(ours), range(0, len(near), 320)))
    assert len(out) == len(near)
    assert np.abs(out - user).max() <= 1 / 32_768


@given(cuts=st.lists(st.integers(1, 15_999), max_size=40), start=st.integers(0, 6_000))
@settings(max_examples=60, deadline=None)
def test_how_the_microphone_was_cut_never_shows(cuts: list[int], start: int) -> None:
    ours, near = voice(1, 0.5), voice(2, 1)
    start -= start % 320
    sounding = periods(ours, start)
    whole = heard(aligner(echo=cancelling()), in_time(near, sounding, range(0, 16_000, 320)))
    cut = heard(aligner(echo=cancelling()), in_time(near, sounding, cuts))
    assert np.array_equal(cut, whole)


def test_nothing_played_changes_nothing_keeps_nothing_back_and_asks_nobody() -> None:
    canceller, near = Spy(), voice(2, 0.5)
    node = aligner(echo=cancelling(canceller))
    for start in range(0, len(near), 100):
        [out] = node.on(captured(near[start : start + 100], start))
        assert isinstance(out, AudioAligned)
        assert np.array_equal(out.samples, near[start : start + 100])
    assert canceller.fed == 0


def test_what_came_before_the_first_sound_is_untouched() -> None:
    canceller, near = Spy(), voice(2, 1)
    node = aligner(echo=cancelling(canceller))
    heard(node, in_time(near, periods(voice(1, 0.2), 8_000), range(0, 16_000, 320)))
    assert canceller.fed == 8_000 / BLOCK


def test_less_than_ten_milliseconds_wait() -> None:
    node, near = aligner(echo=cancelling()), voice(2, 0.5)
    list(node.on(played(0, voice(1, 0.02))))
    taken = given_ = 0
    for start in range(0, len(near) - 100, 100):
        taken += 100
        given_ += sum(
            len(out.samples)
            for out in node.on(captured(near[start : start + 100], start))
            if isinstance(out, AudioAligned)
        )
        assert 0 <= taken - given_ < BLOCK


def test_late_delivery_moves_nothing() -> None:
    ours, near = voice(1, 1), voice(2, 1)
    chunks = [captured(near[at : at + 320], at) for at in range(0, len(near), 320)]
    late = [captured(near[at : at + 320], at, NS_PER_S // 2) for at in range(0, len(near), 320)]
    prompt = sorted([*periods(ours), *chunks], key=lambda event: event.t_ns)
    slow = sorted([*periods(ours), *late], key=lambda event: event.t_ns)
    found = [heard(aligner(echo=cancelling()), events) for events in (prompt, slow)]
    assert np.array_equal(*found)


@pytest.mark.parametrize("delay_ms", [35, 130, 260, 480])
def test_the_far_sound_is_given_as_early_as_the_echo_is_late(delay_ms: int) -> None:
    ours = voice(1, 4)
    near = delayed(ours, delay_ms * 16)
    canceller = Spy()
    echo = cancelling(canceller)
    heard(aligner(echo=echo), in_time(near, periods(ours), range(0, len(near), 320)))
    assert echo.delay_ms == pytest.approx(delay_ms, abs=0.1)
    lead_ms = canceller.delays_ms[-1]
    assert 2.5 <= lead_ms <= 50
    far = np.concatenate(canceller.far[-50:])
    assert np.allclose(delayed(far, round(lead_ms * 16))[800:], near[-8_000:][800:], atol=1e-6)
    assert echo.aligned == (delay_ms > 70)
    assert canceller.resets == 1 + echo.aligned


def test_a_jump_of_the_delay_is_followed() -> None:
    ours = voice(1, 10)
    near = np.concatenate([delayed(ours, 960)[:80_000], delayed(ours, 4_000)[80_000:]])
    echo = cancelling()
    heard(aligner(echo=echo), in_time(near, periods(ours), range(0, len(near), 320)))
    assert echo.delay_ms == pytest.approx(250, abs=0.1)
    assert echo.aligned == 2, "once when it was found, once when it jumped"


@pytest.mark.parametrize("drift_ppm", [0, 40, 200])
def test_a_drift_of_the_clocks_is_made_good(drift_ppm: float) -> None:
    ours = voice(1, 24)
    place = Place(delay_ms=50, tail_ms=0, drift_ppm=drift_ppm, noise_db=-90)
    room, sounding = Room(RATE_HZ, RATE_HZ, place), periods(ours)
    near = []
    for period in sounding:
        room.hear(period)
        near.append(room.mix(np.zeros(320, np.float32)))
    canceller = Spy()
    echo = cancelling(canceller)
    heard(aligner(echo=echo), in_time(np.concatenate(near), sounding, range(0, len(ours), 320)))
    far, leads = np.concatenate(canceller.far), []
    for begin in (16 * RATE_HZ, 23 * RATE_HZ):
        part = slice(begin, begin + RATE_HZ)
        leads.append(lateness(far[part], np.concatenate(near)[part]))
    assert leads[1] == pytest.approx(leads[0], abs=0.5)
    assert echo.delay_ms == pytest.approx(51 + 24 * drift_ppm * 1e-3, abs=0.3)
    assert echo.aligned == 1, "when it was found, and for no drift"


def test_a_canceller_that_fails_lets_the_sound_through() -> None:
    canceller, near = Spy(), voice(2, 0.5)
    canceller.raises = True
    echo = cancelling(canceller)
    out = heard(aligner(echo=echo), in_time(near, periods(voice(1, 0.5)), range(0, 8_000, 320)))
    assert np.array_equal(out, near)
    assert echo.failed == 8_000 / BLOCK


def test_lost_sound_is_filled_at_its_place_while_a_block_is_unfinished() -> None:
    near = voice(2, 1)
    node = aligner(echo=cancelling())
    events: list[Event] = [played(0, np.zeros(320, np.float32)), captured(near[:100], 0)]
    events.append(captured(near[8_000:], 8_000))
    out = heard(node, events)
    assert len(out) == 16_000
    assert node.inserted == 7_900
    assert np.array_equal(out[8_000:], near[8_000:])


def test_without_a_reference_every_block_is_cleaned_from_the_first_on() -> None:
    canceller, near = Spy(), voice(2, 0.5)
    node = aligner(echo=Cancelling(canceller, None))
    out = heard(node, in_time(near, periods(voice(1, 0.5)), range(0, 8_000, 320)))
    assert canceller.fed == 8_000 / BLOCK
    assert not np.concatenate(canceller.far).any()
    assert np.array_equal(out, near)


def test_what_a_canceller_learnt_elsewhere_is_forgotten() -> None:
    canceller = Spy()
    cancelling(canceller)
    assert canceller.resets == 1


def test_the_canceller_is_closed_with_the_node() -> None:
    canceller = Spy()
    aligner(echo=cancelling(canceller)).close()
    assert canceller.closed == 1


class Doubting(FakeCanceller):
    """Has doubts about blocks of these numbers."""

    def __init__(self, *blocks: int) -> None:
        super().__init__()
        self._blocks = blocks

    def feed(self, near: Samples, far: Samples, delay_ms: float) -> Samples:
        self.doubted = self.fed in self._blocks
        return super().feed(near, far, delay_ms)


class Regaining(FakeCanceller):
    """With block `number` it knows what it should have let through of the last 300 samples."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def feed(self, near: Samples, far: Samples, delay_ms: float) -> Samples:
        count = 300 if self.fed == self._number else 0
        self.regained = np.full(count, 0.25, np.float32)
        return super().feed(near, far, delay_ms)


@pytest.mark.parametrize("chunk", [100, 320, 16_000])
def test_what_was_kept_back_wrongly_is_regained_in_the_ring(chunk: int) -> None:
    near, ring, canceller = voice(2, 0.5), AudioRing(5), Regaining(20)
    node = AudioAligner(ring, SoxrResampler, echo=cancelling(canceller))
    list(node.on(played(0, voice(1, 0.02))))
    for start in range(0, len(near), chunk):
        list(node.on(captured(near[start : start + chunk], start)))
    end = (len(near) // BLOCK - canceller.fed + 21) * BLOCK
    changed = np.flatnonzero(ring.whole(0, ring.end) != ring.slice(0, ring.end))
    assert (changed[0], changed[-1] + 1) == (end - 300, end)
    assert np.all(ring.whole(end - 300, end) == 0.25)


@pytest.mark.parametrize("chunk", [1, 100, 320, 16_000])
def test_each_piece_tells_what_of_it_may_be_but_echo(chunk: int) -> None:
    near, canceller = voice(2, 0.5), Doubting(3, 4, 5, 9, 40)
    node = aligner(echo=cancelling(canceller))
    outs = list(node.on(played(0, voice(1, 0.02))))
    for start in range(0, len(near), chunk):
        outs += node.on(captured(near[start : start + chunk], start))
    told: list[int] = []
    for out in outs:
        assert isinstance(out, AudioAligned)
        for span in out.doubted:
            assert out.start <= span.begin < span.end <= out.start + len(out.samples)
            told += range(span.begin, span.end)
    first = len(near) // BLOCK - canceller.fed
    blocks = [first + number for number in (3, 4, 5, 9, 40)]
    assert told == [at for number in blocks for at in range(number * BLOCK, (number + 1) * BLOCK)]
