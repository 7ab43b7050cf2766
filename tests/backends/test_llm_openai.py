"""The engine behind a URL: what it sends, what it makes of every answer, how it hangs up."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.backends.llm_server import Script, serving
from tests.pictures import picture
from visavis.backends.contract import Llm, Options, Sampling
from visavis.backends.llm.openai import load
from visavis.flow.errors import ContextFull, EngineError, InputError
from visavis.flow.events import Message

ASKED = Message("user", "Where is my cat?")


@pytest.fixture
def server() -> Iterator[tuple[str, Script]]:
    with serving() as (url, script):
        yield url, script


@pytest.fixture
def script(server: tuple[str, Script]) -> Script:
    return server[1]


@pytest.fixture
def engine(server: tuple[str, Script]) -> Iterator[Llm]:
    engine = connect(server[0], api_key="secret")
    yield engine
    engine.close()


def connect(url: str, **settings: Any) -> Llm:
    return load(Options(settings={"base_url": url, "model": "tiny", **settings}))


def ask(engine: Llm, **sampling: Any) -> str:
    return "".join(engine.open([ASKED]).generate(Sampling(**sampling)))


def test_it_sends_what_the_protocol_wants(engine: Llm, script: Script) -> None:
    assert ask(engine, seed=5, stop=("\n",)) == "It is on the warm roof."
    (asked,) = script.requests
    assert asked["messages"] == [{"role": "user", "content": "Where is my cat?"}]
    assert (asked["model"], asked["stream"], asked["seed"]) == ("tiny", True, 5)
    assert (asked["temperature"], asked["top_p"], asked["max_tokens"]) == (0.4, 0.6, 192)
    assert asked["stop"] == ["\n"]
    assert script.keys == ["Bearer secret"]


def test_a_picture_is_sent_before_the_words(server: tuple[str, Script]) -> None:
    engine = connect(server[0], picture_tokens=85, most_pictures=4, picture_side=768)
    session = engine.open([Message("system", "Be brief.")])
    session.append(ASKED, [picture()])
    assert list(session.generate(Sampling()))
    engine.close()
    system, asked = server[1].requests[0]["messages"]
    assert system["content"] == "Be brief."
    assert [part["type"] for part in asked["content"]] == ["image_url", "text"]
    assert asked["content"][0]["image_url"]["url"].startswith("data:image/jpeg;base64,/9j/")
    assert engine.capabilities.picture_side == 768


def test_usage_is_what_the_server_says(engine: Llm) -> None:
    session = engine.open([ASKED])
    assert len(list(session.generate(Sampling(max_tokens=2)))) == 2
    usage = session.usage()
    assert (usage.finish, usage.prompt_tokens, usage.made_tokens) == ("length", 8, 2)
    assert engine.stats()["made_tokens"] == 2


def test_extra_fields_are_sent_along(server: tuple[str, Script]) -> None:
    engine = connect(server[0], extra={"cache_prompt": True})
    ask(engine)
    engine.close()
    assert server[1].requests[0]["cache_prompt"] is True


def test_a_cancel_between_two_tokens_hangs_up_at_once(engine: Llm, script: Script) -> None:
    script.hold_after = 2
    session = engine.open([ASKED])
    pieces = session.generate(Sampling())
    assert [next(pieces), next(pieces)] == ["It", " is"]
    threading.Timer(0.02, session.cancel).start()
    assert list(pieces) == []
    assert session.usage().finish == "cancelled"
    assert script.hung_up.wait(5)


def test_a_cancel_before_the_first_token_hangs_up_at_once(engine: Llm, script: Script) -> None:
    script.silent = True
    session = engine.open([ASKED])
    pieces = session.generate(Sampling())
    canceller = threading.Thread(target=lambda: (script.answering.wait(5), session.cancel()))
    canceller.start()
    assert list(pieces) == []
    canceller.join()
    assert script.hung_up.wait(5)
    script.silent = False
    assert ask(engine) == "It is on the warm roof."


def test_a_cancel_before_anything_was_sent_sends_nothing(engine: Llm, script: Script) -> None:
    session = engine.open([ASKED])
    pieces = session.generate(Sampling())
    session.cancel()
    assert list(pieces) == []
    assert script.requests == []


def test_closing_the_iterator_hangs_up(engine: Llm, script: Script) -> None:
    script.hold_after = 1
    pieces = engine.open([ASKED]).generate(Sampling())
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert script.hung_up.wait(5)


@pytest.mark.parametrize(
    ("status", "says"),
    [(401, "check api_key"), (403, "check api_key"), (404, "no model 'tiny'"), (500, "broken")],
)
def test_a_refusal_names_its_remedy(engine: Llm, script: Script, status: int, says: str) -> None:
    script.status, script.body = status, json.dumps({"error": {"message": "broken"}}).encode()
    with pytest.raises(EngineError, match=says):
        ask(engine)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[1]", b'{"error": "no"}', b"\xff\xfe" * 9000])
def test_any_body_of_a_refusal_is_survived(engine: Llm, script: Script, body: bytes) -> None:
    script.status, script.body = 503, body
    with pytest.raises(EngineError, match="503"):
        ask(engine)


@pytest.mark.parametrize(
    "error",
    [
        {"code": "context_length_exceeded", "message": "…"},
        {"message": "This model's maximum context length is 8192 tokens."},
    ],
)
def test_a_full_context_is_told_apart(engine: Llm, script: Script, error: dict[str, str]) -> None:
    script.status, script.body = 400, json.dumps({"error": error}).encode()
    with pytest.raises(ContextFull):
        ask(engine)


def test_a_full_context_comes_with_its_counts(engine: Llm, script: Script) -> None:
    script.context_tokens = 5
    with pytest.raises(ContextFull) as caught:
        ask(engine)
    assert (caught.value.prompt_tokens, caught.value.context_tokens) == (8, 5)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b'data: {"choices": [{"delta": {"content": "It"}}]}\n\n', "broke off"),
        (b"data: oops\n\n", "no JSON"),
        (b'data: {"error": {"message": "out of memory"}}\n\n', "out of memory"),
        (b"data: [DONE]\n\n", "broke off"),
        (b"", "broke off"),
    ],
)
def test_a_stream_that_goes_wrong_is_an_error(
    engine: Llm, script: Script, raw: bytes, says: str
) -> None:
    script.raw = raw
    with pytest.raises(EngineError, match=says):
        ask(engine)


def test_comments_and_odd_events_are_passed_over(engine: Llm, script: Script) -> None:
    script.raw = (
        b': still here\n\nevent: ping\ndata:{"choices":null}\n\ndata: [1]\n\n'
        b'data: {"choices":[{"delta":null}]}\r\n\r\n'
        b'data: {"choices":[{"delta":{"content":"\xe4\xbd\xa0"},"finish_reason":"stop"}]}\n\n'
        b"data: [DONE]\n\n"
    )
    assert ask(engine) == "你"


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        engine = connect(f"http://127.0.0.1:{free.getsockname()[1]}/v1")
        with pytest.raises(EngineError, match="is the server running"):
            ask(engine)
        engine.close()


def test_a_silent_server_times_out(server: tuple[str, Script]) -> None:
    server[1].silent = True
    engine = connect(server[0], token_timeout_s=0.05)
    with pytest.raises(EngineError, match="no answer in time"):
        ask(engine)
    engine.close()


def test_it_works_no_more_once_closed(engine: Llm) -> None:
    engine.close()
    engine.close()
    with pytest.raises(EngineError, match="closed"):
        ask(engine)


@pytest.mark.parametrize(
    "settings",
    [{}, {"base_url": "http://here"}, {"model": "m"}, {"base_url": "ftp://x", "model": "m"}],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, str]) -> None:
    with pytest.raises(InputError):
        load(Options(settings=settings))


def test_it_says_that_it_cannot_prefill(engine: Llm, script: Script) -> None:
    assert not engine.capabilities.prefill
    assert not engine.open([ASKED]).prefill().complete
    assert script.requests == []
