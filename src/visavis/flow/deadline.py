"""A call with a deadline: someone else's code, which may never come back.

Takes a call, runs it on a thread of its own and waits so long and no longer. One that does not
come back is left behind; its thread does not keep the process alive. Invariants: the caller waits
at most `limit_s`; at most `most_left` calls are left behind at a time, further ones are refused.
Knows nothing of what is called.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from visavis.flow.errors import VisavisError

T = TypeVar("T")
MOST_LEFT = 4


class Overdue(VisavisError):
    """A call did not come back in time, or may not begin because too many have not."""


class Deadline:
    """For the calls of one thread, one at a time."""

    def __init__(self, limit_s: float, *, most_left: int = MOST_LEFT) -> None:
        assert limit_s > 0
        self._limit_s, self._most_left = limit_s, most_left
        self._left: list[threading.Thread] = []
        self._done = threading.Event()
        self._closed = False

    def call(self, work: Callable[[], T]) -> T:
        """What `work` returns; raises what it raises, and `Overdue`."""
        self._left = [thread for thread in self._left if thread.is_alive()]
        if len(self._left) >= self._most_left:
            raise Overdue(f"{len(self._left)} calls before it hang")
        found: list[T] = []
        raised: list[Exception] = []
        done = self._done = threading.Event()

        def run() -> None:
            try:
                found.append(work())
            except Exception as error:  # noqa: BLE001 - handed to the caller
                raised.append(error)
            except BaseException as error:  # noqa: BLE001 - a call to exit ends the call alone
                raised.append(RuntimeError(repr(error)))
            done.set()

        thread = threading.Thread(target=run, name="deadline", daemon=True)
        thread.start()
        if not self._closed:
            done.wait(self._limit_s)
        if raised:
            raise raised[0]
        if found:
            return found[0]
        self._left.append(thread)
        raise Overdue(f"no answer within {self._limit_s:g} s")

    def close(self) -> None:
        """Nobody waits any longer, now or later. From any thread; returns at once."""
        self._closed = True
        self._done.set()
