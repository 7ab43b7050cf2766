"""The prompt keeps what was said, in the shape that chat templates want."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from visavis.flow.events import Message
from visavis.think.prompt import DEFAULT, arrange, opening

words = st.text(st.sampled_from("ab 你\n\ud83d"), max_size=6)
messages = st.lists(
    st.builds(Message, st.sampled_from(["user", "assistant", "system"]), words), max_size=12
)


def user(text: str) -> Message:
    return Message("user", text)


def ours(text: str) -> Message:
    return Message("assistant", text)


@given(messages)
def test_turns_alternate_from_the_user_on_and_none_is_empty(said: list[Message]) -> None:
    turns = arrange(said)
    assert [turn.role for turn in turns] == (["user", "assistant"] * len(turns))[: len(turns)]
    assert all(turn.content.strip() for turn in turns)
    for turn in turns:
        turn.content.encode()  # no half characters


@given(messages)
def test_every_word_of_the_dialogue_stays_in_its_order(said: list[Message]) -> None:
    def letters(text: str) -> str:
        return "".join(text.encode("utf-8", "ignore").decode().split())

    spoken = [message for message in said if message.role != "system"]
    shown = letters("".join(turn.content for turn in arrange(spoken)))
    assert shown.replace("(Yousaid:", "").replace(")", "") == letters(
        "".join(message.content for message in spoken)
    )


def test_a_plain_dialogue_is_left_as_it_is() -> None:
    dialogue = (user("Hello."), ours("Hi!"), user("What time is it?"))
    assert arrange(dialogue) == dialogue


def test_a_question_that_got_no_answer_joins_the_next() -> None:
    assert arrange([user("What time is it"), user("in Rome?")]) == (
        user("What time is it\nin Rome?"),
    )


def test_a_greeting_of_ours_is_told_to_the_engine_as_said() -> None:
    assert arrange([ours("Welcome!"), user("Thanks.")]) == (user("(You said: Welcome!)\nThanks."),)


def test_a_remark_on_the_situation_goes_with_the_words_after_it() -> None:
    remark = Message("system", "the camera is dark")
    assert arrange([user("Hi."), ours("Hi!"), remark, user("What do you see?")])[-1] == user(
        "(the camera is dark)\nWhat do you see?"
    )


def test_the_users_own_system_text_stands_alone() -> None:
    assert opening("  Speak like a pirate. ").messages() == (
        Message("system", "Speak like a pirate."),
    )


def test_the_default_speaks_the_language_and_falls_back_to_english() -> None:
    assert opening("", "zh-CN") is DEFAULT["zh"]
    assert opening("", "fi") is DEFAULT["en"]
    assert opening("", "") is DEFAULT["en"]


def test_every_default_opens_with_the_system_and_strict_turns() -> None:
    for default in DEFAULT.values():
        system, *examples = default.messages()
        assert system.role == "system"
        assert arrange(examples) == tuple(examples)
