"""What the tests of flow share: a node that keeps what it gets, a clock set by hand, events."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from visavis.flow import events as e
from visavis.flow.line import Line


class Probe:
    """Keeps the events it gets; gives what `answer` makes of each."""

    def __init__(
        self,
        name: str = "probe",
        answer: Callable[[e.Event], Iterable[e.Event]] = lambda event: (),
    ) -> None:
        self.name = name
        self.got: list[e.Event] = []
        self._answer = answer

    def on(self, event: e.Event) -> Iterable[e.Event]:
        self.got.append(event)
        return self._answer(event)


class HandClock:
    """Time that moves by `step_ns` at each reading, and by hand."""

    def __init__(self, step_ns: int = 0) -> None:
        self.t_ns = 0
        self.step_ns = step_ns

    def now_ns(self) -> int:
        self.t_ns += self.step_ns
        return self.t_ns

    def spend(self, duration_ns: int) -> None:
        self.t_ns += duration_ns


def tick(index: int = 0, t_ns: int = 0) -> e.ClockTicked:
    return e.ClockTicked(t_ns=t_ns, index=index)


def token(index: int = 0, epoch: int = 1, t_ns: int = 0) -> e.TokenMade:
    return e.TokenMade(t_ns=t_ns, epoch=epoch, text=str(index), index=index)


def start(epoch: int, t_ns: int = 0) -> e.ReplyStart:
    return e.ReplyStart(t_ns=t_ns, epoch=epoch, messages=())


def cancel(epoch: int, t_ns: int = 0) -> e.ReplyCancel:
    return e.ReplyCancel(t_ns=t_ns, epoch=epoch, reason="test")


def paused(end: int = 0, t_ns: int = 0) -> e.SpeechPaused:
    return e.SpeechPaused(t_ns=t_ns, start=0, end=end)


def indices(events: Iterable[e.Event]) -> list[int]:
    """The `index` of each event that has one, else its `end`."""
    return [int(getattr(event, "index", getattr(event, "end", -1))) for event in events]


def taps(line: Line) -> list[e.Event]:
    """What the line's bus accepts from now on."""
    seen: list[e.Event] = []
    line.bus.tap(seen.append)
    return seen


def topics(events: Iterable[e.Event]) -> list[str]:
    return [event.topic for event in events]


def kinds() -> list[type[e.Event]]:
    """All event classes of the module, found by walking it."""
    found = [
        value
        for value in vars(e).values()
        if isinstance(value, type) and issubclass(value, e.Event) and value is not e.Event
    ]
    assert len(found) > 20
    return found
