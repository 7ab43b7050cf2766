"""A phrase falls into runs of one language each."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.speak.tongues import runs


def parts(text: str, language: str = "") -> list[tuple[str, str]]:
    return [(run.text, run.language) for run in runs(text, language)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Just English, 25.", [("Just English, 25.", "en")]),
        ("只有中文，25。", [("只有中文，25。", "zh")]),
        ("我喜欢 Python。", [("我喜欢 ", "zh"), ("Python。", "en")]),
        ("I say 你好 to them.", [("I say ", "en"), ("你好 ", "zh"), ("to them.", "en")]),
        ("他说“Hello there”了", [("他说", "zh"), ("“Hello there”", "en"), ("了", "zh")]),
        ("看 Windows 11 很好用", [("看 ", "zh"), ("Windows ", "en"), ("11 很好用", "zh")]),
        ("看 Windows11。很好", [("看 ", "zh"), ("Windows11。", "en"), ("很好", "zh")]),
        ("OK，用CPU跑5 km", [("OK，用CPU跑5 km", "zh")]),
        ("我 is 王", [("我 is 王", "zh")]),
        ("iPhone 15 Pro 拍了3张", [("iPhone 15 Pro ", "en"), ("拍了3张", "zh")]),
        ("今日はPythonを学ぶ", [("今日は", "ja"), ("Python", "en"), ("を学ぶ", "ja")]),
    ],
)
def test_runs(text: str, found: list[tuple[str, str]]) -> None:
    assert parts(text) == found


def test_the_reply_names_the_language_of_its_script() -> None:
    assert parts("Bonjour 你好", "fr") == [("Bonjour ", "fr"), ("你好", "zh")]
    assert parts("Hello 你好", "zh-TW") == [("Hello ", "en"), ("你好", "zh-TW")]
    assert parts("你好", "en") == [("你好", "zh")]
    assert parts("x²=4，OK", "zh") == [("x²=4，OK", "zh")]


def test_text_without_letters_is_in_the_language_of_the_reply() -> None:
    assert parts("7:15", "zh") == [("7:15", "zh")]
    assert parts("7:15") == [("7:15", "en")]
    assert parts("") == []


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from([*"今天，。“”(1% \n", "word", "OK", "km", "3.14", "の", "é", "$5", "’s"]),
        max_size=30,
    ).map("".join)
    | st.text(max_size=60),
    st.sampled_from(["", "en", "zh", "fr", "ja"]),
)
def test_runs_joined_are_the_phrase(text: str, language: str) -> None:
    found = runs(text, language)
    assert "".join(run.text for run in found) == text
    assert all(run.text and run.language for run in found)
    assert all(a.language != b.language for a, b in itertools.pairwise(found))
