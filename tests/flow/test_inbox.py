from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tests.flow.nodes import tick
from visavis.flow.inbox import Inbox


def test_the_inbox_keeps_order_and_stamps() -> None:
    inbox = Inbox()
    inbox.put(tick(0), stamp=True)
    inbox.put(tick(1), stamp=False)
    assert [inbox.take(0), inbox.take(0), inbox.take(0)] == [
        (tick(0), True),
        (tick(1), False),
        None,
    ]


def run_thread(work: Callable[[], Any]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_a_poster_waits_for_room_and_goes_on_when_there_is() -> None:
    inbox = Inbox(depth=1)
    inbox.put(tick(0), stamp=False)
    poster = run_thread(lambda: inbox.put(tick(1), stamp=False))
    assert len(inbox) == 1
    assert inbox.take(0) == (tick(0), False)
    poster.join(5)
    assert inbox.take(5) == (tick(1), False)


def test_closing_lets_a_blocked_poster_go() -> None:
    inbox = Inbox(depth=1)
    inbox.put(tick(0), stamp=False)
    poster = run_thread(lambda: inbox.put(tick(1), stamp=False))
    inbox.close()
    poster.join(5)
    assert not poster.is_alive()
    assert len(inbox) == 1
