"""The thinker with eyes: what reaches the engine, what stays, and what is told in words."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.pictures import picture
from visavis.backends.contract import Media, Sampling
from visavis.backends.llm.fake import FakeLlm, Fault, Latency
from visavis.flow.clock import SimulatedClock
from visavis.flow.events import (
    Event,
    MemoryRecalled,
    Message,
    PromptPrefill,
    PromptPrefilled,
    ReplyStart,
    ReplyWritten,
    TokenMade,
    View,
    ViewDescribe,
    ViewDescribed,
    ViewTaken,
)
from visavis.think.decode import Thinker

PICTURES = [picture(colour, side=16) for colour in ("red", "lime", "blue", "black", "yellow")]
COST = 64


class Seeing:
    """A thinker whose engine notes what it is shown with each answer."""

    def __init__(self, **engine: object) -> None:
        self.shown: list[Sequence[Message]] = []
        settings: dict[str, object] = {
            "picture_tokens": COST,
            "token": Latency(0),
            "prefill_token": Latency(0),
            "script": self._note,
            **engine,
        }
        self.clock = SimulatedClock()
        self.llm = FakeLlm(self.clock, **settings)  # type: ignore[arg-type]
        self.thinker = Thinker(self.llm, sampling=Sampling(max_tokens=32))
        self.said: list[Message] = []
        self.epoch = 0

    def _note(self, messages: Sequence[Message], rng: object) -> str:
        self.shown.append(tuple(messages))
        return "It is a cup. And more of"

    def look(self, *pictures: Media) -> None:
        for each in pictures:
            event = ViewTaken(t_ns=0, view=View(each.id), moment_ns=0, reason="q", data=each.data)
            assert list(self.thinker.on(event)) == []

    def ask(self, words: str, *views: View) -> ReplyWritten:
        self.epoch += 1
        self.said.append(Message("user", words, views))
        start = ReplyStart(t_ns=0, epoch=self.epoch, messages=tuple(self.said))
        *events, written = self.thinker.on(start)
        assert isinstance(written, ReplyWritten)
        text = "".join(event.text for event in events if isinstance(event, TokenMade))
        self.said.append(Message("assistant", text))
        return written

    def prefill(self, words: str, *views: View) -> PromptPrefilled:
        messages = (*self.said, Message("user", words, views))
        (event,) = self.thinker.on(PromptPrefill(t_ns=0, messages=messages))
        assert isinstance(event, PromptPrefilled)
        return event

    def describe(self, view: View) -> str:
        command = ViewDescribe(t_ns=0, view=view, messages=tuple(self.said))
        self.thinker.coming(command)
        (event,) = self.thinker.on(command)
        assert isinstance(event, ViewDescribed)
        assert event.id == view.id
        return event.text

    @property
    def pictures(self) -> list[str]:
        """What the engine was shown with its last answer."""
        return [view.id for message in self.shown[-1] for view in message.views]


@pytest.fixture
def seeing() -> Seeing:
    return Seeing()


RED, LIME, *_ = (View(each.id) for each in PICTURES)


def test_a_picture_reaches_the_engine_before_the_words(seeing: Seeing) -> None:
    seeing.look(PICTURES[0])
    blind = seeing.ask("What is this?").prompt_tokens
    seeing.said.clear()
    assert seeing.ask("What is this?", RED).prompt_tokens == blind + COST
    assert seeing.pictures == [RED.id]
    assert seeing.shown[-1][-1].content == "What is this?"


def test_what_was_seen_early_is_evaluated_once(seeing: Seeing) -> None:
    seeing.look(PICTURES[0])
    early = seeing.prefill("", RED)
    assert early.complete
    late = seeing.prefill("What is", RED)
    assert late.prompt_tokens - late.cached_tokens <= 3
    written = seeing.ask("What is this?", RED)
    assert written.prompt_tokens - written.cached_tokens <= 3
    again = seeing.ask("What colour is it?", RED)
    assert again.cached_tokens >= written.prompt_tokens - 1


def test_a_view_seen_again_needs_no_bytes(seeing: Seeing) -> None:
    seeing.look(PICTURES[0], Media(RED.id, b""))
    seeing.ask("What is this?", RED)
    assert seeing.pictures == [RED.id]


def test_what_is_remembered_can_be_shown(seeing: Seeing) -> None:
    old = PICTURES[1]
    event = MemoryRecalled(t_ns=0, view=View(old.id), ago_ms=9e4, data=old.data)
    assert list(seeing.thinker.on(event)) == []
    seeing.ask("What did I show you before?", View(old.id))
    assert seeing.pictures == [old.id]


def test_without_its_bytes_a_view_is_its_words(seeing: Seeing) -> None:
    assert seeing.ask("What is this?", View("gone", text="a hat")).reason == "end"
    assert seeing.pictures == []
    assert seeing.shown[-1][-1].content == "(You see: a hat)\nWhat is this?"


def test_an_engine_that_cannot_see_gets_words_alone() -> None:
    seeing = Seeing(picture_tokens=0)
    seeing.look(PICTURES[0])
    assert seeing.ask("What is this?", View(RED.id, text="EXIT")).reason == "end"
    assert seeing.pictures == []
    assert "EXIT" in seeing.shown[-1][-1].content
    assert seeing.describe(RED) == ""


def test_a_picture_that_the_engine_cannot_read_does_not_cost_the_answer(seeing: Seeing) -> None:
    seeing.look(PICTURES[0])
    seeing.ask("What is this?", RED)
    seeing.look(Media("broken", b"no picture at all"))
    assert seeing.ask("And this?", View("broken", text="a hat")).reason == "end"
    assert seeing.pictures == [RED.id]
    assert "a hat" in seeing.shown[-1][-1].content


def test_an_engine_that_fails_for_itself_is_not_asked_twice() -> None:
    seeing = Seeing(faults={1: Fault("fail")})
    seeing.look(PICTURES[0])
    seeing.ask("What is this?", RED)
    assert seeing.ask("What colour is it?", RED).reason == "failed"
    assert seeing.ask("What colour is it?", RED).reason == "end"
    assert seeing.pictures == [RED.id]


@settings(max_examples=25, deadline=None)
@given(
    scenes=st.lists(st.integers(0, 4), min_size=40, max_size=40),
    length=st.integers(1, 60),
    most=st.integers(1, 3),
    cost=st.sampled_from((18, 64, 640)),
)
def test_forty_picture_questions_fit_a_context_of_4096(
    scenes: list[int], length: int, most: int, cost: int
) -> None:
    seeing = Seeing(context_tokens=4096, most_pictures=most, picture_tokens=cost)
    for turn, scene in enumerate(scenes):
        seeing.look(PICTURES[scene])
        known = [View(each.id, text=f"scene {n}") for n, each in enumerate(PICTURES)]
        seeing.said = [
            Message(m.role, m.content, tuple(known[PICTURES.index(_by_id(v.id))] for v in m.views))
            for m in seeing.said
        ]
        question = f"Question {turn}: " + "what about it, " * length + "tell me?"
        assert seeing.ask(question, known[scene]).reason == "end"
        shown = seeing.shown[-1]
        assert PICTURES[scene].id in seeing.pictures
        assert len(seeing.pictures) <= most
        assert shown[-1].content.endswith(question)
        older = [m for m in seeing.said[:-2] if m.role == "user"]
        if older and older[-1].views[0].id not in seeing.pictures:
            assert any(f"(You see: {older[-1].views[0].text})" in m.content for m in shown)


def _by_id(view_id: str) -> Media:
    return next(each for each in PICTURES if each.id == view_id)


def test_questions_about_one_scene_evaluate_their_own_words_only() -> None:
    seeing = Seeing(context_tokens=4096)
    seeing.look(PICTURES[0])
    fresh = []
    for turn in range(12):
        written = seeing.ask(f"Question {turn}?", RED)
        fresh.append(written.prompt_tokens - written.cached_tokens)
    # The picture is shown anew when it has come to lie too far back, which is every fourth time.
    assert fresh[0] > COST
    assert [count > COST for count in fresh[1:]] == [False, False, False, True] * 2 + [False] * 3
    assert max(count for count in fresh[1:] if count <= COST) <= 8


# ── descriptions ─────────────────────────────────────────────────────────────────────────────


def test_a_view_is_put_into_whole_sentences(seeing: Seeing) -> None:
    seeing.look(PICTURES[0])
    seeing.ask("Hello.", RED)
    assert seeing.describe(RED) == "It is a cup. And more of"
    assert seeing.shown[-1][-1].content == "What do you see?"
    assert seeing.pictures == [RED.id]


def test_a_description_that_was_cut_off_ends_with_its_last_sentence() -> None:
    seeing = Seeing(script=lambda m, r: "It is a cup. And " + "then " * 60)
    seeing.look(PICTURES[0])
    assert seeing.describe(RED) == "It is a cup."


def test_it_asks_in_the_language_of_the_session() -> None:
    seeing = Seeing()
    seeing.thinker = Thinker(seeing.llm, language="zh")
    seeing.look(PICTURES[0])
    seeing.describe(RED)
    assert seeing.shown[-1][-1].content.startswith("你看到了什么")


def test_what_is_asked_next_is_not_disturbed_by_a_description(seeing: Seeing) -> None:
    seeing.look(PICTURES[0])
    seeing.ask("What is this?", RED)
    seeing.describe(RED)
    written = seeing.ask("What colour is it?", RED)
    assert written.prompt_tokens - written.cached_tokens <= 16


@pytest.mark.parametrize("after", [0, 2])
def test_any_later_command_ends_a_description(after: int) -> None:
    seeing = Seeing(token=Latency(1))
    seeing.look(PICTURES[0])
    later = PromptPrefill(t_ns=0, messages=(Message("user", "Wait", (LIME,)),))
    spend, spent = seeing.clock.spend, []

    def interrupted(ns: int) -> None:
        spent.append(ns)
        if len(spent) == after + 8:
            seeing.thinker.coming(later)
        spend(ns)

    seeing.clock.spend = interrupted  # type: ignore[method-assign]
    assert seeing.describe(RED) == ""


def test_a_description_that_is_out_of_date_is_not_begun(seeing: Seeing) -> None:
    seeing.look(PICTURES[0])
    command = ViewDescribe(t_ns=0, view=RED, messages=())
    seeing.thinker.coming(command)
    seeing.thinker.coming(PromptPrefill(t_ns=0, messages=()))
    (event,) = seeing.thinker.on(command)
    assert isinstance(event, ViewDescribed)
    assert event.text == ""
    assert seeing.llm.calls == 0


@pytest.mark.parametrize(("view", "complete"), [(LIME, False), (RED, True)])
def test_an_early_look_gives_way_to_another_picture_alone(view: View, complete: bool) -> None:
    seeing = Seeing(prefill_token=Latency(1))
    seeing.look(*PICTURES[:2])
    later = PromptPrefill(t_ns=0, messages=(Message("user", "Wait", (view,)),))
    spend = seeing.clock.spend

    def interrupted(ns: int) -> None:
        seeing.thinker.coming(later)
        spend(ns)

    seeing.clock.spend = interrupted  # type: ignore[method-assign]
    assert seeing.prefill("", RED).complete == complete


def test_events_that_are_no_commands_interrupt_nothing(seeing: Seeing) -> None:
    event: Event = ViewTaken(t_ns=0, view=RED, moment_ns=0, reason="q")
    seeing.look(PICTURES[0])
    command = ViewDescribe(t_ns=0, view=RED, messages=())
    seeing.thinker.coming(command)
    seeing.thinker.coming(event)
    (described,) = seeing.thinker.on(command)
    assert isinstance(described, ViewDescribed)
    assert described.text
