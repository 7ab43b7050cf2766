"""The account of drafts, and the latency of a reply that was one."""

from __future__ import annotations

import numpy as np
import pytest

from visavis.flow import events as e
from visavis.govern.meter import Meter

MS = 1_000_000


@pytest.fixture
def meter() -> Meter:
    return Meter(output_rate_hz=1_000)


def start(meter: Meter, ms: int, epoch: int = 1, *, held: bool = True) -> None:
    meter.watch(e.ReplyStart(t_ns=ms * MS, epoch=epoch, messages=(), held=held))


def written(meter: Meter, ms: int, tokens: int, epoch: int = 1, reason: str = "cancelled") -> None:
    meter.watch(e.ReplyWritten(t_ns=ms * MS, epoch=epoch, reason=reason, tokens=tokens))


def cancel(meter: Meter, ms: int, epoch: int = 1) -> None:
    meter.watch(e.ReplyCancel(t_ns=ms * MS, epoch=epoch, reason="dropped"))


def turn(meter: Meter, ms: int, end_ms: int) -> None:
    meter.watch(
        e.TurnEnded(
            t_ns=ms * MS, trace=1, text="Who?", start=0, end=end_ms * 16, probability=1, reasons=()
        )
    )


def test_dropped_drafts_cost_their_tokens(meter: Meter) -> None:
    start(meter, 100)
    cancel(meter, 150)
    written(meter, 170, 9)
    assert (meter.drafts.made, meter.drafts.adopted, meter.drafts.wasted_tokens) == (1, 0, 9)
    assert meter.unheard == 0, "it was not to be heard"


def test_so_do_those_that_were_written_before(meter: Meter) -> None:
    start(meter, 100)
    written(meter, 170, 9, reason="end")
    cancel(meter, 250)
    assert meter.drafts.wasted_tokens == 9


def test_an_adopted_draft_costs_nothing_and_its_hops_begin_with_the_turns_end(
    meter: Meter,
) -> None:
    start(meter, 1_150)
    meter.watch(e.TokenMade(t_ns=1_200 * MS, epoch=1, text="I", index=0))
    turn(meter, 1_250, end_ms=1_000)
    meter.watch(e.ReplyAdopt(t_ns=1_250 * MS, epoch=1))
    meter.watch(
        e.PhraseReady(t_ns=1_300 * MS, epoch=1, index=0, written="I", spoken="I", char_start=0)
    )
    samples = np.ones(20, np.float32)
    meter.watch(
        e.SoundMade(t_ns=1_340 * MS, epoch=1, index=0, samples=samples, words=(), written="I")
    )
    meter.watch(e.SoundPlayed(t_ns=1_360 * MS, epoch=1, start=0, samples=samples))
    written(meter, 1_400, 9, reason="end")
    assert (meter.drafts.adopted, meter.drafts.wasted_tokens) == (1, 0)
    (reply,) = meter.replies
    assert reply.voice_to_voice_ms == 360
    assert reply.draft_lead_ms == 100
    hops = [reply.endpoint_ms, reply.decide_ms, reply.first_token_ms, reply.phrase_ms]
    assert hops == [250, 0, 0, 50]
    assert (reply.synthesis_ms, reply.output_ms) == (40, 20)


def test_a_plain_reply_is_no_draft(meter: Meter) -> None:
    turn(meter, 1_250, end_ms=1_000)
    start(meter, 1_260, held=False)
    assert meter.drafts.made == 0
    start(meter, 2_000, epoch=2, held=False)
    assert meter.unheard == 1
