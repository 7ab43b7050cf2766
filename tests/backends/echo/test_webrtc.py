"""WebRTC's module: what it is told, what it takes out, and what happens without it."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from visavis import backends
from visavis.backends.contract import EchoCanceller, Options
from visavis.backends.echo import webrtc
from visavis.flow.errors import BackendMissing, EngineError
from visavis.flow.events import Samples

BLOCK = 160


def canceller(**choices: bool) -> EchoCanceller:
    try:
        return webrtc.load(Options(settings=choices))
    except BackendMissing as missing:
        pytest.skip(str(missing))


def noise(seed: int, seconds: float, level: float = 0.1) -> Samples:
    random = np.random.default_rng(seed)
    return (random.standard_normal(int(seconds * 16_000)) * level).astype(np.float32)


def cleaned(module: EchoCanceller, near: Samples, far: Samples) -> Samples:
    blocks = range(0, len(near), BLOCK)
    return np.concatenate(
        [module.feed(near[at : at + BLOCK], far[at : at + BLOCK], 10.0) for at in blocks]
    )


def db(samples: Samples) -> float:
    return 10 * float(np.log10(np.mean(samples.astype(np.float64) ** 2) + 1e-12))


def test_a_missing_library_names_itself_and_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "livekit", None)
    with pytest.raises(BackendMissing, match=r"'livekit'.*pip install 'visavis\[device\]'"):
        backends.load("echo", "webrtc", Options())


def test_noise_is_suppressed_when_asked_for_and_only_then() -> None:
    near = noise(1, 4, 0.02)
    silence = np.zeros_like(near)
    kept = cleaned(canceller(echo=False), near, silence)
    less = cleaned(canceller(echo=False, noise_suppression=True), near, silence)
    assert db(kept[32_000:]) > db(near[32_000:]) - 3
    assert db(less[32_000:]) < db(near[32_000:]) - 8


def test_without_echo_cancellation_what_is_played_changes_nothing() -> None:
    near, far = noise(1, 1), noise(2, 1)
    alone = cleaned(canceller(echo=False), near, np.zeros_like(near))
    assert np.array_equal(cleaned(canceller(echo=False), near, far), alone)


def test_loud_sound_saturates() -> None:
    module = canceller(echo=False, high_pass=False)
    loud = np.where(np.arange(1_600) // 80 % 2, 3.0, -3.0).astype(np.float32)
    out = cleaned(module, loud, np.zeros_like(loud))
    assert np.array_equal(np.sign(out[800:]), np.sign(loud[800:]))


def test_what_the_library_refuses_is_an_engine_error(monkeypatch: pytest.MonkeyPatch) -> None:
    module = canceller()
    assert isinstance(module, webrtc.WebRtcCanceller)

    def refuse(*_: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(module._module._module, "process_stream", refuse)
    with pytest.raises(EngineError, match="echo/webrtc: no"):
        module.feed(noise(1, 0.01), noise(2, 0.01), 0.0)


def test_a_user_with_a_headset_is_heard_as_they_are_and_not_doubted() -> None:
    """Nothing of what we say is in the microphone: its delay is never known."""
    module = canceller()
    far, user = noise(1, 2), noise(2, 0.3, 0.05)
    near = noise(3, 2, 0.0005)
    near[24_000 : 24_000 + len(user)] += user
    out, doubted = [], []
    for at in range(0, len(near), BLOCK):
        out.append(module.feed(near[at : at + BLOCK], far[at : at + BLOCK], float("nan")))
        doubted.append(module.doubted)
    clean = np.concatenate(out)
    begin, end = 24_000 + 800, 24_000 + len(user)
    assert np.allclose(clean[begin : end - webrtc.LATE], near[begin - webrtc.LATE : end - 256])
    assert not any(doubted[150:180])
    assert db(clean[16_000:24_000]) < db(near[16_000:24_000])


def test_without_echo_cancellation_a_sample_that_is_none_is_silence() -> None:
    near = noise(1, 1)
    for value, like in ((np.nan, 0), (np.inf, 0), (-np.inf, 0), (1e30, webrtc.LOUDEST)):
        bad, good = near.copy(), near.copy()
        bad[8_050], good[8_050] = value, like
        outs = [cleaned(canceller(echo=False), each, np.zeros_like(near)) for each in (bad, good)]
        assert np.array_equal(*outs)
