"""The visual memory as a node: what it keeps, when it recalls, and what it learns of views."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from visavis.backends.embed.fake import FakeEmbedder
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_S
from visavis.memory.visual import VisualMemory

MB = 1 << 20


def s(seconds: float) -> int:
    return round(seconds * NS_PER_S)


def taken(
    view_id: str, at_s: float, *, seen_s: float | None = None, stream: str = "camera", data: int = 9
) -> e.ViewTaken:
    """A look; `data` 0: it shows what was shown before."""
    captured_ns = s(at_s if seen_s is None else seen_s)
    view = e.View(view_id, captured_ns, 640, 480, stream)
    return e.ViewTaken(t_ns=s(at_s), view=view, moment_ns=-1, reason="change", data=b"x" * data)


def changed(at_s: float, stream: str = "camera") -> e.SceneChanged:
    return e.SceneChanged(t_ns=s(at_s), captured_ns=s(at_s), share=0.5, stream=stream)


def words(text: str, at_s: float, *, trace: int = 1, stable: int | None = None) -> e.WordsHeard:
    """Final words, or, if only `stable` characters of them will stay, partial ones."""
    return e.WordsHeard(
        t_ns=s(at_s),
        trace=trace,
        text=text,
        stable=stable or 0,
        final=stable is None,
        start=0,
        end=0,
    )


def item(role: str, text: str, at_s: float) -> e.ItemKept:
    return e.ItemKept(t_ns=s(at_s + 1), role=role, text=text, start_ns=s(at_s))


def run(memory: VisualMemory, *events: e.Event) -> list[e.Event]:
    return [given for event in events for given in memory.on(event)]


def recalled(events: Iterable[e.Event]) -> list[str]:
    return [event.view.id for event in events if isinstance(event, e.MemoryRecalled)]


@pytest.fixture
def memory() -> VisualMemory:
    """Red from 0 to 10 s, blue from then on."""
    memory = VisualMemory(MB)
    run(memory, taken("red", 0), changed(10), taken("blue", 10))
    return memory


BEFORE = "What did you see before?"


def test_a_view_is_kept_once() -> None:
    memory = VisualMemory(MB)
    given = run(memory, taken("red", 0), taken("red", 3, data=0), taken("red", 4))
    assert [type(event) for event in given] == [e.ViewKept]
    (kept,) = given
    assert isinstance(kept, e.ViewKept)
    assert kept.view.id == "red"
    assert 9 < kept.bytes_kept < 1_000


def test_what_was_seen_before_is_recalled_with_its_picture_and_its_words(
    memory: VisualMemory,
) -> None:
    run(memory, e.ViewRead(t_ns=s(11), id="red", text="EXIT 12"))
    run(memory, e.ViewDescribed(t_ns=s(12), id="red", text="a red box"))
    (found,) = run(memory, words(BEFORE, 25, trace=7))
    assert isinstance(found, e.MemoryRecalled)
    assert (found.trace, found.t_ns, found.data) == (7, s(25), b"x" * 9)
    assert found.view.id == "red"
    assert found.view.text == "a red box\nEXIT 12"
    assert found.view.captured_ns == s(10)
    assert found.ago_ms == 15_000


def test_what_is_seen_again_is_seen_now(memory: VisualMemory) -> None:
    given = run(memory, changed(20), taken("red", 20), words(BEFORE, 25))
    assert recalled(given) == ["blue"]


def test_what_has_left_can_be_recalled_before_anything_new_is_looked_at() -> None:
    memory = VisualMemory(MB)
    given = run(memory, taken("red", 0), changed(10), words(BEFORE, 11))
    assert recalled(given) == ["red"]


def test_a_look_back_does_not_change_what_is_seen_now(memory: VisualMemory) -> None:
    given = run(memory, taken("old", 12, seen_s=9.5), words(BEFORE, 13))
    assert recalled(given) == ["red"]


def test_streams_are_remembered_apart(memory: VisualMemory) -> None:
    run(memory, taken("one", 11, stream="screen"), changed(20, "screen"))
    run(memory, taken("two", 20, stream="screen"))
    assert recalled(run(memory, words("What was on the slide before?", 30))) == ["one"]
    assert recalled(run(memory, words(BEFORE, 40, trace=2))) == ["red"]


def test_words_that_may_yet_change_recall_nothing(memory: VisualMemory) -> None:
    assert run(memory, words(BEFORE, 20, stable=10)) == []
    assert recalled(run(memory, words(BEFORE, 21, stable=len(BEFORE) - 1))) == ["red"]
    assert run(memory, words(BEFORE, 22)) == []


def test_of_a_scene_that_does_not_change_every_view_is_seen_now(memory: VisualMemory) -> None:
    given = run(memory, taken("blue-again", 13), words(BEFORE, 14))
    assert recalled(given) == ["red"]


def test_of_a_scene_that_did_not_change_one_view_stays(memory: VisualMemory) -> None:
    run(memory, taken("blue-again", 13), e.ViewRead(t_ns=s(14), id="blue-again", text="ROOM 7"))
    run(memory, changed(20), taken("green", 20))
    (found,) = run(memory, words(BEFORE, 25))
    assert isinstance(found, e.MemoryRecalled)
    assert (found.view.id, found.view.text, found.ago_ms) == ("blue", "ROOM 7", 5_000)


def test_what_reads_otherwise_is_another_view_though_no_change_was_seen() -> None:
    memory = VisualMemory(MB)
    run(memory, taken("12", 0), e.ViewRead(t_ns=s(1), id="12", text="Ada Lovelace"))
    run(memory, taken("7", 5), e.ViewRead(t_ns=s(6), id="7", text="Grace Hopper"))
    assert recalled(run(memory, words("Which name was there before?", 8))) == ["12"]
    run(memory, changed(10), taken("wall", 10))
    assert recalled(run(memory, words("Where was Ada before?", 15, trace=2))) == ["12"]


def test_what_changes_little_by_little_becomes_another_scene(memory: VisualMemory) -> None:
    given = run(memory, taken("dusk", 40), words(BEFORE, 42))
    assert recalled(given) == ["blue"]


def test_an_utterance_recalls_a_view_once_and_another_one_anew(memory: VisualMemory) -> None:
    assert recalled(run(memory, words(BEFORE, 20), words(BEFORE, 21))) == ["red"]
    assert recalled(run(memory, words(BEFORE, 30, trace=2))) == ["red"]


def test_words_that_go_on_may_ask_for_another_view(memory: VisualMemory) -> None:
    run(memory, changed(20), taken("green", 20))
    longer = f"{BEFORE} I mean twenty seconds ago."
    assert recalled(run(memory, words(BEFORE, 25), words(longer, 27))) == ["blue", "red"]


def test_an_empty_memory_recalls_nothing() -> None:
    assert run(VisualMemory(MB), words(BEFORE, 5)) == []


def test_without_a_budget_nothing_is_kept() -> None:
    given = run(VisualMemory(0), taken("red", 0), changed(10), taken("blue", 10), words(BEFORE, 20))
    assert given == []


def test_a_view_in_the_middle_of_a_change_is_not_remembered(memory: VisualMemory) -> None:
    given = run(
        memory,
        changed(20),
        taken("blur", 20),
        changed(20.2),
        taken("green", 20.3),
        words(BEFORE, 22),
    )
    assert recalled(given) == ["blue"]


def test_what_was_said_of_a_view_finds_it(memory: VisualMemory) -> None:
    run(memory, item("user", "This is my passport.", 5), item("assistant", "I see.", 6))
    run(memory, changed(20), taken("green", 20))
    assert recalled(run(memory, words("Where was the passport before?", 30))) == ["red"]


def test_what_was_asked_about_the_past_says_nothing_of_what_was_seen_then(
    memory: VisualMemory,
) -> None:
    run(memory, item("user", "Where did you see my passport?", 15))
    run(memory, item("assistant", "I have not seen a passport.", 17))
    run(memory, changed(20), taken("green", 20))
    assert recalled(run(memory, words("Did you see my passport before?", 30))) == []


def test_words_about_a_view_that_is_not_kept_do_no_harm(memory: VisualMemory) -> None:
    given = run(
        memory,
        e.ViewRead(t_ns=0, id="unknown", text="EXIT"),
        e.ViewDescribed(t_ns=0, id="unknown", text="a door"),
        taken("unknown-too", 20, data=0),
    )
    assert given == []


def test_a_description_that_was_abandoned_leaves_the_one_there_is(memory: VisualMemory) -> None:
    run(memory, e.ViewDescribed(t_ns=s(11), id="red", text="a red box"))
    run(memory, e.ViewDescribed(t_ns=s(12), id="red", text=""))
    (found,) = run(memory, words(BEFORE, 25))
    assert isinstance(found, e.MemoryRecalled)
    assert found.view.text == "a red box"


def test_the_budget_holds_over_a_long_session() -> None:
    memory = VisualMemory(100_000)
    given = [
        event
        for second in range(500)
        for event in run(memory, changed(second), taken(str(second), second, data=5_000))
    ]
    assert all(event.bytes_kept <= 100_000 for event in given if isinstance(event, e.ViewKept))
    assert recalled(run(memory, words("What did you see five minutes ago?", 500))) != []


def test_with_an_embedder_the_words_of_views_get_meanings() -> None:
    memory = VisualMemory(MB, FakeEmbedder())
    run(memory, taken("red", 0), e.ViewDescribed(t_ns=1, id="red", text="a crimson crate"))
    run(memory, changed(10), taken("blue", 10), changed(20), taken("green", 20))
    assert recalled(run(memory, words("The crimson crate you saw before?", 30))) == ["red"]
