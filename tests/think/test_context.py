"""The window: a conversation without end fits, and its prompt changes at the end only."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.flow.errors import ContextFull
from visavis.flow.events import Message
from visavis.think.context import Window, estimate

CONTEXT, REPLY = 512, 64
SYSTEM = (Message("system", "Answer briefly."),)
BOUND = 64  # what the session keeps of its history


def tokens(messages: tuple[Message, ...], a_letter: float = 0.25) -> int:
    """An engine's count: some tokens a letter, and a few for each turn."""
    return sum(round(len(m.content) * a_letter) + 4 for m in messages)


def dialogue(turns: int, seed: int = 0, length: int = 12) -> list[Message]:
    rng = random.Random(seed)
    roles = ("user", "assistant")
    return [
        Message(roles[i % 2], " ".join(f"w{i}{rng.randrange(9)}" for _ in range(length)))
        for i in range(turns)
    ]


def test_a_short_conversation_is_shown_whole() -> None:
    said = dialogue(5)
    assert Window(CONTEXT, REPLY, SYSTEM).fit(said) == (*SYSTEM, *said)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 40), st.floats(0.15, 1.5))
def test_an_endless_session_never_fails(seed: int, length: int, a_letter: float) -> None:
    window, said = Window(CONTEXT, REPLY, SYSTEM), dialogue(400, seed, length)
    refusals = 0
    for end in range(1, len(said), 2):
        heard = said[max(0, end - BOUND) : end]
        for _ in range(8):
            shown = window.fit(heard)
            count = tokens(shown, a_letter)
            if count <= CONTEXT:
                break
            refusals += 1
            window.overflow(shown, ContextFull(count, CONTEXT))
        assert count <= CONTEXT
        assert shown[0].content.startswith("Answer briefly.")
        assert shown[-1].content
        assert heard[-1].content.endswith(shown[-1].content)
        window.learn(shown, count)
    assert refusals <= 8  # it learns, and stays so


def test_the_prompt_only_grows_between_two_folds() -> None:
    window, said = Window(CONTEXT, REPLY, SYSTEM), dialogue(300)
    breaks, before = 0, window.fit([])
    for end in range(1, len(said), 2):
        shown = window.fit(said[max(0, end - BOUND) : end])
        breaks += shown[: len(before)] != before
        before = shown
        window.learn(shown, tokens(shown))
    assert 5 < breaks < 150 / 5  # a fold makes room for five exchanges or more


def test_words_that_come_in_one_by_one_change_the_last_turn_only() -> None:
    window, said = Window(CONTEXT, REPLY, SYSTEM), dialogue(21)
    base = window.fit([*said, Message("assistant", "Yes.")])
    for words in ("what", "what is", "what is this"):
        shown = window.fit([*said, Message("assistant", "Yes."), Message("user", words)])
        assert shown == (*base, Message("user", words))


def test_what_is_folded_is_remembered_in_a_line() -> None:
    window = Window(CONTEXT, REPLY, SYSTEM)
    said = [Message("user", "My name is Ada Lovelace."), Message("assistant", "Hello Ada.")]
    shown = window.fit([*said, *dialogue(60)])
    assert "My name is Ada" in window.fit([*said, *dialogue(40)])[0].content or shown
    assert len(shown[0].content) < 400


def test_it_folds_when_idle_rather_than_when_someone_waits() -> None:
    said = dialogue(1)
    window = Window(CONTEXT, REPLY, SYSTEM)
    while window.fit(said)[0] == SYSTEM[0]:
        role = "assistant" if said[-1].role == "user" else "user"
        said.append(Message(role, "w " * 12))
    assert said[-1].role == "assistant"


def test_a_question_longer_than_the_window_keeps_its_end() -> None:
    window = Window(CONTEXT, REPLY, SYSTEM)
    shown = window.fit([Message("user", "so " * 4000 + "what is the time?")])
    assert shown[-1].content.endswith("what is the time?")
    assert tokens(shown) <= CONTEXT


def test_a_system_text_longer_than_the_window_keeps_its_beginning() -> None:
    window = Window(CONTEXT, REPLY, (Message("system", "Be brief. " + "and so on " * 900),))
    shown = window.fit([Message("user", "Hello?")])
    assert shown[0].content.startswith("Be brief.")
    assert shown[-1] == Message("user", "Hello?")
    assert tokens(shown) <= CONTEXT


def test_another_conversation_begins_anew() -> None:
    window = Window(CONTEXT, REPLY, SYSTEM)
    assert window.fit(dialogue(60))[0] != SYSTEM[0]
    other = dialogue(3, seed=7)
    assert window.fit(other) == (*SYSTEM, *other)


def test_every_shown_part_begins_with_the_user() -> None:
    window = Window(CONTEXT, REPLY, SYSTEM)
    for turns in range(1, 120):
        assert window.fit(dialogue(turns))[1].role == "user"


def test_wide_scripts_count_for_more() -> None:
    assert estimate("你好世界") > estimate("four")
    assert estimate("") == 0


def test_after_everything_was_folded_the_next_exchanges_are_shown() -> None:
    window, said = Window(CONTEXT, REPLY, SYSTEM), dialogue(BOUND - 1)
    said[-1] = Message("user", "so " * 4000)  # room for nothing else
    assert len(window.fit(said)) == 2
    said = [*said[2:], Message("assistant", "Yes."), Message("user", "Why?")]
    said[-3] = Message("user", "short after all")
    assert window.fit(said)[1:] == tuple(said[-3:])


def test_words_that_repeat_do_not_mislead_it() -> None:
    window = Window(CONTEXT, REPLY, SYSTEM)
    said = [Message(role, "yes") for role in ("user", "assistant") * 200]
    sizes = [len(window.fit(said[max(0, end - BOUND) : end])) for end in range(1, 399, 2)]
    assert max(sizes) <= 42
    assert min(sizes[20:]) >= 6


def told(*results: str) -> list[Message]:
    """A question, and what tools brought for it."""
    return [Message("user", "Will it rain?"), *(Message("system", text) for text in results)]


def test_what_a_tool_brought_is_shown_with_its_question() -> None:
    shown = Window(CONTEXT, REPLY, SYSTEM).fit(told("rain"))
    assert shown == (*SYSTEM, Message("user", "Will it rain?\n(rain)"))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 40), st.integers(1, 8), st.integers(1, 2_000), st.floats(0.15, 1.5))
def test_results_of_any_length_fit_and_keep_their_question(
    turns: int, results: int, length: int, a_letter: float
) -> None:
    window = Window(CONTEXT, REPLY, SYSTEM)
    said = [*dialogue(turns * 2), *told(*(f"result {n} " + "x" * length for n in range(results)))]
    for _ in range(8):
        shown = window.fit(said)
        if (count := tokens(shown, a_letter)) <= CONTEXT:
            break
        window.overflow(shown, ContextFull(count, CONTEXT))
    assert count <= CONTEXT
    assert "rain?" in shown[-1].content
    assert shown[-1].content.count("(r") == results


def test_of_results_too_long_the_beginnings_are_kept_and_short_ones_whole() -> None:
    shown = Window(CONTEXT, REPLY, SYSTEM).fit(told("The tide " + "x " * 4_000, "The wind: 4"))
    assert "Will it rain?\n(The tide x x x" in shown[-1].content
    assert shown[-1].content.endswith("x)\n(The wind: 4)")
    assert tokens(shown) > (CONTEXT - REPLY) / 2


def test_an_answered_result_stays_where_it_was_shown() -> None:
    window, said = Window(CONTEXT, REPLY, SYSTEM), told("rain")
    before = window.fit(said)
    said += [Message("assistant", "Yes."), Message("user", "Thanks.")]
    assert window.fit(said)[: len(before)] == before
