"""The session's answering side: what becomes of our reply, and what follows from it.

Takes the facts of `think` and `speak`, notices and the time; gives commands. Invariants: what was
heard enters the history exactly; after a stop, the next reply begins only once it is known how far
the last one was heard; no reply is waited for longer than `patience_ms` without progress.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from visavis.decide.errand import Errands
from visavis.decide.floor import Floor
from visavis.decide.initiative import in_language
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS

APOLOGIES = {"en": "Sorry, I lost my thread. Please say that again.", "zh": "抱歉，请再说一遍。"}


class Answering:
    """Drives the floor with facts about our reply."""

    def __init__(self, floor: Floor, patience_ms: int) -> None:
        self._floor = floor
        self._machines = floor.machines
        self._patience_ns = patience_ms * NS_PER_MS
        self._errands = Errands()

    # ── its sound ────────────────────────────────────────────────────────────────────────────

    def on_sound(self, event: e.SoundPlayed) -> Iterator[e.Event]:
        floor, machines = self._floor, self._machines
        floor.said.add(event.t_ns, event.heard)
        if event.epoch != floor.epoch:
            return
        floor.progress_ns = event.t_ns
        if machines.murmur.state != "none":
            if event.done and machines.murmur.state == "stopping":
                yield from self._done(event, cut=True)
            elif event.done:
                machines.murmur.step("finished")
            return
        if len(event.samples) and machines.reply.takes("sounded"):
            if machines.playback.takes("sounded"):
                machines.playback.step("sounded")
            machines.reply.step("sounded")
        yield from floor.keep(floor.ledger.hear(event.heard, event.t_ns), event)
        if event.done:
            yield from self._done(event, cut=event.stopped)

    def _done(self, event: e.Event, *, cut: bool) -> Iterator[e.Event]:
        floor, machines = self._floor, self._machines
        if machines.murmur.takes("finished"):
            machines.murmur.step("finished")
        machines.playback.step("finished")
        floor.hushes.fall_silent(event.t_ns)
        # A reply may end by itself in the very period in which it is told to stop.
        if machines.reply.takes("finished"):
            floor.overlap.leave()  # who spoke into our last word has the floor now
            answered = machines.reply.state != "notice"
            machines.reply.step("finished")
            if answered:
                yield from floor.keep(floor.ledger.settle_asked(), event)
        elif floor.ledger.unheard and machines.reply.takes("unheard"):
            machines.reply.step("unheard")
        yield from floor.keep(floor.ledger.settle_heard(cut=cut), event)
        yield floor.prefill(event)
        yield from self._go_on(event)

    def _go_on(self, event: e.Event) -> Iterator[e.Event]:
        """It is silent again: what has waited for that, the most urgent first."""
        floor, machines = self._floor, self._machines
        quiet = machines.user.state == "quiet"
        if (notice := floor.initiative.warning()) is not None:
            yield from self._say(notice, "notice", event)
        elif floor.over:
            yield from self._see_to(event) if not floor.sight.waits(event.t_ns) else ()
        elif machines.reply.state == "none" and floor.ledger.unheard:
            # A warning came between the question and its answer.
            yield from floor.step("turn.ended" if quiet else "owed", event)
        elif quiet and self._take_told():
            yield from floor.step("told", event)

    def _see_to(self, event: e.Event) -> Iterator[e.Event]:
        """Turns that were over while it was not silent: all that was said is asked at once."""
        floor, turns, hushed = self._floor, self._floor.over, self._floor.hushed
        floor.over, floor.hushed = [], set()
        asked = [turn for turn in turns if isinstance(turn, e.TurnEnded)]
        silence = bool(asked) and asked[-1].trace in hushed
        for turn in asked[:-1]:
            if silence and turn.trace in hushed:
                yield from floor.hush(turn)
            else:
                floor.note(turn)
        if silence:
            yield from floor.hush(asked[-1])
        elif asked and floor.machines.user.state != "quiet" and floor.machines.reply.takes("owed"):
            # Who waited for a picture has begun to speak again: it is one question.
            floor.note(asked[-1])
            yield from floor.step("owed", event)
        else:
            yield from floor.ask(asked[-1]) if asked else floor.forget(event)

    def on_sight(self, event: e.Event) -> Iterator[e.Event]:
        """The view that a question waited for is there, or will not come."""
        floor = self._floor
        if floor.over and not floor.busy_with_sound and not floor.sight.waits(event.t_ns):
            yield from self._go_on(event)

    # ── its words ────────────────────────────────────────────────────────────────────────────

    def on_written(self, event: e.ReplyWritten) -> Iterable[e.Event]:
        floor = self._floor
        floor.drafts.count(event)
        if event.epoch != floor.epoch:
            return ()
        self._machines.engine.step("reply.written")
        floor.progress_ns = event.t_ns
        if event.reason != "failed" or event.tokens:
            return ()
        return floor.drop_draft(event) if floor.draft_is_held else self._apologise(event)

    def _apologise(self, event: e.Event) -> Iterable[e.Event]:
        floor = self._floor
        if floor.overlap.voice is not None:
            # The user is speaking: no apology, but the question is asked again with what comes.
            floor.overlap.leave()
            return floor.step("barged", event)
        if floor.apologised:
            return self._give_up(event)
        floor.apologised = True
        return floor.step("failed", event, say=in_language(APOLOGIES, floor.language))

    def on_failure(self, event: e.NodeFailed) -> Iterable[e.Event]:
        """A node broke in the middle of our reply: what waits for it would wait for ever."""
        if event.epoch != self._floor.epoch or event.epoch == 0:
            return ()
        held = self._floor.draft_is_held
        return self._floor.drop_draft(event) if held else self._give_up(event)

    def _give_up(self, event: e.Event) -> Iterator[e.Event]:
        if self._machines.reply.takes("gave.up"):
            self._floor.overlap.leave()
            yield from self._floor.step("gave.up", event)
            yield from self._floor.keep(self._floor.ledger.settle_asked(), event)

    # ── errands ──────────────────────────────────────────────────────────────────────────────

    def on_tool_called(self, event: e.ToolCalled) -> Iterable[e.Event]:
        if event.epoch != self._floor.epoch:
            return ()
        if self._floor.draft_is_held:
            self._errands.wait(event)
            return ()
        return self._errands.send(event)

    def on_tool_finished(self, event: e.ToolFinished) -> Iterator[e.Event]:
        news = self._floor.ledger.bring(self._errands.news(event), event.t_ns)
        yield from self._floor.keep(news, event)
        told = self._errands.came_back(event, self._floor.epoch)
        if told and self._machines.floor_is_free:
            yield from self._go_on(event)

    def _take_told(self) -> bool:
        """Whether to speak of what errands brought: once, and never to who asked for silence."""
        epoch = self._floor.epoch
        return self._errands.take_told(epoch) and epoch != self._floor.quiet_epoch

    # ── unasked, and the time ────────────────────────────────────────────────────────────────

    def on_notice(self, event: e.NoticeRaised) -> Iterator[e.Event]:
        floor = self._floor
        floor.initiative.take(event)
        if not floor.initiative.warns or self._machines.reply.state == "notice":
            return
        yield from floor.drop_draft(event)
        floor.overlap.leave()
        yield from floor.step("notice", event) if self._is_replying else ()
        if not floor.busy_with_sound:
            yield from self._go_on(event)

    @property
    def _is_replying(self) -> bool:
        return self._machines.reply.state in ("pending", "sounding")

    def _say(self, notice: e.NoticeRaised, symbol: str, event: e.Event) -> Iterator[e.Event]:
        self._floor.ledger.speak_unasked()
        if symbol == "notice" and self._machines.user.state != "quiet":
            self._floor.hushes.begin_over_warning()
        language = notice.language or self._floor.language
        return self._floor.step(symbol, event, messages=(), say=notice.text, language=language)

    def on_tick(self, event: e.ClockTicked) -> Iterator[e.Event]:
        floor = self._floor
        if not floor.draft_is_held:
            yield from self._errands.release(floor.epoch, event.t_ns, over=floor.orders.over)
        yield from self._on_tick(event)

    def _on_tick(self, event: e.ClockTicked) -> Iterable[e.Event]:
        floor = self._floor
        if self._machines.playback.state == "stopping":
            # The player has failed to say how far it was heard.
            return self._done(event, cut=True)
        free = self._machines.floor_is_free
        if free and self._take_told():
            # A voice that was none of our business held the floor when the last one came back.
            return floor.step("told", event)
        # A remark would be a new reply, and what the errand brings be told to no one.
        free = free and not floor.over and (floor.orders.over or not self._errands.out(floor.epoch))
        remark = floor.initiative.remark(event.t_ns, free=free)
        if remark is not None:
            return self._say(remark, "remark", event)
        if event.t_ns - floor.progress_ns > self._patience_ns:
            return self._give_up(event)
        return ()
