"""Calls are found wherever the text is cut; nothing of them is text, and no text is lost."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from visavis.flow.events import Message
from visavis.think.calls import (
    BROKEN,
    MOST_CHARS,
    Call,
    Finder,
    parted,
    read,
    results_since_asked,
    worth,
)

ROME = Call("weather", '{"city": "Rome"}')
WRITTEN = '<tool_call>\n{"name": "weather", "arguments": {"city": "Rome"}}\n</tool_call>'


def joined(parts: list[str | Call]) -> list[str | Call]:
    """With neighbouring texts as one."""
    whole: list[str | Call] = []
    for part in parts:
        if whole and isinstance(part, str) and isinstance(whole[-1], str):
            whole[-1] += part
        else:
            whole.append(part)
    return whole


def found(text: str) -> list[str | Call]:
    return joined(list(parted([text])))


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted(place % (len(text) + 1) for place in places)
    return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]


fragments = st.lists(
    st.sampled_from(
        [
            "Let me see. ",
            "<",
            "<tool",
            "<tool_call>",
            "</tool_call>",
            "<think>",
            "</think>",
            '{"name": "weather", "arguments": {}}',
            "{",
            "你好",
            "a < b ",
            WRITTEN,
        ]
    ),
    max_size=8,
).map("".join)


@given(fragments, st.lists(st.integers(0, 10_000), max_size=12))
@example(WRITTEN, list(range(len(WRITTEN))))
def test_however_the_text_is_cut_the_same_is_found(text: str, places: list[int]) -> None:
    assert joined(list(parted(cut(text, places)))) == found(text)


@given(st.text(alphabet="<>/_{}tholcalink ab\n", max_size=60), st.lists(st.integers(0, 99)))
def test_a_text_without_marks_is_given_whole(text: str, places: list[int]) -> None:
    if "<tool_call>" not in text and "</tool_call>" not in text:
        assert "".join(str(part) for part in parted(cut(text, places))) == text


@given(fragments)
def test_nothing_of_a_call_is_text(text: str) -> None:
    said = "".join(part for part in parted(list(text)) if isinstance(part, str))
    thoughts = said.count("<think>")
    assert "<tool_call>" not in said or thoughts


@given(st.text(max_size=200), st.integers(1, 40))
def test_all_but_the_beginning_of_a_mark_is_given_at_once(text: str, size: int) -> None:
    finder, fed, given_ = Finder(), 0, 0
    for at in range(0, len(text), size):
        piece = text[at : at + size]
        fed += len(piece)
        given_ += sum(len(part) for part in finder.feed(piece) if isinstance(part, str))
        if "<tool_call>" not in text and "</tool_call>" not in text:
            assert fed - given_ < len("</tool_call>")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (WRITTEN, [ROME]),
        (f"Let me see.\n{WRITTEN}\n", ["Let me see.\n", ROME, "\n"]),
        (WRITTEN + WRITTEN, [ROME, ROME]),
        (WRITTEN.replace("</tool_call>", ""), [ROME]),  # the end mark was a stop for the engine
        (WRITTEN.replace("</tool_call>", WRITTEN), [ROME, ROME]),  # a beginning for an end
        (f"{WRITTEN}</tool_call>", [ROME]),
        ("<tool_call></tool_call>", []),
        ("Yes. <tool_ca", ["Yes. <tool_ca"]),
        ("a <b>bold</b> word", ["a <b>bold</b> word"]),
        (
            f"<think>I could write {WRITTEN}.</think>No.",
            [f"<think>I could write {WRITTEN}.</think>No."],
        ),
        (f"<think>Hm.</think>{WRITTEN}", ["<think>Hm.</think>", ROME]),
    ],
)
def test_text_and_calls_come_in_their_order(text: str, parts: list[str | Call]) -> None:
    assert found(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"name": "weather", "arguments": {"city": "Rome"}}\n```',
        '{"name": "weather", "arguments": {"city": "Rome"}}',
        "The tag tool_call begins a call.",
    ],
)
def test_json_without_the_tags_is_text(text: str) -> None:
    assert found(text) == [text]


@pytest.mark.parametrize(
    ("body", "calls"),
    [
        ('{"name": "weather", "arguments": {"city": "Rome"}}', [ROME]),
        ('{"name": "weather", "parameters": {"city": "Rome"}}', [ROME]),
        ('{"name": "weather", "arguments": "{\\"city\\": \\"Rome\\"}"}', [ROME]),
        ('{"function": {"name": " weather ", "arguments": {"city": "Rome"}}}', [ROME]),
        ('[{"name": "weather", "arguments": {"city": "Rome"}}]', [ROME]),
        ('{"name": "now"}{"name": "now", "arguments": null}', [Call("now", "{}")] * 2),
        ('{"name": "now"};\n{"name": "now"},', [Call("now", "{}")] * 2),
        ('{"name": "now"}}', [Call("now", "{}")]),
        ('```json\n{"name": "now"}\n```', [Call("now", "{}")]),
        ('{"name": "say", "arguments": {"text": "你好"}}', [Call("say", '{"text": "你好"}')]),
        ('{"name": "now", "arguments": 5}', [Call("now", "5")]),
        ("", []),
        ("[]", []),
    ],
)
def test_the_forms_that_models_write_are_read(body: str, calls: list[Call]) -> None:
    assert read(body) == calls


@pytest.mark.parametrize(
    "body",
    [
        '{"name": "weather", "arguments": {"city": "Rome"',
        "{'name': 'weather'}",
        "weather(Rome)",
        '{"arguments": {}}',
        '{"name": ""}',
        '{"name": 7}',
        "17",
        "[" * 5_000,
    ],
)
def test_what_cannot_be_read_is_a_broken_call_and_not_mended(body: str) -> None:
    (call,) = read(body)
    assert call.name == BROKEN


def test_a_call_without_end_is_bounded_and_broken() -> None:
    finder = Finder()
    assert list(finder.feed("Yes.<tool_call>")) == ["Yes."]
    for _ in range(100):
        assert list(finder.feed('{"name": "weather", ' + "x" * 1_000)) == []
    (call,) = finder.end()
    assert isinstance(call, Call)
    assert call.name == BROKEN
    assert len(call.arguments) <= MOST_CHARS


def test_a_call_too_long_to_be_json_gives_way_to_the_text_behind_it() -> None:
    long = json.dumps({"name": "weather", "arguments": {"city": "R" * 2 * MOST_CHARS}})
    parts = found(f"<tool_call>{long}</tool_call>Yes.")
    assert [part.name if isinstance(part, Call) else part for part in parts] == [BROKEN, "Yes."]


def test_what_follows_the_calls_is_not_worth_having() -> None:
    made_up = "The tool says: sunny."
    assert list(worth(["Yes. ", ROME, "\n", ROME, made_up, ROME], 8)) == ["Yes. ", ROME, ROME]


def test_calls_are_counted() -> None:
    assert list(worth([ROME] * 20, 3)) == [ROME] * 3
    assert list(worth(["Well. ", ROME], 0)) == ["Well. "]


def test_results_count_from_the_users_newest_words_on() -> None:
    user, ours, result = (Message(role, "x") for role in ("user", "assistant", "system"))
    assert results_since_asked([result, user, result, ours, result]) == 2
    assert results_since_asked([result, user]) == 0
    assert results_since_asked([]) == 0


@pytest.mark.parametrize(
    "body", [r'{"name": "a\ud800", "arguments": {"x": "\ud83d"}}', r'"\ud800"']
)
def test_a_call_holds_whole_characters_only(body: str) -> None:
    for call in read(body):
        assert (call.name + call.arguments).encode("utf-8")
