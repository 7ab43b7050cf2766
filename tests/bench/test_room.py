"""The room: what is played comes back late, coloured and soft, and never before it was played."""

from __future__ import annotations

import itertools
import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.bench.room import HALF_TAPS, Place, Room, RoomSource
from visavis.flow.clock import NS_PER_S
from visavis.flow.events import AudioCaptured, ReplyCancel, Samples, SoundPlayed, SourceEnded
from visavis.source.script import ScriptedSpeaker

RATE_HZ = 16_000
QUIET = Place(delay_ms=40, tail_ms=0, gain_db=0, noise_db=-300)
SILENCE: Samples = np.zeros(320, np.float32)


def voice(seconds: float, rate_hz: int = RATE_HZ) -> Samples:
    """Soft enough never to clip; nothing above 4 kHz."""
    noise = np.random.default_rng(1).standard_normal(int(seconds * rate_hz))
    spectrum = np.fft.rfft(noise)
    spectrum[int(4_000 * seconds) :] = 0
    return (0.05 * np.fft.irfft(spectrum, len(noise))).astype(np.float32)


def heard(
    place: Place, sound: Samples, rate_hz: int = RATE_HZ, played_hz: int = RATE_HZ, ahead: int = 0
) -> Samples:
    """The microphone while `sound` is played and nobody speaks; `ahead`: periods told too soon."""
    room, period, chunk = Room(rate_hz, played_hz, place), played_hz // 50, rate_hz // 50
    count = len(sound) // period
    found = []
    for number in range(count + ahead):
        if number < count:
            start = number * period
            samples = sound[start : start + period]
            t_ns = start * NS_PER_S // played_hz
            room.hear(SoundPlayed(t_ns=t_ns, start=start, samples=samples))
        if number >= ahead:
            found.append(room.mix(np.zeros(chunk, np.float32)))
    assert room.late == 0
    return np.concatenate(found)


def lag(sound: Samples, echo: Samples) -> float:
    """By how many samples `echo` is later, to a fraction."""
    size = 2 * len(sound)
    cross = np.fft.rfft(echo, size) * np.fft.rfft(sound, size).conj()
    fine = np.fft.irfft(cross, 16 * size)
    return int(np.argmax(fine[: 8 * size])) / 16


def is_silent(sound: Samples) -> bool:
    return bool(np.abs(sound).max() < 1e-9)


def db(samples: Samples) -> float:
    return 10 * float(np.log10(np.mean(samples.astype(np.float64) ** 2) + 1e-30))


@pytest.mark.parametrize("delay_ms", [20, 40, 250])
def test_the_echo_comes_after_the_delay(delay_ms: float) -> None:
    sound = voice(1)
    echo = heard(replace(QUIET, delay_ms=delay_ms), sound)
    by = delay_ms * 16 + HALF_TAPS
    assert np.abs(echo[int(by) :] - sound[: -int(by)]).max() < 1e-3
    assert is_silent(echo[: int(by) - HALF_TAPS])


@pytest.mark.parametrize("played_hz", [22_050, 24_000, 48_000])
@pytest.mark.parametrize("rate_hz", [16_000, 24_696, 48_000])
def test_rates_may_differ(rate_hz: int, played_hz: int) -> None:
    seconds = np.arange(played_hz) / played_hz
    tone = (0.3 * np.sin(2 * np.pi * 500 * seconds)).astype(np.float32)
    echo = heard(QUIET, tone, rate_hz, played_hz)
    way_s = 0.04 + HALF_TAPS / played_hz
    at = np.arange(len(echo)) / rate_hz - way_s
    steady = slice(rate_hz // 10, None)
    assert np.abs(echo - 0.3 * np.sin(2 * np.pi * 500 * at))[steady].max() < 0.01


@pytest.mark.parametrize("gain_db", [-20, -6, 3])
@pytest.mark.parametrize("tail_ms", [0, 200])
def test_the_echo_is_as_loud_as_it_was_told(gain_db: float, tail_ms: float) -> None:
    sound = voice(3)
    echo = heard(replace(QUIET, gain_db=gain_db, tail_ms=tail_ms), sound)
    assert db(echo[8_000:]) - db(sound) == pytest.approx(gain_db, abs=2)


def test_the_room_rings_on() -> None:
    sound = voice(1)
    sound[8_000:] = 0
    echo = heard(replace(QUIET, tail_ms=300), sound)
    end = 8_000 + 640 + HALF_TAPS
    levels = [db(echo[end + at : end + at + 800]) for at in range(0, 4_800, 800)]
    assert all(a - b > 5 for a, b in itertools.pairwise(levels))
    assert db(echo[end + 4_800 + HALF_TAPS :]) < -140


def test_a_faster_clock_makes_the_echo_later_and_later() -> None:
    sound = voice(4)
    echo = heard(replace(QUIET, drift_ppm=500), sound)
    parts = slice(4_000, 8_000), slice(52_000, 56_000)
    early, late = (lag(sound[part], echo[part]) for part in parts)
    assert late - early == pytest.approx(500e-6 * 48_000, abs=1.5)


def test_a_loudspeaker_that_clips_spares_what_is_soft() -> None:
    place = replace(QUIET, nonlinearity=2)
    soft, loud = voice(1) * 0.05, np.clip(voice(1) * 15, -1, 1)
    for sound, least, most in ((soft, -80, -20), (loud, -20, 0)):
        error = heard(place, sound) - heard(QUIET, sound)
        assert least < db(error) - db(sound) < most


def test_the_user_and_the_noise_are_added() -> None:
    room = Room(RATE_HZ, RATE_HZ, replace(QUIET, noise_db=-40))
    user = voice(2)
    found = np.concatenate([room.mix(user[at : at + 320]) for at in range(0, 32_000, 320)])
    assert db(found - user) == pytest.approx(-40, abs=0.5)


def test_the_seed_decides() -> None:
    place, sound = replace(QUIET, tail_ms=100, noise_db=-40, seed=1), voice(0.5)
    assert np.array_equal(heard(place, sound), heard(place, sound))
    assert not np.array_equal(heard(place, sound), heard(replace(place, seed=2), sound))


@given(ahead=st.integers(0, 5), delay_ms=st.floats(20, 100))
@settings(max_examples=20, deadline=None)
def test_a_chunk_does_not_know_what_is_played_later(ahead: int, delay_ms: float) -> None:
    place, sound = replace(QUIET, delay_ms=delay_ms, tail_ms=50), voice(0.5)
    assert np.array_equal(heard(place, sound, ahead=ahead), heard(place, sound))


def test_sound_that_is_told_too_late_is_counted() -> None:
    room = Room(RATE_HZ, RATE_HZ, replace(QUIET, delay_ms=20))
    for _ in range(4):
        room.mix(SILENCE)
    room.hear(SoundPlayed(t_ns=0, start=0, samples=np.ones(320, np.float32)))
    assert room.late == 320
    assert is_silent(room.mix(SILENCE))


def test_between_two_sounds_there_is_silence_however_long() -> None:
    room = Room(RATE_HZ, RATE_HZ, QUIET)
    sounding = []
    for number in range(600):
        if number in (0, 500):
            click = np.full(320, 0.5, np.float32)
            room.hear(SoundPlayed(t_ns=0, start=number * 320, samples=click))
        if not is_silent(room.mix(SILENCE)):
            sounding.append(number)
    # 40 ms later, and half a filter more.
    assert sounding == [2, 3, 502, 503]


def test_it_hears_nothing_but_what_is_played() -> None:
    room = Room(RATE_HZ, RATE_HZ, QUIET)
    room.hear(ReplyCancel(t_ns=0, reason="x"))
    assert is_silent(room.mix(SILENCE))


def test_the_source_gives_the_speakers_chunks_as_the_microphone_hears_them() -> None:
    words = voice(0.1)
    dry = ScriptedSpeaker(RATE_HZ, [(0.1, words)], tail_s=0.1)
    speaker = ScriptedSpeaker(RATE_HZ, [(0.1, words)], tail_s=0.1)
    room = Room(RATE_HZ, RATE_HZ, QUIET)
    room.hear(SoundPlayed(t_ns=0, start=0, samples=np.full(320, 0.5, np.float32)))
    for expected, event in zip(dry.events(), RoomSource(speaker, room).events(), strict=True):
        assert event.t_ns == expected.t_ns
        if isinstance(event, AudioCaptured):
            assert isinstance(expected, AudioCaptured)
            echo = 40_000_000 < event.t_ns <= 80_000_000
            difference = np.frombuffer(event.data, "<f4") - np.frombuffer(expected.data, "<f4")
            assert (np.abs(difference).max() > 0.1) == echo
        else:
            assert event == expected == SourceEnded(t_ns=event.t_ns, source="audio")


def test_it_may_be_told_from_another_thread() -> None:
    room = Room(RATE_HZ, RATE_HZ, replace(QUIET, delay_ms=400))
    sound = voice(0.3)

    def tell() -> None:
        for start in range(0, len(sound), 320):
            room.hear(SoundPlayed(t_ns=0, start=start, samples=sound[start : start + 320]))

    thread = threading.Thread(target=tell)
    thread.start()
    found = [room.mix(SILENCE) for _ in range(15)]
    thread.join()
    found += [room.mix(SILENCE) for _ in range(30)]
    by = 6_400 + HALF_TAPS
    assert np.abs(np.concatenate(found)[by : by + 4_800] - sound).max() < 1e-3
