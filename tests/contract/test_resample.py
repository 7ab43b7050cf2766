"""Every resampler backend keeps the contract: state, time, passband, aliases."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import visavis.backends.resample as folder
from visavis.backends.contract import Options, Resampler
from visavis.flow.errors import BackendMissing
from visavis.flow.events import Samples

NAMES = [module.name for module in pkgutil.iter_modules(folder.__path__)]
RATES_HZ = (8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000, 192_000)
VARIANTS = [(name, low) for name in NAMES for low in (True, False)]


def load(name: str, rate_hz: int, low_latency: bool = True, out_rate_hz: int = 16_000) -> Resampler:
    settings = {"in_rate_hz": rate_hz, "out_rate_hz": out_rate_hz, "low_latency": low_latency}
    module = importlib.import_module(f"visavis.backends.resample.{name}")
    return module.load(Options(settings=settings))


def convert(resampler: Resampler, samples: Samples, chunk: int) -> Samples:
    parts = [resampler.feed(samples[at : at + chunk]) for at in range(0, len(samples), chunk)]
    return np.concatenate([*parts, resampler.feed(np.zeros(0, np.float32), last=True)])


def tone(freq_hz: float, rate_hz: int, seconds: float = 1) -> Samples:
    t = np.arange(int(rate_hz * seconds)) / rate_hz
    return (0.5 * np.sin(2 * np.pi * freq_hz * t)).astype(np.float32)


def level_db(samples: Samples) -> float:
    """Against the tone's own level, without the filter's run-in and run-out."""
    steady = samples[len(samples) // 4 : -len(samples) // 4].astype(np.float64)
    return 20 * np.log10(np.sqrt(np.mean(steady**2)) / (0.5 / 2**0.5) + 1e-12)


def lateness(samples: Samples, freq_hz: float) -> float:
    """How many samples late a 16 kHz tone is, by its phase."""
    steady = slice(len(samples) // 4, -len(samples) // 4)
    n = np.arange(len(samples))[steady]
    window = np.hanning(len(n))
    phase = np.angle(np.sum(samples[steady] * window * np.exp(-2j * np.pi * freq_hz * n / 16_000)))
    return -(phase + np.pi / 2) / (2 * np.pi * freq_hz) * 16_000


def test_there_is_a_backend() -> None:
    assert "soxr" in NAMES


@pytest.mark.parametrize(("name", "low"), VARIANTS)
@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_stream_equals_one_shot(name: str, low: bool, rate_hz: int) -> None:
    noise = np.random.default_rng(rate_hz).uniform(-1, 1, rate_hz // 2).astype(np.float32)
    whole = convert(load(name, rate_hz, low), noise, len(noise))
    assert len(whole) == round(rate_hz // 2 * 16_000 / rate_hz)
    for chunk in (rate_hz // 50, 997):
        assert np.array_equal(convert(load(name, rate_hz, low), noise, chunk), whole)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=30, deadline=None)
@given(
    cuts=st.lists(st.integers(0, 4410), max_size=30),
    rate_hz=st.sampled_from((8_000, 44_100, 48_000)),
)
def test_no_split_changes_a_bit(name: str, cuts: list[int], rate_hz: int) -> None:
    noise = np.random.default_rng(1).uniform(-1, 1, 4410).astype(np.float32)
    whole = convert(load(name, rate_hz), noise, len(noise))
    resampler = load(name, rate_hz)
    parts = [resampler.feed(part) for part in np.split(noise, sorted(cuts))]
    parts.append(resampler.feed(np.zeros(0, np.float32), last=True))
    assert np.array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize(("name", "low"), VARIANTS)
@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_passband_is_flat(name: str, low: bool, rate_hz: int) -> None:
    top_hz = 0.45 * min(rate_hz, 16_000)
    for freq_hz in np.linspace(100, top_hz, 12):
        out = convert(load(name, rate_hz, low), tone(freq_hz, rate_hz), rate_hz // 50)
        assert abs(level_db(out)) < 0.1, f"{freq_hz:.0f} Hz"


@pytest.mark.parametrize(("name", "low"), VARIANTS)
@pytest.mark.parametrize("rate_hz", [rate for rate in RATES_HZ if rate > 16_000])
def test_what_would_fold_back_is_gone(name: str, low: bool, rate_hz: int) -> None:
    for freq_hz in np.linspace(8_200, rate_hz / 2 * 0.99, 12):
        out = convert(load(name, rate_hz, low), tone(freq_hz, rate_hz), rate_hz // 50)
        assert level_db(out) < -100, f"{freq_hz:.0f} Hz"


@pytest.mark.parametrize(("name", "low"), VARIANTS)
@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_sample_k_is_the_sound_of_its_time(name: str, low: bool, rate_hz: int) -> None:
    out = convert(load(name, rate_hz, low), tone(400, rate_hz), rate_hz // 50)
    assert abs(lateness(out, 400)) <= 0.5


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_little_is_held_back(name: str, rate_hz: int) -> None:
    resampler, fed, given_ = load(name, rate_hz), 0, 0
    for _ in range(50):
        fed += rate_hz // 50
        given_ += len(resampler.feed(np.zeros(rate_hz // 50, np.float32)))
        assert fed / rate_hz - given_ / 16_000 < 0.032


@pytest.mark.parametrize(("name", "low"), VARIANTS)
@pytest.mark.parametrize("count", [0, 1, 3, 100])
@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 44_100, 192_000])
def test_short_streams_keep_their_length(name: str, low: bool, count: int, rate_hz: int) -> None:
    out = convert(load(name, rate_hz, low), np.ones(count, np.float32), 7)
    assert abs(len(out) - count * 16_000 / rate_hz) <= 0.5
    assert out.dtype == np.float32


@pytest.mark.parametrize("name", NAMES)
def test_the_last_sound_comes_out(name: str) -> None:
    click = np.zeros(4_800, np.float32)
    click[-30:] = 0.5
    assert np.abs(convert(load(name, 48_000), click, 480)[-12:]).max() > 0.3


@pytest.mark.parametrize(("name", "low"), VARIANTS)
def test_reset_and_last_begin_a_new_stream(name: str, low: bool) -> None:
    noise = np.random.default_rng(0).uniform(-1, 1, 4_800).astype(np.float32)
    resampler = load(name, 48_000, low)
    first = convert(resampler, noise, 480)
    assert np.array_equal(convert(resampler, noise, 480), first)
    resampler.feed(noise)
    resampler.reset()
    assert np.array_equal(convert(resampler, noise, 480), first)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("out_rate_hz", [22_050, 48_000])
def test_other_output_rates(name: str, out_rate_hz: int) -> None:
    out = convert(load(name, 16_000, out_rate_hz=out_rate_hz), tone(400, 16_000), 320)
    assert len(out) == out_rate_hz
    assert abs(level_db(out)) < 0.1


def test_a_missing_library_names_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "soxr", None)
    with pytest.raises(BackendMissing, match="needs the library 'soxr'"):
        load("soxr", 48_000)
