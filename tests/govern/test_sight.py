"""What a reply looked at, and whether the engine had seen it by the end of the question."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS
from visavis.govern.meter import Meter
from visavis.govern.sight import Look

OLD, NEW = e.View("old", 100 * NS_PER_MS), e.View("new", 990 * NS_PER_MS)
TURN = e.TurnEnded(t_ns=0, text="", start=0, end=16_000, probability=1, reasons=())
DONE = e.PromptPrefilled(t_ns=0, complete=True)
ABANDONED = e.PromptPrefilled(t_ns=0, complete=False)


def asked(*views: e.View) -> tuple[e.Message, ...]:
    return e.Message("user", "before", (OLD,)), e.Message("user", "what is it", views)


def prefill(*views: e.View) -> e.PromptPrefill:
    return e.PromptPrefill(t_ns=0, messages=asked(*views))


def start(view: e.View = NEW, epoch: int = 1, *, held: bool = False) -> e.ReplyStart:
    return e.ReplyStart(
        t_ns=0,
        epoch=epoch,
        messages=asked(view),
        view_id=view.id,
        view_captured_ns=view.captured_ns,
        view_offset_ms=-10.0,
        held=held,
    )


def sounds(epoch: int = 1) -> list[e.Event]:
    token = e.TokenMade(t_ns=0, epoch=epoch, text="a", index=0)
    return [token, e.SoundPlayed(t_ns=0, epoch=epoch, start=0, samples=np.ones(4, np.float32))]


def looks(*events: e.Event) -> list[Look]:
    meter = Meter()
    for event in events:
        meter.watch(event)
    return [*meter.looks]


def is_early(*events: e.Event) -> bool:
    (look,) = looks(*events)
    return look.early


def test_a_reply_tells_its_picture_and_how_far_it_is_from_the_moment() -> None:
    (look,) = looks(TURN, start(), *sounds())
    assert look == Look(1, "new", 990.0, -10.0, early=False)


def test_a_reply_without_a_picture_looked_at_nothing() -> None:
    blind = replace(start(), view_id="", messages=asked())
    assert looks(TURN, blind, *sounds()) == []


def test_a_moment_that_is_not_known_has_no_offset() -> None:
    unasked = replace(start(), view_offset_ms=float("nan"))
    (look,) = looks(TURN, unasked, *sounds())
    assert look.offset_ms is None


def test_what_was_prefilled_before_the_turns_end_was_seen_early() -> None:
    assert is_early(prefill(NEW), DONE, TURN, start(), *sounds())
    assert not is_early(prefill(NEW), TURN, DONE, start(), *sounds())
    assert not is_early(prefill(NEW), ABANDONED, TURN, start(), *sounds())


def test_another_picture_is_another_matter() -> None:
    assert not is_early(prefill(OLD), DONE, TURN, start(), *sounds())


def test_a_picture_in_the_history_is_not_the_questions() -> None:
    assert not is_early(prefill(NEW), DONE, TURN, start(OLD), *sounds())


def test_of_two_commands_the_first_is_done_first() -> None:
    both = [prefill(OLD), prefill(NEW)]
    assert not is_early(*both, DONE, TURN, start(), *sounds())
    assert is_early(*both, DONE, DONE, TURN, start(), *sounds())
    assert is_early(prefill(OLD), *both, DONE, DONE, TURN, start(), *sounds())


def test_a_draft_that_was_being_written_had_seen_it() -> None:
    draft = start(held=True)
    adopt = e.ReplyAdopt(t_ns=0, epoch=1, view_id=NEW.id)
    token, sound = sounds()
    assert is_early(draft, token, TURN, adopt, sound)
    assert not is_early(draft, TURN, adopt, token, sound)


def test_what_the_engine_was_told_of_the_picture_is_known() -> None:
    told = replace(NEW, text="a red star", written="EXIT")
    (look,) = looks(TURN, start(told), *sounds())
    assert (look.text, look.written) == ("a red star", "EXIT")


def test_a_draft_has_looked_when_it_was_adopted() -> None:
    """The same was seen again at the moment of the question, after the draft was begun."""
    adopt = e.ReplyAdopt(
        t_ns=0, epoch=1, view_id=NEW.id, view_captured_ns=3_500_000_000, view_offset_ms=2.0
    )
    (look,) = looks(start(held=True), TURN, adopt, *sounds())
    assert (look.captured_ms, look.offset_ms) == (3_500.0, 2.0)


def test_what_was_seen_with_the_last_question_is_known_with_this_one() -> None:
    first, second = looks(TURN, start(), *sounds(), *(TURN, start(epoch=2), *sounds(2)))
    assert (first.early, second.early) == (False, True)


def test_what_another_picture_has_replaced_is_seen_anew() -> None:
    *_, third = looks(
        *(TURN, start(), *sounds()),
        *(TURN, start(OLD, epoch=2), *sounds(2)),
        *(TURN, start(epoch=3), *sounds(3)),
    )
    assert not third.early


def test_our_own_words_evaluated_ahead_change_nothing() -> None:
    said = e.PromptPrefill(t_ns=0, messages=(*asked(NEW), e.Message("assistant", "a tree")))
    _, second = looks(TURN, start(), *sounds(), said, DONE, TURN, start(epoch=2), *sounds(2))
    assert second.early


def test_what_the_eyes_did_is_counted() -> None:
    meter = Meter()
    frame = {"slot": 0, "generation": 1, "width": 4, "height": 4}
    taken = e.ViewTaken(t_ns=0, view=NEW, moment_ns=0, reason="speech")
    dark = e.CameraChanged(t_ns=0, condition="dark", since_ns=5)
    events = [
        *[e.FrameCaptured(t_ns=0, **frame)] * 5,
        *[e.FrameAligned(t_ns=0, captured_ns=0, **frame)] * 3,
        e.SceneChanged(t_ns=0, captured_ns=0, share=0.5),
        replace(taken, data=b"picture"),
        taken,
        e.ViewMissed(t_ns=0, moment_ns=0, reason="question"),
        dark,
    ]
    for event in events:
        meter.watch(event)
    eyes = meter.eyes
    assert (eyes.frames_captured, eyes.frames_dropped) == (5, 2)
    assert (eyes.changes, eyes.looks, eyes.missed, eyes.encodes) == (1, 3, 1, 1)
    assert [*eyes.conditions] == [dark]


@pytest.mark.parametrize("count", [1, 3])
def test_only_so_many_looks_are_kept(count: int) -> None:
    meter = Meter(keep=count)
    for epoch in range(1, 6):
        for event in (TURN, start(epoch=epoch), *sounds(epoch)):
            meter.watch(event)
    assert [look.epoch for look in meter.looks] == [1, 2, 3, 4, 5][-count:]
