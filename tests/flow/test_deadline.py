"""A call comes back in time or is left behind; those left behind are bounded."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from visavis.flow.deadline import Deadline, Overdue

SOON_S = 0.05


@pytest.fixture
def stuck() -> Iterator[threading.Event]:
    """What hanging calls wait for; they end with the test."""
    event = threading.Event()
    yield event
    event.set()


def test_a_call_gives_what_it_returns() -> None:
    assert Deadline(5).call(lambda: "rain") == "rain"
    assert Deadline(5).call(lambda: None) is None


def test_a_call_raises_what_it_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        Deadline(5).call(lambda: 1 // 0)


def test_a_call_to_exit_ends_that_call_alone() -> None:
    def leave() -> None:
        raise SystemExit(3)

    with pytest.raises(RuntimeError, match="SystemExit"):
        Deadline(5).call(leave)


def test_a_timeout_of_the_callee_is_its_own() -> None:
    def fails() -> None:
        raise TimeoutError("no network")

    with pytest.raises(TimeoutError, match="no network"):
        Deadline(5).call(fails)


def test_what_does_not_come_back_is_left_behind(stuck: threading.Event) -> None:
    deadline = Deadline(SOON_S)
    with pytest.raises(Overdue, match=r"no answer within 0\.05 s"):
        deadline.call(stuck.wait)
    assert deadline.call(lambda: "rain") == "rain"


def test_so_many_are_left_behind_and_no_more(stuck: threading.Event) -> None:
    deadline = Deadline(SOON_S, most_left=2)
    begun: list[threading.Thread] = []
    for _ in range(5):
        with pytest.raises(Overdue):
            deadline.call(lambda: (begun.append(threading.current_thread()), stuck.wait()))
    assert len(begun) == 2
    assert all(thread.is_alive() for thread in begun)


def test_once_one_of_them_ends_there_is_room_again() -> None:
    deadline, first = Deadline(SOON_S, most_left=1), threading.Event()
    threads: list[threading.Thread] = []

    def hang() -> None:
        threads.append(threading.current_thread())
        first.wait()

    with pytest.raises(Overdue):
        deadline.call(hang)
    first.set()
    threads[0].join(5)
    assert deadline.call(lambda: "rain") == "rain"


def test_closing_ends_the_wait_at_once(stuck: threading.Event) -> None:
    deadline, begun = Deadline(60), threading.Event()

    def hang() -> None:
        begun.set()
        stuck.wait()

    closer = threading.Thread(target=lambda: (begun.wait(), deadline.close()))
    closer.start()
    with pytest.raises(Overdue):
        deadline.call(hang)
    closer.join()
    with pytest.raises(Overdue):
        deadline.call(stuck.wait)  # and later ones do not wait at all


def test_no_thread_left_behind_keeps_the_process_alive(stuck: threading.Event) -> None:
    daemons: list[bool] = []

    def hang() -> None:
        daemons.append(threading.current_thread().daemon)
        stuck.wait()

    with pytest.raises(Overdue):
        Deadline(SOON_S).call(hang)
    assert daemons == [True]
