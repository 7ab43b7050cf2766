"""When words sound, and where they end in the written text."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.flow.events import WordTime
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


def test_words_read_otherwise_than_written_never_part_a_written_word() -> None:
    assert slices("It costs 25 now.", "It costs twenty five now.") == [
        "It ",
        "costs ",
        "",
        "25 ",
        "now.",
    ]


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


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab **_`[](<> .,今天“”\n3&😀", max_size=80), st.integers(0, 5000))
def test_slices_joined_are_the_written_text(written: str, length: int) -> None:
    spoken = plain(written)
    words = on_written(spread(spoken, length), spoken, written, length)
    assert len(words) == len(list(words_of(spoken)))
    assert bool(words) == bool(spoken)
    if words:
        assert words[-1].char_end == len(written)
    for before, after in itertools.pairwise(words):
        assert before.start <= before.end <= after.end <= length
        assert before.start <= after.start
        assert before.char_end <= after.char_end
