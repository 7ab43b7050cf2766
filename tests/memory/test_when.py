"""When a question is about, in both languages, and which questions are not about the past."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.memory import chinese, english
from visavis.memory.recall import question


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("what did you see a minute ago", 60),
        ("what did you see two and a half minutes ago", 150),
        ("what did you see half a minute ago", 30),
        ("what did you see half an hour ago", 1_800),
        ("what did you see an hour and a half ago", 5_400),
        ("what did you see twenty-five seconds ago", 25),
        ("what did you see twenty five seconds ago", 25),
        ("what did you see 90 seconds ago", 90),
        ("what did you see 1.5 hours ago", 5_400),
        ("what did you see a couple of minutes ago", 120),
        ("what did you see a few minutes ago", 240),
        ("what did you see a minute or two ago", 90),
        ("what did you see two or three minutes ago", 150),
        ("what did you see one hundred seconds back", 100),
        ("what did you see a quarter of an hour ago", 900),
        ("what did you see a while ago", 240),
        ("in the last two minutes, what did you see", 60),
    ],
)
def test_english_times(text: str, seconds: float) -> None:
    asked = english.asked(text)
    assert asked is not None
    assert asked.sure
    assert (asked.when.kind, asked.when.aim_s) == ("about", seconds)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("一分钟前你看到了什么", 60),
        ("两分半钟前你看到了什么", 150),
        ("半分钟前你看到了什么", 30),
        ("半个小时前你看到了什么", 1_800),
        ("一个半小时以前你看到了什么", 5_400),
        ("二十五秒前你看到了什么", 25),
        ("90秒之前你看到了什么", 90),
        ("几分钟前你看到了什么", 240),
        ("十几分钟前你看到了什么", 840),
        ("两三分钟前你看到了什么", 150),
        ("一刻钟前你看到了什么", 900),
        ("兩分鐘前你看到了什麼", 120),
        ("一百二十秒前你看到了什么", 120),
        ("一会儿前你看到了什么", 60),
        ("最近两分钟你看到了什么", 60),
    ],
)
def test_chinese_times(text: str, seconds: float) -> None:
    asked = chinese.asked(text)
    assert asked is not None
    assert asked.sure
    assert (asked.when.kind, asked.when.aim_s) == ("about", seconds)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("What did you see before?", "before"),
        ("What was that just now?", "before"),
        ("What did you see a moment ago?", "before"),
        ("What did the first slide show?", "first"),
        ("What did you see at the beginning?", "first"),
        ("Where did I put my keys?", "ever"),
        ("What did you see yesterday?", "beyond"),
        ("What did you see three days ago?", "beyond"),
        ("你刚才看到了什么？", "before"),
        ("上一页写的是什么？", "before"),
        ("一开始你看到了什么？", "first"),
        ("你看到我的钥匙了吗？", "ever"),
        ("昨天你看到了什么？", "beyond"),
        ("三天前你看到了什么？", "beyond"),
    ],
)
def test_times_without_a_number(text: str, kind: str) -> None:
    asked = question(text)
    assert asked is not None
    assert asked.when.kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "How long ago was the war?",
        "How many years ago was it?",
        "What did you say before?",
        "As I told you before, no.",
        "Have you ever seen a whale before?",
        "Wash your hands before dinner.",
        "I have been here before.",
        "She left.",
        "What do you see?",
        "Please look at this.",
        "你刚才说什么？",
        "多久以前的事？",
        "吃饭之前要洗手。",
        "我刚才吃了一个苹果。",
        "你现在看到什么？",
    ],
)
def test_what_is_not_about_what_was_seen(text: str) -> None:
    assert question(text) is None


@pytest.mark.parametrize(
    "text", ["Did you sleep well before?", "Who was president before?", "以前你看过大象吗？"]
)
def test_what_may_be_about_something_else_is_not_sure(text: str) -> None:
    asked = question(text)
    assert asked is not None
    assert not asked.sure


def test_wide_digits_are_digits() -> None:
    asked = question("３分钟前你看到了什么？")
    assert asked is not None
    assert asked.when.aim_s == 180


ENGLISH = (
    "what did you see ago before a minute two and half 9 . ? seconds the first in last hours or to"
)
CHINESE = "一分钟前 半 个 两 三 百 前 之前 看到 刚才 999999999999999999999"
PIECES = st.sampled_from([*ENGLISH.split(), *CHINESE.split()])


@given(st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=12).map(" ".join)))
def test_any_words_at_all_are_understood_or_not(text: str) -> None:
    asked = question(text)
    if asked is not None and asked.when.kind == "about":
        assert 0 <= asked.when.aim_s <= 1e7
        assert asked.when.slack_s > 0


def test_a_time_beyond_all_numbers_is_long_ago() -> None:
    asked = question(f"What did you see {'9' * 500} minutes ago?")
    assert asked is not None
    assert asked.when.aim_s == 1e7
