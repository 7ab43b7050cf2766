from __future__ import annotations

from tests.flow.nodes import Probe, tick
from visavis.flow.events import ClockTicked, NodeFailed
from visavis.flow.node import Cancellable, Closable, failure


def test_a_failure_tells_who_failed_on_what_and_why() -> None:
    cause = ClockTicked(t_ns=7, trace=2, epoch=3, index=0)
    assert failure("speak.synth", cause, OSError("no voice")) == NodeFailed(
        t_ns=7, trace=2, epoch=3, node="speak.synth", on="clock.ticked", error="no voice"
    )


def test_a_failure_without_words_is_named_by_its_kind() -> None:
    assert failure("node", tick(), TimeoutError()).error == "TimeoutError"


class Worker(Probe):
    def cancel(self, epoch: int) -> None: ...

    def close(self) -> None: ...


def test_what_a_node_can_do_is_known_by_its_methods() -> None:
    assert isinstance(Worker(), Cancellable)
    assert isinstance(Worker(), Closable)
    assert not isinstance(Probe(), Cancellable)
    assert not isinstance(Probe(), Closable)
