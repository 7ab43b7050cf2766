"""The thinker: one reply.written for each reply.start, whatever the engine does."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.backends.contract import Options, Sampling
from visavis.backends.llm.fake import FakeLlm, Fault, Latency
from visavis.backends.llm.process import ProcessLlm
from visavis.flow.clock import NS_PER_MS, SimulatedClock
from visavis.flow.errors import EngineError
from visavis.flow.events import (
    Event,
    Message,
    PromptPrefill,
    PromptPrefilled,
    ReplyStart,
    ReplyWritten,
    TokenMade,
    ToolCalled,
)
from visavis.think.calls import MOST_RESULTS
from visavis.think.decode import Thinker
from visavis.think.tools import Tool

ASKED = (Message("user", "Where is my cat?"),)


def engine(**kwargs: object) -> FakeLlm:
    kwargs.setdefault("script", lambda messages, rng: "It is on the warm roof.")
    return FakeLlm(SimulatedClock(), **kwargs)  # type: ignore[arg-type]


def start(epoch: int = 1, messages: tuple[Message, ...] = ASKED, say: str = "") -> ReplyStart:
    return ReplyStart(t_ns=7, trace=3, epoch=epoch, messages=messages, say=say)


def text(events: Iterable[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, TokenMade))


def calls(events: Iterable[Event]) -> list[ToolCalled]:
    return [event for event in events if isinstance(event, ToolCalled)]


def only_written(events: list[Event]) -> ReplyWritten:
    assert [e for e in events if isinstance(e, ReplyWritten)] == events[-1:]
    last = events[-1]
    assert isinstance(last, ReplyWritten)
    return last


def test_an_answer_is_its_tokens_and_then_the_end() -> None:
    events = list(Thinker(engine()).on(start()))
    assert text(events) == "It is on the warm roof."
    written = only_written(events)
    assert (written.reason, written.tokens, written.error) == ("end", 6, "")
    assert all((e.t_ns, e.trace, e.epoch) == (7, 3, 1) for e in events)
    assert [e.index for e in events if isinstance(e, TokenMade)] == list(range(6))


def test_a_given_text_is_said_without_the_engine() -> None:
    llm = engine()
    events = list(Thinker(llm).on(start(say="Sorry.")))
    assert text(events) == "Sorry."
    assert only_written(events).reason == "end"
    assert llm.calls == 0


def test_the_length_is_bounded() -> None:
    events = list(Thinker(engine(), sampling=Sampling(max_tokens=3)).on(start()))
    assert only_written(events).reason == "length"
    assert text(events) == "It is on"


@pytest.mark.parametrize("at", range(7))
def test_a_cancel_lands_between_two_tokens_wherever_it_comes(at: int) -> None:
    thinker = Thinker(engine())
    events: list[Event] = []
    for event in thinker.on(start()):
        if len(events) == at:
            thinker.cancel(1)
        events.append(event)
    written = only_written(events)
    assert written.reason == ("cancelled" if at < 6 else "end")
    assert len(events) <= at + 2


def test_a_reply_cancelled_before_it_began_costs_nothing() -> None:
    llm = engine()
    thinker = Thinker(llm)
    thinker.cancel(1)
    events = list(thinker.on(start()))
    assert only_written(events).reason == "cancelled"
    assert llm.calls == 0


def test_the_next_reply_is_not_hurt_by_the_last_cancel() -> None:
    thinker = Thinker(engine())
    thinker.cancel(1)
    assert text(thinker.on(start(2))) == "It is on the warm roof."


def test_cancelled_while_the_prompt_was_evaluated_it_gives_no_token() -> None:
    llm = engine(prefill_token=Latency(1))
    thinker = Thinker(llm)
    spend = llm.clock.spend
    llm.clock.spend = lambda ns: (thinker.cancel(1), spend(ns))[1]  # type: ignore[method-assign]
    events = list(thinker.on(start()))
    assert only_written(events).reason == "cancelled"
    assert text(events) == ""


@pytest.mark.parametrize("kind", ["fail", "die"])
@pytest.mark.parametrize("at", [0, 2])
def test_an_engine_that_fails_is_reported_and_works_again(kind: str, at: int) -> None:
    thinker = Thinker(engine(faults={0: Fault(kind, at)}))
    written = only_written(events := list(thinker.on(start())))
    assert (written.reason, written.tokens) == ("failed", at)
    assert kind in written.error
    assert len(events) == at + 1
    assert only_written(list(thinker.on(start(2)))).reason == "end"


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_engine_killed_in_mid_reply_is_reported_and_replaced() -> None:
    settings = {"reply": "It is on the warm roof.", "token_ms": 20}
    llm = ProcessLlm("visavis.backends.llm.fake:load", Options(settings=settings))
    thinker = Thinker(llm)
    events: list[Event] = []
    for event in thinker.on(start()):
        if not events:
            assert llm.child is not None
            os.kill(llm.child.pid, signal.SIGKILL)
        events.append(event)
    written = only_written(events)
    assert written.reason == "failed"
    assert "died" in written.error
    assert text(thinker.on(start(2))) == "It is on the warm roof."
    thinker.close()


def test_an_empty_answer_is_a_failure() -> None:
    written = only_written(list(Thinker(engine(faults={0: Fault("nothing")})).on(start())))
    assert (written.reason, written.tokens) == ("failed", 0)


def test_blank_space_before_the_answer_is_not_spoken() -> None:
    thinker = Thinker(engine(script=lambda m, r: "\n\n  Yes, it is."))
    assert text(thinker.on(start())) == "Yes, it is."


def test_a_full_context_is_shortened_and_tried_again() -> None:
    thinker = Thinker(engine(faults={0: Fault("full"), 1: Fault("full")}))
    assert only_written(list(thinker.on(start()))).reason == "end"


def test_a_context_that_stays_full_fails_at_last() -> None:
    faults = {call: Fault("full") for call in range(20)}
    written = only_written(list(Thinker(engine(faults=faults)).on(start())))
    assert written.reason == "failed"
    assert "context" in written.error


def test_a_bug_ends_the_reply_and_is_not_hidden() -> None:
    def broken(messages: object, rng: object) -> str:
        raise ZeroDivisionError

    events: list[Event] = []
    with pytest.raises(ZeroDivisionError):
        events.extend(Thinker(engine(script=broken)).on(start()))
    thinker = Thinker(engine(script=broken)).on(start())
    assert only_written([next(iter(thinker))]).reason == "failed"


def prefill(messages: tuple[Message, ...]) -> PromptPrefill:
    return PromptPrefill(t_ns=5, trace=2, messages=messages)


def prefilled(thinker: Thinker, messages: tuple[Message, ...]) -> PromptPrefilled:
    (event,) = thinker.on(prefill(messages))
    assert isinstance(event, PromptPrefilled)
    return event


def test_what_was_prefilled_is_not_evaluated_again() -> None:
    thinker = Thinker(engine())
    assert prefilled(thinker, ()).complete
    partial = prefilled(thinker, (Message("user", "Where is"),))
    assert partial.cached_tokens > 20  # the opening
    written = only_written(list(thinker.on(start())))
    assert written.prompt_tokens - written.cached_tokens <= 3  # my cat? and the turn's end


def test_a_question_that_came_out_differently_costs_its_difference_only() -> None:
    thinker = Thinker(engine())
    prefilled(thinker, (Message("user", "Where is my hat"),))
    written = only_written(list(thinker.on(start())))
    assert written.prompt_tokens - written.cached_tokens <= 2


def test_a_prefill_is_abandoned_by_a_cancel() -> None:
    llm = engine(prefill_token=Latency(1))
    thinker = Thinker(llm)
    spend = llm.clock.spend
    llm.clock.spend = lambda ns: (thinker.cancel(0), spend(ns))[1]  # type: ignore[method-assign]
    assert not prefilled(thinker, (Message("user", "word " * 200),)).complete


def test_a_prefill_that_fails_is_no_failure() -> None:
    llm = engine(prefill_token=Latency(1))
    thinker = Thinker(llm)

    def fails(ns: int) -> None:
        raise EngineError("died")

    llm.clock.spend = fails  # type: ignore[method-assign]
    assert not prefilled(thinker, ASKED).complete


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 60))
def test_an_endless_session_never_fails_for_its_length(seed: int, length: int) -> None:
    llm = engine(context_tokens=160, seed=seed, token=Latency(0), prefill_token=Latency(0))
    thinker = Thinker(llm, sampling=Sampling(max_tokens=16))
    said: list[Message] = []
    for epoch in range(1, 40):
        said.append(Message("user", f"turn {epoch} " + "blah " * (seed * epoch % length)))
        events = list(thinker.on(start(epoch, tuple(said))))
        assert only_written(events).reason == "end"
        said.append(Message("assistant", text(events)))
        del said[:-64]


def test_time_is_the_clocks() -> None:
    clock = SimulatedClock()
    llm = FakeLlm(clock, token=Latency(10), prefill_token=Latency(1), script=lambda m, r: "Yes.")
    thinker = Thinker(llm)
    _, first_ns = clock.measure(lambda: list(thinker.on(start())))
    _, again_ns = clock.measure(lambda: list(thinker.on(start(2))))
    assert again_ns == (10 + 1) * NS_PER_MS  # a token, and the turn's end
    assert first_ns > again_ns


CALL = '<tool_call>{"name": "weather", "arguments": {"city": "Rome"}}</tool_call>'
WEATHER = Tool("weather", "Tells the weather.", {}, lambda arguments: "rain")


def caller(reply: str, **kwargs: object) -> Thinker:
    return Thinker(engine(script=lambda m, r: reply, **kwargs), tools=[WEATHER])


def test_a_call_is_given_in_its_place_and_is_no_text() -> None:
    events = list(caller(f"Let me see. {CALL}\n{CALL}").on(start()))
    assert text(events) == "Let me see. "
    assert [(c.call, c.name, c.arguments) for c in calls(events)] == [
        (0, "weather", '{"city": "Rome"}'),
        (1, "weather", '{"city": "Rome"}'),
    ]
    assert all((e.t_ns, e.trace, e.epoch) == (7, 3, 1) for e in events)
    assert [e.index for e in events if isinstance(e, TokenMade)] == list(range(4))
    assert only_written(events).reason == "end"


def test_a_call_alone_is_an_answer() -> None:
    events = list(caller(CALL).on(start()))
    assert text(events) == ""
    assert only_written(events).reason == "end"


def test_an_engine_that_makes_up_what_the_tool_says_is_stopped() -> None:
    llm = engine(script=lambda m, r: f"{CALL} It says: sunny. " + "And so on. " * 30)
    thinker = Thinker(llm, tools=[WEATHER])
    events = list(thinker.on(start()))
    assert text(events) == ""
    assert only_written(events).reason == "end"
    assert llm.made_tokens < 12
    assert only_written(list(thinker.on(start(2)))).reason == "end"


def test_a_call_that_was_cut_off_is_given_as_it_is() -> None:
    thinker = Thinker(
        engine(script=lambda m, r: CALL), tools=[WEATHER], sampling=Sampling(max_tokens=2)
    )
    (call,) = calls(thinker.on(start()))
    assert call.name == "call"


def test_after_so_many_results_no_more_calls_are_given() -> None:
    asked = (*ASKED, *[Message("system", "The tool weather says: rain")] * MOST_RESULTS)
    events = list(caller(CALL).on(start(messages=asked)))
    assert calls(events) == []
    written = only_written(events)
    assert (written.reason, written.tokens) == ("failed", 0)


def test_an_engine_that_fails_behind_a_call_has_said_something() -> None:
    events = list(caller(CALL + CALL, faults={0: Fault("fail", 6)}).on(start()))
    written = only_written(events)
    assert (written.reason, written.tokens) == ("failed", 1)
    assert len(calls(events)) == 1


@pytest.mark.parametrize("at", range(5))
def test_a_cancel_ends_a_reply_with_tools_as_soon(at: int) -> None:
    thinker = caller(f"Let me look. {CALL}{CALL}")
    events: list[Event] = []
    for event in thinker.on(start()):
        if len(events) == at:
            thinker.cancel(1)
        events.append(event)
    assert only_written(events).reason == "cancelled"
    assert len(events) <= at + 2


def test_without_tools_such_text_is_text() -> None:
    events = list(Thinker(engine(script=lambda m, r: CALL)).on(start()))
    assert text(events) == CALL
    assert calls(events) == []


def test_what_came_while_we_spoke_is_answered_last() -> None:
    shown: list[Message] = []
    llm = engine(script=lambda messages, r: (shown.extend(messages), "Yes.")[1])
    news = Message("system", "The tool weather says: rain")
    said = (*ASKED, news, Message("assistant", "Let me see."))
    assert text(Thinker(llm, tools=[WEATHER]).on(start(messages=said))) == "Yes."
    assert [(m.role, m.content) for m in shown[-2:]] == [
        ("assistant", "Let me see."),
        ("user", "(The tool weather says: rain)"),
    ]
