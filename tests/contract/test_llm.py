"""Every language model backend keeps the contract: sessions, streaming, cancel, limits."""

from __future__ import annotations

import importlib
import pkgutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

import visavis.backends.llm as folder
from tests.backends.llm_server import serving
from visavis.backends.contract import Llm, Options, Sampling
from visavis.flow.errors import ContextFull
from visavis.flow.events import Message

NAMES = [
    module.name
    for module in pkgutil.iter_modules(folder.__path__)
    if hasattr(importlib.import_module(f"{folder.__name__}.{module.name}"), "load")
]
NEEDS_MODEL = {"xllamacpp": "smollm2-135m"}
CONTEXT = 512
SYSTEM = Message("system", "You are a helpful assistant.")
ASKED = Message("user", "What is the capital of France?")
# Seeded, so that two answers can be compared.
SEEDED = Sampling(seed=1, max_tokens=24)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=[pytest.mark.model] if name in NEEDS_MODEL else [])
        for name in NAMES
    ],
)
def engine(
    request: pytest.FixtureRequest, model_options: Callable[[str], Options]
) -> Iterator[Llm]:
    name = request.param
    settings = {"context_tokens": CONTEXT, "token_ms": 0, "prefill_token_ms": 0}
    with ExitStack() as stack:
        files = {}
        if name in NEEDS_MODEL:
            files = dict(model_options(NEEDS_MODEL[name]).files)
        if name == "openai":
            url, script = stack.enter_context(serving())
            script.context_tokens = CONTEXT
            settings |= {"base_url": url, "model": "tiny"}
        module = importlib.import_module(f"{folder.__name__}.{name}")
        llm: Llm = module.load(Options(files, settings))
        stack.callback(llm.close)
        yield llm


def test_the_folder_has_the_three_backends() -> None:
    assert {"fake", "openai", "xllamacpp"} <= set(NAMES)


def test_an_answer_streams_and_ends(engine: Llm) -> None:
    session = engine.open([SYSTEM, ASKED])
    pieces = list(session.generate(SEEDED))
    assert len(pieces) > 1
    assert all(pieces)
    usage = session.usage()
    assert usage.complete
    assert usage.finish in ("end", "length")
    assert usage.prompt_tokens > 0
    assert usage.made_tokens >= 1


def test_the_same_seed_gives_the_same_answer(engine: Llm) -> None:
    first = "".join(engine.open([SYSTEM, ASKED]).generate(SEEDED))
    assert "".join(engine.open([SYSTEM, ASKED]).generate(SEEDED)) == first


def test_an_answer_is_not_longer_than_allowed(engine: Llm) -> None:
    session = engine.open([SYSTEM, Message("user", "Tell me a very long story about a horse.")])
    list(session.generate(Sampling(seed=1, max_tokens=3)))
    assert session.usage().made_tokens <= 3
    assert session.usage().finish in ("end", "length")


def test_no_character_comes_in_halves(engine: Llm) -> None:
    session = engine.open([Message("user", "Repeat after me: 你好，世界 👋🏽 日本語")])
    for limit in (3, 4, 5, 40):
        text = "".join(session.generate(Sampling(temperature=0, seed=1, max_tokens=limit)))
        assert "\ufffd" not in text
        text.encode()


def test_append_and_rewind_are_what_is_answered(engine: Llm) -> None:
    session = engine.open([SYSTEM])
    session.append(Message("user", "Tell me about the old horse in the barn."))
    list(session.generate(SEEDED))
    session.rewind(1)
    session.append(ASKED)
    fresh = "".join(engine.open([SYSTEM, ASKED]).generate(SEEDED))
    assert "".join(session.generate(SEEDED)) == fresh


def test_the_answer_is_not_appended(engine: Llm) -> None:
    session = engine.open([SYSTEM, ASKED])
    list(session.generate(SEEDED))
    first = session.usage().prompt_tokens
    list(session.generate(SEEDED))
    assert session.usage().prompt_tokens == first


def test_what_was_prefilled_is_reused(engine: Llm) -> None:
    session = engine.open([SYSTEM, Message("user", "Once upon a time, in a green valley")])
    usage = session.prefill()
    assert usage.complete == engine.capabilities.prefill
    assert usage.made_tokens == 0
    session.rewind(1)
    session.append(Message("user", "Once upon a time, in a green valley, there lived a horse."))
    list(session.generate(SEEDED))
    # All but the end of the turn, which has moved.
    assert session.usage().cached_tokens >= usage.prompt_tokens - 5
    assert session.usage().prompt_tokens > usage.prompt_tokens


def test_a_session_without_messages_can_be_prefilled(engine: Llm) -> None:
    assert engine.open().prefill().made_tokens == 0


def test_a_prompt_that_is_too_long_is_refused_and_does_no_harm(engine: Llm) -> None:
    session = engine.open([Message("user", "seven green bottles " * CONTEXT)])
    with pytest.raises(ContextFull) as caught:
        list(session.generate(SEEDED))
    assert caught.value.prompt_tokens > CONTEXT
    session.rewind(0)
    session.append(ASKED)
    assert list(session.generate(SEEDED))


def test_a_cancel_ends_the_answer(engine: Llm) -> None:
    session = engine.open([SYSTEM, Message("user", "Tell me a very long story about a horse.")])
    pieces = session.generate(Sampling(seed=1))
    assert next(pieces)
    thread = threading.Thread(target=session.cancel)
    thread.start()
    thread.join()
    assert len(list(pieces)) <= 1
    assert not session.usage().complete
    assert session.usage().finish == "cancelled"


def test_a_cancel_is_for_one_call_only(engine: Llm) -> None:
    session = engine.open([SYSTEM, ASKED])
    session.cancel()
    whole = "".join(session.generate(SEEDED))
    session.cancel()
    assert "".join(session.generate(SEEDED)) == whole


def test_closing_the_iterator_cancels(engine: Llm) -> None:
    session = engine.open([SYSTEM, ASKED])
    pieces = session.generate(SEEDED)
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert list(session.generate(SEEDED))


def test_stats_are_numbers(engine: Llm) -> None:
    list(engine.open([SYSTEM, ASKED]).generate(SEEDED))
    stats = engine.stats()
    assert stats["made_tokens"] > 0
    assert all(isinstance(value, int | float) for value in stats.values())


def test_sessions_close_twice(engine: Llm) -> None:
    session = engine.open([ASKED])
    list(session.generate(SEEDED))
    session.close()
    session.close()


@pytest.mark.parametrize("name", sorted({*NAMES} - {*NEEDS_MODEL}))
def test_a_closed_engine_closes_again(name: str) -> None:
    settings = {"base_url": "http://127.0.0.1:9", "model": "m"}
    module = importlib.import_module(f"{folder.__name__}.{name}")
    llm: Llm = module.load(Options(settings=settings))
    llm.close()
    llm.close()
