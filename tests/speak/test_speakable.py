"""What is read aloud: no marks, no tags, no code, no thoughts, no characters without a sound."""

from __future__ import annotations

import re
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.speak.speakable import Speakable, plain


def speak(*phrases: str) -> list[str]:
    speakable = Speakable()
    return [speakable.speak(phrase) for phrase in phrases]


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("Hello there. ", "Hello there."),
        ("**Bold** and _slanted_ and ***both***.", "Bold and slanted and both."),
        ("Call `do_it` now.", "Call do it now."),
        ("~~No~~ yes.", "No yes."),
        ("2*3 is 6 and 2 * 3 too.", "two times three is six and two times three too."),
        ("## The plan\n", "The plan"),
        ("\n- First point\n", "First point"),
        ("- [x] Done\n", "Done"),
        ("1. Apples\n", "one. Apples"),
        ("> It was said.\n", "It was said."),
        ("---\n", ""),
        ("| one | two |\n", "one, two"),
        ("|---|:-:|\n", ""),
        ("See [the page](https://a.org/x_(y)?z=1) now.", "See the page now."),
        ("See [the page](https://a.org/x) now.", "See the page now."),
        ("![A cat](cat.png)", "A cat"),
        ("Go to https://www.a.org/x/y?z=1, then back.", "Go to a dot org, then back."),
        ("Go to a-b.com/x/y?z=1.", "Go to a-b dot com."),
        ("See www.a.org/x now.", "See a dot org now."),
        ("Mail <first_last@a.org>.", "Mail first underscore last at a dot org."),
        ("It is known [1], [^2].", "It is known."),
        ("A <b>big</b> <br/>cat<|im_end|>", "A big cat"),
        ('<span class="x y">Hi</span>', "Hi"),
        ("<!-- no -->Yes.", "Yes."),
        ("Fish & chips, x < y.", "Fish and chips, x is less than y."),
        ("a <b and c> d", "a <b and c> d"),
        ("AT&amp;T &lt;b&gt; &nbsp;x", "AT and T x"),
        ("&lt;b&gt;hi&lt;/b&gt;", "hi"),
        ("&amp;lt;b&amp;gt;hi &#60;br&#x3e; &#42;&#42;there&#42;&#42;", "hi there"),
        ("<`b`>hi</*b*> <\u200bi>there", "hi there"),
        ("Type `&lt;b&gt;` and `<i>`.", "Type and."),
        ("5 &lt; 6 &amp;&amp; cats&notes", "five is less than six && cats and notes"),
        ("See https://a.org/?x=1&lt=2&copy=3 now.", "See a dot org now."),
        ("2 &times; 3 &#x1F600;&#0;", "two times three"),
        ("Nice 😀👍🏽 day 🇫🇷!", "Nice day!"),
        ("👩‍👧 ❤️", ""),
        ("Key 1️⃣ and 20°C ©", "Key one and twenty degrees Celsius"),
        ("#️⃣ *️⃣ ℹ️ ™️ ↔️ ➡️ ▶️ ⤴️ ◾ 〰️ yes", "yes"),
        ("🏴\U000e0067\U000e0062\U000e007f 🏳️‍🌈 👨‍👩‍👧‍👦 ❤️‍🔥 a\U000e0100b", "ab"),
        ("\u2139 \u2b50 ✅ ☎ go", "go"),
        ("Fine :) or :-( or :smile: ok", "Fine or or ok"),
        ("at 10:30: x", "at ten thirty: x"),
        ("so\u200b\u2060\ufeffft\u00adly \u202eok\ufffd.", "softly ok."),
        ("e\u0301te\u0301", "été"),
        ("half \ud83d char", "half char"),
        ("！好。", "好。"),
        (") and so", "and so"),
        ("-5 degrees", "minus five degrees"),
        (".5 litres", "zero point five litres"),
        ("- and on", "and on"),
        ("[[ˈfoʊn]] raw", "ˈfoʊn raw"),
        ("… “” --- !!", ""),
        ("", ""),
        ("他说：“好。”", "他说：“好。”"),
    ],
)
def test_marks_are_not_read(written: str, spoken: str) -> None:
    assert plain(written) == spoken


def test_code_is_not_read_however_it_is_cut_into_phrases() -> None:
    assert speak("Look:\n", "```python\n", "x = 1. \n", "y = `2`\n", "```\nSo it is.") == [
        "Look:",
        "",
        "",
        "",
        "So it is.",
    ]


def test_a_longer_fence_is_closed_by_one_as_long() -> None:
    assert speak("````\n", "```\nno\n```\n", "````\nyes") == ["", "", "yes"]


def test_a_fence_within_another_kind_of_fence_is_code() -> None:
    assert speak("~~~\n", "```\nno\n```\n", "~~~\nyes") == ["", "", "yes"]
    assert speak("1. Do:\n", "   ```sh\n", "   ls\n", "   ```\n", "2. Go") == [
        "one. Do:",
        "",
        "",
        "",
        "two. Go",
    ]


def test_a_tag_named_in_code_is_no_thought() -> None:
    assert speak("Write `<think>` first. ", "Then go on.") == ["Write first.", "Then go on."]


def test_a_fence_that_never_closes_silences_the_rest_of_this_reply_only() -> None:
    assert speak("```\n", "one. ", "two. ") == ["", "", ""]
    assert speak("three.") == ["three."]


def test_a_thought_that_never_closes_is_not_read() -> None:
    assert speak("Well. <think>Hmm. ", "So. ", "And so on.") == ["Well.", "", ""]


def test_a_table_is_read_row_by_row() -> None:
    rows = ["| City | Rain |\n", "|:-----|-----:|\n", "| Oslo | 763 mm |\n", "| **Rome** | 40% |\n"]
    assert speak(*rows) == [
        "City, Rain",
        "",
        "Oslo, seven hundred sixty-three millimetres",
        "Rome, forty percent",
    ]


def test_a_number_alone_is_read_in_the_language_before_it() -> None:
    chinese, english = Speakable("en"), Speakable("zh")
    assert [chinese.speak(part) for part in ("今天是 ", "2024. ")] == ["今天是", "两千零二十四."]
    assert [english.speak(part) for part in ("Well. ", "25. ", "好。", "25. ")][1::2] == [
        "twenty-five.",
        "二十五.",
    ]
    assert Speakable("zh").speak("25.") == "二十五."
    assert Speakable("fr").speak("25.") == "25."


def test_thoughts_are_not_read() -> None:
    assert speak("<think>Hmm. ", "So ```x. ", "Well.</think>The answer. ") == [
        "",
        "",
        "The answer.",
    ]
    assert speak("</think>Yes.") == ["Yes."]
    assert speak("<THINKING> a </THINKING> b") == ["b"]


@pytest.mark.parametrize(
    "unit",
    [
        "1+",
        "1-",
        "1/",
        "1x ",
        "a.",
        "a@",
        "(1",
        "[](",
        "<a ",
        "_",
        "*",
        "1年",
        "X ",
        "{",
        "\\",
        "&amp;",
        "&",
        "<a>",
    ],
)
def test_no_phrase_takes_long(unit: str) -> None:
    text = unit * (240 // len(unit)) + "="
    begun = time.thread_time()
    plain(text)
    assert time.thread_time() - begun < 0.1  # about 3 ms; the patterns never try all ways


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *"*_`~#[](){}<>|&;:!-\n \\/\"'",
                *["```", "<b>", "</", "http://", "a", "b c", "&lt;", "&gt;", "&amp;", "\u200b"],
            ]
        ),
        max_size=60,
    ).map("".join)
    | st.text(max_size=160)
)
def test_what_is_spoken_is_one_clean_line_or_nothing(written: str) -> None:
    for spoken in (plain(written), *speak(written, "<think>", written)):
        assert spoken == spoken.strip()
        assert not spoken or any(char.isalnum() for char in spoken)
        assert "\ufffd" not in spoken
        assert "`" not in spoken
        if not any(char.isnumeric() for char in written):  # <1> is no tag, but said <one>
            assert not re.search(r"</?[a-z]+/?>", spoken)
        assert not [char for char in spoken if unicodedata.category(char) in {"Cc", "Cf", "Cs"}]
        spoken.encode()
