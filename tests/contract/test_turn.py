"""Every audio model of turn end keeps the contract: a probability, whatever it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from visavis import backends
from visavis.backends.contract import Options, TurnModel
from visavis.flow.errors import BackendMissing

NAMES = backends.names("turn")
BUNDLES = {"smart_turn": "smart-turn"}


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=pytest.mark.model) if name in BUNDLES else name for name in NAMES
    ],
)
def model(
    request: pytest.FixtureRequest, model_options: Callable[[str], Options]
) -> Iterator[TurnModel]:
    name: str = request.param
    options = model_options(BUNDLES[name]) if name in BUNDLES else Options()
    try:
        found: TurnModel = backends.load("turn", name, options)
    except BackendMissing as missing:
        pytest.skip(str(missing))
    yield found
    found.close()
    found.close()


def test_there_are_backends() -> None:
    assert {"fake", "smart_turn"} <= set(NAMES)


@pytest.mark.parametrize("count", [0, 1, 399, 16_000, 128_000, 500_000])
def test_any_length_has_a_probability(model: TurnModel, count: int) -> None:
    samples = np.random.default_rng(count).uniform(-1, 1, count).astype(np.float32)
    assert 0 <= model.score(samples) <= 1


@pytest.mark.parametrize("poison", [np.nan, np.inf])
def test_bad_samples_are_no_opinion(model: TurnModel, poison: float) -> None:
    samples = np.zeros(16_000, np.float32)
    samples[100:200] = poison
    assert model.score(samples) == pytest.approx(0.5)


def test_each_call_stands_alone(model: TurnModel) -> None:
    samples = np.sin(np.arange(32_000) / 20).astype(np.float32)
    first = model.score(samples)
    model.score(np.zeros(16_000, np.float32))
    assert model.score(samples) == first
