"""When a turn ends: surely, perhaps, hardly; late words, no words, going on, habits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.flow.events import (
    AudioAligned,
    ClockTicked,
    Event,
    SpeechFading,
    SpeechPaused,
    SpeechStarted,
    TurnDoubted,
    TurnDropped,
    TurnEnded,
    TurnExpected,
    TurnLingered,
    TurnScored,
    WordsHeard,
)
from visavis.flow.ring import AudioRing
from visavis.perceive.turn import TurnTaking

MS = 1_000_000
SURE, OPEN, HALF = "What time is it?", "I would like the", "Paris"
DOUBTFUL = "I like Paris."


class Table:
    """A turn-taking node with a ring whose sound comes in step with the clock, or stops."""

    def __init__(self, **options: Any) -> None:
        self.ring = AudioRing(60)
        self.node = TurnTaking(self.ring, **options)
        self.ms = 0.0
        self.sounding = True
        self.trace = 0
        self.first = 0
        self.start = self.end = 0
        self.outcomes: list[tuple[float, Event]] = []
        self.foretold: list[tuple[float, Event]] = []

    def send(self, event: Event) -> None:
        for news in self.node.on(event):
            over = isinstance(news, TurnEnded | TurnDropped)
            (self.outcomes if over else self.foretold).append((self.ms, news))

    def wait(self, ms: float) -> None:
        """Lets time pass, in output periods."""
        until = self.ms + ms
        while self.ms < until:
            self.ms += 20
            if self.sounding:
                start, samples = self.ring.end, self.ring.write(np.zeros(320, np.float32))
                t_ns = int(self.ms * MS)
                self.send(AudioAligned(t_ns=t_ns, start=start, samples=samples))
            self.send(ClockTicked(t_ns=int(self.ms * MS), index=int(self.ms // 20)))

    def speak(self, ms: float = 1_000) -> None:
        """The user speaks for so long, and falls silent."""
        self.trace += 1
        self.first = self.first or self.trace
        self.start = self.ring.end
        self.send(SpeechStarted(t_ns=int(self.ms * MS), trace=self.trace, start=self.start))
        self.wait(ms)
        self.end = self.ring.end

    def pause(self) -> None:
        """The silence is seen to be a pause."""
        self.send(
            SpeechPaused(t_ns=int(self.ms * MS), trace=self.trace, start=self.start, end=self.end)
        )

    def voice(self, ms: float = 1_000) -> None:
        """The user speaks for so long; the pause is seen 100 ms later."""
        self.speak(ms)
        self.wait(100)
        self.pause()

    def words(self, text: str, *, final: bool = True, **changes: Any) -> None:
        fields: dict[str, Any] = {
            "trace": self.first,
            "text": text,
            "stable": len(text),
            "final": final,
            "start": 0,
            "end": self.end,
            "language": "en",
        }
        self.send(WordsHeard(t_ns=int(self.ms * MS), **{**fields, **changes}))

    def score(self, probability: float) -> None:
        self.send(
            TurnScored(
                t_ns=int(self.ms * MS),
                trace=self.trace,
                start=0,
                end=self.end,
                probability=probability,
            )
        )

    def outcome(self) -> tuple[float, Any]:
        """The one outcome, and how long after the voice it came."""
        ((ms, event),) = self.outcomes
        return ms - self.end / 16, event

    def silence_before_end(self, text: str, score: float | None = None, **words: float) -> float:
        """After one voiced stretch with these words."""
        self.voice()
        self.words(text, **words)
        if score is not None:
            self.score(score)
        self.wait(4_000)
        return self.outcome()[0]


def test_a_complete_question_ends_the_turn_after_200_ms() -> None:
    table = Table()
    assert 200 <= table.silence_before_end(SURE) <= 240
    _, ended = table.outcome()
    assert isinstance(ended, TurnEnded)
    assert (ended.text, ended.start, ended.end) == (SURE, 0, 16_000)
    assert (ended.trace, ended.language) == (1, "en")
    assert ended.probability > 0.85
    assert any(reason.startswith("silence 2") for reason in ended.reasons)
    assert "question complete" in ended.reasons


@pytest.mark.parametrize(
    ("text", "least_ms", "most_ms"),
    [
        ("What time does the museum open", 200, 240),
        ("现在几点了", 200, 240),
        ("Yes.", 200, 240),
        ("Paris", 400, 900),
        ("Thank you.", 500, 800),
        ("你好", 500, 800),
        ("I would like the.", 1_500, 2_540),
        ("我想", 1_200, 2_540),
        ("So, um", 2_000, 2_540),
        ("My number is 415", 1_500, 2_540),
        ("If it rains tomorrow.", 1_000, 2_000),
    ],
)
def test_the_less_finished_the_longer_the_wait(text: str, least_ms: int, most_ms: int) -> None:
    assert least_ms <= Table().silence_before_end(text) <= most_ms


@pytest.mark.parametrize(
    ("hesitation", "least_ms", "most_ms"),
    [(0.0, 200, 240), (0.05, 200, 240), (0.5, 500, 800), (0.9, 1_200, 1_600), (1.0, 1_200, 1_800)],
)
def test_a_last_word_that_may_be_an_um_makes_us_wait(
    hesitation: float, least_ms: int, most_ms: int
) -> None:
    assert least_ms <= Table().silence_before_end(SURE, hesitation=hesitation) <= most_ms


def test_the_audio_model_does_not_talk_a_likely_um_away() -> None:
    table = Table(has_model=True)
    assert table.silence_before_end(SURE, score=0.99, hesitation=0.95) >= 1_000
    assert "unless it hesitates (0.95)" in table.outcome()[1].reasons[1]


def test_words_that_are_open_anyway_are_so_with_an_um_too() -> None:
    plain = Table().silence_before_end("So, um")
    assert Table().silence_before_end("So, um", hesitation=1.0) == plain


def test_no_draft_is_begun_where_an_um_is_likely() -> None:
    table = Table()
    table.voice()
    table.words("How far is it to on?", final=False, hesitation=0.9)
    table.words("How far is it to on?", hesitation=0.9)
    table.wait(700)
    assert table.foretold == []


def test_the_audio_model_shortens_and_lengthens_the_wait() -> None:
    plain = Table().silence_before_end(HALF)
    assert Table().silence_before_end(HALF, 0.98) < plain - 200
    assert Table().silence_before_end(HALF, 0.02) > plain + 200


@pytest.mark.parametrize("text", ["Thank you.", "Okay.", "Hello.", "谢谢。", "好的。"])
def test_the_sound_does_not_finish_what_often_leads_to_more(text: str) -> None:
    assert 500 <= Table().silence_before_end(text, 0.99) <= 700


def test_the_audio_model_does_not_finish_what_the_words_leave_open() -> None:
    assert Table().silence_before_end("My number is 415.", 0.99) > 1_200


def doubts(table: Table) -> list[tuple[float, TurnDoubted]]:
    """When the audio model was asked, and how."""
    return [(ms, event) for ms, event in table.foretold if isinstance(event, TurnDoubted)]


def test_in_doubt_the_audio_model_is_asked_and_heard_before_the_end() -> None:
    assert Table().silence_before_end(DOUBTFUL) == 200
    table = Table(has_model=True)
    table.voice()
    table.words(DOUBTFUL)
    assert doubts(table) == [(1_100, TurnDoubted(t_ns=1_100 * MS, trace=1, start=0, end=table.end))]
    table.wait(140)
    assert table.outcomes == []
    table.score(0.9)
    assert table.outcome()[0] == 240
    assert "audio model 0.90" in table.outcome()[1].reasons


def test_a_score_that_does_not_come_is_not_waited_for_long() -> None:
    assert Table(has_model=True).silence_before_end(DOUBTFUL) == 360


def test_without_a_doubt_the_audio_model_is_not_asked() -> None:
    table = Table(has_model=True)
    assert table.silence_before_end(SURE) == 200
    assert not doubts(table)


def test_without_an_audio_model_nobody_is_asked() -> None:
    table = Table()
    table.silence_before_end(DOUBTFUL)
    assert not doubts(table)


def test_the_audio_model_is_asked_once_a_pause() -> None:
    table = Table(has_model=True)
    table.voice()
    table.words(HALF)
    table.words("Paris in")
    table.words("Paris in the", trace=1)
    assert len(doubts(table)) == 1
    table.wait(100)
    table.voice()
    table.words(DOUBTFUL, trace=1)
    assert len(doubts(table)) == 2
    assert doubts(table)[1][1].start == 0


def test_words_that_just_came_are_doubted_before_they_are_final() -> None:
    table = Table(has_model=True)
    table.speak()
    table.words(DOUBTFUL, final=False)
    table.wait(100)
    assert not doubts(table)
    table.pause()
    assert [ms for ms, _ in doubts(table)] == [1_100]


def test_old_words_are_not_doubted_before_the_final_ones() -> None:
    table = Table(has_model=True)
    table.speak(500)
    table.words(DOUBTFUL, final=False)
    table.wait(500)
    table.end = table.ring.end
    table.pause()
    assert not doubts(table)
    table.words(SURE)
    table.wait(300)
    assert not doubts(table)


def test_a_score_for_another_pause_does_not_count() -> None:
    table = Table()
    table.voice()
    table.words(HALF)
    table.send(TurnScored(t_ns=int(table.ms * MS), start=0, end=7, probability=0.99))
    table.wait(4_000)
    assert table.outcome()[0] == Table().silence_before_end(HALF)


def test_late_words_are_waited_for() -> None:
    table = Table()
    table.voice()
    table.wait(800)
    assert table.outcomes == []
    table.words(SURE)
    silent_ms, ended = table.outcome()
    assert isinstance(ended, TurnEnded)
    assert silent_ms == 900


def test_words_that_never_become_final_are_used_in_the_end() -> None:
    table = Table()
    table.voice()
    table.words("What time is", final=False)
    table.wait(10_000)
    silent_ms, ended = table.outcome()
    assert 4_000 <= silent_ms <= 5_100
    assert ended.text == "What time is"
    assert "recognition late" in ended.reasons


def test_without_any_words_the_turn_is_dropped_in_the_end() -> None:
    table = Table()
    table.voice()
    table.wait(10_000)
    silent_ms, dropped = table.outcome()
    assert isinstance(dropped, TurnDropped)
    assert 4_000 <= silent_ms <= 4_200
    assert dropped.reason == "not recognised"


def test_noise_is_dropped_once_and_soon() -> None:
    table = Table()
    table.voice(300)
    table.words("")
    table.wait(5_000)
    silent_ms, dropped = table.outcome()
    assert isinstance(dropped, TurnDropped)
    assert 300 <= silent_ms <= 340
    assert (dropped.trace, dropped.start, dropped.end) == (1, 0, 4_800)


@pytest.mark.parametrize("text", ["Um.", "Uh, um...", "呃"])
def test_hesitation_alone_is_no_turn(text: str) -> None:
    table = Table()
    table.silence_before_end(text)
    assert isinstance(table.outcome()[1], TurnDropped)


def test_who_goes_on_before_the_end_stays_in_the_turn() -> None:
    table = Table()
    table.voice()
    table.words(OPEN)
    table.wait(600)
    table.voice()
    table.words("I would like the red one.")
    table.wait(3_000)
    _, ended = table.outcome()
    assert (ended.trace, ended.start, ended.end) == (1, 0, table.end)
    assert ended.text == "I would like the red one."


def test_the_next_voice_is_a_new_turn() -> None:
    table = Table()
    table.silence_before_end(SURE)
    table.first = 2
    table.voice()
    table.words("Yes.")
    table.wait(1_000)
    (_, first), (_, second) = table.outcomes
    assert isinstance(first, TurnEnded)
    assert isinstance(second, TurnEnded)
    assert (second.trace, second.text, second.start) == (2, "Yes.", table.start)


def test_words_of_another_turn_do_not_count() -> None:
    table = Table()
    table.voice()
    table.words(SURE, trace=99)
    table.wait(1_000)
    assert table.outcomes == []


def test_words_up_to_an_earlier_pause_are_not_the_final_ones() -> None:
    table = Table()
    table.voice()
    earlier = table.end
    table.wait(100)
    table.voice()
    table.words(SURE, end=earlier)
    table.wait(500)
    assert table.outcomes == []


def test_words_are_not_forgotten_when_noise_follows() -> None:
    table = Table()
    table.voice()
    table.words(OPEN)
    table.wait(300)
    table.voice(200)
    table.words("")
    table.wait(5_000)
    assert table.outcome()[1].text == OPEN


def test_late_sound_is_not_silence() -> None:
    table = Table()
    table.voice()
    table.sounding = False
    table.words(SURE)
    table.wait(240)
    assert table.outcomes == []
    table.wait(1_000)
    assert isinstance(table.outcome()[1], TurnEnded)


def test_who_pauses_long_is_given_longer() -> None:
    quick, slow = Table(), Table()
    for _ in range(3):
        slow.voice()
        slow.words(OPEN)
        slow.wait(800)
    slow.voice()
    slow.words(HALF)
    slow.wait(4_000)
    assert slow.outcome()[0] > quick.silence_before_end(HALF) + 200


def test_who_was_cut_off_is_given_longer() -> None:
    cut, plain = Table(), Table()
    for _ in range(3):
        cut.first = 0
        cut.voice()
        cut.words(HALF)
        while not cut.outcomes:
            cut.wait(20)
        cut.outcomes.clear()
        cut.wait(100)
    cut.first = 0
    cut.voice()
    cut.words(HALF)
    cut.wait(4_000)
    assert cut.outcome()[0] > plain.silence_before_end(HALF)


@pytest.mark.parametrize(
    ("pause_ms", "text", "expected_ms"),
    [
        (200, SURE, 200),  # between two phrases, not in search of one
        (500, SURE, 600),
        (900, SURE, 700),
        (900, HALF, 1_080),
        (1_500, HALF, 1_200),
    ],
)
def test_who_hesitated_in_this_turn_may_do_so_again(
    pause_ms: float, text: str, expected_ms: float
) -> None:
    table = Table()
    table.voice()
    table.words(OPEN)
    table.wait(pause_ms - 100)
    table.voice()
    table.words(text)
    table.wait(2_000)
    assert table.outcome()[0] == pytest.approx(expected_ms, abs=20)


def test_noise_in_a_pause_is_no_end_of_it_and_no_habit() -> None:
    table = Table()
    for _ in range(3):
        table.voice()
        table.words(SURE)
        table.wait(800)
        table.first = 0
        table.voice(60)
        table.words("")
        table.wait(1_500)
        table.first = 0
    table.outcomes.clear()
    assert table.silence_before_end(HALF) == Table().silence_before_end(HALF)


def test_noise_after_the_words_does_not_make_a_sure_end_wait() -> None:
    table = Table()
    table.voice()
    table.words(SURE)
    table.wait(60)
    table.voice(40)
    table.words(SURE, trace=1)
    table.wait(1_000)
    assert table.outcome()[0] == 200


def test_what_was_no_word_in_the_end_is_no_turn() -> None:
    table = Table()
    table.voice(300)
    table.words("you", final=False)
    table.words("")
    table.wait(1_000)
    assert isinstance(table.outcome()[1], TurnDropped)


def test_a_doubt_that_the_final_words_take_away_is_not_waited_for() -> None:
    table = Table(has_model=True)
    table.voice()
    table.words("What time is", final=False)
    table.words(SURE)
    table.wait(1_000)
    assert len(doubts(table)) == 1
    assert table.outcome()[0] == 200


def test_nobody_is_asked_about_what_is_decided_or_dropped_anyway() -> None:
    late, hesitating, endless = (
        Table(has_model=True), Table(has_model=True), Table(has_model=True, longest_ms=500)
    )  # fmt: skip
    late.voice()
    late.wait(500)
    late.words(DOUBTFUL)
    hesitating.voice()
    hesitating.words("Um.")
    hesitating.wait(3_000)
    endless.voice()
    endless.words(DOUBTFUL)
    endless.wait(200)
    for table in (late, hesitating, endless):
        assert not doubts(table)
        assert table.outcome()


def test_a_habit_of_earlier_turns_never_delays_a_sure_end() -> None:
    table = Table()
    for _ in range(3):
        table.voice()
        table.words(OPEN)
        table.wait(1_000)
    table.voice()
    table.words(SURE)
    table.wait(3_000)
    table.outcomes.clear()
    table.first = 0
    assert table.silence_before_end(SURE) <= 240


def test_an_endless_turn_ends_at_a_pause() -> None:
    table = Table(longest_ms=5_000)
    table.voice(6_000)
    table.words(OPEN)
    table.wait(4_000)
    silent_ms, ended = table.outcome()
    assert silent_ms <= 240
    assert "turn too long" in ended.reasons


def test_the_silences_can_be_chosen() -> None:
    patient = Table(sure_ms=500, unsure_ms=2_000, unfinished_ms=5_000)
    assert 500 <= patient.silence_before_end(SURE) <= 540


def test_what_comes_without_a_turn_is_ignored() -> None:
    table = Table()
    table.words(SURE)
    table.score(0.9)
    table.send(SpeechPaused(t_ns=0, trace=1, start=0, end=0))
    table.wait(1_000)
    assert table.outcomes == []


EVENT = st.sampled_from(["voice", "sure", "open", "empty", "partial", "score", "wait", "stale"])


@settings(max_examples=100, deadline=None)
@given(st.lists(EVENT, max_size=40))
def test_every_turn_has_one_outcome_and_ends_in_time(script: list[str]) -> None:
    table = Table()
    for step in script:
        match step:
            case "voice":
                table.voice(200)
            case "sure" | "open" | "empty":
                table.words({"sure": SURE, "open": OPEN, "empty": ""}[step], trace=table.trace)
            case "partial":
                table.words(HALF, final=False, trace=table.trace)
            case "score":
                table.score(0.5)
            case "stale":
                table.words(SURE, trace=table.trace - 1)
            case "wait":
                table.wait(500)
    table.wait(5_000)
    traces = [outcome.trace for _, outcome in table.outcomes]
    assert traces == sorted(set(traces)), "one outcome a turn, in order"
    assert bool(traces) == (table.trace > 0)
    before = len(table.outcomes)
    table.wait(5_000)
    assert len(table.outcomes) == before


def test_a_turn_that_sounds_finished_is_expected_to_end_before_it_does() -> None:
    table = Table()
    table.voice()
    table.words(SURE)
    table.wait(600)
    [(ms, expected)] = table.foretold
    assert isinstance(expected, TurnExpected)
    assert expected.text == SURE
    assert expected.probability > 0.8
    assert ms == 1_100, "as soon as the words are final"
    assert table.outcome()[0] >= 200


def fading(table: Table, words: str, *, missing_ms: float) -> list[tuple[float, Any]]:
    """What is foretold as the voice dies down after these words; it has not paused yet."""
    table.speak()
    table.words(words, final=False, end=table.end - round(missing_ms * 16))
    table.wait(40)
    table.send(SpeechFading(t_ns=int(table.ms * MS), trace=1, end=table.end))
    return table.foretold


def test_as_the_voice_dies_down_words_that_are_complete_may_be_all() -> None:
    table = Table()
    ((ms, expected),) = fading(table, SURE, missing_ms=120)
    assert isinstance(expected, TurnExpected)
    assert (expected.text, expected.end, ms) == (SURE, table.end, 1_040)
    table.wait(60)
    table.send(SpeechPaused(t_ns=int(table.ms * MS), trace=1, start=0, end=table.end))
    assert len(table.foretold) == 1  # of the same words that is said once
    table.words(SURE)
    table.wait(300)
    assert table.outcome()[1].text == SURE


@pytest.mark.parametrize(("words", "missing_ms"), [(OPEN, 120), (HALF, 120), (SURE, 400)])
def test_words_that_are_open_or_old_are_not_all(words: str, missing_ms: float) -> None:
    assert fading(Table(), words, missing_ms=missing_ms) == []


@pytest.mark.parametrize("text", ["I would like the.", "So, um", "My number is 415"])
def test_a_turn_that_sounds_open_is_not_expected_to_end(text: str) -> None:
    table = Table()
    table.voice()
    table.words(text)
    table.wait(700)
    assert table.foretold == []


def test_words_up_to_the_pause_are_good_for_a_draft_before_they_are_final() -> None:
    table = Table()
    table.voice()
    table.words(SURE, final=False)
    table.wait(60)
    table.words(SURE)
    assert [type(event) for _, event in table.foretold] == [TurnExpected] * 2
    assert table.outcomes == []


@pytest.mark.parametrize("text", [HALF, OPEN])
def test_before_they_are_final_only_words_that_are_surely_all_are(text: str) -> None:
    table = Table()
    table.voice()
    table.words(text, final=False)
    table.wait(200)
    assert table.foretold == []


def test_words_that_were_heard_long_before_the_pause_are_not_all() -> None:
    table = Table()
    table.voice()
    table.words(SURE, final=False, end=table.end - 300 * 16)
    table.wait(200)
    assert table.foretold == []


def test_words_that_come_just_before_the_pause_are_used_when_it_is_seen() -> None:
    table = Table()
    table.speak(900)
    table.words(SURE, final=False)
    assert table.foretold == []
    table.wait(100)
    table.pause()
    [(ms, expected)] = table.foretold
    assert isinstance(expected, TurnExpected)
    assert ms == 1_000


def test_each_pause_of_a_turn_may_be_expected_to_be_its_last() -> None:
    table = Table()
    table.voice()
    table.words(HALF)
    table.wait(100)
    table.voice()
    table.words(SURE, trace=1)
    assert [type(event) for _, event in table.foretold] == [TurnExpected] * 2


def test_a_long_pause_in_an_unfinished_turn_is_told_of_once() -> None:
    table = Table()
    table.voice()
    table.words("I would like the.")
    table.wait(2_000)
    [(_, lingered)] = table.foretold
    assert isinstance(lingered, TurnLingered)
    assert 900 <= lingered.silent_ms < 1_000


@pytest.mark.parametrize(
    "text", [".", "...", "[BLANK_AUDIO]", "(music)", "♪", "*coughs*", "【音乐】"]
)
def test_a_text_without_words_is_no_turn(text: str) -> None:
    table = Table()
    table.voice()
    table.words(text)
    table.wait(500)
    assert isinstance(table.outcome()[1], TurnDropped)
    assert table.foretold == []
