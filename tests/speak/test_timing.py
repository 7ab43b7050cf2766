"""When words sound, and where they end in the written text."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.flow.events import SoundMade, WordTime
from visavis.speak.playhead import Playing
from visavis.speak.speakable import plain
from visavis.speak.timing import on_written, spread, words_of


def slices(written: str, spoken: str | None = None, length: int = 1000) -> list[str]:
    """The written text of each spoken word."""
    spoken = plain(written) if spoken is None else spoken
    ends = [word.char_end for word in on_written(spread(spoken, length), spoken, written, length)]
    return [written[i:j] for i, j in zip([0, *ends], ends, strict=False)]


def test_a_word_takes_the_marks_and_spaces_behind_it() -> None:
    assert slices("Well, (yes) it is. ") == ["Well, ", "(yes) ", "it ", "is. "]


def test_the_first_word_takes_what_stands_before_it() -> None:
    assert slices("\n- **Bread** and `milk`\n") == ["\n- **Bread** ", "and ", "`milk`\n"]


def test_an_ideograph_is_a_word_and_quotes_go_with_what_they_open() -> None:
    assert slices("他说：“好。”") == ["他", "说：", "“好。”"]


def test_links_and_tags_belong_to_the_word_they_follow_or_hold() -> None:
    assert slices("See [the page](https://a.org) <b>now</b>.") == [
        "See ",
        "[the ",
        "page](https://a.org) ",
        "<b>now</b>.",
    ]


def test_words_that_say_one_written_word_are_one() -> None:
    assert slices("It opens at 7:15 now.") == ["It ", "opens ", "at ", "7:15 ", "now."]
    words = on_written(
        (WordTime(0, 10, 2), WordTime(10, 30, 8), WordTime(35, 90, 16), WordTime(90, 99, 20)),
        "at seven fifteen now",
        "at 7:15 now",
        99,
    )
    assert words == (WordTime(0, 10, 3), WordTime(10, 90, 8), WordTime(90, 99, 11))


def test_a_written_word_is_heard_when_half_of_what_says_it_was_played() -> None:
    written = "Call 13812345678 now."
    spoken = plain(written)
    words = on_written(spread(spoken, 10_000), spoken, written, 10_000)
    assert len(words) == 3
    sound = SoundMade(
        t_ns=0, epoch=1, index=0, samples=np.zeros(10_000, np.float32), words=words, written=written
    )
    playing = Playing(sound)
    half = (words[1].start + words[1].end + 1) // 2
    playing.take(half - 1)
    assert playing.heard() == "Call "
    playing.take(1)
    assert playing.heard() == "13812345678 "


def test_what_is_said_of_a_sign_belongs_to_the_word_behind_it() -> None:
    assert slices("Fish & chips") == ["Fish ", "& chips"]
    assert slices("2 + 2 = 4") == ["2 ", "+ 2 ", "= 4"]
    assert slices("共50 %，第2名") == ["共", "50 %，", "第", "2", "名"]
    assert slices("It is 50 % now") == ["It ", "is ", "50 % ", "now"]


def test_what_is_not_read_takes_no_words_from_what_is() -> None:
    assert slices("See [it](https://x.com/5) 25 items.") == [
        "See ",
        "[it](https://x.com/5) ",
        "25 ",
        "items.",
    ]


def test_chinese_numbers_are_heard_with_the_words_they_say() -> None:
    assert slices("共50%。2024年，花了$5.20。") == [
        "共",
        "50%。",
        "2024",
        "年，",
        "花",
        "了",
        "$5.20。",
    ]


SAID = {
    "7:15": "seven fifteen",
    "$5.20": "five dollars and twenty cents",
    "50%": "fifty percent",
    "2024-11-29": "November twenty-ninth, twenty twenty-four",
    "25°C": "twenty-five degrees Celsius",
    "info@a.org": "info at a dot org",
    "3-5": "three to five",
    "e.g.": "for example",
    "60km/h": "sixty kilometres per hour",
    "555-0142": "five five five, zero one four two",
    "**bold**": "bold",
    "go,": "go,",
    "then": "then",
}


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(sorted(SAID)), min_size=1, max_size=8), st.integers(500, 5000))
def test_each_written_word_has_the_time_of_the_words_that_say_it(
    parts: list[str], length: int
) -> None:
    parts = [*parts, "end"]
    written = " ".join(parts)
    said = [SAID.get(part, part) for part in parts]
    spoken = plain(written)
    assert spoken == " ".join(said)
    times = spread(spoken, length)
    words = on_written(times, spoken, written, length)
    counts = [len(list(words_of(each))) for each in said]
    borders = [0, *itertools.accumulate(counts)]
    assert [word.start for word in words] == [times[i].start for i in borders[:-1]]
    assert [word.end for word in words] == [times[i - 1].end for i in borders[1:]]
    ends = list(itertools.accumulate(len(part) + 1 for part in parts))
    assert [word.char_end for word in words] == [*ends[:-1], len(written)]


def test_times_are_spread_by_length_with_pauses_between() -> None:
    short, long, last = spread("a, lengthy word", 1000)
    assert short.end < long.start  # the comma
    assert long.end - long.start > 3 * (short.end - short.start)
    assert long.end == last.start
    assert last.end == 1000


def test_text_without_words_has_none() -> None:
    assert spread("…", 10) == ()
    assert on_written((), "", "```\n", 0) == ()


def test_times_of_the_voice_are_kept_and_bounded() -> None:
    words = (WordTime(-5, 10, 2), WordTime(8, 50, 5), WordTime(40, 999, 9))
    placed = on_written(words, "ab cd. ef", "ab cd. ef ", 60)
    assert placed == (WordTime(0, 10, 3), WordTime(8, 50, 7), WordTime(40, 60, 10))


TEXTS = st.lists(
    st.sampled_from(
        [*" **_`[](<> .,“”\n&😀ab今天", "3", "7:15", " a.m.", "$5", "50%", "年", "](http://a.b/7)"]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(0, 5000))
def test_slices_joined_are_the_written_text(written: str, length: int) -> None:
    spoken = plain(written)
    words = on_written(spread(spoken, length), spoken, written, length)
    assert len(words) <= len(list(words_of(spoken)))
    assert bool(words) == bool(spoken)
    if words:
        assert words[-1].char_end == len(written)
    for before, after in itertools.pairwise(words):
        assert before.start <= before.end <= length
        assert before.start <= after.start
        assert before.char_end < after.char_end


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.lists(st.tuples(*[st.integers(-9, 60)] * 3), min_size=1, max_size=9), st.text())
def test_whatever_a_voice_tells_its_words_hear_the_whole_text(
    written: str, told: list[tuple[int, int, int]], spoken: str
) -> None:
    words = on_written([WordTime(*each) for each in told], spoken, written, 50)
    assert words[-1].char_end == len(written)
    assert all(0 <= word.start <= word.end <= 50 for word in words)
    for before, after in itertools.pairwise(words):
        assert before.start <= after.start
        assert before.char_end <= after.char_end


@pytest.mark.parametrize(
    "written", ["a=b" * 333, "零1" * 500, "One is 1. " * 300, "\n" * 1_000 + "a"]
)
def test_a_phrase_of_any_length_is_timed_soon(written: str) -> None:
    begun_s = time.process_time()
    assert "".join(slices(written)) == written
    assert time.process_time() - begun_s < 0.5, "some 0.05 s"
