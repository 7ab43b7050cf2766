"""A tiny server on loopback that speaks the chat-completions protocol, for tests."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HEADS = (b"\xff\xd8\xff", b"\x89PNG")
WORDS = ["It", " is", " on", " the", " warm", " roof", "."]


class Script:
    """What the server does with the next requests, and what it was asked."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.status = 200
        self.body: bytes = b""
        self.words: list[str] = WORDS
        self.hold_after: int | None = None  # sends so many words, then waits to be hung up on
        self.silent = False  # not even headers
        self.raw: bytes | None = None
        self.context_tokens = 4096
        self.picture_tokens = 18
        self.hung_up = threading.Event()
        self.answering = threading.Event()


def text_of(message: dict[str, Any]) -> str:
    """The words of a message, whichever form its content has."""
    content = message["content"]
    if isinstance(content, str):
        return content
    return " ".join(part["text"] for part in content if part["type"] == "text")


def urls(message: dict[str, Any]) -> list[str]:
    """The addresses of the pictures in a message."""
    parts = message["content"] if isinstance(message["content"], list) else []
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


class Handler(BaseHTTPRequestHandler):
    """Answers by the script."""

    script: Script

    def do_POST(self) -> None:
        script = self.script
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        script.requests.append(asked)
        script.keys.append(self.headers["Authorization"])
        pictures = [url for m in asked["messages"] for url in urls(m)]
        tokens = sum(len(text_of(m).split()) + 4 for m in asked["messages"])
        tokens += script.picture_tokens * len(pictures)
        script.answering.set()
        if script.silent:
            return self._wait()
        if tokens > script.context_tokens:
            kind = {"type": "exceed_context_size_error", "n_prompt_tokens": tokens}
            error = {"error": {"message": "too long", "n_ctx": script.context_tokens, **kind}}
            return self._reply(400, json.dumps(error).encode())
        if not all(base64.b64decode(url.partition(",")[2]).startswith(HEADS) for url in pictures):
            error = {"error": {"message": "Failed to load image", "type": "invalid_request_error"}}
            return self._reply(400, json.dumps(error).encode())
        if script.status != 200:
            return self._reply(script.status, script.body)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        if script.raw is not None:
            self.wfile.write(script.raw)
            return None
        return self._stream(asked, tokens)

    def _stream(self, asked: dict[str, Any], tokens: int) -> None:
        script = self.script
        limit = asked["max_tokens"]
        self._event({"choices": [{"delta": {"role": "assistant"}, "finish_reason": None}]})
        for index, word in enumerate(script.words[:limit]):
            if index == script.hold_after:
                return self._wait()
            self._event({"choices": [{"delta": {"content": word}, "finish_reason": None}]})
        finish = "length" if len(script.words) > limit else "stop"
        self._event({"choices": [{"delta": {}, "finish_reason": finish}]})
        usage = {"prompt_tokens": tokens, "completion_tokens": min(limit, len(script.words))}
        self._event({"choices": [], "usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")
        return None

    def _event(self, event: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        self.wfile.flush()

    def _reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _wait(self) -> None:
        if not self.connection.recv(1):  # the client closed
            self.script.hung_up.set()
        self.close_connection = True

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[tuple[str, Script]]:
    """The base URL of a running server, and its script."""
    script = Script()
    handler = type("Scripted", (Handler,), {"script": script})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
