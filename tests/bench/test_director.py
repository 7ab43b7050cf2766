"""The director: cues in, lines out, and an end whatever happens."""

from __future__ import annotations

import numpy as np

from visavis.bench.director import Director
from visavis.bench.result import Kind, Stretch
from visavis.bench.script import Cue, Line, Script
from visavis.bench.voice import RATE_HZ, Spoken

START = Cue("start", 0.5)
ANSWER = Cue("answer", 0.5)


def line(cue: Cue, kind: Kind = "question") -> Line:
    return Line(kind, (kind,), cue)


class Stage:
    """A director with lines of one second each; what was said, and when it was to begin."""

    def __init__(self, *lines: Line, end: Cue = ANSWER, patience_s: float = 8) -> None:
        self.said: list[float] = []
        script = Script("s", "n", 1, lines, end=end, patience_s=patience_s)
        spoken = [
            Spoken(np.zeros(RATE_HZ, np.float32), (Stretch(each.kind, 0.0, 1.0, each.text),))
            for each in lines
        ]
        self.director = Director(script, spoken, lambda samples, at_s: self.said.append(at_s))


def test_the_first_line_is_given_at_once() -> None:
    assert Stage(line(START)).said == [0.5]


def test_an_interruption_waits_for_the_reply_s_first_sample() -> None:
    stage = Stage(line(START), line(Cue("reply", 0.3), "interruption"))
    for t_s in (2.0, 2.02, 2.04):
        stage.director.sounded(1, t_s)
    assert stage.said == [0.5, 2.3]


def test_a_second_interruption_waits_for_another_reply() -> None:
    cut = line(Cue("reply", 0.3), "interruption")
    stage = Stage(line(START), cut, cut)
    for reply, t_s in ((1, 2.0), (1, 2.5), (1, 3.4), (2, 4.0)):
        stage.director.sounded(reply, t_s)
    assert stage.said == [0.5, 2.3, 4.3]


def test_a_reply_into_our_own_words_counts_only_if_it_is_still_there_after_them() -> None:
    stage = Stage(line(START), line(Cue("reply", 0.2), "interruption"))
    stage.director.sounded(1, 1.0)
    assert stage.said == [0.5]
    stage.director.sounded(1, 1.5)
    assert stage.said == [0.5, 1.7]


def test_the_next_question_waits_until_all_is_idle_after_the_last_one() -> None:
    stage = Stage(line(START), line(Cue("idle", 0.7)))
    stage.director.idled(1.0)
    assert stage.said == [0.5]
    stage.director.sounded(1, 2.0)
    stage.director.idled(4.0)
    assert stage.said == [0.5, 4.7]


def test_lines_may_follow_one_another() -> None:
    stage = Stage(line(START), line(Cue("line", 2.0)), line(Cue("line", 1.0)))
    assert stage.said == [0.5, 3.5, 5.5]


def test_it_is_over_some_time_after_the_answer() -> None:
    stage = Stage(line(START), end=ANSWER)
    stage.director.passed(1.9)
    stage.director.sounded(1, 2.0)
    stage.director.passed(2.4)
    assert not stage.director.over
    stage.director.passed(2.5)
    assert (stage.director.over, stage.director.error) == (True, "")


def test_an_end_without_an_answer_is_an_end() -> None:
    stage = Stage(line(START), patience_s=3)
    stage.director.passed(4.4)
    assert not stage.director.over
    stage.director.passed(4.6)
    assert (stage.director.over, stage.director.error) == (True, "")


def test_a_cue_that_never_comes_ends_the_episode_and_says_which() -> None:
    stage = Stage(line(START), line(Cue("reply", 0.3), "interruption"), patience_s=3)
    stage.director.passed(5.0)
    assert stage.director.over
    assert stage.director.error == "no reply came for 'interruption'"


def test_the_truth_is_told_for_what_was_said_when_it_was() -> None:
    stage = Stage(line(START), line(Cue("reply", 0.3), "interruption"))
    assert stage.director.truth([0.52]) == [Stretch("question", 0.52, 1.52, "question")]
    starts = [part.start_s for part in stage.director.truth([0.52, 2.31])]
    assert starts == [0.52, 2.31]
