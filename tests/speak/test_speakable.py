"""What is read aloud: no marks, no tags, no code, no thoughts, no characters without a sound."""

from __future__ import annotations

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
        ("2*3 is 6 and 2 * 3 too.", "2*3 is 6 and 2 * 3 too."),
        ("## The plan\n", "The plan"),
        ("\n- First point\n", "First point"),
        ("- [x] Done\n", "Done"),
        ("1. Apples\n", "1. Apples"),
        ("> It was said.\n", "It was said."),
        ("---\n", ""),
        ("| one | two |\n", "one, two"),
        ("|---|:-:|\n", ""),
        ("See [the page](https://a.org/x_(y)?z=1) now.", "See the page now."),
        ("See [the page](https://a.org/x) now.", "See the page now."),
        ("![A cat](cat.png)", "A cat"),
        ("Go to https://www.a.org/x/y?z=1, then back.", "Go to a.org, then back."),
        ("It is known [1], [^2].", "It is known."),
        ("A <b>big</b> <br/>cat<|im_end|>", "A big cat"),
        ('<span class="x y">Hi</span>', "Hi"),
        ("<!-- no -->Yes.", "Yes."),
        ("Fish & chips, 3 < 4 > 2.", "Fish & chips, 3 < 4 > 2."),
        ("a <b and c> d", "a <b and c> d"),
        ("AT&amp;T &lt;b&gt; &nbsp;x", "AT&T <b> x"),
        ("Nice 😀👍🏽 day 🇫🇷!", "Nice day!"),
        ("👩‍👧 ❤️", ""),
        ("Key 1️⃣ and 20°C ©", "Key 1 and 20°C ©"),
        ("Fine :) or :-( or :smile: ok", "Fine or or ok"),
        ("at 10:30: x", "at 10:30: x"),
        ("so\u200b\u2060\ufeffft\u00adly \u202eok\ufffd.", "softly ok."),
        ("e\u0301te\u0301", "été"),
        ("half \ud83d char", "half char"),
        ("！好。", "好。"),
        (") and so", "and so"),
        ("-5 degrees", "-5 degrees"),
        (".5 litres", ".5 litres"),
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
    assert speak("Run ```ls -l``` now. ", "Then ~~~ rm. ", "~~~ stop.") == [
        "Run now.",
        "Then",
        "stop.",
    ]


def test_a_longer_fence_is_closed_by_one_as_long() -> None:
    assert speak("````\n", "```\nno\n```\n", "````\nyes") == ["", "", "yes"]


def test_a_fence_that_never_closes_silences_the_rest_of_this_reply_only() -> None:
    assert speak("```\n", "one. ", "two. ") == ["", "", ""]
    assert speak("three.") == ["three."]


def test_thoughts_are_not_read() -> None:
    assert speak("<think>Hmm. ", "So ```x. ", "Well.</think>The answer. ") == [
        "",
        "",
        "The answer.",
    ]
    assert speak("</think>Yes.") == ["Yes."]
    assert speak("<THINKING> a </THINKING> b") == ["b"]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [*"*_`~#[](){}<>|&;:!-\n \\/\"'", "```", "<b>", "</", "http://", "a", "b c"]
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
        assert not [char for char in spoken if unicodedata.category(char) in {"Cc", "Cf", "Cs"}]
        spoken.encode()
