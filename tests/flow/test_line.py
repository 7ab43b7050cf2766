from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.flow.nodes import (
    HandClock,
    Probe,
    cancel,
    indices,
    paused,
    start,
    taps,
    tick,
    token,
    topics,
)
from visavis.flow import events as e
from visavis.flow import line as line_module
from visavis.flow.errors import EngineError
from visavis.flow.line import Line


def line(*, strict: bool = True) -> Line:
    return Line(HandClock(), strict=strict)


def test_a_cascade_runs_breadth_first() -> None:
    target = line()

    def fan_out(event: e.Event) -> list[e.Event]:
        return [token(0), token(1)]

    def narrow(event: e.Event) -> list[e.Event]:
        return [paused(end=event.index)] if isinstance(event, e.TokenMade) else []

    target.add(Probe("fan", fan_out), ["clock.ticked"])
    target.add(Probe("narrow", narrow), ["token.made"])
    last = Probe("last")
    target.add(last, ["token.made", "speech.paused"])
    target.publish(tick())
    assert topics(last.got) == ["token.made", "token.made", "speech.paused", "speech.paused"]
    assert indices(last.got) == [0, 1, 0, 1]


def test_all_is_quiet_before_the_next_outside_event() -> None:
    target = line()
    order: list[tuple[str, int]] = []

    def chain(event: e.Event) -> list[e.Event]:
        order.append((event.topic, indices([event])[0]))
        index = indices([event])[0]
        if isinstance(event, e.ClockTicked):
            return [token(index)]
        return [paused(end=index)] if isinstance(event, e.TokenMade) else []

    target.add(Probe("chain", chain), ["clock.ticked", "token.made", "speech.paused"])
    for index in range(2):
        target.publish(tick(index))
    steps = ["clock.ticked", "token.made", "speech.paused"]
    assert order == [(step, index) for index in range(2) for step in steps]


def test_a_generator_is_heard_event_by_event() -> None:
    target = line()
    seen = taps(target)
    progress: list[int] = []

    def slowly(event: e.Event) -> Iterator[e.Event]:
        for index in range(3):
            progress.append(len(seen))
            yield token(index)

    target.add(Probe("slow", slowly), ["clock.ticked"])
    target.publish(tick())
    assert progress == [1, 2, 3]


def test_a_cancel_within_a_cascade_stops_what_waits_in_it() -> None:
    target = line()
    mouth = Probe("mouth")

    def regret(event: e.Event) -> list[e.Event]:
        return [start(1), token(0), token(1), cancel(1), token(2)]

    target.add(Probe("regret", regret), ["clock.ticked"])
    target.add(mouth, ["token.made"])
    target.publish(tick())
    assert mouth.got == []
    assert target.bus.counts()["token.made"].stale == 3


def failing(event: e.Event) -> Iterator[e.Event]:
    yield token(0, t_ns=event.t_ns)
    raise ValueError("no good")


def test_a_nodes_exception_becomes_an_event_and_the_session_lives() -> None:
    target = line(strict=False)
    listener = Probe("listener")
    target.add(Probe("poor", failing), ["clock.ticked"])
    target.add(listener, ["token.made", "node.failed"])
    target.publish(e.ClockTicked(t_ns=5, trace=3, epoch=1, index=0))
    made, failed = listener.got
    assert made == token(0, t_ns=5)
    assert failed == e.NodeFailed(
        t_ns=5, trace=3, epoch=1, node="poor", on="clock.ticked", error="no good"
    )
    target.publish(tick(1))
    assert len(listener.got) == 4


@pytest.mark.parametrize(("error", "traced"), [(EngineError("died"), 0), (KeyError("died"), 1)])
def test_only_a_bug_is_logged_with_the_way_to_it(
    error: Exception, traced: int, caplog: pytest.LogCaptureFixture
) -> None:
    target = line(strict=False)

    def poor(event: e.Event) -> list[e.Event]:
        raise error

    target.add(Probe("poor", poor), ["clock.ticked"])
    target.publish(tick())
    assert "node poor failed on clock.ticked: " in caplog.text
    assert caplog.text.count("Traceback") == traced


def test_an_exception_without_words_is_named() -> None:
    target = line(strict=False)
    seen = taps(target)

    def mute(event: e.Event) -> list[e.Event]:
        raise KeyError

    target.add(Probe("mute", mute), ["clock.ticked"])
    target.publish(tick())
    assert isinstance(seen[1], e.NodeFailed)
    assert seen[1].error == "KeyError"


def test_strict_raises_a_nodes_exception() -> None:
    target = line()
    target.add(Probe("poor", failing), ["clock.ticked"])
    with pytest.raises(ValueError, match="no good"):
        target.publish(tick())


def test_a_node_that_fails_on_failures_does_not_fail_for_ever() -> None:
    target = line(strict=False)
    seen = taps(target)
    target.add(Probe("poor", failing), ["clock.ticked", "node.failed"])
    target.publish(tick())
    assert topics(seen) == ["clock.ticked", "token.made", "node.failed", "token.made"]


def test_what_goes_wrong_on_the_bus_is_published_when_all_is_quiet() -> None:
    target = line(strict=False)
    listener = Probe("listener")
    target.add(listener, ["node.failed"])

    def full_disk(event: e.Event) -> None:
        raise OSError("no space left")

    target.bus.tap(full_disk)
    target.publish(tick())
    (failed,) = listener.got
    assert isinstance(failed, e.NodeFailed)
    assert failed.error == "no space left"


def test_nodes_that_feed_each_other_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_module, "MAX_CASCADE", 100)
    target = line()
    target.add(Probe("echo", lambda event: [tick()]), ["clock.ticked"])
    with pytest.raises(AssertionError, match=r"without end, now clock\.ticked"):
        target.publish(tick())


class Holder(Probe):
    def __init__(self, name: str, closed: list[str], error: Exception | None = None) -> None:
        super().__init__(name)
        self._closed, self._error = closed, error

    def close(self) -> None:
        self._closed.append(self.name)
        if self._error:
            raise self._error


def test_close_closes_every_node_even_when_one_cannot() -> None:
    target = line()
    closed: list[str] = []
    target.add(Holder("first", closed), [])
    target.add(Holder("second", closed, OSError("stuck")), [])
    target.add(Probe("plain"), [])
    target.add(Holder("third", closed), [])
    target.close()
    assert closed == ["third", "second", "first"]


def test_the_outside_events_fully_determine_the_inline_nodes() -> None:
    # What a replay rests on: the same outside events in the same order give the same run.
    inline = ["speech.paused", "turn.dropped"]

    def build() -> tuple[Line, list[e.Event]]:
        target = line()

        def count(event: e.Event) -> list[e.Event]:
            return [paused(end=len(counter.got), t_ns=event.t_ns)]

        def drop(event: e.Event) -> list[e.Event]:
            end = indices([event])[0]
            return [e.TurnDropped(t_ns=event.t_ns, start=0, end=end, reason="")] * (end % 3)

        counter = Probe("counter", count)
        target.add(counter, ["clock.ticked", "token.made"])
        target.add(Probe("dropper", drop), ["speech.paused"])
        return target, taps(target)

    first, seen = build()
    for event in [tick(0, 0), token(5, t_ns=3), tick(1, 2), start(1, 8), token(6, t_ns=8)]:
        first.publish(event)
    second, again = build()
    for event in seen:
        if event.topic not in inline:
            second.publish(event)
    assert again == seen
    assert set(inline) < set(topics(seen))
