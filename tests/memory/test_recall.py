"""The right view is found for a question, and none for one that is about something else."""

from __future__ import annotations

import pytest

from benchmarks import timeline
from visavis.backends.embed.fake import FakeEmbedder
from visavis.flow.clock import NS_PER_S
from visavis.flow.events import View
from visavis.memory.index import Kept
from visavis.memory.recall import find, question


def test_the_timeline_is_long_enough_to_say_something() -> None:
    assert len(timeline.VIEWS) == 30
    assert len(timeline.QUESTIONS) == 60


@pytest.mark.parametrize("ask", timeline.QUESTIONS, ids=lambda ask: f"{ask.at_s}-{ask.text}")
def test_a_question_finds_its_view(ask: timeline.Ask) -> None:
    assert list(timeline.answers([ask])) == [ask.view]


def test_questions_put_otherwise_find_theirs_too() -> None:
    found = list(timeline.answers(timeline.FURTHER))
    right = sum(id == ask.view for id, ask in zip(found, timeline.FURTHER, strict=True))
    assert right / len(found) >= 0.95


def test_meanings_do_no_harm() -> None:
    found = list(timeline.answers(timeline.QUESTIONS, FakeEmbedder()))
    right = sum(id == ask.view for id, ask in zip(found, timeline.QUESTIONS, strict=True))
    assert right >= 58


def kept(name: str, from_s: float, to_s: float, text: str = "", stream: str = "camera") -> Kept:
    spans = [(round(from_s * NS_PER_S), round(to_s * NS_PER_S))]
    entry = Kept(View(name, stream=stream), b"x", spans)
    entry.tell(described=text)
    return entry


def found(text: str, *entries: Kept, now_s: float = 100, shown: tuple[str, ...] = ()) -> str:
    asked = question(text)
    assert asked is not None
    best = find(asked, entries, round(now_s * NS_PER_S), shown=shown)
    return best.view.id if best else ""


RED, BLUE = kept("red", 10, 20, "a red box"), kept("blue", 30, 40, "a blue box")


def test_of_views_that_fit_alike_the_one_seen_last_is_found() -> None:
    assert found("Where was the box before?", RED, BLUE) == "blue"
    assert found("Where was the red box before?", RED, BLUE) == "red"


def test_what_is_seen_now_is_no_answer_to_before() -> None:
    now = kept("now", 50, 100, "a table")
    assert found("What did you see before?", RED, BLUE, now, shown=("now",)) == "blue"
    assert found("What did you see before?", now, shown=("now",)) == ""


def test_what_is_asked_for_and_still_there_need_not_be_recalled() -> None:
    now = kept("now", 50, 100, "a green cup")
    assert found("What colour was the cup before?", RED, now, shown=("now",)) == ""
    assert found("Where did you see my cup?", RED, now, shown=("now",)) == ""
    assert found("What did you see ten seconds ago?", RED, now, shown=("now",)) == ""


def test_what_came_before_a_thing_is_found_by_the_thing() -> None:
    assert found("What did you see before the blue box?", RED, BLUE) == "red"
    assert found("在那个蓝盒子之前你看到了什么？", RED, BLUE) == "red"
    assert found("What did you see before the elephant?", RED, BLUE) == ""


def test_a_view_of_long_ago_does_not_answer_for_a_time_without_one() -> None:
    assert found("What did you see two minutes ago?", RED, now_s=4_000) == ""


def test_of_two_streams_the_one_that_is_named_answers() -> None:
    slide = kept("slide", 10, 45, stream="screen")
    assert found("What was on the slide before?", RED, slide) == "slide"
    assert found("What did the camera see before?", RED, slide) == "red"
    assert found("What did you see before?", RED, slide) == "red"


def test_a_glance_is_behind_what_was_looked_at() -> None:
    glance = kept("glance", 41, 41.1)
    assert found("What did you see before?", BLUE, glance) == "blue"


def test_meaning_finds_what_no_word_does() -> None:
    crate, cup = kept("crate", 10, 20, "a scarlet crate"), kept("cup", 30, 40, "a blue cup")
    asked = question("What did the red box look like before?")
    assert asked is not None
    crate.meaning, cup.meaning = FakeEmbedder().embed(["red", "blue"])
    (red,) = FakeEmbedder().embed(["red"])
    best = find(asked, [crate, cup], 50 * NS_PER_S, meaning=red)
    assert best is crate
