"""Replay: the same program gives the same events; another is found out at its first difference."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.govern import toys
from tests.govern.toys import INLINE, ROWS, builder, inline_nodes
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS
from visavis.flow.errors import InputError
from visavis.flow.loop import Loop
from visavis.flow.ring import AudioRing
from visavis.govern import replay as module
from visavis.govern.record import Recorder
from visavis.govern.replay import Difference, Report, read, replay


def changed(**nodes: Any) -> Callable[..., Any]:
    """A builder of a line in which some nodes are others."""
    return builder(lambda ring: inline_nodes(ring) | nodes)


def difference(path: Path, **nodes: Any) -> Difference:
    report = replay(read(path), changed(**nodes))
    assert report.difference is not None
    assert not report.identical
    return report.difference


class Altered:
    """A node whose outputs pass through `alter`."""

    def __init__(self, node: Any, alter: Callable[[e.Event], Iterable[e.Event]]) -> None:
        self.name = node.name
        self._node, self._alter = node, alter

    def on(self, event: e.Event) -> Iterator[e.Event]:
        for outcome in self._node.on(event):
            yield from self._alter(outcome)


@pytest.mark.parametrize("seed", range(8))
def test_the_same_program_gives_the_same_events(tmp_path: Path, seed: int) -> None:
    events = toys.record(tmp_path / "run.mcap", seed)
    topics = {event.topic for event in events}
    assert topics >= {"reply.cancel", "sound.played", "turn.ended", "view.taken"}, "a dull one"
    report = replay(read(tmp_path / "run.mcap"), builder())
    assert report.difference is None
    assert report.identical
    assert report.nodes == INLINE
    assert report.events == sum(event.topic != "audio.captured" for event in events)
    gives = {topic for row in ROWS if row.name in INLINE for topic in row.gives}
    assert report.compared == sum(event.topic in gives for event in events) > 50


def test_chunks_of_one_cause_are_fed_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toys.record(tmp_path / "run.mcap")
    monkeypatch.setattr(module, "BATCH", 1)
    assert not replay(read(tmp_path / "run.mcap"), builder()).identical


def test_a_real_loop_with_threads_is_replayed_too(tmp_path: Path) -> None:
    loop = Loop()
    ring = AudioRing(5)
    chance = random.Random(1)
    outside = {
        "toy.align": toys.Align(ring),
        "toy.asr": toys.Asr(loop.clock, chance),  # type: ignore[arg-type]
        "toy.llm": toys.Llm(loop.clock, chance),  # type: ignore[arg-type]
        "toy.tts": toys.Tts(loop.clock, chance),  # type: ignore[arg-type]
        "toy.ear": toys.Ear(),
        "toy.eye": toys.Eye(loop.clock, chance),  # type: ignore[arg-type]
    }
    nodes = outside | inline_nodes(ring)
    ended = []
    with Recorder(tmp_path / "run.mcap", rows=ROWS) as recorder:
        loop.bus.tap(recorder.write)
        loop.bus.tap(lambda event: ended.append(event) if event.topic == "source.ended" else None)
        for row in ROWS:
            loop.add(nodes[row.name], row.takes, row.lane)
        loop.feed(toys.speech(1, 1.2))
        loop.run(lambda: bool(ended) and not loop.busy)
        loop.close()
    recording = read(tmp_path / "run.mcap")
    assert {entry.topic for entry in recording} >= {"words.heard", "reply.start"}
    report = replay(recording, builder())
    assert report.difference is None
    assert report.identical


def test_another_field_is_named_with_what_led_there(tmp_path: Path) -> None:
    events = toys.record(tmp_path / "run.mcap", 3)
    recorded = [event for event in events if event.topic != "audio.captured"]
    found = difference(tmp_path / "run.mcap", **{"toy.decide": toys.Decide(reason="cough")})
    cancel = next(event for event in recorded if event.topic == "reply.cancel")
    assert (found.topic, found.node, found.t_ns) == ("reply.cancel", "toy.decide", cancel.t_ns)
    assert found.number == recorded.index(cancel)
    assert found.fields == ("reason",)
    assert found.expected is not None
    assert found.got is not None
    assert (found.expected["reason"], found.got["reason"]) == ("voice", "cough")
    before = recorded[found.number - module.CONTEXT : found.number]
    assert [line.split()[3] for line in found.before] == [event.topic for event in before]
    assert found.before[-1].startswith(f"#{found.number - 1} ")


def test_sound_that_differs_in_one_sample_is_found(tmp_path: Path) -> None:
    toys.record(tmp_path / "run.mcap")
    state = {"left": 5}

    def alter(event: e.Event) -> Iterable[e.Event]:
        assert isinstance(event, e.SoundPlayed)
        state["left"] -= 1
        if state["left"] == 0:
            event.samples[17] = np.nextafter(event.samples[17], np.float32(1))
        return (event,)

    found = difference(tmp_path / "run.mcap", **{"toy.player": Altered(toys.Player(), alter)})
    assert (found.topic, found.fields) == ("sound.played", ("samples",))


def test_a_reply_that_looks_at_another_picture_is_found(tmp_path: Path) -> None:
    toys.record(tmp_path / "run.mcap")

    class Dreaming(toys.Decide):
        def on(self, event: e.Event) -> Iterator[e.Event]:
            if isinstance(event, e.ViewTaken):
                event = module.replace(event, view=module.replace(event.view, id="a dream"))
            return super().on(event)

    found = difference(tmp_path / "run.mcap", **{"toy.decide": Dreaming()})
    assert found.topic == "reply.start"
    assert found.fields == ("messages", "view_id")


def test_the_last_bit_of_a_float_counts(tmp_path: Path) -> None:
    toys.record(tmp_path / "run.mcap")

    def alter(event: e.Event) -> Iterable[e.Event]:
        if isinstance(event, e.TurnEnded):
            event = module.replace(event, probability=np.nextafter(event.probability, 2))
        return (event,)

    found = difference(tmp_path / "run.mcap", **{"toy.decide": Altered(toys.Decide(), alter)})
    assert found.fields == ("probability",)


def test_an_event_that_does_not_come_is_found(tmp_path: Path) -> None:
    toys.record(tmp_path / "run.mcap")
    silent = Altered(toys.Segment(), lambda event: ())
    found = difference(tmp_path / "run.mcap", **{"toy.segment": silent})
    assert (found.topic, found.got, found.fields) == ("phrase.released", None, ())


def test_an_event_too_many_is_found(tmp_path: Path) -> None:
    toys.record(tmp_path / "run.mcap")
    twice = Altered(toys.Segment(), lambda event: (event, event))
    found = difference(tmp_path / "run.mcap", **{"toy.segment": twice})
    assert (found.topic, found.expected, found.fields) == ("phrase.released", None, ())


def test_events_in_another_order_are_found(tmp_path: Path) -> None:
    toys.record(tmp_path / "run.mcap")
    kept: list[e.Event] = []

    def alter(event: e.Event) -> Iterable[e.Event]:
        if event.topic == "turn.ended":
            kept.append(event)
            return ()
        return (event, *kept) if event.topic == "reply.start" else (event,)

    found = difference(tmp_path / "run.mcap", **{"toy.decide": Altered(toys.Decide(), alter)})
    assert found.expected is not None
    assert found.got is not None
    assert (found.expected["topic"], found.got["topic"]) == ("turn.ended", "reply.start")


def test_a_failure_of_an_inline_node_is_made_again(tmp_path: Path) -> None:
    broken = toys.Decide(fail_on="speech.started")
    events = toys.record(tmp_path / "run.mcap", **{"toy.decide": broken})
    failures = [event for event in events if isinstance(event, e.NodeFailed)]
    assert failures
    again = changed(**{"toy.decide": toys.Decide(fail_on="speech.started")})
    assert replay(read(tmp_path / "run.mcap"), again).identical
    found = difference(tmp_path / "run.mcap")
    assert found.topic == "node.failed"


def test_a_failure_outside_is_fed(tmp_path: Path) -> None:
    failed = e.NodeFailed(t_ns=7, node="toy.llm", on="reply.start", error="gone")
    with Recorder(tmp_path / "run.mcap", rows=ROWS, threaded=False) as recorder:
        recorder.write(failed)
    report = replay(read(tmp_path / "run.mcap"), builder())
    assert (report.events, report.compared, report.identical) == (1, 0, True)


FREELY = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None
)


@FREELY
@given(percent=st.integers(5, 100))
def test_a_truncated_recording_is_judged_as_far_as_it_goes(tmp_path: Path, percent: int) -> None:
    whole = tmp_path / "run.mcap"
    if not whole.exists():
        toys.record(whole, 5)
    data = whole.read_bytes()
    (tmp_path / "cut.mcap").write_bytes(data[: len(data) * percent // 100])
    try:
        report = replay(read(tmp_path / "cut.mcap"), builder())
    except InputError:
        assert percent < 30, "a recording without events"
        return
    assert report.identical
    assert bool(report.broken) == (percent < 100)


def test_a_recording_that_lost_an_event_is_never_called_identical(tmp_path: Path) -> None:
    with Recorder(tmp_path / "run.mcap", threaded=False) as recorder:
        recorder.write(e.ClockTicked(t_ns=0, index=0))
        recorder.write(e.TokenMade(t_ns=0, text="\ud83d", index=0))
        recorder.write(e.ClockTicked(t_ns=1, index=1))
    report = replay(read(tmp_path / "run.mcap"), builder())
    assert report.difference is None
    assert (report.events, report.dropped, report.identical) == (1, 1, False)


def loud(start: int) -> e.AudioAligned:
    samples = np.full(640, 0.5, np.float32)
    return e.AudioAligned(t_ns=start * 62_500 + 40 * NS_PER_MS, start=start, samples=samples)


@pytest.mark.parametrize("cut", [True, False])
def test_only_where_the_session_was_broken_off_may_what_follows_be_missing(
    tmp_path: Path, cut: bool
) -> None:
    recorder = Recorder(tmp_path / "run.mcap", threaded=False)
    recorder.write(loud(0))  # makes the toy say speech.started, which is not written any more
    recorder.close(cut=cut)
    report = replay(read(tmp_path / "run.mcap"), builder())
    assert report.identical == cut
    assert report.cut == cut


def test_sound_with_a_hole_cannot_be_replayed(tmp_path: Path) -> None:
    with Recorder(tmp_path / "run.mcap", threaded=False) as recorder:
        recorder.write(loud(640))
    with pytest.raises(InputError, match="sample 640 does not follow"):
        replay(read(tmp_path / "run.mcap"), builder())


def test_time_that_runs_backwards_cannot_be_replayed(tmp_path: Path) -> None:
    with Recorder(tmp_path / "run.mcap", threaded=False) as recorder:
        for t_ns in (20, 10):
            recorder.write(e.ClockTicked(t_ns=t_ns, index=0))
    with pytest.raises(InputError, match="time runs backwards"):
        replay(read(tmp_path / "run.mcap"), builder())


def test_settings_that_do_not_build_a_line_are_an_input_error(tmp_path: Path) -> None:
    toys.record(tmp_path / "run.mcap")

    def build(settings: Any) -> Any:
        return builder()(settings["config"])

    with pytest.raises(InputError, match=r"run\.mcap: its settings .*'config'"):
        replay(read(tmp_path / "run.mcap"), build)


def test_an_empty_recording_proves_nothing(tmp_path: Path) -> None:
    Recorder(tmp_path / "run.mcap").close()
    with pytest.raises(InputError, match="holds no events"):
        replay(read(tmp_path / "run.mcap"), builder())


def test_the_line_is_built_with_the_settings_of_the_recording_and_closed(tmp_path: Path) -> None:
    closed = []

    class Closing(toys.Segment):
        def close(self) -> None:
            closed.append(self)

    toys.record(tmp_path / "run.mcap", 9)
    seen: list[Any] = []

    def build(settings: Any) -> Any:
        seen.append(settings)
        return changed(**{"toy.segment": Closing()})(settings)

    report: Report = replay(read(tmp_path / "run.mcap"), build)
    assert report.identical
    assert seen == [{"toy": 9}]
    assert len(closed) == 1
