"""Which pictures are shown: the newest, once, where they were; the rest in words."""

from __future__ import annotations

from collections.abc import Container

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.backends.contract import LlmCapabilities
from visavis.flow.events import Message, View
from visavis.think.pictures import TEXT_CHARS, Held, Pictures, placed


class All:
    """Every view is at hand."""

    def __contains__(self, view_id: object) -> bool:
        return True


def user(words: str, *views: str | View) -> Message:
    named = tuple(View(view) if isinstance(view, str) else view for view in views)
    return Message("user", words, named)


def said(words: str = "I see.") -> Message:
    return Message("assistant", words)


def show(
    *messages: Message, most: int = 1, held: Container[str] | None = None, language: str = "en"
) -> list[tuple[str, list[str]]]:
    """The words and the pictures of each message as it is shown."""
    able = Pictures(most, 64, All() if held is None else held, language)
    return [(m.content, [view.id for view in m.views]) for m in able.placed(messages)]


def read(view_id: str, text: str) -> View:
    return View(view_id, text=text)


def test_words_without_views_stay_as_they_are() -> None:
    assert placed([user("Hello."), said()], 1, lambda _: True) == (user("Hello."), said())


def test_the_newest_view_is_a_picture_and_older_ones_are_words_or_nothing() -> None:
    shown = show(
        user("What is this?", read("a", "a red circle")),
        said(),
        user("And this?", "b"),
        said(),
        user("And here?", "c"),
    )
    assert shown[0] == ("(You see: a red circle)\nWhat is this?", [])
    assert shown[2] == ("And this?", [])
    assert shown[4] == ("And here?", ["c"])


def test_what_is_written_in_the_picture_stands_between_it_and_the_question() -> None:
    assert show(user("Where am I?", read("a", "EXIT"))) == [("(You see: EXIT)\nWhere am I?", ["a"])]


def test_as_many_as_it_can_make_sense_of() -> None:
    talk = [user(f"{n}?", name) for n, name in enumerate("abc")]
    assert [views for _, views in show(*talk, most=2)] == [[], ["b"], ["c"]]
    assert [views for _, views in show(*talk, most=0)] == [[], [], []]
    assert show(user("This?", "screen", "camera")) == [("This?", ["camera"])]
    assert show(user("This?", "screen", "camera"), most=2) == [("This?", ["screen", "camera"])]


def test_an_engine_that_cannot_see_is_told_in_words() -> None:
    shown = show(user("What does it say?", read("a", "EXIT")), most=0)
    assert shown == [("(You see: EXIT)\nWhat does it say?", [])]


def test_a_view_whose_bytes_are_gone_is_told_in_words() -> None:
    talk = (user("This?", read("a", "a cup")), said(), user("That?", read("b", "a hat")))
    assert show(*talk, held={"a"}) == [
        ("(You see: a cup)\nThis?", ["a"]),
        ("I see.", []),
        ("(You see: a hat)\nThat?", []),
    ]


def test_the_same_view_is_shown_once_at_its_first_question() -> None:
    seen = read("a", "a cup")
    shown = show(user("What is it?", seen), said(), user("What colour?", seen))
    assert shown[0] == ("(You see: a cup)\nWhat is it?", ["a"])
    assert shown[2] == ("What colour?", [])


def test_too_far_back_it_is_shown_again_at_the_newest() -> None:
    talk: list[Message] = []
    places = []
    for n in range(9):
        talk.append(user(f"Question {n}?", "a"))
        places.append([at for at, (_, views) in enumerate(show(*talk)) if views])
        talk.append(said())
    assert places == [[0]] * 4 + [[8]] * 4 + [[16]]


def test_an_engine_that_sees_only_what_is_just_before_it_is_shown_and_told_it_each_time() -> None:
    seen = read("a", "a cup")
    talk = [user("1?", seen), said(), user("2?", seen), said(), user("3?", seen)]
    shown = placed(talk, 1, lambda _: True, reach=0)
    assert [len(message.views) for message in shown] == [0, 0, 0, 0, 1]
    assert [message.content for message in shown[::2]] == [
        f"(You see: a cup)\n{n}?" for n in (1, 2, 3)
    ]


def test_a_view_seen_again_after_another_is_new() -> None:
    talk = (user("1?", read("a", "x")), said(), user("2?", "b"), said(), user("3?", read("a", "x")))
    assert show(*talk)[0] == ("(You see: x)\n1?", [])
    assert show(*talk)[4] == ("(You see: x)\n3?", ["a"])
    assert [views for _, views in show(*talk, most=2)] == [[], [], ["b"], [], ["a"]]


def test_what_comes_to_be_known_later_is_told_then() -> None:
    shown = show(user("What is it?", "a"), said(), user("What does it say?", read("a", "EXIT")))
    assert shown[0] == ("What is it?", ["a"])
    assert shown[2] == ("(You see: EXIT)\nWhat does it say?", [])


def test_words_are_short_and_in_the_language() -> None:
    text = "OPEN\n  every   day \n\nfrom " + "nine " * 80
    (content, _), *_ = show(user("When?", read("a", text)))
    line, _, question = content.partition("\n")
    assert question == "When?"
    assert line.startswith("(You see: OPEN / every day / from nine")
    assert len(line) <= TEXT_CHARS + len("(You see: )")
    assert show(user("这是什么？", read("a", "出口")), language="zh-CN") == [
        ("（你看到：出口）\n这是什么？", ["a"])
    ]


# ── a screen beside the camera ───────────────────────────────────────────────────────────────


def on_screen(view_id: str, text: str) -> View:
    return View(view_id, stream="screen", text=text)


def test_what_is_on_the_screen_is_said_to_be_there() -> None:
    slide, cup = on_screen("s", "Results\nup by 4 %"), read("a", "a cup")
    assert show(user("What is this?", slide, cup)) == [
        ("(On the screen: Results / up by 4 %)\n(You see: a cup)\nWhat is this?", ["a"])
    ]
    assert show(user("这是什么？", slide), language="zh", most=0) == [
        ("（屏幕上：Results / up by 4 %）\n这是什么？", [])
    ]


def test_the_camera_is_the_picture_where_there_can_be_but_one() -> None:
    talk = (user("1?", on_screen("s", "x"), "a"), said(), user("2?", on_screen("t", "y"), "a"))
    assert [views for _, views in show(*talk)] == [["a"], [], []]
    assert [views for _, views in show(*talk, most=2)] == [["a"], [], ["t"]]
    assert [views for _, views in show(user("1?", on_screen("s", "x"), "a"), most=2)] == [
        ["s", "a"]
    ]


def test_a_slide_is_told_once_and_again_when_that_is_too_far_back() -> None:
    talk: list[Message] = []
    for n in range(5):
        talk += [user(f"{n}?", on_screen("s", "Results"), "a"), said()]
    told = [content.startswith("(On the screen: Results)") for content, _ in show(*talk)]
    assert [at for at, is_told in enumerate(told) if is_told] == [0, 8]


def test_a_model_that_loses_sight_at_once_is_told_of_the_newest_screen_alone() -> None:
    able = Pictures(1, 64, All(), "en", reach=0)
    slides = [on_screen("s", "Results"), on_screen("s", "Results"), on_screen("t", "Plans")]
    talk: list[Message] = []
    for n, slide in enumerate(slides):
        talk.append(user(f"{n}?", slide, read("a", "a cup")))
        shown = able.placed(talk)
        assert [at for at, m in enumerate(shown) if "On the screen" in m.content] == [2 * n]
        assert f"(On the screen: {slide.text})" in shown[-1].content
        talk.append(said())


def test_what_is_told_of_the_screen_is_bounded_by_the_context() -> None:
    slide = on_screen("s", "\n".join(f"This is line {n} of the page." for n in range(99)))
    lengths = []
    for tokens in (256, 2_048, 4_096, 32_768):
        able = Pictures.of(LlmCapabilities(tokens), All(), "en")
        (message,) = able.placed([user("What does it say?", slide)])
        text, _, question = message.content.partition("\n")
        assert question == "What does it say?"
        assert text.startswith("(On the screen: This is line 0 of the page. / This is line 1")
        assert text.endswith("…)")
        lengths.append(len(text) - len("(On the screen: )"))
    assert all(
        most - 12 <= length <= most
        for length, most in zip(lengths, (160, 170, 341, 800), strict=True)
    )


VIEWS = st.lists(
    st.sampled_from("abcd").map(lambda name: View(name, text=name * 2 if name in "ab" else "")),
    max_size=2,
    unique=True,
)
TALK = st.lists(VIEWS, min_size=1, max_size=30)


def talk_of(views: list[list[View]]) -> list[Message]:
    talk = []
    for n, seen in enumerate(views):
        talk += [Message("user", f"{n}?", tuple(seen)), said(f"{n}.")]
    return talk[:-1]


@given(TALK, st.integers(0, 3), st.sets(st.sampled_from("abcd")))
def test_never_more_than_allowed_never_one_twice_never_without_its_bytes(
    views: list[list[View]], most: int, held: set[str]
) -> None:
    talk = talk_of(views)
    shown = show(*talk, most=most, held=held)
    pictures = [view for _, ids in shown for view in ids]
    assert len(pictures) == len(set(pictures)) <= most
    assert set(pictures) <= held
    assert len(shown) == len(talk)
    assert all(
        content.endswith(message.content) for (content, _), message in zip(shown, talk, strict=True)
    )
    if most and views[-1] and views[-1][-1].id in held:
        assert views[-1][-1].id in pictures


@given(TALK, st.integers(0, 3))
def test_another_question_about_the_same_changes_nothing_before_it(
    views: list[list[View]], most: int
) -> None:
    before = show(*talk_of(views), most=most)
    after = show(*talk_of([*views, views[-1]]), most=most)
    moved = [ids for _, ids in after[len(before) :] if ids]
    if not moved:
        assert after[: len(before)] == before


def test_bytes_are_held_up_to_their_bound() -> None:
    held = Held(most_bytes=10)
    for name in ("a", "b"):
        held.take(name, b"12345")
    held.take("a", b"")  # seen again
    held.take("c", b"12345")
    assert [name for name in "abc" if name in held] == ["a", "c"]
    assert [media.data for media in held.media([View("a")])] == [b"12345"]
    held.take("d", b"x" * 11)
    assert [name for name in "abcd" if name in held] == ["d"], "the newest in any case"
    held.take("a", b"")
    assert "a" not in held


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 6)), max_size=40))
def test_what_is_held_never_exceeds_it(taken: list[tuple[str, int]]) -> None:
    held = Held(most_bytes=10)
    for name, size in taken:
        held.take(name, b"x" * size)
        present = [View(each) for each in "abcdef" if each in held]
        assert sum(len(media.data) for media in held.media(present)) <= 10


@pytest.mark.parametrize(
    ("written", "language", "told"),
    [
        ("STOP", "en", '(The word "STOP" is written there.)\n?'),
        ("Hello\nWorld", "en", '(The words "Hello / World" are written there.)\n?'),
        ("出口", "zh", "（上面写着：“出口”。）\n?"),
    ],
)
def test_what_is_written_is_told_apart_from_what_is_seen(
    written: str, language: str, told: str
) -> None:
    seen = View("a", written=written)
    assert show(user("?", seen), language=language) == [(told, ["a"])]
    both = View("a", text="a sign", written="STOP")
    lines = show(user("?", both))[0][0].splitlines()
    assert lines == ["(You see: a sign)", '(The word "STOP" is written there.)', "?"]


def test_no_stream_takes_the_newest_view_of_another() -> None:
    held = Held(most_bytes=10)
    held.take("camera", b"12345")
    for name in "abcdef":
        held.take(name, b"1234567", "screen")
    assert "camera" in held, "its bytes do not come again while it shows the same"
    assert [name for name in "abcdef" if name in held] == ["f"]
