"""Every detector of voice keeps the contract: probabilities, state, recovery."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from visavis import backends
from visavis.backends.contract import Options, Vad
from visavis.flow.errors import BackendMissing
from visavis.flow.events import Samples

NAMES = backends.names("vad")
BUNDLES = {"silero": "silero-vad"}


@pytest.fixture(
    params=[
        pytest.param(name, marks=pytest.mark.model) if name in BUNDLES else name for name in NAMES
    ]
)
def vad(request: pytest.FixtureRequest, model_options: Callable[[str], Options]) -> Iterator[Vad]:
    name: str = request.param
    options = model_options(BUNDLES[name]) if name in BUNDLES else Options()
    try:
        detector: Vad = backends.load("vad", name, options)
    except BackendMissing as missing:
        pytest.skip(str(missing))
    yield detector
    detector.close()
    detector.close()


def noise(vad: Vad, windows: int, level: float = 0.1) -> list[Samples]:
    random = np.random.default_rng(0)
    return [(random.standard_normal(vad.window) * level).astype(np.float32) for _ in range(windows)]


def test_there_are_backends() -> None:
    assert {"fake", "silero"} <= set(NAMES)


def test_its_window_suits_a_conversation(vad: Vad) -> None:
    assert 80 <= vad.window <= 800


def test_scores_are_probabilities(vad: Vad) -> None:
    for window in noise(vad, 50, 0.5):
        assert 0 <= vad.score(window) <= 1


def test_silence_is_not_voice(vad: Vad) -> None:
    assert all(vad.score(np.zeros(vad.window, np.float32)) < 0.5 for _ in range(50))


def test_reset_begins_a_new_stream(vad: Vad) -> None:
    first = [vad.score(window) for window in noise(vad, 20)]
    vad.reset()
    assert [vad.score(window) for window in noise(vad, 20)] == first


def test_it_keeps_no_hold_on_the_samples(vad: Vad) -> None:
    expected = [vad.score(window) for window in noise(vad, 20)]
    vad.reset()
    shared = np.zeros(vad.window, np.float32)
    found = []
    for window in noise(vad, 20):
        shared[:] = window
        found.append(vad.score(shared))
        shared[:] = 7
    assert found == expected


@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_a_bad_window_does_not_poison_the_rest(vad: Vad, poison: float) -> None:
    vad.score(np.full(vad.window, poison, np.float32))
    scores = [vad.score(np.zeros(vad.window, np.float32)) for _ in range(20)]
    assert all(0 <= score < 0.5 for score in scores)
