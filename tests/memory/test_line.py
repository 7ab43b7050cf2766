"""The visual memory in the line: what is recalled is there before the turn is judged."""

from __future__ import annotations

import numpy as np

from visavis.backends.vad.fake import FakeVad
from visavis.config import Config, Sight
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S, SimulatedClock
from visavis.flow.events import INPUT_RATE_HZ
from visavis.flow.line import Line
from visavis.flow.ring import AudioRing
from visavis.wiring import Parts, connect

NOW_NS = 20 * NS_PER_S


def line_that_sees(memory_mb: float = 1) -> tuple[Line, list[e.Event], dict[str, object]]:
    ring = AudioRing(60)
    ring.write(np.zeros(20 * INPUT_RATE_HZ, np.float32))
    config = Config(sight=Sight(memory_mb=memory_mb))
    parts = Parts(config, ring, None, FakeVad(), seen_elsewhere=True, strict=True)
    line = Line(SimulatedClock(), strict=True)
    nodes: dict[str, object] = dict(connect(line, parts))
    seen: list[e.Event] = []
    line.bus.tap(seen.append)
    return line, seen, nodes


def ask(line: Line, text: str) -> None:
    """Two views, one after the other, and a question that has just been asked."""
    for at_s, view_id in ((0, "red"), (10, "blue")):
        at_ns = at_s * NS_PER_S
        view = e.View(view_id, at_ns, 640, 480)
        line.publish(e.SceneChanged(t_ns=at_ns, captured_ns=at_ns, share=1))
        line.publish(
            e.ViewTaken(t_ns=at_ns, view=view, moment_ns=-1, reason="change", data=b"picture")
        )
    start, end = 18 * INPUT_RATE_HZ, 19 * INPUT_RATE_HZ
    line.publish(e.SpeechStarted(t_ns=18 * NS_PER_S, trace=1, start=start))
    line.publish(e.SpeechPaused(t_ns=NOW_NS, trace=1, start=start, end=end))
    line.publish(
        e.WordsHeard(
            t_ns=NOW_NS, trace=1, text=text, stable=len(text), final=True, start=start, end=end
        )
    )
    # No frame comes for the moment of the question; the wait for it is bounded.
    after_ns = NOW_NS + NS_PER_S
    line.publish(e.ClockTicked(t_ns=after_ns, index=after_ns // (20 * NS_PER_MS)))


def test_what_is_recalled_is_there_before_the_turn_is_judged() -> None:
    line, seen, _ = line_that_sees()
    ask(line, "What did you see before?")
    topics = [event.topic for event in seen]
    assert topics.index("memory.recalled") < topics.index("turn.expected")
    start = next(event for event in seen if isinstance(event, e.ReplyStart))
    assert [view.id for view in start.messages[-1].views] == ["red"]


def test_a_question_about_now_is_asked_with_what_is_seen_now() -> None:
    line, seen, _ = line_that_sees()
    ask(line, "What do you see?")
    assert "memory.recalled" not in [event.topic for event in seen]
    start = next(event for event in seen if isinstance(event, e.ReplyStart))
    assert [view.id for view in start.messages[-1].views] == ["blue"]


def test_without_room_for_it_there_is_no_memory() -> None:
    _, _, nodes = line_that_sees(memory_mb=0)
    assert "memory.visual" not in nodes
