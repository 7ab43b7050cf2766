"""A script played to a server in real time: the user's sound goes out, the server's is heard.

Takes a script and the user's voice; gives what happened. Invariant: a chunk of sound is sent when
its last sample would have been spoken, never sooner; a late one is made up for at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import numpy as np

from visavis.bench.director import Director
from visavis.bench.remote.caller import Caller
from visavis.bench.remote.link import SEE_LOG, Link
from visavis.bench.remote.wire import RATE_HZ as WIRE_RATE_HZ
from visavis.bench.remote.wire import Malformed, append
from visavis.bench.result import Episode
from visavis.bench.runner import repeated, surrounded
from visavis.bench.script import Script
from visavis.bench.voice import RATE_HZ, Voice, speak_all
from visavis.bench.witness import FRAME_S
from visavis.flow.clock import NS_PER_S, SystemClock
from visavis.flow.events import AudioCaptured, Samples
from visavis.source.script import ScriptedSpeaker

assert RATE_HZ == WIRE_RATE_HZ  # the user's voice is sent as it is, without a resampler


class Session:
    """One script, played once."""

    def __init__(self, user: Voice, script: Script) -> None:
        """Speaks all lines beforehand: that takes longer than a server would wait."""
        self._speaker = ScriptedSpeaker(RATE_HZ)
        self._around = user.surround(script.surroundings, script.timbre, script.seed)
        self._director = Director(script, speak_all(user, script), self._say)
        self._caller = Caller(self._director)
        self._peaks: list[tuple[float, float]] = []  # of the user's sound, with its time

    async def run(self, link: Link) -> None:
        """Plays it to its end. Raises `ServerFailed`."""
        clock = SystemClock()
        hearing = asyncio.create_task(self._hear(link, clock))
        try:
            await self._speak(link, clock, hearing)
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)

    def tell(self, episode: Episode) -> None:
        """Fills in what happened, also when it broke off."""
        self._caller.tell(episode, self._peaks)
        begun = [start_ns / NS_PER_S for start_ns, _ in self._speaker.spoken]
        around = repeated(self._around, episode.length_s) if self._around else ()
        episode.truth = sorted(
            [*self._director.truth(begun), *around], key=lambda stretch: stretch.start_s
        )
        complaint = self._caller.complaint
        if complaint and (self._director.error or not episode.sounding):
            complaint = f"the server says: {complaint}"
            episode.error = episode.error or complaint
        episode.error = episode.error or self._director.error

    async def _speak(self, link: Link, clock: SystemClock, hearing: asyncio.Task[None]) -> None:
        for end_s, samples in self._chunks():
            # Waits at least once, also when late: or else nothing would be heard meanwhile.
            await asyncio.sleep(max(0.0, end_s - clock.now_ns() / NS_PER_S))
            if hearing.done():
                hearing.result()  # raises what ended it
            self._caller.passed(clock.now_ns() / NS_PER_S)
            if self._director.over:
                return
            self._peaks.append((end_s - FRAME_S, float(np.max(np.abs(samples), initial=0.0))))
            await link.send(append(samples))

    def _chunks(self) -> Iterator[tuple[float, Samples]]:
        for event in surrounded(self._speaker.events(), self._around):
            if isinstance(event, AudioCaptured):
                yield event.t_ns / NS_PER_S, np.frombuffer(event.data, "<f4")

    async def _hear(self, link: Link, clock: SystemClock) -> None:
        while True:
            message = await link.receive()
            try:
                answers = self._caller.received(message, clock.now_ns() / NS_PER_S)
            except Malformed as error:
                raise link.failed(f"sent {error}", SEE_LOG) from error
            for answer in answers:
                await link.send(answer)

    def _say(self, samples: Samples, at_s: float) -> None:
        self._speaker.say(samples, round(at_s * NS_PER_S))
