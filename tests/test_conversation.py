"""A conversation as a whole, with fakes: when it ends, and what it leaves behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest

from tests.verbs.fake_engines import parts
from visavis.backends.llm.fake import FakeLlm
from visavis.backends.symbols import encode, silence
from visavis.conversation import Conversation, Pace
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, SimulatedClock
from visavis.source.script import ScriptedSpeaker

QUESTION = np.concatenate([encode("what is the capital of france"), silence(400)])
PACES: tuple[Pace, ...] = ("fast", "real")


def chunk(index: int) -> e.AudioCaptured:
    data = bytes(2 * 320)
    t_ns = (index + 1) * 20 * NS_PER_MS
    return e.AudioCaptured(t_ns=t_ns, data=data, encoding="s16", rate_hz=16_000, channels=1)


def test_it_ends_when_the_source_has_ended_and_the_answer_was_heard() -> None:
    seen: list[e.Event] = []
    talkative = FakeLlm(SimulatedClock(), script=lambda *_: "it is here, " * 9 + "and here.")
    conversation = Conversation(parts(llm=talkative), pace="fast", taps=[seen.append])
    conversation.run(ScriptedSpeaker(16_000, [(0.2, QUESTION)], tail_s=0.5).events())
    conversation.close()
    kept = [event for event in seen if isinstance(event, e.ItemKept)]
    assert [item.role for item in kept] == ["user", "assistant"]
    ended = next(i for i, event in enumerate(seen) if isinstance(event, e.SourceEnded))
    heard = next(i for i, event in enumerate(seen) if event is kept[1])
    assert ended < heard
    assert conversation.state == "idle"


@pytest.mark.parametrize("pace", PACES)
def test_a_source_that_breaks_ends_it(pace: Pace) -> None:
    def broken() -> Iterator[e.Event]:
        yield chunk(0)
        raise OSError("unplugged")

    seen: list[e.Event] = []
    fakes = parts()
    fakes.strict = False
    conversation = Conversation(fakes, pace=pace, taps=[seen.append])
    conversation.run(broken())
    conversation.close()
    failed = [event for event in seen if isinstance(event, e.NodeFailed)]
    assert [(event.node, "unplugged" in event.error) for event in failed] == [("source", True)]


@pytest.mark.parametrize("pace", PACES)
def test_it_can_be_stopped_in_the_middle(pace: Pace) -> None:
    conversation: Conversation

    def stop_soon(event: e.Event) -> None:
        if isinstance(event, e.AudioAligned) and event.start >= 320:
            conversation.stop()

    conversation = Conversation(parts(), pace=pace, taps=[stop_soon])
    conversation.run(chunk(index) for index in count())
    conversation.close()
    assert conversation.loop.bus.now_ns < 2_000 * NS_PER_MS


@pytest.mark.parametrize("pace", PACES)
def test_closing_leaves_no_thread_and_closes_every_engine(pace: Pace) -> None:
    before = set(threading.enumerate())
    closed: list[str] = []
    fakes: Any = parts()
    for kind in ("vad", "asr", "turn", "llm", "tts"):
        getattr(fakes, kind).close = lambda kind=kind: closed.append(kind)
    conversation = Conversation(fakes, pace=pace)
    conversation.run([chunk(0), e.SourceEnded(t_ns=20 * NS_PER_MS, source="audio")])
    conversation.close()
    conversation.close()
    assert set(closed) == {"vad", "asr", "turn", "llm", "tts"}
    assert set(threading.enumerate()) <= before
