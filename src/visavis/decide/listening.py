"""The session's listening side: what the user does, and what follows from it.

Takes the facts of `perceive`; gives commands. Invariants: a turn is seen to once, at the latest
when what was stopped for it has fallen silent; words of a turn that is over ask nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from visavis.decide.floor import NS_PER_SAMPLE, Floor
from visavis.flow import events as e


class Listening:
    """Drives the floor with facts about the user."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor
        self._machines = floor.machines
        self._turn_trace = 0  # of the user's last turn that is over
        self._words = ""  # of the turn that is not over
        self._expected: e.TurnExpected | None = None  # in this pause

    # ── the voice ────────────────────────────────────────────────────────────────────────────

    def on_voice(self, event: e.SpeechStarted) -> Iterator[e.Event]:
        floor = self._floor
        self._machines.user.step("speech.started")
        self._expected = None
        floor.sight.open_turn()
        yield from floor.drop_draft(event)
        yield from floor.sight.look(event, "speech")
        if not event.doubted:
            yield from floor.orders.step(self._machines.murmur, "voice", event)
        if floor.overlap.voice is None and self._machines.reply.takes("voice"):
            # What may be our own echo must show more before we so much as lower our voice.
            doubted = event.doubted and self._machines.reply.state == "sounding"
            floor.overlap.begin(event.start, self._words, doubted=doubted)
            if not doubted:
                yield from floor.step("voice", event)
        elif self._machines.reply.state == "notice":
            floor.hushes.begin_over_warning()

    def on_pause(self, event: e.SpeechPaused) -> Iterable[e.Event]:
        self._machines.user.step("speech.paused")
        self._floor.overlap.await_words()
        # If the user is done, this was the moment: what is asked is about what was seen then.
        return self._floor.sight.look(event, "question", moment_ns=event.end * NS_PER_SAMPLE)

    def on_measured(self, event: e.VoiceMeasured) -> Iterator[e.Event]:
        if self._floor.overlap.measure(event):
            yield from self._floor.step("voice", event)
        yield from self._judge(event, event.end)

    def on_tick(self, event: e.ClockTicked) -> Iterable[e.Event]:
        """A voice over ours that goes on means more and more, and one that does not, less."""
        now = event.t_ns // NS_PER_SAMPLE
        if self._machines.user.state == "speaking":
            return self._judge(event, now)
        symbol = self._floor.overlap.wait(now)
        return self._floor.step(symbol, event) if symbol else ()

    def _judge(
        self, event: e.Event, end: int, *, words: str = "", final: bool = False
    ) -> Iterable[e.Event]:
        """What the voice over ours means now, if there is one."""
        floor = self._floor
        if (start := floor.overlap.start) is None:
            return ()
        floor.overlap.hear(words, floor.said.around(start, end), end)
        symbol = floor.overlap.judge(end, final=final)
        return floor.step(symbol, event) if symbol else ()

    # ── the words ────────────────────────────────────────────────────────────────────────────

    def on_words(self, event: e.WordsHeard) -> Iterator[e.Event]:
        if event.trace <= self._turn_trace:
            yield from self._amend(event)
            return
        self._floor.language = event.language or self._floor.language
        self._words = event.text or self._words
        yield from self._point(event)
        if self._machines.reply.takes("barged"):
            yield from self._judge(event, event.end, words=event.text, final=event.final)
        else:
            yield from self._get_ahead(event)

    def _point(self, event: e.WordsHeard) -> Iterator[e.Event]:
        """A word that points means what was to be seen while it was said."""
        moment_ns, sight = event.pointed * NS_PER_SAMPLE, self._floor.sight
        done = self._machines.user.state == "paused" and event.final
        if done and moment_ns >= 0 and not sight.is_moment(moment_ns):
            yield from sight.look(event, "pointed", moment_ns=moment_ns)

    def _get_ahead(self, event: e.WordsHeard) -> Iterator[e.Event]:
        """Has the words evaluated that will stay; a draft of other words stands in their way."""
        floor = self._floor
        if event.text and not floor.drafts.answers(floor.messages(event.text, event.trace)):
            yield from floor.drop_draft(event)
        # In a pause the engine is wanted for the draft, which begins in a moment.
        speaking = self._machines.user.state == "speaking" and not floor.draft_is_held
        if event.stable and speaking and self._machines.reply.takes("adopted"):
            yield floor.prefill(event, event.text[: event.stable])

    def _amend(self, event: e.WordsHeard) -> Iterator[e.Event]:
        if not event.final:
            return
        told = not self._floor.hushes.is_nothing_else(event.text)
        for item in self._floor.ledger.amend(event.trace, event.text, told=told):
            yield e.ItemAmended(
                t_ns=event.t_ns,
                trace=event.trace,
                role=item.role,
                text=item.text,
                start_ns=item.start_ns,
            )

    # ── a turn that seems to be over, or not ─────────────────────────────────────────────────

    def on_expected(self, event: e.TurnExpected) -> Iterator[e.Event]:
        """Begins the answer, which is held until the turn is over."""
        floor = self._floor
        self._expected = event
        if floor.sight.waits(event.t_ns):
            return  # what is seen with it comes at once
        messages = floor.messages(event.text, event.trace)
        if not self._may_draft(event) or floor.drafts.answers(messages):
            return
        yield from floor.drop_draft(event)
        floor.drafts.hold(messages)
        start = floor.start(messages=messages, held=True)
        yield from floor.orders.step(self._machines.draft, "turn.expected", event, **start)

    def _may_draft(self, event: e.TurnExpected) -> bool:
        floor = self._floor
        listened = floor.overlap.began_turn and floor.only_listened(event.text)
        for_us = not listened and not floor.asks_for_silence(event)
        current = event.trace > self._turn_trace and self._machines.user.state != "quiet"
        silent = self._machines.playback.state == "silent" and not floor.initiative.warns
        waits = self._machines.reply.takes("adopted")
        return for_us and current and silent and waits and floor.drafts.allowed(event.t_ns)

    def on_lingered(self, event: e.TurnLingered) -> Iterable[e.Event]:
        """Murmurs that we listen, if that is wanted and nothing else is going on."""
        floor, machines = self._floor, self._machines
        waits = machines.reply.takes("adopted") and not floor.draft_is_held
        if not waits or machines.playback.state != "silent" or machines.user.state != "paused":
            return ()
        say = floor.initiative.murmur(event.t_ns, event.language or floor.language)
        start = floor.start(messages=(), say=say)
        return floor.orders.step(machines.murmur, "turn.lingered", event, **start) if say else ()

    # ── a turn that is over ──────────────────────────────────────────────────────────────────

    def on_turn(self, event: e.TurnEnded) -> Iterator[e.Event]:
        self._machines.user.step("turn.ended")
        self._turn_trace, self._words, self._expected = event.trace, "", None
        yield from self._judge(event, event.end, words=event.text, final=True)
        overlap = self._floor.overlap
        hummed = overlap.was_a_hum(event.text) and not self._floor.ledger.we_asked
        listened = overlap.began_turn and (hummed or self._floor.only_listened(event.text))
        if listened or overlap.is_nothing_to_us:
            yield from self._leave(event)
            return
        hushed = self._floor.asks_for_silence(event)
        # Whatever a voice over ours was taken for before: a turn with words for us stops us.
        yield from self._floor.step("barged", event)
        overlap.end()
        self._floor.hushes.end_turn()
        if hushed:
            self._floor.hushes.grant(event)
        else:
            self._floor.hushes.close()
        if hushed and not self._floor.busy_with_sound:
            yield from self._floor.hush(event)
        elif self._floor.busy_with_sound or self._floor.sight.waits(event.t_ns):
            self._floor.put_off(event, hushed=hushed)
        else:
            yield from self._floor.ask(event)

    # ── what is seen meanwhile ───────────────────────────────────────────────────────────────

    def on_sight(self, event: e.Event, *, changed: bool) -> Iterator[e.Event]:
        """What goes with the words is another picture now, or is known for certain."""
        floor, waits = self._floor, self._machines.reply.takes("adopted")
        if self._machines.user.state == "paused" and self._expected is not None:
            yield from self.on_expected(replace(self._expected, t_ns=event.t_ns))
        elif changed and self._machines.user.state == "speaking" and waits:
            yield floor.prefill(event, self._words)

    def on_turn_dropped(self, event: e.TurnDropped) -> Iterable[e.Event]:
        self._machines.user.step("turn.dropped")
        self._turn_trace, self._words, self._expected = event.trace, "", None
        return self._leave(event)

    def _leave(self, event: e.TurnEnded | e.TurnDropped) -> Iterator[e.Event]:
        """The user's turn was nothing to us."""
        floor = self._floor
        understood = floor.overlap.voice is None
        floor.overlap.end()
        floor.hushes.end_turn()
        yield from floor.drop_draft(event)
        if not understood:
            yield from floor.step("false.alarm", event)
        elif floor.busy_with_sound:
            floor.over.append(_as_dropped(event))
        else:
            yield from floor.forget(event)


def _as_dropped(event: e.TurnEnded | e.TurnDropped) -> e.TurnDropped:
    if isinstance(event, e.TurnDropped):
        return event
    return e.TurnDropped(
        t_ns=event.t_ns,
        trace=event.trace,
        start=event.start,
        end=event.end,
        reason="nothing to us",
    )
