"""Code and thoughts are hidden, what only names their marks is not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.speak.hidden import Hidden
from visavis.speak.speakable import Speakable


def speak(*phrases: str) -> list[str]:
    speakable = Speakable()
    return [speakable.speak(phrase) for phrase in phrases]


def outside(*phrases: str) -> list[str]:
    hidden = Hidden()
    return "".join(map(hidden.outside, phrases)).split()


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        (["你好~~~今天怎么样？", "我很好。"], ["你好 今天怎么样？", "我很好。"]),
        (["So cute~~~ I love it. ", "Do you?"], ["So cute I love it.", "Do you?"]),
        (["So cute~~~\n", "I love it."], ["So cute", "I love it."]),
        (["~~~so nice, ", "I love it."], ["so nice,", "I love it."]),
        (["Use ``` to start a block. ", "Then go."], ["Use to start a block.", "Then go."]),
        (["Begin with ```\n", "end with ```\n", "Go."], ["Begin with", "end with", "Go."]),
        (["Use the <think> tag to reason. ", "It helps."], ["Use the tag to reason.", "It helps."]),
        (["使用<think>标签来推理。", "很有用。"], ["使用 标签来推理。", "很有用。"]),
        (["Tags, e.g. <think>, help. ", "Yes."], ["Tags, for example, help.", "Yes."]),
        (["1. <think> opens it.\n", "Yes."], ["one. opens it.", "Yes."]),
        (["- <think>: opens it.\n", "Yes."], ["opens it.", "Yes."]),
        (["Both <think> and </think> are. ", "Yes."], ["Both and are.", "Yes."]),
    ],
)
def test_a_mark_named_in_a_sentence_silences_nothing(written: list[str], spoken: list[str]) -> None:
    assert speak(*written) == spoken


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        (["Run ```ls -l``` now. ", "Then go."], ["Run ls -l now.", "Then go."]),
        (["```ls -l``` lists. ", "Good."], ["ls -l lists.", "Good."]),
        (["Run ```a```b\n", "Good."], ["Run ab", "Good."]),
        (["```ls a. ", "Then b``` lists. ", "Good."], ["", "lists.", "Good."]),
        (["```ls a. ", "b``` <think> so. ", "Good."], ["", "so.", "Good."]),
    ],
)
def test_a_pair_of_fences_in_one_line_is_inline_code(written: list[str], spoken: list[str]) -> None:
    assert speak(*written) == spoken


@pytest.mark.parametrize(
    "before",
    ["", "- ", "1. ", "2) ", "> ", "> - ", "   ", "      ", "Do this: ", "做吧：", "See "],
)
@pytest.mark.parametrize(
    "fence", ["```python\n", "```python\r\n", '``` sh title="a b"\n', "~~~ sh\n"]
)
@pytest.mark.parametrize("end", ["```\n", "   ```\n", "> ```\n", "``` ", "y``` \n"])
def test_a_fence_is_one_where_models_write_it(before: str, fence: str, end: str) -> None:
    if before.strip("> -12.)") and "python" not in fence:
        return  # in mid-line only what plainly begins code
    end = end.replace("`", fence[0])
    alone = outside(before.removesuffix(" "))
    assert outside("Well.\n", before + fence, "x = 1. \n", "no.\n", end, "Yes.") == [
        "Well.",
        *alone,
        "Yes.",
    ]
    assert outside(before + fence, "x = 1. \n", "\n" * 9, "no. ", "no.") == alone


def test_a_thought_may_be_followed_by_code_or_another() -> None:
    assert outside("<think>no</think>```sh\n", "no\n", "```\n", "Yes.") == ["Yes."]
    assert outside("<think>no</think> <think>no. ", "no</think>Yes.") == ["Yes."]


def test_a_fence_with_a_name_does_not_close_another() -> None:
    assert outside("```markdown\n", "```python\n", "no\n", "```\n", "Yes.") == ["Yes."]
    assert outside("```\n", "x = '```'\n", "no. no.\n", "```\n", "Yes.") == ["Yes."]


@pytest.mark.parametrize(
    "before", ["", "\n\n", "Well.\n", "Well. ", "好。 ", "Well! ", "> ", "“Yes.” "]
)
@pytest.mark.parametrize("tag", ["<think>", "<THINKING>", "<thought >"])
def test_a_thought_is_one_where_models_write_it(before: str, tag: str) -> None:
    close = tag.replace("<", "</")
    assert outside(before, tag + "no. ", "no\n```\n" + close + "Yes.") == [*before.split(), "Yes."]
    assert outside(before + tag + "no. ", "no.") == before.split()


WORDS = st.sampled_from(["word", "今天", "two,", "```", "~~~", "<think>", "</think>", "`<think>`"])


@given(st.lists(WORDS, max_size=20))
def test_in_mid_line_no_word_is_lost(parts: list[str]) -> None:
    left = outside(*(f"{part} " for part in ["So", *parts, "it", "is. ", "Yes."]))
    assert [word for word in left if word[0].isalpha()] == [
        word for word in ["So", *parts, "it", "is.", "Yes."] if word[0].isalpha()
    ]


LINES = st.lists(
    st.sampled_from(
        [
            *["```", "```sh", "````", "~~~", "~~~ sh", "> ```", "- ```x", "So: ```", "a```", "`a`"],
            *[
                "<think>",
                "</think>",
                "No. <think>Hm",
                "a <think> b",
                "x",
                "Hm. Yes",
                "",
                "```a``` b",
            ],
        ]
    ),
    max_size=16,
)


@given(LINES, st.sets(st.integers(0, 16)))
def test_where_lines_are_cut_into_phrases_changes_nothing(lines: list[str], cuts: set[int]) -> None:
    phrases = [""]
    for i, line in enumerate(lines):
        phrases[-1] += f"{line}\n"
        if i in cuts:
            phrases.append("")
    assert outside(*phrases) == outside("".join(phrases))


@pytest.mark.parametrize("unit", ["<think>", ".<think>", "> ", "1. ", "- ", " ", ".", "```a ", "`"])
def test_no_phrase_takes_long(unit: str) -> None:
    text = unit * (240 // len(unit)) + " <think>"
    begun = time.thread_time()
    outside(text, text)
    assert time.thread_time() - begun < 0.1
