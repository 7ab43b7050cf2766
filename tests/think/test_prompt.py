"""The prompt keeps what was said, in the shape that chat templates want."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from visavis.flow.events import Message, View
from visavis.think.prompt import DEFAULT, answerable, arrange, opening
from visavis.think.tools import Tool

words = st.text(st.sampled_from("ab 你\n\ud83d"), max_size=6)
messages = st.lists(
    st.builds(Message, st.sampled_from(["user", "assistant", "system"]), words), max_size=12
)


def user(text: str) -> Message:
    return Message("user", text)


def ours(text: str) -> Message:
    return Message("assistant", text)


def remark(text: str) -> Message:
    return Message("system", text)


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


def test_pictures_stand_before_all_the_words_of_their_turn() -> None:
    first = Message("user", "Is this one", (View("a"),))
    second = Message("user", "larger than this?", (View("b"),))
    assert arrange([first, remark("It is dark."), second]) == (
        Message("user", "Is this one\n(It is dark.)\nlarger than this?", (View("a"), View("b"))),
    )


def test_a_picture_without_words_yet_is_a_turn() -> None:
    shown = Message("user", "", (View("a"),))
    assert arrange([user("Hi."), ours("Hello."), shown])[-1] == shown
    (turn,) = arrange([ours("Hello."), shown])
    assert (turn.content, turn.views) == ("(You said: Hello.)", (View("a"),))


def test_a_greeting_of_ours_is_told_to_the_engine_as_said() -> None:
    assert arrange([ours("Welcome!"), user("Thanks.")]) == (user("(You said: Welcome!)\nThanks."),)


def test_a_remark_on_the_situation_goes_with_the_words_after_it() -> None:
    said = [user("Hi."), ours("Hi!"), remark("the camera is dark"), user("What do you see?")]
    assert arrange(said)[-1] == user("(the camera is dark)\nWhat do you see?")


@given(messages)
def test_every_remark_is_shown_in_its_place(said: list[Message]) -> None:
    shown = "".join("".join(turn.content.split()) for turn in arrange(said))
    at = 0
    for message in said:
        letters = "".join(message.content.encode("utf-8", "ignore").decode().split())
        at = shown.index(letters, at) + len(letters)


def test_a_remark_with_no_words_after_it_is_the_users_last_turn() -> None:
    asked, news = user("Will it rain?"), remark("The tool weather says: rain")
    assert arrange([asked, news]) == (user("Will it rain?\n(The tool weather says: rain)"),)
    assert arrange([asked, ours("Let me see."), news])[1:] == (
        ours("Let me see."),
        user("(The tool weather says: rain)"),
    )


def test_a_remark_that_was_answered_stays_before_its_answer() -> None:
    told = [user("Will it rain?"), remark("rain"), ours("Yes.")]
    before = arrange(told)
    assert before == (user("Will it rain?\n(rain)"), ours("Yes."))
    assert arrange([*told, user("Thanks.")]) == (*before, user("Thanks."))


def test_what_a_tool_brought_while_we_spoke_is_what_is_to_be_answered() -> None:
    asked, news, spoken = user("Will it rain?"), remark("rain"), ours("Let me see.")
    assert answerable((asked, news, news, spoken)) == (asked, spoken, news, news)
    for said in ((), (asked,), (asked, spoken, news), (asked, spoken, user("No."))):
        assert answerable(said) == said


def test_the_users_own_system_text_stands_alone() -> None:
    assert opening("  Speak like a pirate. ").messages() == (
        Message("system", "Speak like a pirate."),
    )


def test_the_default_speaks_the_language_and_falls_back_to_english() -> None:
    assert opening("", "zh-CN") is DEFAULT["zh"]
    assert opening("", "fi") is DEFAULT["en"]
    assert opening("", "") is DEFAULT["en"]


def weather() -> Tool:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    return Tool("weather", "Tells the weather of a {city}: 天气.", schema, lambda a: "")


def test_tools_are_listed_behind_the_system_text_with_the_form_of_a_call() -> None:
    for language, default in DEFAULT.items():
        shown = opening("", language, [weather(), Tool("now", "Tells the time.", {}, str)])
        assert shown.examples == default.examples
        assert shown.system.startswith(default.system)
        assert '"name": "weather", "description": "Tells the weather of a {city}: 天气."' in (
            shown.system
        )
        assert '"name": "now"' in shown.system
        assert "<tool_call>\n{" in shown.system
        assert "}\n</tool_call>" in shown.system


def test_tools_are_listed_behind_the_users_own_system_text_too() -> None:
    shown = opening("Speak like a pirate.", "en", [weather()])
    assert shown.system.startswith("Speak like a pirate.\n")
    assert "weather" in shown.system


def test_every_default_opens_with_the_system_and_strict_turns() -> None:
    for default in DEFAULT.values():
        system, *examples = default.messages()
        assert system.role == "system"
        assert arrange(examples) == tuple(examples)
