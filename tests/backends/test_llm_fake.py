"""The fake engine: the same seed gives the same run; time, memory and faults are as told."""

from __future__ import annotations

import random

import pytest

from visavis.backends.contract import Options, Sampling
from visavis.backends.llm.fake import FakeLlm, Fault, Latency, load, sentences
from visavis.flow.clock import NS_PER_MS, SimulatedClock
from visavis.flow.errors import EngineError, InputError
from visavis.flow.events import Message

ASKED = Message("user", "Where is my cat now?")


def reply(llm: FakeLlm, question: str = ASKED.content) -> str:
    return "".join(llm.open([Message("user", question)]).generate(Sampling()))


def test_the_same_seed_gives_the_same_run_to_the_nanosecond() -> None:
    def run() -> tuple[list[str], int]:
        clock = SimulatedClock()
        llm = FakeLlm(clock, seed=5)
        return clock.measure(lambda: [reply(llm, f"question {i}") for i in range(20)])

    assert run() == run()


def test_replies_differ_in_shape() -> None:
    replies = {sentences([ASKED], random.Random(seed)) for seed in range(50)}
    assert len(replies) > 20
    assert {text.count(".") > 1 for text in replies} == {True, False}


def test_it_takes_the_time_it_was_told() -> None:
    clock = SimulatedClock()
    llm = FakeLlm(
        clock, token=Latency(10), prefill_token=Latency(2), script=lambda m, r: "One two three."
    )
    _, spent_ns = clock.measure(lambda: reply(llm))
    prompt = 1 + 5 + 1  # the role, the words, the answer's role
    assert spent_ns == (prompt * 2 + 3 * 10) * NS_PER_MS


def test_chinese_comes_character_by_character() -> None:
    llm = FakeLlm(SimulatedClock(), script=lambda m, r: "你好，世界。OK then")
    pieces = list(llm.open([ASKED]).generate(Sampling()))
    assert pieces == ["你", "好", "，", "世", "界", "。", "OK", " then"]


def test_a_stall_costs_its_time() -> None:
    clock = SimulatedClock()
    llm = FakeLlm(clock, token=Latency(1), faults={0: Fault("stall", at=0, stall_ms=700)})
    _, spent_ns = clock.measure(lambda: reply(llm))
    assert spent_ns > 700 * NS_PER_MS


def test_dying_it_forgets_what_it_evaluated() -> None:
    llm = FakeLlm(SimulatedClock(), faults={1: Fault("die", at=0)})
    session = llm.open([ASKED])
    session.prefill()
    list(session.generate(Sampling()))
    assert session.usage().cached_tokens > 0
    with pytest.raises(EngineError):
        list(session.generate(Sampling()))
    assert session.prefill().cached_tokens == 0
    assert llm.stats()["restarts"] == 1


def test_at_a_fault_rate_some_calls_fail_and_others_do_not() -> None:
    llm, outcomes = FakeLlm(SimulatedClock(), fault_rate=0.5), set()
    for _ in range(60):
        try:
            outcomes.add(bool(reply(llm)))
        except EngineError:
            outcomes.add(None)
    assert outcomes == {True, False, None}


def test_as_a_backend_it_is_told_by_settings() -> None:
    faults = [{"kind": "fail", "call": 1, "at": 2}]
    llm = load(Options(settings={"reply": "Yes, I do.", "token_ms": 0, "faults": faults}))
    assert "".join(llm.open([ASKED]).generate(Sampling())) == "Yes, I do."
    with pytest.raises(EngineError):
        list(llm.open([ASKED]).generate(Sampling()))
    with pytest.raises(InputError):
        load(Options(settings={"faults": [{"kind": "flood"}]}))
