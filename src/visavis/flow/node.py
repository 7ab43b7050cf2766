"""A node: a named object that turns one event into others. All stations are nodes.

`on` may be a generator; its events are published as they are yielded. In a lane it may block in a
backend. Invariant: a node never reads a clock, starts a thread or knows who listens.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from visavis.flow.events import Event, NodeFailed


class Node(Protocol):
    """What the loop runs."""

    name: str

    def on(self, event: Event) -> Iterable[Event]:
        """Takes one event, gives the events that follow from it."""


@runtime_checkable
class Cancellable(Protocol):
    """A node that works for long and can be told that its work has become useless."""

    def cancel(self, epoch: int) -> None:
        """Replies up to `epoch` are over. Called on the loop's thread; returns at once.

        It may come before the work on such a reply has begun: keep the highest `epoch`.
        """


@runtime_checkable
class Overtaken(Protocol):
    """A node in a lane for which older work is not worth beginning once newer work waits."""

    def coming(self, event: Event) -> None:
        """The bus has accepted this event. Called on the loop's thread, of any topic, before the
        node gets it; returns at once."""


@runtime_checkable
class Closable(Protocol):
    """A node that holds something which must be given back."""

    def close(self) -> None: ...


def failure(node: str, cause: Event, error: Exception) -> NodeFailed:
    """The event that says that `node` raised `error` while it worked on `cause`."""
    return NodeFailed(
        t_ns=cause.t_ns,
        trace=cause.trace,
        epoch=cause.epoch,
        node=node,
        on=cause.topic,
        error=str(error) or type(error).__name__,
    )
