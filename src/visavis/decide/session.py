"""The session: the one place that decides. Facts come in, commands go out.

It drives the four machines of decide/state.py and keeps the ledger of decide/history.py; times,
words and models it leaves to others. Invariants: commands come from the tables alone; every state
is left again, at the latest after `patience_ms` without progress.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from visavis.decide.history import Item, Ledger
from visavis.decide.interrupt import Verdict, Voice, only_listens, words_of
from visavis.decide.state import Machines, NoSuchRow
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S

log = logging.getLogger(__name__)
APOLOGIES = {"en": "Sorry, I lost my thread. Please say that again.", "zh": "抱歉，请再说一遍。"}
NS_PER_SAMPLE = NS_PER_S // e.INPUT_RATE_HZ


class Session:
    """decide as a node. `strict`: an event without a row raises instead of being logged."""

    name = "decide.session"

    def __init__(self, *, patience_ms: int = 30_000, strict: bool = False) -> None:
        self.ledger = Ledger()
        self.machines = Machines()
        self.epoch = 0
        self._patience_ns = patience_ms * NS_PER_MS
        self._strict = strict
        self._shown = self.machines.standing()
        self._language = ""
        self._apologised = False
        self._voice: Voice | None = None
        self._overlapped = False  # the user's turn began while a reply was under way
        self._turn_trace = 0  # of the user's last turn that is over
        self._next_turn: e.TurnEnded | None = None  # to be asked once playback has stopped
        self._progress_ns = 0
        self._begun = False
        self._turns: dict[str, Callable[[Any], Iterable[e.Event]]] = {
            "clock.ticked": self._on_tick,
            "speech.started": self._on_voice,
            "speech.paused": self._on_pause,
            "words.heard": self._on_words,
            "turn.ended": self._on_turn,
            "turn.dropped": self._on_turn_dropped,
            "reply.written": self._on_written,
            "sound.played": self._on_sound,
            "node.failed": self._on_failure,
        }

    def on(self, event: e.Event) -> Iterator[e.Event]:
        """Commands that follow from the event, then the new state if it changed."""
        try:
            yield from self._turns[event.topic](event)
        except NoSuchRow as error:
            if self._strict:
                raise
            log.warning("%s: %s; ignored", event.topic, error)
        yield from self._state_change(event)

    # ── the user ─────────────────────────────────────────────────────────────────────────────

    def _on_voice(self, event: e.SpeechStarted) -> Iterable[e.Event]:
        self.machines.user.step("speech.started")
        if self._voice is not None or not self.machines.reply.takes("voice"):
            return ()
        self._voice, self._overlapped = Voice(event.start), True
        return self._step("voice", event)

    def _on_pause(self, event: e.SpeechPaused) -> Iterable[e.Event]:
        self.machines.user.step("speech.paused")
        return ()

    def _on_words(self, event: e.WordsHeard) -> Iterable[e.Event]:
        if event.trace <= self._turn_trace:
            return ()  # late words of a turn that is over
        self._language = event.language or self._language
        if self._voice is not None:
            self._voice.words = event.text
            return self._judge(self._voice, event, event.end, final=event.final)
        if self.machines.reply.state in ("none", "cut", "withdrawn") and event.stable:
            return (self._prefill(event, event.text[: event.stable]),)
        return ()

    def _on_turn(self, event: e.TurnEnded) -> Iterable[e.Event]:
        self.machines.user.step("turn.ended")
        self._turn_trace = event.trace
        if self._voice is not None:
            self._voice.words = event.text
            yield from self._judge(self._voice, event, event.end, final=True)
        if self.machines.playback.state == "stopping":
            self._next_turn = event
        else:
            yield from self._ask(event)

    def _ask(self, event: e.TurnEnded) -> Iterable[e.Event]:
        overlapped, self._overlapped = self._overlapped, False
        if overlapped and only_listens(words_of(event.text)) and not self.ledger.we_asked:
            return self._step("turn.dropped", event)
        if not self.machines.reply.takes("turn.ended"):
            return ()
        self.ledger.ask(event.text, event.start * NS_PER_SAMPLE)
        self._apologised = False
        return self._step("turn.ended", event)

    def _on_turn_dropped(self, event: e.TurnDropped) -> Iterable[e.Event]:
        self.machines.user.step("turn.dropped")
        self._turn_trace, self._overlapped = event.trace, False
        if self._voice is not None:
            return self._settle_voice("false.alarm", event)
        return self._step("turn.dropped", event)

    # ── our reply ────────────────────────────────────────────────────────────────────────────

    def _on_written(self, event: e.ReplyWritten) -> Iterable[e.Event]:
        if event.epoch != self.epoch:
            return ()
        self.machines.engine.step("reply.written")
        self._progress_ns = event.t_ns
        if event.reason == "failed" and event.tokens == 0:
            return self._apologise(event)
        return ()

    def _on_sound(self, event: e.SoundPlayed) -> Iterator[e.Event]:
        if event.epoch != self.epoch:
            return
        self._progress_ns = event.t_ns
        if len(event.samples) and self.machines.reply.takes("sounded"):
            self.machines.playback.step("sounded")
            self.machines.reply.step("sounded")
        yield from self._keep(self.ledger.hear(event.heard, event.t_ns), event)
        if event.done:
            yield from self._sound_done(event)

    def _sound_done(self, event: e.SoundPlayed) -> Iterator[e.Event]:
        self.machines.playback.step("finished")
        # A reply may end by itself in the very period in which it is told to stop.
        if self.machines.reply.takes("finished"):
            self._voice = None  # who spoke into our last word has the floor now
            self.machines.reply.step("finished")
            yield from self._keep(self.ledger.settle_asked(), event)
        elif self.ledger.unheard and self.machines.reply.takes("unheard"):
            self.machines.reply.step("unheard")
        yield from self._keep(self.ledger.settle_heard(cut=event.stopped), event)
        yield self._prefill(event)
        if self._next_turn is not None:
            turn, self._next_turn = self._next_turn, None
            yield from self._ask(turn)

    def _on_failure(self, event: e.NodeFailed) -> Iterable[e.Event]:
        """A node broke in the middle of our reply: what waits for it would wait for ever."""
        ours = event.epoch == self.epoch and event.epoch > 0
        return self._give_up(event) if ours else ()

    def _on_tick(self, event: e.ClockTicked) -> Iterable[e.Event]:
        if not self._begun:
            self._begun = True
            return (self._prefill(event),)
        if self.machines.playback.state == "stopping":
            return self._sound_done(_unreported(event, self.epoch))
        if self._voice is not None and self.machines.user.state == "speaking":
            return self._judge(self._voice, event, event.t_ns // NS_PER_SAMPLE, final=False)
        if event.t_ns - self._progress_ns > self._patience_ns:
            return self._give_up(event)
        return ()

    # ── what both have in common ─────────────────────────────────────────────────────────────

    def _judge(self, voice: Voice, event: e.Event, end: int, *, final: bool) -> Iterable[e.Event]:
        verdict = voice.verdict(end, final=final)
        if verdict is Verdict.UNSURE:
            return ()
        barged = verdict is Verdict.INTERRUPTION
        return self._settle_voice("barged" if barged else "false.alarm", event)

    def _settle_voice(self, symbol: str, event: e.Event) -> Iterable[e.Event]:
        self._voice = None
        return self._step(symbol, event)

    def _step(self, symbol: str, event: e.Event, **fields: Any) -> Iterator[e.Event]:
        """The reply's machine moves on, if it has a row; its commands, ready to go."""
        if not self.machines.reply.takes(symbol):
            return
        for kind in self.machines.reply.step(symbol):
            self.machines.command(kind.topic)
            if kind is e.ReplyStart:
                self.epoch += 1
                self._progress_ns = event.t_ns
                fields |= {"messages": self.ledger.messages(), "language": self._language}
            elif kind is e.ReplyCancel:
                fields = {"reason": symbol}
            yield kind(t_ns=event.t_ns, trace=event.trace, epoch=self.epoch, **fields)

    def _apologise(self, event: e.Event) -> Iterable[e.Event]:
        if self._voice is not None:
            # The user is speaking: no apology, but the question is asked again with what comes.
            return self._settle_voice("barged", event)
        if self._apologised:
            return self._give_up(event)
        self._apologised = True
        say = APOLOGIES.get(self._language, APOLOGIES["en"])
        return self._step("failed", event, say=say)

    def _give_up(self, event: e.Event) -> Iterator[e.Event]:
        if self.machines.reply.takes("gave.up"):
            self._voice = None
            yield from self._step("gave.up", event)
            yield from self._keep(self.ledger.settle_asked(), event)

    def _prefill(self, event: e.Event, words: str = "") -> e.Event:
        messages = self.ledger.messages(words)
        return e.PromptPrefill(t_ns=event.t_ns, trace=event.trace, messages=messages)

    def _keep(self, items: list[Item], event: e.Event) -> Iterator[e.Event]:
        for item in items:
            yield e.ItemKept(
                t_ns=event.t_ns,
                trace=event.trace,
                epoch=self.epoch,
                role=item.role,
                text=item.text,
                start_ns=item.start_ns,
                cut=item.cut,
            )

    def _state_change(self, event: e.Event) -> Iterator[e.Event]:
        standing, previous = self.machines.standing(), self._shown
        if standing == previous:
            return
        self._shown = standing
        yield e.StateChanged(
            t_ns=event.t_ns,
            trace=event.trace,
            epoch=self.epoch,
            state=standing.state,
            previous=previous.state,
            user=standing.user,
            reply=standing.reply,
            engine=standing.engine,
            playback=standing.playback,
        )


def _unreported(event: e.Event, epoch: int) -> e.SoundPlayed:
    """What stands for the player's report of a stop when the player has failed to give it."""
    samples = np.zeros(0, np.float32)
    return e.SoundPlayed(
        t_ns=event.t_ns, epoch=epoch, start=0, samples=samples, done=True, stopped=True
    )
