"""Every echo canceller keeps the contract: 10 ms in, 10 ms out, state, the user left alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from visavis import backends
from visavis.backends.contract import EchoCanceller, Options
from visavis.flow.errors import BackendMissing
from visavis.flow.events import Samples

NAMES = backends.names("echo")
SETTINGS = {"fake": {"delay_ms": 10, "gain": 0.5}}
BLOCK = 160
LATE = 128
"""By so many samples at most what comes out may be later."""


@pytest.fixture(params=NAMES)
def canceller(request: pytest.FixtureRequest) -> Iterator[EchoCanceller]:
    options = Options(settings=SETTINGS.get(request.param, {}))
    try:
        found: EchoCanceller = backends.load("echo", request.param, options)
    except BackendMissing as missing:
        pytest.skip(str(missing))
    yield found
    found.close()
    found.close()


def noise(seed: int, seconds: float, level: float = 0.1) -> Samples:
    random = np.random.default_rng(seed)
    return (random.standard_normal(int(seconds * 16_000)) * level).astype(np.float32)


def voice(seed: int, seconds: float, level: float, syllables_hz: float) -> Samples:
    """Noise in syllables, with pauses between them."""
    sound = noise(seed, seconds, level)
    phase = np.arange(len(sound)) / 16_000 * syllables_hz * 2 * np.pi + seed
    return (sound * np.maximum(0, np.sin(phase))).astype(np.float32)


def echo_of(far: Samples) -> Samples:
    """10 ms later, and 6 dB softer."""
    return np.concatenate([np.zeros(BLOCK, np.float32), far[:-BLOCK]]) / 2


def cleaned(canceller: EchoCanceller, near: Samples, far: Samples) -> Samples:
    blocks = range(0, len(near), BLOCK)
    return np.concatenate(
        [canceller.feed(near[at : at + BLOCK], far[at : at + BLOCK], 10.0) for at in blocks]
    )


def power(samples: Samples) -> float:
    return float(np.mean(samples.astype(np.float64) ** 2))


def test_there_are_backends() -> None:
    assert {"fake", "webrtc"} <= set(NAMES)


def test_every_block_gives_a_block(canceller: EchoCanceller) -> None:
    for far in (noise(1, 0.01), np.zeros(BLOCK, np.float32)):
        out = canceller.feed(noise(2, 0.01), far, 0.0)
        assert out.shape == (BLOCK,)
        assert out.dtype == np.float32


def test_the_echo_goes(canceller: EchoCanceller) -> None:
    far = noise(0, 3)
    near = echo_of(far)
    out = cleaned(canceller, near, far)
    assert power(out[16_000:]) < power(near[16_000:]) / 1_000


def test_with_nothing_played_the_user_stays(canceller: EchoCanceller) -> None:
    user = noise(3, 2)
    out = cleaned(canceller, user, np.zeros_like(user))
    fit = max(
        float(np.dot(user[8_000:24_000], out[8_000 + late : 24_000 + late]))
        / np.sqrt(power(user[8_000:24_000]) * power(out[8_000 + late : 24_000 + late]))
        / 16_000
        for late in range(LATE + 1)
    )
    assert fit > 0.85


def test_the_user_is_heard_over_the_echo(canceller: EchoCanceller) -> None:
    far, user = voice(0, 4, 0.1, 3), voice(2, 4, 0.05, 4)
    user[:32_000] = 0
    out = cleaned(canceller, user + echo_of(far), far)
    assert power(user[40_000:]) / 4 < power(out[40_000:]) < power(user[40_000:]) * 2


def test_the_same_blocks_give_the_same_again_after_a_reset(canceller: EchoCanceller) -> None:
    far = noise(0, 0.5)
    first = cleaned(canceller, echo_of(far), far)
    canceller.reset()
    assert np.array_equal(cleaned(canceller, echo_of(far), far), first)


def test_it_keeps_no_hold_on_the_samples(canceller: EchoCanceller) -> None:
    far = noise(0, 0.5)
    near = echo_of(far)
    expected = cleaned(canceller, near, far)
    canceller.reset()
    shared_near, shared_far, found = np.zeros(BLOCK, np.float32), np.zeros(BLOCK, np.float32), []
    for at in range(0, len(near), BLOCK):
        shared_near[:], shared_far[:] = near[at : at + BLOCK], far[at : at + BLOCK]
        found.append(canceller.feed(shared_near, shared_far, 10.0))
        shared_near[:] = shared_far[:] = 7
    assert np.array_equal(np.concatenate(found), expected)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30, -3e38])
@pytest.mark.parametrize("where", ["near", "far", "both"])
@pytest.mark.parametrize("at_s", [0, 2])
def test_a_sample_that_is_none_costs_no_more_than_its_moment(
    canceller: EchoCanceller, value: float, where: str, at_s: float
) -> None:
    far, user = voice(0, 6, 0.1, 3), voice(2, 6, 0.05, 4)
    user[:64_000] = 0
    near = user + echo_of(far)
    for sound in {"near": [near], "far": [far], "both": [near, far]}[where]:
        sound[int(at_s * 16_000) + 50] = value
    out = cleaned(canceller, near, far)
    assert np.isfinite(out).all()
    assert power(out[56_000:64_000]) < power(near[56_000:64_000]) / 1_000
    assert power(user[72_000:]) / 4 < power(out[72_000:]) < power(user[72_000:]) * 2
