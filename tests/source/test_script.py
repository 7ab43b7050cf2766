"""The scripted speaker says every utterance whole, at its time or as soon after as it can."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from visavis.flow.events import AudioCaptured, SourceEnded
from visavis.source.script import ScriptedSpeaker

RATE_HZ = 8_000
CHUNK = 160


def sound(events: list[AudioCaptured]) -> np.ndarray:
    return np.frombuffer(b"".join(event.data for event in events), "<f4")


def run(speaker: ScriptedSpeaker) -> np.ndarray:
    """All it says; checks the stamps and the end."""
    *chunks, end = speaker.events()
    assert [event.t_ns for event in chunks] == [20_000_000 * (k + 1) for k in range(len(chunks))]
    assert end == SourceEnded(t_ns=20_000_000 * len(chunks), source="audio")
    return sound(chunks)


def test_an_utterance_begins_at_its_very_sample() -> None:
    word = np.arange(1, 1_001, dtype=np.float32) / 1_000
    wave = run(ScriptedSpeaker(RATE_HZ, [(0.1001, word)], tail_s=0.1))
    assert np.array_equal(wave[801:1_801], word)
    assert np.count_nonzero(wave) == 1_000
    assert len(wave) == pytest.approx(1_801 + 800, abs=CHUNK)


def test_chunks_say_how_to_read_them() -> None:
    first = next(ScriptedSpeaker(RATE_HZ).events())
    assert isinstance(first, AudioCaptured)
    assert (first.encoding, first.rate_hz, first.channels) == ("f32", RATE_HZ, 1)
    assert first.captured_ns == first.t_ns == 20_000_000
    assert len(first.data) == CHUNK * 4


@given(
    st.lists(
        st.tuples(st.floats(0, 2), st.integers(0, 3_000)),
        max_size=8,
    )
)
def test_one_mouth_says_all_of_it_one_after_the_other(script: list[tuple[float, int]]) -> None:
    utterances = [
        (at_s, np.full(length, (number + 1) / 10, np.float32))
        for number, (at_s, length) in enumerate(script)
    ]
    speaker = ScriptedSpeaker(RATE_HZ, utterances, tail_s=0)
    wave = run(speaker)
    for at_s, words in utterances:
        places = np.flatnonzero(wave == words[0]) if len(words) else []
        assert len(places) == len(words)
        if len(words):
            assert places[-1] - places[0] == len(words) - 1
            assert places[0] >= round(at_s * RATE_HZ)
    assert len(speaker.spoken) == len(script)
    for (_, end_ns), (start_ns, _) in itertools.pairwise(speaker.spoken):
        assert start_ns >= end_ns


def test_said_while_it_runs() -> None:
    speaker = ScriptedSpeaker(RATE_HZ)
    events = speaker.events()
    before = [next(events) for _ in range(10)]
    speaker.say(np.ones(100, np.float32), before[-1].t_ns)
    after = [next(events) for _ in range(2)]
    assert not sound(before).any()
    assert np.flatnonzero(sound(after)).tolist() == list(range(100))
    assert list(speaker.spoken) == [(200_000_000, 212_500_000)]


def test_a_moment_that_has_passed_is_now() -> None:
    speaker = ScriptedSpeaker(RATE_HZ)
    events = speaker.events()
    for _ in range(10):
        next(events)
    speaker.say(np.ones(100, np.float32), 0)
    assert sound([next(events)])[0] == 1


def test_what_is_said_now_goes_before_what_is_planned_for_later() -> None:
    speaker = ScriptedSpeaker(RATE_HZ, [(1, np.full(100, 0.5, np.float32))], tail_s=0)
    speaker.say(np.full(100, 0.25, np.float32), 500_000_000)
    wave = run(speaker)
    assert wave[4_000] == 0.25
    assert wave[8_000] == 0.5


def test_it_ends_when_told() -> None:
    speaker = ScriptedSpeaker(RATE_HZ, [(0, np.ones(RATE_HZ, np.float32))])
    events = speaker.events()
    next(events)
    speaker.end()
    assert list(events) == [SourceEnded(t_ns=20_000_000, source="audio")]


def test_the_tail_counts_from_the_last_word() -> None:
    speaker = ScriptedSpeaker(RATE_HZ, [(0, np.ones(CHUNK, np.float32))], tail_s=1)
    events = speaker.events()
    for _ in range(40):
        next(events)
    speaker.say(np.ones(CHUNK, np.float32), 0)
    assert len(list(events)) == 1 + 50 + 1


def test_many_threads_may_speak() -> None:
    speaker = ScriptedSpeaker(RATE_HZ, tail_s=0)
    words = [np.full(50, n + 1, np.float32) for n in range(20)]
    threads = [threading.Thread(target=speaker.say, args=(word,)) for word in words]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wave = run(speaker)
    assert [np.count_nonzero(wave == n + 1) for n in range(20)] == [50] * 20
