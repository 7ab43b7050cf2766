"""The meter: each hop is what the clock said, and the hops add up."""

from __future__ import annotations

from collections.abc import Iterable, Sized
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.flow.nodes import Probe
from visavis.flow import events as e
from visavis.flow.bus import Bus
from visavis.flow.clock import NS_PER_MS
from visavis.flow.mailbox import Mailbox
from visavis.flow.topics import Topic
from visavis.govern.meter import Meter, drops, spread

RATE_HZ = 20_000
PERIOD = np.zeros(400, np.float32)  # 20 ms of output
SPEECH_END = 16_000  # sample; said at 1,000 ms


def ms(value: float) -> int:
    return round(value * NS_PER_MS)


def hearing(until_ms: int = 2_000) -> list[e.Event]:
    """Chunks of 20 ms, each stamped at its end."""
    chunk = np.zeros(320, np.float32)
    return [
        e.AudioAligned(t_ns=ms(20 * (index + 1)), start=320 * index, samples=chunk)
        for index in range(until_ms // 20)
    ]


def turn(at_ms: float, end: int = SPEECH_END) -> e.TurnEnded:
    return e.TurnEnded(t_ns=ms(at_ms), text="", start=0, end=end, probability=1, reasons=())


def played(at_ms: float, epoch: int = 1, **more: bool) -> e.SoundPlayed:
    return e.SoundPlayed(t_ns=ms(at_ms), epoch=epoch, start=0, samples=PERIOD, **more)


def reply(hops_ms: Iterable[float], epoch: int = 1) -> list[e.Event]:
    """One reply: from the turn's end, so many milliseconds after the last one's step each."""
    at = np.cumsum([1_000, *hops_ms])[1:]
    kinds: list[e.Event] = [
        turn(0),
        e.ReplyStart(t_ns=0, epoch=epoch, trace=7, messages=()),
        e.TokenMade(t_ns=0, epoch=epoch, text="a", index=0),
        e.PhraseReady(t_ns=0, epoch=epoch, index=0, written="a", spoken="a", char_start=0),
        e.SoundMade(t_ns=0, epoch=epoch, index=0, samples=PERIOD, words=(), written="a"),
        played(0, epoch),
    ]
    return [replace(event, t_ns=ms(t)) for event, t in zip(kinds, at, strict=True)]


def metered(*events: Iterable[e.Event], keep: int = 1000) -> Meter:
    meter = Meter(output_rate_hz=RATE_HZ, keep=keep)
    for some in events:
        for event in some:
            meter.watch(event)
    return meter


@settings(deadline=None)
@given(st.lists(st.integers(0, 3_000), min_size=6, max_size=6))
def test_the_hops_add_up_to_voice_to_voice(hops_ms: list[int]) -> None:
    (found,) = metered(hearing(), reply(hops_ms)).replies
    assert found.epoch == 1
    assert found.trace == 7
    assert [
        found.endpoint_ms,
        found.decide_ms,
        found.first_token_ms,
        found.phrase_ms,
        found.synthesis_ms,
        found.output_ms,
    ] == hops_ms
    assert found.voice_to_voice_ms == sum(hops_ms)


def test_only_the_first_of_each_step_counts_and_only_of_this_reply() -> None:
    steps = reply([200, 0, 100, 50, 80, 20])
    late = [replace(event, t_ns=event.t_ns + ms(400)) for event in steps[2:]]
    stale = [replace(event, epoch=99, t_ns=ms(1_001)) for event in steps[2:]]
    meter = metered(hearing(), steps[:2], stale, steps[2:], late)
    assert [found.voice_to_voice_ms for found in meter.replies] == [450]
    assert meter.replies[0].first_token_ms == 100


def test_an_empty_period_is_not_yet_a_sound() -> None:
    *steps, sound = reply([200, 0, 100, 50, 80, 20])
    assert isinstance(sound, e.SoundPlayed)
    empty = replace(sound, samples=PERIOD[:0], t_ns=sound.t_ns - 1)
    assert not metered(hearing(), steps, [empty]).replies
    assert metered(hearing(), steps, [empty, sound]).replies


@pytest.mark.parametrize(("late_ms", "hidden_ms"), [(0, 0), (300, 0), (-7, -7)])
def test_sound_that_is_delivered_late_does_not_hide_latency(late_ms: int, hidden_ms: int) -> None:
    chunks = [replace(event, t_ns=event.t_ns + ms(late_ms)) for event in hearing()]
    steps = reply([200, 0, 100, 50, 80, 20])
    steps[0] = turn(1_200, SPEECH_END - 160)
    (found,) = metered(chunks, steps).replies
    assert found.endpoint_ms == 200 + 10 - hidden_ms


def test_the_end_of_a_turn_long_past_is_dated_by_its_index() -> None:
    (found,) = metered(hearing()[80:], reply([200, 0, 100, 50, 80, 20])).replies
    assert found.voice_to_voice_ms == 450


@pytest.mark.parametrize(("final_ms", "late_ms"), [(1_180, 0), (1_260, 60)])
def test_recognition_tells_what_of_it_the_user_waited_for(final_ms: int, late_ms: int) -> None:
    paused = e.SpeechPaused(t_ns=ms(1_100), start=0, end=SPEECH_END)
    words = e.WordsHeard(t_ns=ms(final_ms), text="a", stable=1, final=True, start=0, end=SPEECH_END)
    partial = replace(words, final=False, t_ns=ms(1_101))
    again = replace(words, t_ns=ms(1_400))
    steps = reply([200, 60, 100, 50, 80, 20])
    (found,) = metered(hearing(), [paused, partial, words, again], steps).replies
    assert found.recognition_ms == final_ms - 1_100
    assert found.late_recognition_ms == late_ms


def test_what_was_not_seen_is_none() -> None:
    start, *_, sound = reply([200, 0, 100, 50, 80, 20])[1:]
    (found,) = metered([start, sound]).replies
    assert found.voice_to_voice_ms is None
    assert found.first_token_ms is None
    assert found.recognition_ms is None
    assert metered([start, sound]).summary() == {}


def test_a_reply_that_never_sounds_is_counted() -> None:
    first, second = reply([1] * 6, 1), reply([2] * 6, 2)
    meter = metered(hearing(), first[:-1], second)
    assert meter.unheard == 1
    assert [found.epoch for found in meter.replies] == [2]


def cut_off(*, written_ms: float | None = None) -> list[e.Event]:
    """A reply sounds from 2,000 ms on; a voice at 2,030, a stop at 2,270 and two periods more."""
    sounds: list[e.Event] = [played(2_000 + 20 * index) for index in range(14)]
    after: list[e.Event] = [
        e.PlaybackStop(t_ns=ms(2_265), epoch=1),
        e.ReplyCancel(t_ns=ms(2_266), epoch=1, reason="voice"),
        replace(played(2_280, done=True, stopped=True), samples=PERIOD[:0]),
    ]
    if written_ms is not None:
        after.append(e.ReplyWritten(t_ns=ms(written_ms), epoch=1, reason="cancelled"))
    voice = e.SpeechStarted(t_ns=ms(2_030), start=2_000 * 16)
    return [*sounds[:2], voice, *sounds[2:], *after]


def test_an_interruption_is_measured_to_the_last_sample_that_sounded() -> None:
    (found,) = metered(cut_off(written_ms=2_300)).interruptions
    assert found.decide_ms == 235
    assert found.silence_ms == 15
    assert found.silent_ms == 280
    assert found.engine_ms == 34


def test_an_engine_that_was_free_already_has_no_time() -> None:
    written: list[e.Event] = [e.ReplyWritten(t_ns=ms(2_001), epoch=1, reason="end")]
    events = cut_off()
    (found,) = metered(events[:1], written, events[1:]).interruptions
    assert found.engine_ms is None


def test_a_reply_that_ends_by_itself_is_no_interruption() -> None:
    assert not metered([played(0), played(20, done=True)]).interruptions


def test_a_voice_that_was_no_interruption_is_forgotten() -> None:
    cough = e.SpeechStarted(t_ns=ms(2_005), start=0)
    back = e.PlaybackRestore(t_ns=ms(2_010), epoch=1)
    events = cut_off()
    (found,) = metered(events[:1], [cough, back], events[1:]).interruptions
    assert found.decide_ms == 235


def test_memory_is_bounded() -> None:
    meter = Meter(output_rate_hz=RATE_HZ, keep=3)
    for event in [*hearing(), *(step for n in range(9) for step in reply([n] * 6, n + 1))]:
        meter.watch(event)
    assert [found.epoch for found in meter.replies] == [7, 8, 9]
    for end in range(5_000):
        meter.watch(e.SpeechPaused(t_ns=0, start=0, end=end))
        meter.watch(e.AudioAligned(t_ns=0, start=end, samples=PERIOD[:1]))
    sizes = [len(held) for held in vars(meter._hearing).values() if isinstance(held, Sized)]
    assert len(sizes) == 3
    assert max(sizes) <= 3_000


def test_the_summary_gives_each_quantity_its_spread() -> None:
    replies = [reply([100, 0, n, 10, 10, 10], n) for n in range(1, 102)]
    summary = metered(hearing(), *replies, cut_off(written_ms=2_300)).summary()
    assert summary["first_token_ms"].count == 101
    assert summary["first_token_ms"].p50 == 51
    assert summary["first_token_ms"].p95 == 96
    assert summary["voice_to_voice_ms"].highest == 231
    assert summary["interruption_silence_ms"].p50 == 15
    assert "recognition_ms" not in summary


def test_a_spread_of_one_is_that_one() -> None:
    assert spread([3.5]) == spread(iter([3.5]))
    assert (spread([3.5]).p50, spread([3.5]).p95) == (3.5, 3.5)


def test_drops_name_the_topic_the_cause_and_the_node() -> None:
    bus = Bus(
        [
            Topic(e.ClockTicked, 50, 2, "drop_oldest"),
            Topic(e.ReplyStart, 1, 8, raises="this"),
            Topic(e.TokenMade, 60, 8, fenced=True),
            Topic(e.SourceEnded, 1, 8),
        ]
    )
    bus.subscribe(Probe("slow"), "clock.ticked", Mailbox())
    for index in range(5):
        bus.publish(e.ClockTicked(t_ns=0, index=index))
    bus.publish(e.ReplyStart(t_ns=0, epoch=2, messages=()))
    bus.publish(e.TokenMade(t_ns=0, epoch=1, text="", index=0))
    bus.publish(e.SourceEnded(t_ns=0, source="audio"))
    ticks, tokens = drops(bus)
    assert (ticks.topic, ticks.dropped, ticks.nodes) == ("clock.ticked", 3, ("slow",))
    assert (tokens.topic, tokens.stale, tokens.nodes) == ("token.made", 1, ())
