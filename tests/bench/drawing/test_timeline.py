"""The time axis: all lies on one axis, nothing is lost, what overlaps lies apart."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.bench.drawing.gaps import Gap, gaps
from visavis.bench.drawing.strip import Axis
from visavis.bench.drawing.timeline import drawable, timeline
from visavis.bench.drawing.wave import MOST_POINTS, reduced
from visavis.bench.result import Episode, Mark, Sounding, Stretch


def talk(*truth: Stretch, sounding: tuple[Sounding, ...] = (), **more) -> Episode:
    return Episode("s", "n", 0, truth=list(truth), sounding=list(sounding), **more)


def drawn(episode: Episode) -> ElementTree.Element:
    """The picture is well-formed XML too."""
    return ElementTree.fromstring(timeline(drawable(episode)))


def of_class(tree: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [each for each in tree.iter() if name in each.get("class", "").split()]


def test_places_are_shares_of_the_whole_length():
    tree = drawn(talk(Stretch("question", 1.0, 3.0, "why?"), length_s=8.0))
    [stretch] = of_class(tree, "stretch")
    shade = of_class(stretch, "shade")[0]
    assert (shade.get("x"), shade.get("width")) == ("12.500%", "25.000%")
    assert "k-question" in stretch.get("class", "")
    assert stretch.find("title").text == "question 1.00 – 3.00 s: why?"
    assert [text.text for text in stretch.iter("text")] == ["why?"]


def test_the_axis_reaches_as_far_as_anything_on_it():
    episode = talk(Stretch("noise", 0, 1), length_s=2.0)
    episode.sounding = [Sounding(1, 1, 5)]
    assert drawable(episode).length_s == 5
    episode.marks = [Mark(9.0, "x")]
    assert drawable(episode).length_s == 9
    assert drawable(talk()).length_s > 0


def test_what_sounds_at_the_same_time_lies_in_rows():
    tree = drawn(
        talk(
            Stretch("background", 0, 9), Stretch("question", 1, 2), Stretch("aside", 3, 4),
            Stretch("noise", 3.5, 3.6), length_s=10,
        )
    )  # fmt: skip
    tops = [int(each.find("svg").get("y")) for each in of_class(tree, "stretch")]
    first, question, aside, noise = tops
    assert first < question == aside < noise


def test_a_ducked_reply_is_drawn_apart():
    tree = drawn(talk(sounding=(Sounding(1, 1, 2), Sounding(1, 2, 3, ducked=True)), length_s=4))
    assert len(of_class(tree, "sounding")) == 2
    assert len(of_class(tree, "ducked")) == 1


def test_marks_are_ticks_with_their_story():
    tree = drawn(
        talk(marks=[Mark(1.25, "turn.ended", "p 0.9"), Mark(2, "node.failed")], length_s=4)
    )
    assert [each.find("title").text for each in of_class(tree, "mark")] == [
        "1.25 s  turn.ended: p 0.9",
        "2.00 s  node.failed",
    ]
    assert len(of_class(tree, "fault")) == 1


@pytest.mark.parametrize("whole_s", [0.3, 4.0, 61.0, 3600.0])
def test_the_axis_has_a_readable_number_of_seconds(whole_s):
    tree = drawn(talk(length_s=whole_s))
    assert 2 <= len(of_class(tree, "coarse")) <= 11
    assert len(of_class(tree, "tick")) <= 52


def test_an_answer_is_measured_from_the_end_of_the_turn():
    episode = talk(Stretch("question", 1, 2), sounding=(Sounding(1, 2.5, 4),))
    assert gaps(episode) == [Gap("answer", 2, 2.5)]


def test_a_turn_that_went_on_has_no_answer_before_its_end():
    parts = Stretch("question", 1, 2), Stretch("continuation", 3, 4)
    assert gaps(talk(*parts, sounding=(Sounding(1, 4.4, 5),))) == [Gap("answer", 4, 4.4)]
    cut_off = talk(*parts, sounding=(Sounding(1, 2.6, 3.2), Sounding(2, 4.4, 5)))
    assert gaps(cut_off) == [Gap("answer", 2, 2.6), Gap("answer", 4, 4.4)]


def test_a_stop_is_measured_to_the_end_of_the_reply_that_was_interrupted():
    sounding = Sounding(1, 1, 3.1), Sounding(1, 3.1, 3.25, ducked=True), Sounding(2, 5, 6)
    episode = talk(Stretch("interruption", 3, 4.5), sounding=sounding)
    assert gaps(episode) == [Gap("answer", 4.5, 5), Gap("stop", 3, 3.25)]


def test_a_reply_that_was_held_and_comes_back_answers_nothing_and_had_not_stopped():
    sounding = Sounding(1, 1, 3.2), Sounding(1, 5, 7)
    episode = talk(Stretch("interruption", 3, 3.5), sounding=sounding)
    assert gaps(episode) == [Gap("stop", 3, 7)]


def test_an_interruption_of_silence_stops_nothing():
    episode = talk(Stretch("interruption", 3, 4), sounding=(Sounding(1, 1, 2),))
    assert gaps(episode) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5000))
def test_an_envelope_is_reduced_and_keeps_its_highest_peak(envelope):
    halves = reduced(envelope)
    assert len(halves) <= min(MOST_POINTS, len(envelope))
    assert max(halves) == reduced([max(envelope)])[0]
    assert all(1 <= half <= 98 for half in halves)


def test_the_wave_ends_where_its_envelope_ends():
    tree = drawn(talk(length_s=4.0, envelopes={"user": [0.5] * 100}))
    [wave] = of_class(tree, "wave")
    assert wave.get("width") == "50.000%"
    assert re.fullmatch(r"M0 100(V\d+H\d+)+Z", wave.find("path").get("d"))


def test_a_strip_draws_what_lies_outside_at_its_edge():
    axis = Axis(-100, 300)
    assert [axis.x(value) for value in (-500, -100, 100, 300, 900)] == [
        "0.00%", "0.00%", "50.00%", "100.00%", "100.00%",
    ]  # fmt: skip
