"""What is kept within the budget, and what has to go."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from visavis.flow.clock import NS_PER_S
from visavis.flow.events import View
from visavis.memory.index import ENTRY_BYTES, MOST_SAID, MOST_SPANS, Index, Kept

KB = 1_024


def kept(name: str, from_s: float, to_s: float, size: int = KB, text: str = "") -> Kept:
    spans = [(round(from_s * NS_PER_S), round(to_s * NS_PER_S))]
    entry = Kept(View(name), bytes(size), spans)
    if text:
        entry.tell(described=text)
    return entry


def hour_of_views(index: Index, every_s: int = 5) -> None:
    for at_s in range(0, 3_600, every_s):
        index.add(kept(str(at_s), at_s, at_s + every_s))


@given(st.lists(st.integers(0, 6 * KB), max_size=60), st.integers(KB, 20 * KB))
def test_the_budget_holds_whatever_comes(sizes: list[int], most_bytes: int) -> None:
    index = Index(most_bytes)
    for number, size in enumerate(sizes):
        fits = size + ENTRY_BYTES <= most_bytes
        assert index.add(kept(str(number), number, number + 1, size)) == fits
        assert index.bytes_kept <= most_bytes


def test_there_is_a_bound_for_their_number_too() -> None:
    index = Index(1 << 30, most_views=10)
    hour_of_views(index, 60)
    assert len(index) == 10


def test_without_a_budget_nothing_is_kept() -> None:
    index = Index(0)
    assert not index.add(kept("a", 0, 1))
    assert len(index) == 0


def test_the_whole_past_is_covered_and_the_near_past_best() -> None:
    index = Index(60 * (KB + ENTRY_BYTES))
    hour_of_views(index)
    times_s = sorted(entry.first_ns / NS_PER_S for entry in index)
    assert len(times_s) == 60
    assert times_s[0] < 360
    gaps_s = [b - a for a, b in pairwise(times_s)]
    assert max(gaps_s) <= 400
    assert max(gaps_s[-5:]) <= 30
    assert sum(gaps_s[:20]) > sum(gaps_s[-20:]) * 3


def test_the_newest_view_stays() -> None:
    index = Index(3 * (KB + ENTRY_BYTES))
    for number in range(50):
        index.add(kept(str(number), number, number + 1))
        assert index.get(str(number)) is not None


def test_a_view_that_something_is_known_of_stays_longer() -> None:
    index = Index(20 * (KB + ENTRY_BYTES))
    for number in range(200):
        text = "" if number % 2 else "a red box"
        index.add(kept(str(number), 5 * number, 5 * number + 5, text=text))
    told = sum(bool(entry.text) for entry in index)
    assert told >= 2 * (len(index) - told)


def test_words_count_as_bytes() -> None:
    index = Index(2 * KB)
    entry = kept("a", 0, 1)
    index.add(entry)
    entry.tell(written="x" * 2 * KB)
    index.thin()
    assert len(index) == 0


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9)), min_size=1, max_size=40))
def test_when_it_was_seen_is_bounded_in_order_and_covers_all(
    sights: list[tuple[int, int]],
) -> None:
    entry = kept("a", 0, 0)
    now = 0
    for gap, length in sights:
        start = now + gap
        now = start + length
        entry.see(start)
        entry.stay(now)
        assert entry.last_ns == now
    assert 1 <= len(entry.spans) <= MOST_SPANS
    flat = [moment for span in entry.spans for moment in span]
    assert flat == sorted(flat)


def test_what_was_said_is_bounded_and_the_newest_stays() -> None:
    entry = kept("a", 0, 1)
    for number in range(200):
        entry.hear(f"word{number}")
    assert len(entry.said) <= MOST_SAID
    assert "word199" in entry.either
    assert "word0" not in entry.either
