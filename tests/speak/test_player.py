"""Playback: exact positions, exact words, exact ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.flow.events import (
    ClockTicked,
    Event,
    PlaybackDuck,
    PlaybackHold,
    PlaybackRelease,
    PlaybackRestore,
    PlaybackStop,
    ReplyAdopt,
    ReplyCancel,
    ReplyStart,
    Samples,
    SoundMade,
    SoundPlayed,
    WordTime,
)
from visavis.speak.player import Player

RATE_HZ = 1000
PERIOD = 20


class Rig:
    """A player, its clock, and what came out."""

    def __init__(self, **settings: float) -> None:
        self.player = Player(RATE_HZ, **settings)  # type: ignore[arg-type]
        self.tick = 0
        self.out: list[SoundPlayed] = []
        self.give(ReplyStart(t_ns=0, epoch=1, messages=()))

    def give(self, *events: Event) -> list[SoundPlayed]:
        outs = [out for event in events for out in self.player.on(event)]
        assert all(isinstance(out, SoundPlayed) for out in outs)
        self.out += outs  # type: ignore[arg-type]
        return outs  # type: ignore[return-value]

    def play(self, ticks: int = 1) -> list[SoundPlayed]:
        outs = []
        for _ in range(ticks):
            outs += self.give(ClockTicked(t_ns=self.tick * 20_000_000, index=self.tick))
            self.tick += 1
        return outs

    @property
    def heard(self) -> str:
        return "".join(out.heard for out in self.out)

    @property
    def sound(self) -> Samples:
        return np.concatenate([out.samples for out in self.out] or [np.zeros(0, np.float32)])


def made(index: int, words: str, *, at: int = 0, last: bool = False, epoch: int = 1) -> SoundMade:
    """Words of 30 samples each; each sample's value tells its place in the reply, from `at`."""
    parts = words.split(" ")
    times, char = [], 0
    for i, part in enumerate(parts):
        char += len(part) + (1 if i < len(parts) - 1 else 0)
        times.append(WordTime(30 * i, 30 * (i + 1), char))
    samples = (at + 1 + np.arange(30 * len(parts), dtype=np.float32)) / 32_768
    return SoundMade(
        t_ns=1,
        trace=9,
        epoch=epoch,
        index=index,
        samples=samples,
        words=tuple(times),
        written=words,
        last=last,
    )


def silent(index: int, written: str, *, last: bool = False, error: str = "") -> SoundMade:
    none = np.zeros(0, np.float32)
    return SoundMade(
        t_ns=1,
        epoch=1,
        index=index,
        samples=none,
        words=(),
        written=written,
        last=last,
        error=error,
    )


def parts(whole: SoundMade, *cuts: int, error: str = "") -> list[SoundMade]:
    """The same sound in parts, cut at these samples; with `error` the last is silent."""
    pieces = np.split(whole.samples, cuts)
    if error:
        pieces[-1] = pieces[-1][:0]
    return [
        replace(
            whole,
            samples=samples,
            words=() if part else whole.words,
            written="" if part else whole.written,
            part=part,
            more=part < len(cuts),
            error=error if part == len(cuts) else "",
        )
        for part, samples in enumerate(pieces)
    ]


def counting(samples: Samples) -> list[int]:
    return (samples * 32_768).astype(int).tolist()


def test_each_tick_gives_one_period_at_its_place() -> None:
    rig = Rig()
    rig.play(3)
    rig.give(made(0, "one two", last=True))
    blocks = rig.play(4)
    assert [(block.start, len(block.samples)) for block in blocks] == [
        (60, 20),
        (80, 20),
        (100, 20),
    ]
    assert [block.done for block in blocks] == [False, False, True]
    assert {(block.epoch, block.trace) for block in blocks} == {(1, 9)}
    assert counting(rig.sound) == list(range(1, 61))


def test_a_block_goes_on_into_the_next_phrase() -> None:
    rig = Rig()
    rig.give(made(0, "one "[:3]), made(1, "two", at=30, last=True))
    blocks = rig.play(4)
    assert [len(block.samples) for block in blocks] == [20, 20, 20]
    assert counting(rig.sound) == list(range(1, 61))


def test_sound_is_handed_out_without_a_copy() -> None:
    rig = Rig()
    sound = made(0, "one two")
    rig.give(sound)
    assert np.shares_memory(rig.play()[0].samples, sound.samples)


def test_a_word_is_heard_when_half_of_it_was_played() -> None:
    rig = Rig()
    rig.give(made(0, "one two three", last=True))
    assert [block.heard for block in rig.play(5)] == ["one ", "", "two ", "three", ""]


def test_an_underrun_is_silence_and_nothing_is_lost() -> None:
    rig = Rig()
    rig.give(made(0, "one"))
    assert [len(block.samples) for block in rig.play(4)] == [20, 10]
    rig.give(made(1, " two", at=30, last=True))
    blocks = rig.play(4)
    assert [(block.start, len(block.samples)) for block in blocks] == [
        (80, 20),
        (100, 20),
        (120, 20),
    ]
    assert counting(rig.sound) == list(range(1, 91))
    assert rig.heard == "one two"
    assert rig.player.underruns == 3


def test_silence_before_the_first_sound_is_no_underrun() -> None:
    rig = Rig()
    rig.play(5)
    assert rig.player.underruns == 0


def test_text_without_sound_is_heard_with_the_next_word() -> None:
    rig = Rig()
    rig.give(made(0, "Look."), silent(1, "```x``` "), made(2, "See?", at=30, last=True))
    assert [block.heard for block in rig.play(3)] == ["Look.", "", "```x``` See?"]


def test_text_without_sound_is_not_heard_when_the_reply_is_cut_there() -> None:
    rig = Rig()
    rig.give(made(0, "Look."), silent(1, "```x```", error="failed"))
    rig.play(3)
    rig.give(PlaybackStop(t_ns=0, epoch=1))
    assert rig.heard == "Look."


def test_at_a_natural_end_all_text_was_heard() -> None:
    rig = Rig()
    rig.give(made(0, "Look."), silent(1, "```x```"), silent(2, "", last=True))
    blocks = rig.play(4)
    assert rig.heard == "Look.```x```"
    assert [block.done for block in blocks] == [False, True]


def test_a_last_phrase_without_sound_that_comes_late_ends_the_reply() -> None:
    rig = Rig()
    rig.give(made(0, "one"))
    rig.play(2)
    rig.give(silent(1, " ", last=True))
    (end,) = rig.play(3)
    assert (end.start, len(end.samples), end.heard, end.done, end.stopped) == (
        40,
        0,
        " ",
        True,
        False,
    )


def test_a_reply_without_any_sound_is_done() -> None:
    rig = Rig()
    rig.give(silent(0, "🙂", last=True))
    (end,) = rig.play(2)
    assert (end.heard, end.done, end.epoch) == ("🙂", True, 1)


def test_a_stop_is_answered_at_once_and_nothing_more_sounds() -> None:
    rig = Rig()
    rig.give(made(0, "one two three four"), made(1, " five", last=True))
    rig.play(2)
    (end,) = rig.give(PlaybackStop(t_ns=7, trace=3, epoch=1))
    assert (end.t_ns, end.trace, end.epoch) == (7, 3, 1)
    assert (end.start, len(end.samples), end.done, end.stopped) == (40, 0, True, True)
    assert rig.heard == "one "
    rig.give(made(2, " late", last=True))
    assert rig.play(100) == []


def test_a_stop_before_any_sound_is_answered_too() -> None:
    rig = Rig()
    (end,) = rig.give(PlaybackStop(t_ns=0, epoch=1))
    assert (end.done, end.stopped, end.heard) == (True, True, "")
    rig.give(made(0, "late", last=True))
    assert rig.play(5) == []


def test_a_reply_ends_only_once() -> None:
    rig = Rig()
    rig.give(made(0, "one", last=True))
    rig.play(2)
    assert rig.out[-1].done
    assert rig.give(PlaybackStop(t_ns=0, epoch=1)) == []
    other = Rig()
    other.give(PlaybackStop(t_ns=0, epoch=1))
    assert other.give(PlaybackStop(t_ns=0, epoch=1)) == []


def test_a_stop_of_an_older_reply_leaves_the_new_one_alone() -> None:
    rig = Rig()
    rig.give(ReplyStart(t_ns=0, epoch=2, messages=()), made(0, "new", epoch=2, last=True))
    assert rig.give(PlaybackStop(t_ns=0, epoch=1)) == []
    rig.play(2)
    assert rig.heard == "new"


def test_sound_of_an_older_reply_is_dropped() -> None:
    rig = Rig()
    rig.give(made(0, "old"), ReplyStart(t_ns=0, epoch=2, messages=()), made(1, "old", last=True))
    assert rig.play(5) == []
    rig.give(made(0, "new", epoch=2, last=True))
    rig.play(2)
    assert [(block.epoch, block.heard) for block in rig.out] == [(2, "new"), (2, "")]


def test_a_cancelled_reply_falls_silent_without_a_word() -> None:
    rig = Rig()
    rig.give(made(0, "one two"), ReplyCancel(t_ns=0, epoch=1, reason="resumed"))
    rig.give(made(1, " three", last=True))
    assert rig.play(5) == []


def test_ducking_loses_no_sample_and_doubles_none() -> None:
    rig = Rig(duck_db=-20.0, ramp_ms=10.0)
    loud = made(0, " ".join(["word"] * 10), last=True)
    sound = np.full(300, 0.5, np.float32)
    rig.give(
        SoundMade(t_ns=0, epoch=1, index=0, samples=sound, words=loud.words, written=loud.written)
    )
    rig.give(silent(1, "", last=True))
    rig.play(2)
    rig.give(PlaybackDuck(t_ns=0))
    rig.play(3)
    rig.give(PlaybackRestore(t_ns=0))
    rig.play(20)
    assert len(rig.sound) == 300
    assert np.all(rig.sound[:40] == 0.5)
    assert np.allclose(rig.sound[50:100], 0.05, atol=1e-4)
    assert np.all(rig.sound[110:] == 0.5)
    assert np.max(np.abs(np.diff(rig.sound))) < 0.06
    assert rig.heard == loud.written


def test_a_new_reply_begins_at_full_volume() -> None:
    rig = Rig()
    rig.give(PlaybackDuck(t_ns=0), ReplyStart(t_ns=0, epoch=2, messages=()))
    rig.give(made(0, "one", epoch=2, last=True))
    rig.play(2)
    assert counting(rig.sound) == list(range(1, 31))


def test_held_playback_goes_on_at_the_very_next_sample() -> None:
    rig = Rig()
    rig.give(made(0, "one two", last=True))
    rig.play(1)
    rig.give(PlaybackHold(t_ns=0))
    assert rig.play(10) == []
    rig.give(PlaybackRelease(t_ns=0))
    assert rig.play(1)[0].start == 11 * PERIOD
    rig.play(5)
    assert counting(rig.sound) == list(range(1, 61))
    assert rig.player.underruns == 0


def test_held_playback_can_be_stopped() -> None:
    rig = Rig()
    rig.give(made(0, "one two", last=True), PlaybackHold(t_ns=0))
    (end,) = rig.give(PlaybackStop(t_ns=0, epoch=1))
    assert end.stopped
    rig.give(ReplyStart(t_ns=0, epoch=2, messages=()), made(0, "new", epoch=2, last=True))
    assert rig.play(1)


def test_phrases_out_of_order_are_played_in_order() -> None:
    rig = Rig()
    rig.give(made(1, " two", at=30, last=True), made(0, "one"))
    rig.play(4)
    assert rig.heard == "one two"


def test_a_phrase_that_never_comes_is_given_up() -> None:
    rig = Rig(patience_ms=100)
    rig.give(made(1, "two", last=True))
    assert rig.play(5) == []
    rig.play(3)
    assert rig.heard == "two"
    assert rig.out[-1].done


def test_what_exceeds_the_bound_is_refused_and_told_only_at_the_end() -> None:
    ended, cut = Rig(max_seconds=0.1), Rig(max_seconds=0.1)
    for rig in (ended, cut):
        rig.give(made(0, "one two"), made(1, " three four", at=60))
        rig.play(2)  # there is room again, but what sounds now would sound behind a gap
        rig.give(made(2, " end", at=60, last=rig is ended))
        assert rig.player.refused == 2
        rig.play(10)
        assert counting(rig.sound) == list(range(1, 61))
    assert (ended.heard, ended.out[-1].done) == ("one two three four end", True)
    cut.give(PlaybackStop(t_ns=0, epoch=1))
    assert cut.heard == "one two"


def test_a_part_that_exceeds_the_bound_is_refused_and_its_words_are_not_heard() -> None:
    rig = Rig(max_seconds=0.1)
    rig.give(*parts(made(0, "one two three four"), 60), made(1, " five", at=120))
    rig.play(10)
    assert counting(rig.sound) == list(range(1, 61))
    assert rig.heard == "one two "
    rig.give(ReplyStart(t_ns=0, epoch=2, messages=()), made(0, "new", epoch=2))
    assert len(rig.play(2)) == 2


def test_a_phrase_that_comes_twice_is_played_once() -> None:
    rig = Rig()
    rig.give(made(0, "one"))
    rig.play(2)
    rig.give(made(0, "one"), made(1, " two", at=30, last=True))
    rig.play(3)
    assert rig.heard == "one two"


# ── a phrase in parts ────────────────────────────────────────────────────────────────────────


def test_a_phrase_sounds_while_its_rest_is_made() -> None:
    rig = Rig()
    first, second, third = parts(made(0, "one two three", last=True), 25, 65)
    rig.give(first)
    assert [len(block.samples) for block in rig.play(2)] == [20, 5]
    rig.give(second, third)
    rig.play(5)
    assert counting(rig.sound) == list(range(1, 91))
    assert rig.heard == "one two three"
    assert [block.done for block in rig.out] == [False] * 5 + [True]


def test_a_missing_part_is_an_underrun_and_not_the_end() -> None:
    rig = Rig(patience_ms=60)
    first, second = parts(made(0, "one two", last=True), 20)
    rig.give(first)
    assert len(rig.play(50)) == 1  # nothing waits behind it: it may still come
    assert rig.player.underruns == 49
    rig.give(second)
    rig.play(3)
    assert counting(rig.sound) == list(range(1, 61))
    assert rig.heard == "one two"
    assert rig.out[-1].done


def test_a_part_that_never_comes_is_given_up_like_a_phrase() -> None:
    rig = Rig(patience_ms=60)
    first, second = parts(made(0, "one two"), 30)
    rig.give(first, made(1, "-three four", at=60, last=True))
    assert [len(block.samples) for block in rig.play(5)] == [20, 10]
    assert rig.heard == "one "
    assert rig.play()
    rig.give(second)
    rig.play(3)
    assert rig.heard == "one two-three four"
    assert counting(rig.sound) == [*range(1, 31), *range(61, 121)]
    assert (rig.out[-1].done, rig.player.refused) == (True, 1)


def test_a_phrase_may_end_with_a_part_without_sound() -> None:
    rig = Rig()
    first, second = parts(made(0, "one two", last=True), 60)
    assert not len(second.samples)
    rig.give(first)
    rig.play(3)
    assert rig.heard == "one two"
    assert not rig.out[-1].done
    rig.give(second)
    (end,) = rig.play()
    assert (len(end.samples), end.heard, end.done) == (0, "", True)


def test_a_phrase_that_breaks_off_is_heard_up_to_its_last_word_that_sounded() -> None:
    rig = Rig()
    rig.give(*parts(made(0, "one two three"), 40, error="broke"), made(1, "-four", at=40))
    assert "".join(block.heard for block in rig.play(2)) == "one "
    assert "".join(block.heard for block in rig.play(1)) == "two three-four"
    assert counting(rig.sound) == list(range(1, 61))
    cut = Rig()
    cut.give(*parts(made(0, "one two three"), 40, error="broke"))
    cut.play(5)
    cut.give(PlaybackStop(t_ns=0, epoch=1))
    assert cut.heard == "one "


def test_a_part_out_of_its_turn_is_refused() -> None:
    rig = Rig()
    first, second, third = parts(made(0, "one two"), 20, 40)
    rig.give(second, first, first, third, second, third)
    rig.play(4)
    assert counting(rig.sound) == list(range(1, 61))
    assert rig.player.refused == 3


def test_a_late_part_of_a_reply_that_was_cut_is_dropped_by_its_id() -> None:
    """20 s wait, all but the last second still in the making; cut at 1 s."""
    rig = Rig()
    words = " ".join(f"w{i}" for i in range(667))
    *early, late = parts(made(0, words, last=True), 300, 5_000, 19_000)
    rig.give(*early)
    rig.play(50)
    assert len(rig.sound) == 1_000
    rig.give(PlaybackStop(t_ns=0, epoch=1), late, made(1, "more", epoch=1))
    assert rig.play(1_000) == []
    rig.give(ReplyStart(t_ns=0, epoch=2, messages=()), late, made(0, "new", epoch=2, last=True))
    rig.play(3)
    assert counting(rig.sound)[1_000:] == list(range(1, 31))
    assert "".join(block.heard for block in rig.out if block.epoch == 2) == "new"


def test_held_in_mid_part_while_ducked_it_goes_on_at_the_very_next_sample() -> None:
    def sound(*commands: tuple[int, Event]) -> Samples:
        rig = Rig(duck_db=-6.0, ramp_ms=30.0)
        loud = replace(made(0, "one two three four"), samples=np.full(120, 0.5, np.float32))
        first, second = parts(loud, 70)
        rig.give(first)
        for tick in range(40):
            if tick == 20:
                rig.give(second)
            rig.give(*(event for at, event in commands if at == tick))
            rig.play()
        return rig.sound

    duck, restore = PlaybackDuck(t_ns=0), PlaybackRestore(t_ns=0)
    plain = sound((1, duck), (4, restore))
    held = sound(
        (1, duck),
        (2, PlaybackHold(t_ns=0)),
        (9, PlaybackRelease(t_ns=0)),
        (10, PlaybackHold(t_ns=0)),
        (15, PlaybackRelease(t_ns=0)),
        (25, restore),
    )
    assert len(held) == len(plain) == 120
    assert np.array_equal(held[:60], plain[:60])  # in the middle of the ramp too


# ── a held reply ─────────────────────────────────────────────────────────────────────────────


def draft(epoch: int) -> ReplyStart:
    return ReplyStart(t_ns=0, epoch=epoch, messages=(), held=True)


def test_a_held_reply_is_silent_until_it_is_adopted() -> None:
    rig = Rig()
    rig.give(draft(2), made(0, "one two", epoch=2, last=True))
    assert rig.play(10) == []
    rig.give(PlaybackRelease(t_ns=0), ReplyAdopt(t_ns=0, epoch=1))
    assert rig.play(10) == []
    rig.give(ReplyAdopt(t_ns=0, epoch=2))
    blocks = rig.play(3)
    assert [block.start for block in blocks] == [400, 420, 440]
    assert counting(rig.sound) == list(range(1, 61))
    assert (rig.heard, blocks[-1].done, rig.player.underruns) == ("one two", True, 0)


def test_a_held_reply_without_sound_ends_only_once_adopted() -> None:
    rig = Rig()
    rig.give(draft(2), replace(silent(0, "🙂", last=True), epoch=2))
    assert rig.play(3) == []
    rig.give(ReplyAdopt(t_ns=0, epoch=2))
    assert [block.done for block in rig.play(3)] == [True]


def test_a_held_reply_that_is_dropped_leaves_no_trace() -> None:
    rig = Rig()
    rig.give(draft(2), made(0, "one", epoch=2), ReplyCancel(t_ns=0, epoch=2, reason="dropped"))
    rig.give(ReplyAdopt(t_ns=0, epoch=2), made(1, " two", epoch=2, last=True))
    assert rig.play(5) == []
    rig.give(ReplyStart(t_ns=0, epoch=3, messages=()), made(0, "new", epoch=3, last=True))
    assert len(rig.play(2)) == 2


def test_an_adopted_reply_that_was_told_to_stand_still_stands_still() -> None:
    rig = Rig()
    rig.give(draft(2), made(0, "one", epoch=2, last=True), PlaybackHold(t_ns=0))
    rig.give(ReplyAdopt(t_ns=0, epoch=2))
    assert rig.play(5) == []
    rig.give(PlaybackRelease(t_ns=0))
    assert len(rig.play(2)) == 2


def test_a_period_must_be_a_whole_number_of_samples() -> None:
    with pytest.raises(AssertionError):
        Player(22_050, period_ms=11)
    assert Player(22_050).period == 441


PHRASES = st.lists(st.lists(st.integers(0, 90), max_size=4), min_size=1, max_size=6)
CUTS = st.lists(st.lists(st.integers(0, 360), max_size=3), min_size=6, max_size=6)


@settings(max_examples=200, deadline=None)
@given(
    phrases=PHRASES,
    late=st.lists(st.integers(0, 4), min_size=6, max_size=6),
    cuts=CUTS,
    cut=st.integers(0, 90),
)
def test_what_was_heard_is_what_was_played(
    phrases: list[list[int]], late: list[int], cuts: list[list[int]], cut: int
) -> None:
    """Words of any length, phrases in parts, each of which comes late, a stop at any tick."""
    rig = Rig()
    text, spans, total = "", [], 0
    for index, words in enumerate(phrases):
        times, at, written = [], 0, ""
        for i, count in enumerate(words):
            written += f"w{index}.{i} "
            times.append(WordTime(at, at + count, len(written)))
            spans.append((total + at, total + at + count, len(text) + len(written), count))
            at += count
        whole = SoundMade(
            t_ns=0,
            epoch=1,
            index=index,
            samples=(total + 1 + np.arange(at, dtype=np.float32)) / 32_768,
            words=tuple(times),
            written=written,
            last=index == len(phrases) - 1,
        )
        for part in parts(whole, *sorted(min(place, at) for place in cuts[index])):
            for _ in range(late[index]):
                if rig.tick < cut:
                    rig.play()
            rig.give(part)
        text, total = text + written, total + at
    while rig.tick < cut:
        rig.play()
    rig.give(PlaybackStop(t_ns=0, epoch=1))
    played = len(rig.sound)
    assert counting(rig.sound) == list(range(1, played + 1))
    assert sum(block.done for block in rig.out) == 1
    assert rig.out[-1].done
    if not rig.out[-1].stopped:
        assert (rig.heard, played) == (text, total)
        return
    assert text.startswith(rig.heard)
    for begin, end, char, count in spans:
        if count and 2 * (played - begin) >= end - begin and played > begin:
            assert len(rig.heard) >= char
        elif count:
            assert len(rig.heard) < char
