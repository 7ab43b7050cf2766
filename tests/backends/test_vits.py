"""A VITS voice speaks window by window what it would say at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.backends.toy_onnx import HOP, voice
from visavis.backends import vits
from visavis.backends.vits import Staged, Whole, open_vits
from visavis.flow.events import Samples

pytest.importorskip("onnxruntime")


def feed(ids: int, **more: Any) -> Mapping[str, Any]:
    return {
        "input": np.arange(ids, dtype=np.int64)[None] % 7 - 3,
        "input_lengths": np.array([ids], np.int64),
        "scales": np.ones(3, np.float32),
        **more,
    }


def noise(seed: int = 0) -> vits.Noise:
    return np.random.default_rng(seed)


def spoken(engine: vits.Vits, given: Mapping[str, Any]) -> list[Samples]:
    utterance = engine.speak(given, noise())
    pieces = [*utterance.pieces()]
    assert sum(map(len, pieces)) == utterance.length
    return pieces


@pytest.mark.parametrize("ids", [1, 5, 6, 7, 24, 25, 60, 150])
@pytest.mark.parametrize("speaker", [False, True])
def test_the_windows_are_together_what_the_whole_is(ids: int, speaker: bool) -> None:
    more = {"sid": np.array([1], np.int64)} if speaker else {}
    model = voice(speaker=speaker)
    staged = open_vits(model, feed(30, **more), threads=1, hop=HOP)
    assert isinstance(staged, Staged)
    given = feed(ids, **more)
    pieces = spoken(staged, given)
    (whole,) = spoken(Whole(model, threads=1, hop=HOP), given)
    assert np.allclose(np.concatenate(pieces), whole, atol=1e-6)
    assert (len(pieces) > 1) == (4 * ids >= vits.WINDOWS[0] + vits.SHORTEST)


def test_the_first_piece_is_short_and_no_piece_is_shorter_than_the_shortest() -> None:
    engine = open_vits(voice(), feed(30), threads=1, hop=HOP)
    for ids in range(1, 160, 3):
        lengths = [len(piece) // HOP for piece in spoken(engine, feed(ids))]
        assert lengths[0] < vits.WINDOWS[0] + vits.SHORTEST
        assert min(lengths) >= min(4 * ids, vits.SHORTEST)


@pytest.mark.parametrize(
    ("begin", "end"),
    [(0, 1), (0, HOP), (5, 30 * HOP + 7), (20 * HOP, 90 * HOP), (3 * HOP + 1, 10**9), (7, 7)],
)
def test_a_stretch_is_what_the_whole_has_there(begin: int, end: int) -> None:
    staged = open_vits(voice(), feed(30), threads=1, hop=HOP)
    for engine in (staged, Whole(voice(), threads=1, hop=HOP)):
        utterance = engine.speak(feed(40), noise())
        whole = np.concatenate([*utterance.pieces()])
        pieces = [*utterance.pieces(begin, end)] or [whole[:0]]
        assert np.allclose(np.concatenate(pieces), whole[begin:end], atol=1e-6)


def test_the_length_of_each_phoneme_is_told_where_the_model_knows_it() -> None:
    for timed in (True, False):
        model = voice(timed=timed)
        for engine in (
            open_vits(model, feed(9), threads=1, hop=HOP),
            Whole(model, threads=1, hop=HOP),
        ):
            durations = engine.speak(feed(5), noise()).durations
            assert (durations is None) == (not timed)
            assert durations is None or durations.tolist() == [4 * HOP] * 5


@pytest.mark.parametrize("speaker", [False, True])
@pytest.mark.parametrize("timed", [False, True])
def test_the_same_noise_is_the_same_sound(speaker: bool, timed: bool) -> None:
    more = {"sid": np.array([1], np.int64)} if speaker else {}
    model = voice(noisy=True, speaker=speaker, timed=timed)
    engine = open_vits(model, feed(30, **more), threads=1, hop=HOP)
    assert isinstance(engine, Staged)

    def sound(seed: int) -> Samples:
        return np.concatenate([*engine.speak(feed(40, **more), noise(seed)).pieces()])

    first, other, again = sound(1), sound(2), sound(1)
    assert np.array_equal(first, again)
    assert np.mean(np.abs(first - other)) > 0.01
    assert np.std(first) > 0.01


@pytest.mark.parametrize("hop", [HOP - 1, 2 * HOP])
def test_a_voice_with_other_frames_stays_whole(hop: int) -> None:
    assert isinstance(open_vits(voice(), feed(30), threads=1, hop=hop), Whole)


def test_a_voice_without_a_decoder_of_its_own_stays_whole() -> None:
    engine = open_vits(voice(decoder="/hifigan/"), feed(30), threads=1, hop=HOP)
    assert isinstance(engine, Whole)
    assert len(spoken(engine, feed(30))) == 1


def test_a_voice_whose_decoder_reaches_further_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vits, "REACH", 1)
    assert isinstance(open_vits(voice(), feed(30), threads=1, hop=HOP), Whole)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(Exception, match=r"(?i)protobuf|model"):
        open_vits(b"<!DOCTYPE html>", feed(3), threads=1, hop=HOP)


def test_a_closed_voice_says_nothing() -> None:
    for engine in (
        open_vits(voice(), feed(9), threads=1, hop=HOP),
        Whole(voice(), threads=1, hop=HOP),
    ):
        pieces = engine.speak(feed(60), noise()).pieces()
        engine.close()
        engine.close()
        with pytest.raises(AttributeError):
            engine.speak(feed(3), noise())
        assert pieces is not None
