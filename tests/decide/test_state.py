"""The tables: closed, without traps, and an illegal symbol changes nothing."""

from __future__ import annotations

import pytest

from visavis.decide.state import (
    DRAFT,
    ENGINE,
    MURMUR,
    PLAYBACK,
    REPLY,
    USER,
    Machine,
    NoSuchRow,
    Standing,
    Table,
)
from visavis.flow.events import PlaybackStop, ReplyCancel

TABLES = {"user": (USER, "quiet"), "reply": (REPLY, "none"), "engine": (ENGINE, "free")}
TABLES |= {"playback": (PLAYBACK, "silent"), "draft": (DRAFT, "none"), "murmur": (MURMUR, "none")}


def reachable(table: Table, start: str) -> set[str]:
    found, fresh = {start}, {start}
    while fresh:
        fresh = {to for (at, _), (to, _) in table.items() if at in fresh} - found
        found |= fresh
    return found


@pytest.mark.parametrize("name", TABLES)
def test_every_state_is_reached_and_leads_home(name: str) -> None:
    table, start = TABLES[name]
    states = {at for at, _ in table} | {to for to, _ in table.values()}
    assert reachable(table, start) == states
    for state in states:
        assert start in reachable(table, state), f"{state} is a trap"


@pytest.mark.parametrize("name", TABLES)
def test_every_pair_without_a_row_raises_and_changes_nothing(name: str) -> None:
    table, _ = TABLES[name]
    symbols = {symbol for _, symbol in table}
    states = {at for at, _ in table}
    missing = [(s, y) for s in states for y in symbols if (s, y) not in table]
    for state, symbol in missing:
        machine = Machine(table, state)
        with pytest.raises(NoSuchRow, match=symbol):
            machine.step(symbol)
        assert machine.state == state


def test_a_stop_silences_before_it_cancels() -> None:
    stops = [commands for _, commands in REPLY.values() if ReplyCancel in commands]
    assert stops
    assert all(commands == (PlaybackStop, ReplyCancel) for commands in stops)


@pytest.mark.parametrize(
    ("user", "reply", "state"),
    [
        ("quiet", "none", "idle"),
        ("speaking", "none", "perceiving"),
        ("paused", "none", "perceiving"),
        ("quiet", "pending", "reasoning"),
        ("speaking", "pending", "perceiving"),
        ("quiet", "sounding", "streaming"),
        ("speaking", "sounding", "streaming"),
        ("speaking", "cut", "interrupted"),
        ("paused", "cut", "interrupted"),
        ("speaking", "withdrawn", "perceiving"),
        ("speaking", "notice", "streaming"),
    ],
)
def test_the_session_state_is_derived(user: str, reply: str, state: str) -> None:
    assert Standing(user, reply, "free", "silent").state == state
