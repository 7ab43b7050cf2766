"""Plays scripts to any server that speaks the OpenAI Realtime protocol, over a WebSocket.

Takes scripts; gives episodes measured from outside: what the user's sound was, what a listener
would have heard, and when. What only the server knows has no samples: its ducking below a stop,
its drafts, its history.
"""

from __future__ import annotations

import asyncio

from visavis.bench.remote.link import ServerFailed, address, connected
from visavis.bench.remote.session import Session
from visavis.bench.remote.wire import Wishes
from visavis.bench.result import Episode
from visavis.bench.scenario import Scenario
from visavis.bench.script import Script
from visavis.bench.voice import Voice


class RealtimeRunner:
    """A user of the server at `url` (ws or wss), for each script in a session of its own.

    `user` is the user's voice. `token` goes along as a bearer token, `model` in the query, `voice`
    as a wish. Raises `InputError` for an unfit URL. A script's `max_tokens` is not asked for:
    servers count tokens of sound, not of text.
    """

    def __init__(
        self, url: str, user: Voice, *, token: str = "", model: str = "", voice: str = ""
    ) -> None:
        self._url, self._shown = address(url, model)
        self._user, self._token, self._voice = user, token, voice
        self._reached = False

    def play(self, script: Script) -> Episode:
        """Plays it in real time. What goes wrong with the server is the episode's `error`.

        Raises `ServerFailed` while no session was ever agreed on: the next script would not
        get one either.
        """
        session = Session(self._user, script)
        episode = Episode(script.scenario, script.name, script.seed)
        try:
            asyncio.run(self._converse(session, Wishes(script.manner.system, self._voice)))
        except ServerFailed as error:
            if not self._reached:
                raise
            episode.error = str(error)
        session.tell(episode)
        return episode

    def why_not(self, scenario: Scenario) -> str:
        """The room of a scenario needs a canceller, and a server leaves that to its client."""
        return "a server leaves the canceller to its client" if scenario.room else ""

    def close(self) -> None:
        """Nothing stays open between two scripts."""

    async def _converse(self, session: Session, wishes: Wishes) -> None:
        async with connected(self._url, self._shown, self._token) as link:
            await link.greet(wishes)
            self._reached = True
            await session.run(link)
