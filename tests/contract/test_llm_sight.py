"""Every language model backend that can see keeps the contract of pictures."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.backends.llm_server import serving
from tests.contract.test_llm import NAMES, NEEDS_MODEL
from tests.pictures import named, picture
from tools import ship_eye
from visavis.backends.contract import Llm, LlmSession, Media, Options, Sampling
from visavis.flow.errors import EngineError
from visavis.flow.events import Message

SYSTEM = Message("system", "You are a helpful assistant.")
ASKED = Message("user", "What color is the square?")
SEEN = Message("user", "")
SEEDED = Sampling(seed=1, max_tokens=12)
RED, BLUE = picture("red"), picture("blue", form="PNG")
PACE = {"context_tokens": 512, "token_ms": 0, "prefill_token_ms": 0}


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
    name, files, settings = request.param, {}, {**PACE, "picture_tokens": 18}
    with ExitStack() as stack:
        if name in NEEDS_MODEL:
            files = {
                "model": model_options(NEEDS_MODEL[name]).files["model"],
                "mmproj": request.getfixturevalue("eye"),
            }
            settings |= ship_eye.sight(files["mmproj"])
        settings["most_pictures"] = 2
        if name == "openai":
            url, _ = stack.enter_context(serving())
            settings |= {"base_url": url, "model": "tiny"}
        llm: Llm = importlib.import_module(f"visavis.backends.llm.{name}").load(
            Options(files, settings)
        )
        stack.callback(llm.close)
        yield llm


def talk(engine: Llm, *turns: tuple[Message, Media | None]) -> LlmSession:
    session = engine.open([SYSTEM])
    for message, media in turns:
        session.append(message, [media] if media else [])
    return session


def answer(session: LlmSession) -> str:
    return "".join(session.generate(SEEDED))


def test_it_says_how_it_sees(engine: Llm) -> None:
    assert engine.capabilities.picture_tokens >= 18
    assert engine.capabilities.most_pictures == 2


def test_a_picture_takes_its_tokens(engine: Llm) -> None:
    blind, seeing = talk(engine, (ASKED, None)), talk(engine, (ASKED, RED))
    answer(blind)
    answer(seeing)
    taken = seeing.usage().prompt_tokens - blind.usage().prompt_tokens
    assert abs(taken - engine.capabilities.picture_tokens) <= 2


def test_a_picture_before_the_words_is_evaluated_once(engine: Llm) -> None:
    session = talk(engine, (SEEN, RED))
    early = session.prefill()
    for said in ("What color", "What color is the", ASKED.content):
        session.rewind(1)
        session.append(Message("user", said), [RED])
        session.prefill()
    session.append(Message("assistant", "It is red."))
    session.append(Message("user", "And how many are there?"))
    answer(session)
    usage = session.usage()
    assert early.complete == engine.capabilities.prefill
    if early.complete:
        assert usage.prompt_tokens - usage.cached_tokens <= 26  # words alone
        assert usage.cached_tokens > early.prompt_tokens


def test_the_pictures_are_what_is_answered(engine: Llm) -> None:
    session = talk(engine, (ASKED, BLUE))
    first = answer(session)
    session.rewind(1)
    session.append(ASKED, [RED])
    assert answer(session) == answer(talk(engine, (ASKED, RED)))
    session.rewind(1)
    session.append(ASKED)
    assert answer(session) == answer(talk(engine, (ASKED, None)))
    session.rewind(1)
    session.append(ASKED, [BLUE])
    assert answer(session) == first


def test_another_picture_is_evaluated_anew(engine: Llm) -> None:
    session = talk(engine, (ASKED, RED))
    answer(session)
    session.rewind(1)
    session.append(ASKED, [BLUE])
    answer(session)
    usage = session.usage()
    assert usage.prompt_tokens - usage.cached_tokens >= engine.capabilities.picture_tokens or (
        not engine.capabilities.prefill and not usage.cached_tokens
    )


def test_two_pictures_and_the_same_again(engine: Llm) -> None:
    session = engine.open([SYSTEM])
    session.append(ASKED, [RED, BLUE])
    assert answer(session)
    session.append(Message("assistant", "Red."))
    session.append(Message("user", "And here?"), [RED])
    assert answer(session)
    assert session.usage().prompt_tokens > 3 * engine.capabilities.picture_tokens


@pytest.mark.parametrize("data", [b"", b"\0" * 4, b"not a picture"])
def test_what_is_no_picture_is_refused_and_the_session_lives_on(engine: Llm, data: bytes) -> None:
    session = talk(engine, (ASKED, named(data)))
    with pytest.raises(EngineError):
        answer(session)
    session.rewind(1)
    session.append(ASKED, [RED])
    assert answer(session) == answer(talk(engine, (ASKED, RED)))


def test_a_cancel_under_a_picture_leaves_the_session_whole(engine: Llm) -> None:
    long = Message("user", "Look at this, and at that. " * 12 + ASKED.content)
    whole = answer(talk(engine, (long, RED)))
    answer(talk(engine, (ASKED, None)))
    session = talk(engine, (long, RED))
    thread = threading.Timer(0.02, session.cancel)
    thread.start()
    session.prefill()
    thread.join()
    assert answer(session) == whole


@pytest.mark.parametrize("name", sorted({*NAMES} - {*NEEDS_MODEL}))
def test_an_engine_that_cannot_see_says_so(name: str) -> None:
    settings = {**PACE, "base_url": "http://127.0.0.1:9", "model": "m"}
    llm: Llm = importlib.import_module(f"visavis.backends.llm.{name}").load(
        Options(settings=settings)
    )
    session = llm.open([SYSTEM])
    with pytest.raises(EngineError, match="cannot see"):
        session.append(ASKED, [RED])
    assert llm.capabilities.picture_tokens == 0
    llm.close()
