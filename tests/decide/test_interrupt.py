"""What a voice over our own means, in English and Chinese alike."""

from __future__ import annotations

import pytest

from visavis.decide.interrupt import SUSTAINED_MS, Verdict, classify


@pytest.mark.parametrize("text", ["stop", "Stop.", "Wait, no", "no!", "停", "等一下", "不对"])
@pytest.mark.parametrize("final", [True, False])
def test_a_stop_word_interrupts_however_short(text: str, final: bool) -> None:
    assert classify(text, 100, final=final) is Verdict.INTERRUPTION


@pytest.mark.parametrize(
    "text",
    ["uh-huh", "Okay, okay.", "mm-hmm", "Yeah.", "right", "I see.", "嗯", "对对对", "好的。"],
)
def test_a_backchannel_is_one_only_when_the_voice_is_over(text: str) -> None:
    assert classify(text, 300, final=True) is Verdict.BACKCHANNEL
    assert classify(text, 300, final=False) is Verdict.UNSURE
    # A long drawn one is still one.
    assert classify(text, SUSTAINED_MS + 100, final=False) is Verdict.UNSURE


@pytest.mark.parametrize("text", ["okay but why", "yes what about Rome", "嗯那第二个呢"])
def test_a_backchannel_that_goes_on_is_an_interruption(text: str) -> None:
    assert classify(text, 700, final=True) is Verdict.INTERRUPTION


def test_voice_without_words_is_nothing_unless_it_lasts() -> None:
    assert classify("", 80, final=True) is Verdict.NOTHING
    assert classify("", 80, final=False) is Verdict.UNSURE
    assert classify("", SUSTAINED_MS, final=False) is Verdict.INTERRUPTION


def test_punctuation_alone_is_nothing() -> None:
    assert classify(" . ", 200, final=True) is Verdict.NOTHING
