"""What is told of a conversation, and that telling it never holds it up."""

from __future__ import annotations

import io
import sys
import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from visavis.flow import events as e
from visavis.govern.latency import ReplyLatency
from visavis.govern.meter import Meter
from visavis.verbs import narrate
from visavis.verbs.narrate import Narrator, hops


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


def told(out: Any, *events: e.Event) -> str:
    narrator = Narrator(Meter(), out)
    for event in events:
        narrator.watch(event)
    narrator.close()
    text: str = out.getvalue()
    return text


def words(text: str, stable: int, *, final: bool = False) -> e.WordsHeard:
    return e.WordsHeard(t_ns=0, text=text, stable=stable, final=final, start=0, end=1)


TURN = e.TurnEnded(
    t_ns=1_500_000_000, text="what is it", start=0, end=1, probability=0.9, reasons=("silence",)
)
CUT = e.ItemKept(t_ns=0, role="assistant", text="It is a", start_ns=0, cut=True)


def test_into_a_file_only_what_is_final_is_printed() -> None:
    text = told(io.StringIO(), words("what is", 4), words("what is it", 7), TURN, CUT)
    assert text.splitlines() == [
        "   1.50    user  what is it",
        "   1.50            turn over, p = 0.90: silence",
        "   0.00 visavis  It is a —",
    ]


def test_on_a_terminal_words_are_shown_as_they_come_on_one_line() -> None:
    text = told(Terminal(), words("what is", 4), words("what is it", 7), TURN)
    assert text.count("\r") == 4
    assert "what" in text.split("\r")[1]
    assert text.split("\r")[1].count("\n") == 0
    assert text.endswith("\n")


def test_a_passing_line_stays_on_one_row() -> None:
    text = told(Terminal(), words("long " * 60, 0))
    assert len(text.rstrip("\n")) < narrate.WIDTH + 20


@pytest.mark.parametrize("error", [BrokenPipeError(), ValueError("I/O operation on closed file")])
def test_whoever_reads_it_may_go_away(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise error

    monkeypatch.setattr(narrate, "PATIENCE_S", 0.5)
    narrator = Narrator(Meter(), Gone())
    for _ in range(narrate.QUEUE_DEPTH + 10):
        narrator.say("a line")
    narrator.close()
    assert not any(thread.name == "narrator" for thread in threading.enumerate())


def test_without_a_stream_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    narrator = Narrator(Meter())
    narrator.say("a line")
    narrator.close()
    assert not any(thread.name == "narrator" for thread in threading.enumerate())


def test_a_terminal_that_hangs_holds_up_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stuck = threading.Event()

    class Stuck(io.StringIO):
        def write(self, text: str) -> int:
            stuck.wait(10)
            return len(text)

    monkeypatch.setattr(narrate, "PATIENCE_S", 0.01)
    narrator = Narrator(Meter(), Stuck())
    for _ in range(2 * narrate.QUEUE_DEPTH):
        narrator.say("a line")
    narrator.close()
    stuck.set()


def test_the_hops_of_a_reply_are_a_sum() -> None:
    latency = ReplyLatency(1, 1, 480.0, 210.0, 0.0, 60.0, 20.0, 180.0, 10.0, 90.0, None)
    assert hops(latency) == (
        "voice to voice 480 ms = "
        "endpoint 210 + first token 60 + phrase 20 + synthesis 180 + output 10"
    )


def test_a_reply_of_unknown_beginning_says_so() -> None:
    nothing = ReplyLatency(1, 1, *[None] * 9)
    assert hops(nothing) == "voice to voice unknown"


def says(epoch: int, text: str, **more: Any) -> list[e.Event]:
    """The reply begins and sounds."""
    sound = e.SoundPlayed(t_ns=0, epoch=epoch, start=0, samples=np.ones(1, np.float32), **more)
    silence = replace(sound, samples=np.zeros(0, np.float32))
    return [e.ReplyStart(t_ns=0, epoch=epoch, messages=(), say=text), silence, sound, sound]


def kept(epoch: int, text: str, *, cut: bool = False) -> e.ItemKept:
    return e.ItemKept(t_ns=0, epoch=epoch, role="assistant", text=text, start_ns=0, cut=cut)


def test_what_is_said_unasked_is_shown_once_as_it_begins_to_sound() -> None:
    lines = told(io.StringIO(), *says(1, "Hello."), kept(1, "Hello."), *says(2, "Mm-hm."))
    assert lines.splitlines() == ["   0.00 visavis  Hello.", "   0.00 visavis  Mm-hm."]


def test_a_greeting_that_is_cut_off_shows_what_was_heard_of_it() -> None:
    lines = told(io.StringIO(), *says(1, "Hello. I'm here."), kept(1, "Hello.", cut=True))
    assert lines.splitlines()[-1] == "   0.00 visavis  Hello. —"


def test_a_murmur_that_never_sounds_is_not_shown() -> None:
    start, *_ = says(1, "Mm-hm.")
    assert told(io.StringIO(), start, *says(2, "Hello.")[1:]) == ""


def test_a_hold_its_end_and_a_missing_answer_are_told() -> None:
    text = told(
        io.StringIO(),
        e.PlaybackHold(t_ns=0, epoch=1),
        e.PlaybackRelease(t_ns=0, epoch=1),
        e.ReplyWritten(t_ns=0, epoch=1, reason="end"),
        e.ReplyWritten(t_ns=0, epoch=2, reason="failed", error="connection refused"),
    )
    holds, goes_on, failed = text.splitlines()
    assert "holds" in holds
    assert "goes on" in goes_on
    assert "no answer: connection refused" in failed


STILL = e.StateChanged(
    t_ns=TURN.t_ns,
    state="streaming",
    previous="streaming",
    user="quiet",
    reply="sounding",
    engine="free",
    playback="playing",
)
LET_PASS = '   1.50          heard "what is it" and let it pass: it was no turn'
A_TURN = ["   1.50    user  what is it", "   1.50            turn over, p = 0.90: silence"]


def test_what_was_said_over_a_reply_and_left_is_no_turn() -> None:
    goes_on = e.PlaybackRelease(t_ns=TURN.t_ns, epoch=1)
    lines = told(io.StringIO(), TURN, goes_on, STILL).splitlines()
    assert lines == [LET_PASS, "   1.50          ▸ goes on: it was nothing to us"]
    # The reply may have gone on before, as soon as the words were known.
    assert told(io.StringIO(), TURN, STILL).splitlines() == [LET_PASS]
    unheard = replace(STILL, state="reasoning", previous="reasoning", reply="pending")
    assert told(io.StringIO(), TURN, unheard).splitlines() == [LET_PASS]
    # Or have come to its end meanwhile.
    over = replace(STILL, state="idle", previous="idle", reply="none", playback="silent")
    assert told(io.StringIO(), TURN, over).splitlines() == [LET_PASS]


@pytest.mark.parametrize(
    ("what_follows", "state", "reply"),
    [
        (e.ReplyStart(t_ns=TURN.t_ns, epoch=2, messages=()), "reasoning", "pending"),
        (e.ReplyAdopt(t_ns=TURN.t_ns, epoch=2), "reasoning", "pending"),
        (e.PlaybackStop(t_ns=TURN.t_ns, epoch=1), "interrupted", "cut"),
        (e.ItemKept(t_ns=TURN.t_ns, role="user", text="stop", start_ns=0), "idle", "none"),
    ],
)
def test_a_turn_that_is_for_us_is_told_before_what_follows_from_it(
    what_follows: e.Event, state: str, reply: str
) -> None:
    stands = replace(STILL, state=state, reply=reply)
    before = replace(STILL, user="paused")
    lines = told(io.StringIO(), TURN, before, what_follows, stands).splitlines()
    assert lines[:2] == A_TURN
    assert lines[-1] == f"   1.50          · {state}"


def test_a_turn_that_nothing_is_said_of_is_told_at_the_next_instant() -> None:
    later = replace(STILL, t_ns=TURN.t_ns + 1, previous="perceiving")
    lines = told(io.StringIO(), TURN, later).splitlines()
    assert lines == [*A_TURN, "   1.50          · streaming"]


def test_the_remark_on_a_turn_follows_it() -> None:
    out = io.StringIO()
    narrator = Narrator(Meter(), out, lambda event: "true" if event is TURN else "")
    narrator.watch(TURN)
    narrator.close()
    assert out.getvalue().splitlines() == [*A_TURN, "   1.50            true"]
