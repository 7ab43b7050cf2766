"""Any engine behind an OpenAI-compatible URL: vLLM, llama-server, Ollama, a hosted model.

Takes `base_url`, `api_key`, `model` and time-outs from the settings; streams chat completions
(server-sent events). Pictures travel with each request, if the settings say that the model sees.
Such an engine cannot be told to prefill; most reuse a prompt's beginning by themselves. Requests
run on an event loop of this file's own, because a request can be abandoned there at any point:
while connecting, waiting for the first token, or between two.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from visavis.backends.contract import Llm, LlmCapabilities, Media, Options, Sampling, Usage
from visavis.backends.llm.pictures import Turn, sight, turn
from visavis.backends.settings import MOST_CONTEXT_TOKENS, Settings
from visavis.flow.errors import ContextFull, EngineError, InputError
from visavis.flow.events import Message

T = TypeVar("T")
CONTEXT_TOKENS = 8192
TIMEOUTS_S = (0.001, 86_400.0)
MAX_ERROR_BYTES = 4096
MAX_EVENT_CHARS = 1 << 20
FINISH = {"stop": "end", "length": "length"}
FULL = ("context_length_exceeded", "exceed_context_size_error", "context length", "context size")


def load(options: Options) -> Llm:
    """The engine at `base_url`; nothing is sent yet. Raises `InputError` for unusable settings."""
    return OpenAiLlm(Settings("llm/openai", options.settings))


class OpenAiLlm:
    """The engine: one connection pool on one event loop, on a thread of its own.

    Settings: `base_url`, `model`, `api_key`, `connect_timeout_s` 5, `token_timeout_s` 60 (the
    longest silence), `context_tokens`, `extra` (fields to add to every request), `picture_tokens`
    (above 0: the model sees, and this is about what a picture takes), `most_pictures`,
    `picture_side`.
    """

    def __init__(self, settings: Settings) -> None:
        self.base_url = settings.text("base_url").rstrip("/")
        self.model = settings.text("model")
        for key, value in (("base_url", self.base_url), ("model", self.model)):
            if not value:
                raise InputError(f"llm/openai: {key}", "is not set", f"set {key} in its settings")
        host = urlsplit(self.base_url).hostname
        if urlsplit(self.base_url).scheme not in ("http", "https") or not host:
            raise InputError(self.base_url, "is not an http(s) URL", "correct base_url")
        context_tokens = settings.whole("context_tokens", CONTEXT_TOKENS, 1, MOST_CONTEXT_TOKENS)
        self.capabilities = sight(
            LlmCapabilities(context_tokens=context_tokens, prefill=False), settings
        )
        self.extra = settings.table("extra")
        self.totals = {"prompt_tokens": 0.0, "cached_tokens": 0.0, "made_tokens": 0.0}
        timeout = httpx.Timeout(
            settings.number("token_timeout_s", 60, *TIMEOUTS_S),
            connect=settings.number("connect_timeout_s", 5, *TIMEOUTS_S),
        )
        key = settings.text("api_key")
        self.client = httpx.AsyncClient(
            timeout=timeout,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            trust_env=not _is_loopback(host),  # a proxy is not asked for this machine
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="llm-openai", daemon=True
        )
        self._thread.start()

    def open(self, messages: Sequence[Message] = ()) -> OpenAiSession:
        return OpenAiSession(self, messages)

    def stats(self) -> Mapping[str, float]:
        return dict(self.totals)

    def close(self) -> None:
        if not self._loop.is_closed():
            with suppress(TimeoutError):
                self.submit(self.client.aclose()).result(2)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(2)
            if not self._thread.is_alive():
                self._loop.close()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Runs a coroutine on the engine's loop; cancelling the future cancels it there."""
        if self._loop.is_closed():
            work.close()
            raise EngineError("the engine is closed")
        return asyncio.run_coroutine_threadsafe(work, self._loop)


class OpenAiSession:
    """A session: its messages, sent whole with each request."""

    def __init__(self, engine: OpenAiLlm, messages: Sequence[Message]) -> None:
        self._engine = engine
        self._turns = [Turn(message) for message in messages]
        self._usage = Usage(complete=False)
        self._lock = threading.Lock()
        self._running = self._cancelled = False
        self._pending: Future[str | None] | None = None

    def append(self, message: Message, media: Sequence[Media] = ()) -> None:
        self._turns.append(turn(message, media, self._engine.capabilities))

    def rewind(self, count: int) -> None:
        assert 0 <= count <= len(self._turns)
        del self._turns[count:]

    def prefill(self) -> Usage:
        """Does nothing: the protocol has no such request."""
        return Usage(complete=False)

    def generate(self, sampling: Sampling) -> Iterator[str]:
        assert self._turns, "nothing to answer"
        with self._lock:
            self._running, self._cancelled = True, False
        self._usage = Usage(complete=False, finish="cancelled")
        return self._generate(self._request(sampling))

    def usage(self) -> Usage:
        return self._usage

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = self._running
            if self._pending is not None:
                self._pending.cancel()

    def close(self) -> None:
        self.cancel()

    def _request(self, sampling: Sampling) -> dict[str, Any]:
        request = {
            "model": self._engine.model,
            "messages": [each.as_chat() for each in self._turns],
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
        }
        if sampling.seed is not None:
            request["seed"] = sampling.seed
        if sampling.stop:
            request["stop"] = list(sampling.stop)
        return {**request, **self._engine.extra}

    def _generate(self, request: dict[str, Any]) -> Iterator[str]:
        pieces = self._pieces(request)
        try:
            while (piece := self._wait(_next(pieces))) is not None:
                yield piece
        finally:
            # Closes the connection unless the answer is complete.
            with suppress(EngineError, TimeoutError, RuntimeError):
                self._engine.submit(pieces.aclose()).result(2)
            with self._lock:
                self._running, self._pending = False, None
            for name in self._engine.totals:
                self._engine.totals[name] += getattr(self._usage, name)

    def _wait(self, work: Coroutine[Any, Any, str | None]) -> str | None:
        """The next piece; None at the end and when cancelled."""
        with self._lock:
            if self._cancelled:
                work.close()
                return None
            self._pending = self._engine.submit(work)
        try:
            return self._pending.result()
        except CancelledError:
            return None

    async def _pieces(self, request: dict[str, Any]) -> AsyncGenerator[str, None]:
        engine = self._engine
        url = f"{engine.base_url}/chat/completions"
        try:
            async with engine.client.stream("POST", url, json=request) as response:
                if response.status_code != 200:
                    raise await _refusal(response, engine)
                async with aclosing(_events(response)) as events:
                    async for event in events:
                        if text := self._take(event):
                            yield text
        except httpx.TimeoutException as error:
            raise EngineError(f"{engine.base_url}: no answer in time ({_kind(error)})") from None
        except httpx.ConnectError as error:
            remedy = "is the server running?"
            raise EngineError(f"{engine.base_url}: cannot connect ({error}); {remedy}") from None
        except httpx.HTTPError as error:
            raise EngineError(f"{engine.base_url}: {_kind(error)} {error}") from None
        if self._usage.finish == "cancelled":
            raise EngineError(f"{engine.base_url}: the answer broke off")

    def _take(self, event: Mapping[str, Any]) -> str:
        """Notes what an event says of the answer; gives its text."""
        if "error" in event:
            raise _error(event["error"], self._engine)
        text = ""
        for choice in event.get("choices") or ():
            text += (choice.get("delta") or {}).get("content") or ""
            if finish := choice.get("finish_reason"):
                self._usage = replace(self._usage, complete=True, finish=FINISH.get(finish, "end"))
        if text:
            self._usage = replace(self._usage, made_tokens=self._usage.made_tokens + 1)
        if usage := event.get("usage"):
            self._usage = replace(
                self._usage,
                prompt_tokens=usage.get("prompt_tokens") or 0,
                cached_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0,
                made_tokens=usage.get("completion_tokens") or self._usage.made_tokens,
            )
        return text


async def _next(pieces: AsyncIterator[str]) -> str | None:
    return await anext(pieces, None)


async def _events(response: httpx.Response) -> AsyncGenerator[dict[str, Any], None]:
    """The JSON of each server-sent event, up to `[DONE]`."""
    async for line in response.aiter_lines():
        if len(line) > MAX_EVENT_CHARS:
            raise EngineError("the server sent an event without end")
        if not line.startswith("data:"):
            continue  # blank lines, comments that keep the connection alive
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            return
        try:
            event = json.loads(data)
        except ValueError:
            raise EngineError(f"the server sent no JSON: {data[:80]!r}") from None
        if isinstance(event, dict):
            yield event


async def _refusal(response: httpx.Response, engine: OpenAiLlm) -> EngineError:
    """The error for an answer that is none."""
    body = b""
    async for part in response.aiter_bytes():
        body += part
        if len(body) > MAX_ERROR_BYTES:
            break
    try:
        said = json.loads(body)
        error = said.get("error", said) if isinstance(said, dict) else said
    except ValueError:
        error = body[:200].decode("utf-8", "replace").strip()
    status = response.status_code
    if status in (401, 403):
        return EngineError(f"{engine.base_url}: refused the key ({status}); check api_key")
    if status == 404:
        what = f"no model {engine.model!r}, or no chat completions at this URL"
        return EngineError(f"{engine.base_url}: {what} (404); check model and base_url")
    failed = _error(error, engine)
    return failed if isinstance(failed, ContextFull) else EngineError(f"{failed} ({status})")


def _error(error: Any, engine: OpenAiLlm) -> EngineError:
    """The error that a server describes, in any of the shapes that servers use."""
    fields = error if isinstance(error, dict) else {"message": str(error)}
    said = " ".join(str(fields.get(key) or "") for key in ("code", "type", "message"))
    if any(word in said.lower() for word in FULL):
        context = int(fields.get("n_ctx") or engine.capabilities.context_tokens)
        return ContextFull(int(fields.get("n_prompt_tokens") or context + 1), context)
    return EngineError(f"{engine.base_url}: {fields.get('message') or said}")


def _kind(error: Exception) -> str:
    return type(error).__name__


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
