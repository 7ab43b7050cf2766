"""Tools through the whole line, in simulated time: run, interrupted, never started, told once."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pytest

from tests.verbs.fake_engines import parts
from visavis.backends.llm.fake import FakeLlm
from visavis.backends.symbols import encode
from visavis.backends.tts.fake import FakeTts
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S, SimulatedClock
from visavis.flow.simulate import SimulatedLoop
from visavis.source.script import ScriptedSpeaker
from visavis.think.prompt import opening
from visavis.think.tools import Tool
from visavis.wiring import connect

Kind = TypeVar("Kind", bound=e.Event)
Answer = Callable[[str], str]
"""From the prompt, behind its opening, to what the engine writes."""
QUESTION = "what is the weather tomorrow"
NEWS = "The tool weather says: rain"
OPENING = len(opening().messages())
LIMIT_S = 60


def call(name: str = "weather", city: str = "Rome") -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {{"city": "{city}"}}}}\n</tool_call>'


class Talk:
    """A line whose engine writes what `answer` says, and whose tools take time."""

    def __init__(self, answer: Answer, *, tool_ms: int = 300) -> None:
        self.clock = SimulatedClock()
        self.loop = SimulatedLoop(self.clock, strict=True)
        self.ran: list[str] = []
        self.prompts: list[str] = []
        self.seen: list[e.Event] = []
        self.speaker = ScriptedSpeaker(e.INPUT_RATE_HZ)
        self._idle, self._answer, self._tool_ms = True, answer, tool_ms
        fakes = parts(
            llm=FakeLlm(self.clock, script=self._script),
            tts=FakeTts(self.clock),
            tools=(self._tool("weather"), self._tool("tide")),
        )
        connect(self.loop, fakes)
        self.loop.bus.tap(self.seen.append)

    def say(self, words: str, at_s: float = 0.2) -> None:
        """Now that the run has come to `at_s`, or later then."""
        self.speaker.say(encode(words), round(at_s * NS_PER_S))

    def on(self, kind: type[Kind], action: Callable[[Kind], object]) -> None:
        """Once, at the first event of this kind."""
        waits = [True]

        def watch(event: e.Event) -> None:
            if isinstance(event, kind) and waits:
                waits.clear()
                action(event)

        self.loop.bus.tap(watch)

    def run(self, seconds: float) -> None:
        """Until then, and on until all is quiet."""
        self.loop.feed(self.speaker.events())

        def over() -> bool:
            now_ns = self.clock.now_ns()
            assert now_ns < LIMIT_S * NS_PER_S
            states = self.all(e.StateChanged)
            idle = not states or states[-1].state == "idle"
            return now_ns >= seconds * NS_PER_S and idle and not self.loop.busy

        self.loop.run(over)
        self.loop.close()

    def all(self, kind: type[Kind]) -> list[Kind]:
        return [event for event in self.seen if isinstance(event, kind)]

    @property
    def history(self) -> list[tuple[str, str]]:
        return [(item.role, item.text) for item in self.all(e.ItemKept)]

    @property
    def written(self) -> str:
        return "".join(token.text for token in self.all(e.TokenMade))

    def _tool(self, name: str) -> Tool:
        def run(arguments: Mapping[str, Any]) -> str:
            self.ran.append(f"{name} {arguments['city']}")
            self.clock.spend(self._tool_ms * NS_PER_MS)
            return "rain"

        return Tool(name, f"Tells the {name}.", {"type": "object", "required": ["city"]}, run)

    def told_of_it(self, *asked: str) -> list[int]:
        """How often each prompt that ends so holds the news; drafts of half a question do not."""
        return [prompt.count(NEWS) for prompt in self.prompts if prompt.endswith(asked)]

    def _script(self, messages: Sequence[e.Message], rng: random.Random) -> str:
        self.prompts.append("\n".join(message.content for message in messages[OPENING:]))
        return self._answer(self.prompts[-1])


def asks_the_weather(prompt: str) -> str:
    """An engine that knows when it needs a tool, and when not."""
    if NEWS in prompt:
        return "It will rain."
    return call() if prompt.endswith(QUESTION) else "Certainly so."


@pytest.mark.parametrize("tool_ms", [0, 5, 300, 4_000])
def test_a_reply_calls_a_tool_and_answers_with_what_it_brought(tool_ms: int) -> None:
    talk = Talk(asks_the_weather, tool_ms=tool_ms)
    talk.say(QUESTION)
    talk.run(6)
    assert talk.ran == ["weather Rome"]
    assert talk.written == "It will rain."
    assert set(talk.history[:2]) == {("user", QUESTION), ("tool", NEWS)}
    assert talk.history[2:] == [("assistant", "It will rain.")]
    assert talk.prompts[-1].count(NEWS) == 1


def test_words_before_the_call_are_spoken_and_those_made_up_behind_it_are_not() -> None:
    def answer(prompt: str) -> str:
        if NEWS in prompt:
            return "It will rain."
        return f"Let me look at that for you. {call()} It is sunny."

    talk = Talk(answer)
    talk.say(QUESTION)
    talk.run(8)
    assert talk.ran == ["weather Rome"]
    spoken = [text for role, text in talk.history if role == "assistant"]
    assert spoken == ["Let me look at that for you.", "It will rain."]
    assert "tool" not in talk.written
    assert "sunny" not in talk.written
    assert talk.prompts[-1].endswith(f"({NEWS})")


def test_finished_but_not_spoken_when_interrupted_its_result_is_kept_and_used_once() -> None:
    def answer(prompt: str) -> str:
        if prompt.endswith(QUESTION):
            return f"Let me look, this may take a while, please be patient with me. {call()}"
        return "It will rain." if prompt.endswith("that") else "Certainly so."

    talk = Talk(answer, tool_ms=100)
    talk.say(QUESTION)
    # The tool has finished while the words before its call still sound.
    talk.on(e.ToolFinished, lambda event: talk.say("wait what is that", event.t_ns / NS_PER_S))
    talk.say("thanks", 8)
    talk.run(11)
    (finished,) = talk.all(e.ToolFinished)
    cut = next(item for item in talk.all(e.ItemKept) if item.role == "assistant")
    assert cut.cut
    assert finished.t_ns < cut.t_ns
    assert [text for role, text in talk.history if role == "tool"] == [NEWS]
    # No reply but those that were asked for; each one's prompt holds the result once.
    assert [text for role, text in talk.history if role != "tool"] == [
        QUESTION,
        cut.text,
        "wait what is that",
        "It will rain.",
        "thanks",
        "Certainly so.",
    ]
    assert talk.told_of_it(QUESTION, "that", "thanks") == [0, 1, 1]
    assert talk.ran == ["weather Rome"]


def test_what_a_tool_brings_after_the_interruption_is_told_to_the_next_reply_alone() -> None:
    talk = Talk(asks_the_weather, tool_ms=3_500)
    talk.say(QUESTION)
    talk.on(e.ToolRun, lambda event: talk.say("tell me a story", event.t_ns / NS_PER_S + 0.1))
    talk.on(e.ToolFinished, lambda event: talk.say("thanks", event.t_ns / NS_PER_S + 1))
    talk.run(9)
    assert [text for _, text in talk.history] == [
        QUESTION,
        "tell me a story",
        "Certainly so.",
        NEWS,
        "thanks",
        "It will rain.",
    ]
    assert talk.told_of_it(QUESTION, "story", "thanks") == [0, 0, 1]
    assert talk.ran == ["weather Rome"]


@pytest.mark.parametrize("words", ["", "Let me look, this may take a while, be patient. "])
def test_not_started_when_interrupted_it_never_starts(words: str) -> None:
    def answer(prompt: str) -> str:
        return "Certainly so." if "story" in prompt else f"{words}{call()}{call('tide')}"

    talk = Talk(answer, tool_ms=4_000)
    talk.say(QUESTION)
    # The second call waits in the lane behind the first.
    talk.on(e.ToolRun, lambda event: talk.say("stop tell me a story", event.t_ns / NS_PER_S))
    talk.run(12)
    assert [event.name for event in talk.all(e.ToolRun)] == ["weather", "tide"]
    assert talk.ran == ["weather Rome"]
    assert [event.name for event in talk.all(e.ToolFinished)] == ["weather"]
    assert [text for role, text in talk.history if role == "tool"] == [NEWS]
    assert talk.written.endswith("Certainly so.")


def test_called_by_a_reply_that_is_over_it_never_starts() -> None:
    talk = Talk(asks_the_weather)
    talk.say(QUESTION)
    # Interrupted in the very instant of the call.
    stop = e.ReplyCancel(t_ns=0, epoch=1, reason="barged")
    talk.on(
        e.ToolCalled,
        lambda event: talk.loop.bus.publish(replace(stop, t_ns=event.t_ns, epoch=event.epoch)),
    )
    talk.run(4)
    assert len(talk.all(e.ToolCalled)) == 1
    assert talk.ran == []


def test_of_a_call_that_fails_the_engine_learns_it() -> None:
    talk = Talk(lambda prompt: "I cannot say." if "failed" in prompt else call("wether"))
    talk.say(QUESTION)
    talk.run(6)
    assert talk.ran == []
    assert talk.written == "I cannot say."
    failed = "The tool wether failed: there is no such tool, only weather, tide"
    assert ("tool", failed) in talk.history


@pytest.mark.parametrize("text", [call(), "<tool_call>{", call("wether"), call() * 20])
def test_an_engine_that_calls_on_and_on_is_stopped_and_apologises(text: str) -> None:
    talk = Talk(lambda prompt: text, tool_ms=10)
    talk.say(QUESTION)
    talk.run(6)
    assert 8 <= len(talk.all(e.ToolFinished)) <= 16
    assert talk.history[-1][0] == "assistant"
    assert "Sorry" in talk.history[-1][1]
    assert "tool_call" not in talk.written


def test_without_tools_there_is_no_such_node_and_such_text_is_text() -> None:
    clock = SimulatedClock()
    loop, seen = SimulatedLoop(clock, strict=True), list[e.Event]()
    nodes = connect(loop, parts(llm=FakeLlm(clock, script=lambda *_: call())))
    loop.bus.tap(seen.append)
    loop.publish(e.ReplyStart(t_ns=0, epoch=1, messages=(e.Message("user", "Hi"),)))
    loop.run(lambda: any(isinstance(event, e.ReplyWritten) for event in seen))
    loop.close()
    assert "think.tools" not in nodes
    assert "".join(event.text for event in seen if isinstance(event, e.TokenMade)) == call()
