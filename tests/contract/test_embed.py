"""Every embedder keeps the contract: unit vectors, one a text, the same for the same text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from visavis import backends
from visavis.backends.contract import Embedder, Options
from visavis.flow.errors import BackendMissing

NAMES = backends.names("embed")
TEXTS = ["a red box on the table", "会议在三点", "", "EXIT 12", "👋"]


@pytest.fixture(params=NAMES)
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    try:
        found: Embedder = backends.load("embed", request.param, Options())
    except BackendMissing as missing:
        pytest.skip(str(missing))
    yield found
    found.close()
    found.close()


def test_there_are_backends() -> None:
    assert "fake" in NAMES


@pytest.mark.parametrize("query", [False, True])
def test_each_text_has_a_unit_vector(embedder: Embedder, query: bool) -> None:
    vectors = embedder.embed(TEXTS, query=query)
    assert vectors.dtype == np.float32
    assert vectors.shape[0] == len(TEXTS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed([]).shape[0] == 0


def test_the_same_text_has_the_same_vector_in_any_company(embedder: Embedder) -> None:
    together, alone = embedder.embed(TEXTS), embedder.embed(TEXTS[:1])
    assert together[0] == pytest.approx(alone[0], abs=1e-5)


def test_a_question_is_nearest_to_the_text_that_answers_it(embedder: Embedder) -> None:
    texts = embedder.embed(TEXTS)
    for question, answer in (("where is the red box?", 0), ("几点的会议", 1)):
        assert int(np.argmax(texts @ embedder.embed([question], query=True)[0])) == answer
