"""Where a voice begins and ends, whatever the chunks; what happens when sound stops coming."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.backends.symbols import encode, silence
from visavis.backends.vad.fake import FakeVad
from visavis.flow.events import (
    AudioAligned,
    ClockTicked,
    Event,
    Samples,
    Span,
    SpeechPaused,
    SpeechStarted,
)
from visavis.perceive.vad import VoiceActivity

WINDOW = 512
MS = 1_000_000


class ScriptedVad(FakeVad):
    """Gives these probabilities, then zeros."""

    def __init__(self, scores: Sequence[float]) -> None:
        super().__init__()
        self.scores = list(scores)
        self.resets = 0

    def score(self, samples: Samples) -> float:
        return self.scores.pop(0) if self.scores else 0.0

    def reset(self) -> None:
        self.resets += 1


def chunks(samples: Samples, size: int = 320, start: int = 0) -> Iterable[AudioAligned]:
    for at in range(0, len(samples), size):
        yield chunk(samples[at : at + size], start + at)


def chunk(samples: Samples, start: int, doubted: Iterable[Span] = ()) -> AudioAligned:
    end = start + len(samples)
    within = (Span(max(s.begin, start), min(s.end, end)) for s in doubted)
    mine = tuple(span for span in within if span.begin < span.end)
    return AudioAligned(t_ns=end * 62_500, start=start, samples=samples, doubted=mine)


def run(node: VoiceActivity, events: Iterable[Event]) -> list[Event]:
    return [outcome for event in events for outcome in node.on(event)]


def spans(events: Iterable[Event]) -> list[tuple[str, int, int]]:
    return [
        ("start", event.trace, event.start)
        if isinstance(event, SpeechStarted)
        else ("pause", event.trace, event.end)
        for event in events
        if isinstance(event, SpeechStarted | SpeechPaused)
    ]


def loud(windows: int) -> Samples:
    return np.full(windows * WINDOW, 0.3, np.float32)


def scripted(scores: Sequence[float], **settings: float) -> list[tuple[str, int, int]]:
    """The spans in windows: loud where the score is at least 0.35."""
    sound = np.repeat([0.3 if score >= 0.35 else 0.0 for score in scores], WINDOW)
    sound = np.concatenate([sound, silence(400)]).astype(np.float32)
    found = spans(run(VoiceActivity(ScriptedVad(scores), **settings), chunks(sound)))
    return [(kind, trace, round(at / WINDOW)) for kind, trace, at in found]


def test_a_voice_begins_where_it_rose_above_the_lower_threshold() -> None:
    assert scripted([0.1, 0.2, 0.4, 0.9, 0.9]) == [("start", 1, 2), ("pause", 1, 5)]


def test_between_the_thresholds_it_goes_on_but_does_not_begin() -> None:
    assert scripted([0.4] * 10) == []
    assert scripted([0.9, 0.4, 0.4, 0.4, 0.4, 0.4, 0.9]) == [("start", 1, 0), ("pause", 1, 7)]


def test_what_is_too_short_is_no_voice() -> None:
    assert scripted([0, 0.9, 0, 0, 0.9, 0.9, 0], voiced_ms=64) == [("start", 1, 4), ("pause", 1, 6)]


def test_a_short_gap_is_no_pause() -> None:
    assert scripted([0.9, 0.9, 0, 0, 0.9, 0.9]) == [("start", 1, 0), ("pause", 1, 6)]


def test_each_stretch_has_its_own_number() -> None:
    stretch = [0.9] * 3 + [0.0] * 5
    assert scripted(stretch * 3) == [
        ("start", 1, 0),
        ("pause", 1, 3),
        ("start", 2, 8),
        ("pause", 2, 11),
        ("start", 3, 16),
        ("pause", 3, 19),
    ]


def test_the_pause_is_seen_after_its_length_and_dated_from_the_voice() -> None:
    sound = np.concatenate([silence(320), encode("yes stop"), silence(400)])
    *_, paused = run(VoiceActivity(FakeVad()), chunks(sound))
    assert isinstance(paused, SpeechPaused)
    assert paused.end == 11_520
    assert 100 <= paused.t_ns / MS - 720 <= 160


def test_a_probability_that_rings_on_does_not_move_the_end() -> None:
    scores = [0.0] * 5 + [0.9] * 10 + [0.8, 0.6, 0.5, 0.1]
    sound = np.concatenate([silence(160), loud(10), silence(500)])
    *_, paused = run(VoiceActivity(ScriptedVad(scores)), chunks(sound))
    assert isinstance(paused, SpeechPaused)
    assert paused.end == 15 * WINDOW


@pytest.mark.parametrize("level", [0.02, 0.05])
def test_in_noise_the_end_is_where_the_voice_sank_into_it(level: float) -> None:
    noise = np.random.default_rng(0).standard_normal(40 * WINDOW).astype(np.float32) * level
    sound = noise.copy()
    sound[10 * WINDOW : 20 * WINDOW] += loud(10)
    scores = [0.0] * 10 + [0.9] * 12 + [0.1] * 18
    *_, paused = run(VoiceActivity(ScriptedVad(scores)), chunks(sound))
    assert isinstance(paused, SpeechPaused)
    assert abs(paused.end - 20 * WINDOW) <= 256


@settings(deadline=None)
@given(
    words=st.lists(
        st.tuples(st.sampled_from(["yes", "no", "红色"]), st.integers(0, 500)), max_size=8
    ),
    cuts=st.lists(st.integers(0, 30_000), max_size=40),
    size=st.integers(7, 5_000),
)
def test_no_cut_changes_where_a_voice_begins_or_ends(
    words: list[tuple[str, int]], cuts: list[int], size: int
) -> None:
    parts = [part for word, gap_ms in words for part in (silence(gap_ms), encode([word]))]
    sound = np.concatenate([silence(50), *parts, silence(300)])
    edges = sorted({0, *(cut for cut in cuts if cut < len(sound))})
    pieces = [chunk(piece, at) for piece, at in zip(np.split(sound, edges[1:]), edges, strict=True)]
    whole = spans(run(VoiceActivity(FakeVad()), [chunk(sound, 0)]))
    assert spans(run(VoiceActivity(FakeVad()), pieces)) == whole
    assert spans(run(VoiceActivity(FakeVad()), chunks(sound, size))) == whole


@given(st.lists(st.floats(0, 1), max_size=200))
def test_starts_and_pauses_take_turns_and_time_goes_forward(scores: list[float]) -> None:
    found = scripted([*scores, *[0.0] * 10])
    assert [kind for kind, _, _ in found] == ["start", "pause"] * (len(found) // 2)
    assert [trace for _, trace, _ in found] == [1 + at // 2 for at in range(len(found))]
    assert [at for _, _, at in found] == sorted(at for _, _, at in found)


def ticks(start_ms: int, stop_ms: int) -> list[ClockTicked]:
    return [ClockTicked(t_ns=ms * MS, index=ms // 20) for ms in range(start_ms, stop_ms, 20)]


@pytest.fixture
def speaking() -> VoiceActivity:
    node = VoiceActivity(FakeVad())
    assert len(run(node, chunks(encode("yes stop")))) == 1  # up to 400 ms
    return node


def test_when_sound_stops_coming_the_voice_ends_once(speaking: VoiceActivity) -> None:
    assert run(speaking, ticks(400, 900)) == []
    (paused,) = run(speaking, ticks(900, 5_000))
    assert isinstance(paused, SpeechPaused)
    assert paused.t_ns == 900 * MS
    assert paused.end == 12 * WINDOW


def test_when_sound_comes_again_a_new_voice_begins(speaking: VoiceActivity) -> None:
    run(speaking, ticks(400, 2_000))
    (started,) = run(speaking, [chunk(encode("no"), 6_400)])
    assert isinstance(started, SpeechStarted)
    assert (started.trace, started.start) == (2, 6_400)


def test_without_a_voice_a_stall_is_nothing() -> None:
    node = VoiceActivity(FakeVad())
    assert run(node, [*chunks(silence(200)), *ticks(200, 3_000)]) == []


def test_lost_sound_ends_the_voice(speaking: VoiceActivity) -> None:
    events = run(speaking, [chunk(encode("no"), 100_000)])
    assert spans(events) == [("pause", 1, 12 * WINDOW), ("start", 2, 100_000)]


@pytest.mark.parametrize("size", [100, 320, WINDOW, 1_600])
@pytest.mark.parametrize(
    ("begin_ms", "end_ms", "doubted"),
    [(-300, -101, False), (-300, -90, True), (0, 10, True), (22, 32, True), (33, 200, False)],
)
def test_a_voice_beside_what_may_be_our_echo_is_doubted(
    begin_ms: int, end_ms: int, doubted: bool, size: int
) -> None:
    onset = 12 * WINDOW
    node = VoiceActivity(ScriptedVad([0.0] * 12 + [0.9] * 8))
    sound, spans = loud(20), [Span(onset + 16 * begin_ms, onset + 16 * end_ms)]
    for at in range(0, len(sound), size):
        for event in node.on(chunk(sound[at : at + size], at, spans)):
            assert isinstance(event, SpeechStarted)
            assert (event.start, event.doubted) == (onset, doubted)


def test_what_was_doubted_is_not_kept_for_ever() -> None:
    for score in (0.0, 0.9):
        node = VoiceActivity(ScriptedVad([score] * 200))
        for at in range(0, 200 * WINDOW, WINDOW):
            list(node.on(chunk(loud(1), at, [Span(at, at + 160), Span(at + 320, at + 480)])))
        assert len(node._doubted) < 100


def test_an_endless_voice_is_broken_without_a_gap() -> None:
    sound = loud(700)
    found = spans(run(VoiceActivity(FakeVad(), longest_ms=5_000), chunks(sound)))
    starts = [at for kind, _, at in found if kind == "start"]
    pauses = [at for kind, _, at in found if kind == "pause"]
    assert len(starts) == 5
    assert starts[1:] == pauses[: len(starts) - 1]


def test_a_new_stream_begins_with_a_fresh_backend() -> None:
    vad = ScriptedVad([0.0])
    node = VoiceActivity(vad)
    before = vad.resets
    run(node, [chunk(loud(1), 0), chunk(loud(1), 50_000)])
    assert vad.resets == before + 1


def test_closing_closes_the_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[bool] = []
    vad = FakeVad()
    close: Callable[[], None] = lambda: closed.append(True)  # noqa: E731
    monkeypatch.setattr(vad, "close", close)
    VoiceActivity(vad).close()
    assert closed
