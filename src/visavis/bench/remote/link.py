"""The socket: a session with a server, opened, greeted and bounded.

Gives and takes messages. Invariant: whatever goes wrong with the server is a `ServerFailed`, one
line that names the server and the remedy; nothing is waited for without end.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from visavis.bench.remote.wire import (
    LARGEST,
    Dialect,
    Malformed,
    Message,
    Wishes,
    complaint,
    dialect,
    parse,
    session_update,
)
from visavis.flow.errors import BackendMissing, InputError, VisavisError

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection
    from websockets.exceptions import ConnectionClosed

OPEN_S, CREATED_S, UPDATED_S, SEND_S, CLOSE_S = 10.0, 5.0, 5.0, 5.0, 1.0
TOO_BIG = 1009
UNREACHED = "start the server, or give another --url"
UNKNOWN = "give the address of a server of the OpenAI Realtime protocol"
SEE_LOG = "see the server's log"
REFUSALS = {
    401: ("does not know the token (401)", "give a valid token"),
    403: ("does not allow it with this token (403)", "give a valid token"),
    404: ("has nothing at this address (404)", UNKNOWN),
    429: ("has had too many requests (429)", "wait, or play fewer episodes"),
}


class ServerFailed(VisavisError):
    """The server cannot be talked to, or not any more."""

    def __init__(self, url: str, problem: str, remedy: str) -> None:
        super().__init__(f"{url}: {problem}; {remedy}")


def address(url: str, model: str) -> tuple[str, str]:
    """The URL with its model, and the same as it may be shown: without secrets.

    Raises `InputError` for one that is no WebSocket's, or that no connection can be made to.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:  # a bracket that is not closed, such as "ws://[::1"
        raise InputError(_shown(url), f"is no URL ({error})", "give ws://… or wss://…") from None
    shown = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    if parts.scheme not in ("ws", "wss") or not parts.hostname:
        raise InputError(shown or "''", "is no address of a WebSocket", "give ws://… or wss://…")
    _check_port(parts, shown)
    _check_host(parts.hostname, shown)
    query = [pair for pair in parse_qsl(parts.query) if pair[0] != "model" or not model]
    query += [("model", model)] if model else []
    return urlunsplit(parts._replace(query=urlencode(query), fragment="")), shown


def _shown(url: str) -> str:
    """As much as may be shown of what cannot be parsed."""
    scheme, mark, rest = url.partition("://")
    return scheme + mark + rest.partition("?")[0].partition("#")[0].rpartition("@")[2]


def _check_port(parts: SplitResult, shown: str) -> None:
    try:
        fits = parts.port != 0
    except ValueError:  # no number, or out of range
        fits = False
    if not fits:
        raise InputError(shown, "has no port that there is", "give one from 1 to 65535")


def _check_host(host: str, shown: str) -> None:
    try:
        # As the socket will; its own complaint of "a..b" is an error of encoding, not of network.
        fits = host.isprintable() and " " not in host and bool(host.encode("idna"))
    except UnicodeError:
        fits = False
    if not fits:
        raise InputError(shown, "has no host of a name that can be", "correct --url")


@asynccontextmanager
async def connected(url: str, shown: str, token: str) -> AsyncIterator[Link]:
    """A link to the server; what fails while it is up comes out as a `ServerFailed` too."""
    try:
        from websockets.asyncio.client import connect
        from websockets.exceptions import (
            ConnectionClosed,
            InvalidHandshake,
            InvalidStatus,
            WebSocketException,
        )
    except ImportError as error:
        raise BackendMissing("bench --url", "websockets", "bench") from error
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        async with connect(
            url,
            additional_headers=headers,
            compression=None,
            open_timeout=OPEN_S,
            close_timeout=CLOSE_S,
            max_size=LARGEST,
        ) as socket:
            yield Link(socket, shown)
    except ConnectionClosed as error:
        raise ServerFailed(shown, _closed(error), SEE_LOG) from error
    except InvalidStatus as error:
        code = error.response.status_code
        raise ServerFailed(shown, *REFUSALS.get(code, (f"answers HTTP {code}", UNKNOWN))) from error
    except InvalidHandshake as error:
        raise ServerFailed(shown, "does not speak WebSocket", UNKNOWN) from error
    except WebSocketException as error:
        # Of an address or a proxy; the text of the error shows all of it, the password too.
        problem = f"cannot be connected to ({getattr(error, 'msg', type(error).__name__)})"
        raise ServerFailed(shown, problem, UNKNOWN) from error
    except TimeoutError as error:
        raise ServerFailed(shown, f"does not answer within {OPEN_S:.0f} s", UNREACHED) from error
    except OSError as error:
        problem = f"cannot be reached ({error.strerror or error})"
        raise ServerFailed(shown, problem, UNREACHED) from error


class Link:
    """Messages to and from one server."""

    def __init__(self, socket: ClientConnection, shown: str) -> None:
        self._socket, self._shown = socket, shown

    async def greet(self, wishes: Wishes) -> None:
        """Agrees on the session, in the dialect that the server speaks."""
        spoken: Dialect = dialect(await self._created())
        other: Dialect = "beta" if spoken == "ga" else "ga"
        refusal = ""
        for each in (spoken, other):
            await self.send(session_update(wishes, each))
            answer = await self._awaited("session.updated", UPDATED_S)
            if answer is None or answer["type"] != "error":
                return  # some never confirm it
            refusal = refusal or complaint(answer)
        raise self.failed(f"refuses the session ({refusal})", "check the model, voice and token")

    async def _created(self) -> Message:
        """What each session begins with. Without it there is none: nothing would be answered."""
        created = await self._awaited("session.created", CREATED_S)
        if created is None:
            raise self.failed(f"begins no session within {CREATED_S:g} s", UNKNOWN)
        if created["type"] == "error":
            said = complaint(created)
            raise self.failed(f"begins no session ({said})", "check the model and token")
        return created

    async def send(self, message: Message) -> None:
        """Raises `ServerFailed` if the server does not take it within 5 s."""
        try:
            async with asyncio.timeout(SEND_S):
                await self._socket.send(json.dumps(message))
        except TimeoutError as error:
            self._socket.transport.abort()  # to close in good order, it would have to read
            raise self.failed("does not read what it is sent", SEE_LOG) from error

    async def receive(self) -> Message:
        """The next message. Raises `ServerFailed` for what is none."""
        raw = await self._socket.recv()
        try:
            return parse(raw)
        except Malformed as error:
            raise self.failed(f"sent {error}", UNKNOWN) from error

    def failed(self, problem: str, remedy: str) -> ServerFailed:
        return ServerFailed(self._shown, problem, remedy)

    async def _awaited(self, name: str, patience_s: float) -> Message | None:
        """The message of this name, or an `error`; None if neither comes in time."""
        try:
            async with asyncio.timeout(patience_s):
                while (message := await self.receive())["type"] not in (name, "error"):
                    pass
                return message
        except TimeoutError:
            return None


def _closed(error: ConnectionClosed) -> str:
    if error.sent and error.sent.code == TOO_BIG and not error.rcvd_then_sent:
        return f"sent a message of more than {LARGEST // 2**20} MB"
    if error.rcvd is None:
        return "broke the connection off"
    reason = " ".join(error.rcvd.reason.split())[:100]
    return f"closed the connection ({error.rcvd.code}{f', {reason}' if reason else ''})"
