"""Phrases are released in order, one at a time, and never far ahead of the playhead."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from visavis.flow.events import (
    Event,
    PhraseReady,
    PhraseReleased,
    ReplyCancel,
    ReplyStart,
    SoundMade,
    SoundPlayed,
)
from visavis.speak.ahead import LookAhead

RATE_HZ = 1000


def ready(index: int, epoch: int = 1, last: bool = False) -> PhraseReady:
    return PhraseReady(
        t_ns=1,
        trace=4,
        epoch=epoch,
        index=index,
        written=f"w{index} ",
        spoken=f"w{index}",
        char_start=3 * index,
        last=last,
        language="en",
        before="so far",
        after="and on",
    )


def made(index: int, count: int, epoch: int = 1, part: int = 0, more: bool = False) -> SoundMade:
    return SoundMade(
        t_ns=2,
        epoch=epoch,
        index=index,
        samples=np.zeros(count, np.float32),
        words=(),
        written="",
        part=part,
        more=more,
    )


def played(count: int, epoch: int = 1) -> SoundPlayed:
    return SoundPlayed(t_ns=3, epoch=epoch, start=0, samples=np.zeros(count, np.float32))


def line(*, seconds: float = 1.0, max_phrases: int = 100) -> LookAhead:
    ahead = LookAhead(rate_hz=RATE_HZ, seconds=seconds, max_phrases=max_phrases)
    assert not give(ahead, ReplyStart(t_ns=0, epoch=1, messages=()))
    return ahead


def give(ahead: LookAhead, *events: Event) -> list[int]:
    outs = [out for event in events for out in ahead.on(event)]
    assert all(isinstance(out, PhraseReleased) for out in outs)
    return [out.index for out in outs if isinstance(out, PhraseReleased)]


def test_the_first_phrase_is_released_at_once_with_all_it_carries() -> None:
    ahead = line()
    (released,) = ahead.on(ready(0, last=True))
    assert released == PhraseReleased(
        t_ns=1,
        trace=4,
        epoch=1,
        index=0,
        written="w0 ",
        spoken="w0",
        char_start=0,
        last=True,
        language="en",
        before="so far",
        after="and on",
    )


def test_the_next_waits_until_the_sound_of_the_one_before_is_made() -> None:
    ahead = line()
    assert give(ahead, ready(0), ready(1), ready(2)) == [0]
    assert give(ahead, made(0, 100)) == [1]
    assert give(ahead, made(1, 100)) == [2]


def test_the_next_waits_for_the_last_part_of_the_one_before() -> None:
    ahead = line()
    assert give(ahead, ready(0), ready(1)) == [0]
    assert give(ahead, made(0, 100, more=True), played(100), made(0, 50, part=1, more=True)) == []
    assert give(ahead, made(0, 0, part=2)) == [1]


def test_the_sound_of_all_parts_counts() -> None:
    ahead = line()
    give(ahead, ready(0), ready(1), made(0, 700, more=True), made(0, 700, part=1))
    assert give(ahead, played(400)) == []
    assert give(ahead, played(1)) == [1]


def test_synthesis_stops_at_the_look_ahead_and_goes_on_as_sound_is_played() -> None:
    ahead = line()
    give(ahead, ready(0), ready(1))
    assert give(ahead, made(0, 1500)) == []
    assert give(ahead, played(499)) == []
    assert give(ahead, played(2)) == [1]


def test_a_silent_phrase_makes_way_at_once() -> None:
    ahead = line()
    give(ahead, ready(0), ready(1))
    assert give(ahead, made(0, 0)) == [1]


def test_a_new_or_cancelled_reply_starts_from_nothing() -> None:
    ahead = line()
    give(ahead, ready(0), ready(1), made(0, 5000))
    assert give(ahead, ReplyCancel(t_ns=4, epoch=1, reason="user")) == []
    assert give(ahead, made(1, 10), played(9000), ready(2)) == []
    give(ahead, ReplyStart(t_ns=5, epoch=2, messages=()))
    assert give(ahead, ready(1, epoch=1), ready(0, epoch=2)) == [0]


def test_too_many_waiting_phrases_are_joined_and_no_text_is_lost() -> None:
    ahead = line(max_phrases=3)
    outs = [out for i in range(10) for out in ahead.on(ready(i, last=i == 9))]
    for i in range(9):
        outs += ahead.on(made(i, 10))
    texts = [out.written for out in outs if isinstance(out, PhraseReleased)]
    assert "".join(texts) == "".join(f"w{i} " for i in range(10))
    assert [out.index for out in outs if isinstance(out, PhraseReleased)] == [0, 1, 2, 3]
    assert outs[-1].last
    assert outs[-1].spoken == "w3 w4 w5 w6 w7 w8 w9"


def test_joined_phrases_stand_between_the_words_around_them_all() -> None:
    ahead = line(max_phrases=1)
    first, second, third = (
        replace(ready(i), before=f"before {i}", after=f"after {i}") for i in range(3)
    )
    for phrase in (first, second, third):
        give(ahead, phrase)
    (joined,) = ahead.on(made(0, 10))
    assert isinstance(joined, PhraseReleased)
    assert (joined.before, joined.after) == ("before 1", "after 2")
