"""What a conversation looks like on a terminal: states, words as they come, what is seen, hops.

A tap on the bus that only notes what happened; a thread of its own prints it, so that a slow
terminal never holds up the line. On a terminal the line being heard is rewritten in place; into a
file or pipe only what is final is printed.

A turn that has ended is told once the session has said what it is to it (`state.changed`, later in
the same instant): what was said over a reply and left there is no turn of the user.
"""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TextIO

import click

from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S
from visavis.govern.latency import ReplyLatency
from visavis.govern.meter import Meter
from visavis.verbs.sightings import SIGHTINGS, looked

HOPS = (
    ("endpoint", "endpoint_ms"),
    ("first token", "first_token_ms"),
    ("phrase", "phrase_ms"),
    ("synthesis", "synthesis_ms"),
    ("output", "output_ms"),
)
QUEUE_DEPTH = 1000
PATIENCE_S = 5
WIDTH = 96


class Narrator:
    """Prints to `out`. `remark`: what else is to be told after an event, if anything.

    `close` waits until all is printed.
    """

    def __init__(
        self,
        meter: Meter,
        out: TextIO | None = None,
        remark: Callable[[e.Event], str] | None = None,
    ) -> None:
        self._meter = meter
        self._remark = remark
        self._out: TextIO | None = out or sys.stderr  # None: it was closed from without
        self._live = self._out is not None and self._out.isatty()
        self._lines: queue.Queue[tuple[str, bool] | None] = queue.Queue(QUEUE_DEPTH)
        self._answer = ""
        self._told = 0
        self._unasked: e.ReplyStart | None = None  # said as it is, until it sounds
        self._shown: tuple[int, str] = (0, "")  # epoch and text of what was, as it began to sound
        self._held: list[tuple[e.Event, str]] = []  # a turn that ended, and what followed at once
        self._tellers: dict[str, Callable[[Any], None]] = {
            "state.changed": self._on_state,
            "words.heard": self._on_words,
            "turn.ended": self._on_turn,
            "token.made": self._on_token,
            "reply.start": self._on_start,
            "reply.written": self._on_written,
            "playback.hold": self._on_hold,
            "playback.release": self._on_release,
            "playback.stop": self._on_stop,
            "item.kept": self._on_item,
            "node.failed": self._on_failure,
            "sound.played": self._on_sound,
        }
        self._thread = threading.Thread(target=self._print_all, name="narrator", daemon=True)
        self._thread.start()

    def watch(self, event: e.Event) -> None:
        """Takes one event."""
        remark = self._remark(event) if self._remark is not None else ""
        if self._held and event.t_ns != self._held[0][0].t_ns:
            self._tell_held()
        if not self._held and not isinstance(event, e.TurnEnded):
            self._tell(event, remark)
            return
        self._held.append((event, remark))
        if isinstance(event, e.StateChanged) and event.user == "quiet":
            self._tell_held()  # else it is about what came before the turn

    def _tell_held(self) -> None:
        held, self._held = self._held, []
        let_pass = _is_let_pass([event for event, _ in held])
        for event, remark in held:
            if isinstance(event, e.TurnEnded) and let_pass:
                text = f'heard "{event.text}" and let it pass: it was no turn'
                self._line(event, "", click.style(text, dim=True))
            else:
                self._tell(event, remark)

    def _tell(self, event: e.Event, remark: str) -> None:
        teller, sighting = self._tellers.get(event.topic), SIGHTINGS.get(event.topic)
        if teller is not None:
            teller(event)
        elif sighting is not None and (text := sighting(event)):
            self._line(event, "", click.style(text, dim=True))
        if remark:
            self._line(event, "", click.style(f"  {remark}", fg="magenta"))

    def say(self, text: str) -> None:
        """Prints a line of the caller's own."""
        self._put(text, passing=False)

    def close(self) -> None:
        """Waits until all is printed, but not for ever: the terminal may hang."""
        self._tell_held()
        with suppress(queue.Full):
            self._lines.put(None, timeout=PATIENCE_S)
        self._thread.join(PATIENCE_S)

    # ── what is told ─────────────────────────────────────────────────────────────────────────

    def _on_state(self, event: e.StateChanged) -> None:
        if event.state != event.previous:
            self._line(event, "", click.style(f"· {event.state}", dim=True))

    def _on_words(self, event: e.WordsHeard) -> None:
        stable, rest = event.text[: event.stable], event.text[event.stable :]
        if event.final:
            stable, rest = event.text, ""
        self._line(event, "user", f"{stable}{click.style(rest, dim=True)} …", passing=True)

    def _on_turn(self, event: e.TurnEnded) -> None:
        why = f"turn over, p = {event.probability:.2f}: {', '.join(event.reasons)}"
        self._line(event, "user", click.style(event.text, fg="cyan", bold=True))
        self._line(event, "", click.style(f"  {why}", dim=True))

    def _on_start(self, event: e.ReplyStart) -> None:
        self._answer = ""
        self._unasked = event if event.say else None

    def _on_token(self, event: e.TokenMade) -> None:
        self._answer += event.text
        self._line(event, "visavis", f"{self._answer} …", passing=True)

    def _on_sound(self, event: e.SoundPlayed) -> None:
        said = self._unasked
        if said is not None and event.epoch == said.epoch and len(event.samples):
            # A murmur is never kept, so all that is not the engine's is shown as it begins.
            self._unasked, self._shown = None, (said.epoch, said.say)
            self._said(event, said.say)
        latest = self._meter.replies[-1] if self._meter.replies else None
        if latest is not None and latest.epoch > self._told:
            self._told = latest.epoch
            if latest.voice_to_voice_ms is None:
                return  # said unasked
            self._line(event, "", click.style(f"  {hops(latest)}", fg="yellow"))
            looks = self._meter.looks
            if looks and looks[-1].epoch == latest.epoch:
                self._line(event, "", click.style(f"  {looked(looks[-1])}", fg="yellow"))

    def _on_written(self, event: e.ReplyWritten) -> None:
        if event.reason == "failed":
            self._line(event, "", click.style(f"! no answer: {event.error}", fg="red"))

    def _on_hold(self, event: e.PlaybackHold) -> None:
        self._line(event, "", click.style("‖ holds: you speak", dim=True))

    def _on_release(self, event: e.PlaybackRelease) -> None:
        self._line(event, "", click.style("▸ goes on: it was nothing to us", dim=True))

    def _on_stop(self, event: e.PlaybackStop) -> None:
        heard = event.epoch <= self._told
        text = "✂ interrupted" if heard else "↩ the user goes on: answer withdrawn unheard"
        self._line(event, "", click.style(text, fg="red"))

    def _on_item(self, event: e.ItemKept) -> None:
        if event.role == "assistant" and (event.cut or (event.epoch, event.text) != self._shown):
            self._said(event, f"{event.text} —" if event.cut else event.text)

    def _said(self, event: e.Event, text: str) -> None:
        self._line(event, "visavis", click.style(text, fg="green", bold=True))

    def _on_failure(self, event: e.NodeFailed) -> None:
        self._line(event, "", click.style(f"! {event.node}: {event.error}", fg="red"))

    # ── printing ─────────────────────────────────────────────────────────────────────────────

    def _line(self, event: e.Event, who: str, text: str, *, passing: bool = False) -> None:
        stamp = click.style(f"{event.t_ns / NS_PER_S:7.2f}", dim=True)
        self._put(f"{stamp} {who:>7}  {text}", passing=passing)

    def _put(self, text: str, *, passing: bool) -> None:
        if passing and not self._live:
            return
        try:
            self._lines.put_nowait((text, passing))
        except queue.Full:
            return  # the terminal hangs; the line must not

    def _print_all(self) -> None:
        passing_before = False
        while (line := self._lines.get()) is not None:
            text, passing = line
            if not self._live:
                text = click.unstyle(text)
            else:
                text = f"\r\x1b[K{_cut(text) if passing else text}"
            self._print(text if passing else f"{text}\n")
            passing_before = passing
        if passing_before:
            self._print("\n")

    def _print(self, text: str) -> None:
        if self._out is None:
            return
        with suppress(OSError, ValueError):  # whoever read it has gone; the conversation goes on
            self._out.write(text)
            self._out.flush()


def _is_let_pass(instant: Sequence[e.Event]) -> bool:
    """Whether a turn, with what followed in the same instant, was nothing to the session.

    A turn that is for us ends the reply that it was said over, begins one or enters the history.
    Where the session has not said how it stands, or a question waits, it is taken for one.
    """
    last = instant[-1] if instant else None
    if not isinstance(last, e.StateChanged):
        return False
    if any(isinstance(event, e.ReplyStart | e.ReplyAdopt | e.ItemKept) for event in instant):
        return False
    return last.reply in ("sounding", "pending") or last.state == "idle"


def hops(latency: ReplyLatency) -> str:
    """`voice to voice 480 ms = endpoint 210 + first token 60 + …`."""
    if latency.voice_to_voice_ms is None:
        return "voice to voice unknown"
    parts = [
        f"{name} {value:.0f}"
        for name, field in HOPS
        if (value := getattr(latency, field)) is not None
    ]
    return f"voice to voice {latency.voice_to_voice_ms:.0f} ms = {' + '.join(parts)}"


def _cut(text: str) -> str:
    """The end of a long passing line, so that it stays on one row."""
    plain = click.unstyle(text)
    return text if len(plain) <= WIDTH else f"…{plain[-WIDTH:]}"
