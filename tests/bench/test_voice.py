"""The user's voice: the truth it tells is where its sound is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from visavis.backends.contract import Speech
from visavis.bench import acoustics
from visavis.bench.script import Line, Surroundings, Timbre
from visavis.bench.voice import RATE_HZ, TAKES, Voice, borders
from visavis.engines import make_resampler
from visavis.flow.errors import InputError
from visavis.flow.events import Samples, WordTime


class Tone:
    """A voice: a tenth of a second of tone a letter, with silence around it."""

    rate_hz = 22_050
    languages = ("en",)

    def __init__(self) -> None:
        self.said: list[str] = []

    def synthesise(self, text: str, language: str = "") -> Iterator[Speech]:
        self.said.append(text)
        t = np.arange(2205 * len(text.strip(",.?! "))) / self.rate_hz
        yield Speech(np.pad(0.5 * np.sin(2 * np.pi * 300 * t), 3000).astype(np.float32))

    def close(self) -> None: ...


def voice(tts: Any = None) -> Voice:
    return Voice(tts or Tone(), make_resampler)


def sounding(samples: Samples) -> tuple[float, float]:
    loud = np.flatnonzero(np.abs(samples) > 0.05 * np.abs(samples).max())
    return float(loud[0]) / RATE_HZ, float(loud[-1] + 1) / RATE_HZ


def test_the_truth_is_where_the_sound_is() -> None:
    line = Line("question", ("aaaaa", "bbbbbb", "ccc"), gaps_s=(0.6, 1.0))
    spoken = voice().speak(line, Timbre(ratio=1.1), seed=1)
    assert [part.kind for part in spoken.stretches] == ["question", "continuation", "continuation"]
    assert [part.text for part in spoken.stretches] == list(line.pieces)
    first, second, third = spoken.stretches
    assert second.start_s - first.end_s == pytest.approx(0.6, abs=0.001)
    assert third.start_s - second.end_s == pytest.approx(1.0, abs=0.001)
    assert sounding(spoken.samples) == pytest.approx((0.0, spoken.length_s), abs=0.005)
    gap = spoken.samples[round(first.end_s * RATE_HZ) : round(second.start_s * RATE_HZ)]
    assert not gap.any()


@pytest.mark.parametrize("ratio", [1.05, 1.2])
def test_it_is_as_much_shorter_as_it_is_higher(ratio: float) -> None:
    spoken = voice().speak(Line("question", ("aaaaaaaaaa",)), Timbre(ratio=ratio), seed=1)
    assert spoken.length_s == pytest.approx(1.0 / ratio, abs=0.01)


def test_the_level_is_that_of_what_sounds_pauses_left_out() -> None:
    line = Line("question", ("aaaaa", "bbbbb"), gaps_s=(2.0,), gain_db=-12)
    spoken = voice().speak(line, Timbre(level_db=-20), seed=1)
    first = spoken.samples[: round(spoken.stretches[0].end_s * RATE_HZ)]
    assert 20 * np.log10(acoustics.rms(first)) == pytest.approx(-32, abs=0.3)


def test_a_room_rings_after_the_end_of_the_speech() -> None:
    dry, wet = (
        voice().speak(Line("question", ("aaaaa",)), Timbre(rt60_s=rt60_s), seed=1)
        for rt60_s in (0.0, 0.3)
    )
    assert wet.length_s == dry.length_s
    assert len(wet.samples) > len(dry.samples) == round(dry.length_s * RATE_HZ)


def test_the_same_seed_gives_the_same_sound_and_another_one_another() -> None:
    line = Line("backchannel", ("mm-hm",), sound="hum")
    first, again, other = (voice().speak(line, Timbre(), seed=seed).samples for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert len(first) != len(other) or not np.array_equal(first, other)


def test_a_piece_is_said_once_and_unfinished_ones_on_a_level_tone() -> None:
    tone = Tone()
    speaking = voice(tone)
    for seed in (1, 2):
        speaking.speak(Line("question", ("What is", "that?"), gaps_s=(0.5,)), Timbre(), seed)
    assert tone.said == ["What is that?", "What is,", "that?"], (
        "it did not tell where its words are"
    )


def test_by_each_seed_it_is_one_of_a_few_takes_and_the_other_voices_are_the_same_always() -> None:
    class InTakes(Tone):
        def synthesise_take(self, text: str, language: str = "", *, take: int) -> Iterator[Speech]:
            return self.synthesise(f"{text}{'b' * take}")

    tone = InTakes()
    speaking, line = voice(tone), Line("question", ("aa",))
    lengths = [speaking.speak(line, Timbre(), seed).length_s for seed in (*range(40), 1)]
    assert len(tone.said) == len(set(lengths)) == TAKES
    assert lengths[1] == lengths[40] != lengths[2]
    tone.said.clear()
    for seed in (1, 2):
        speaking.surround(Surroundings(voices=("cc",)), Timbre(), seed)
    assert len(tone.said) == 1


def test_what_the_voice_cannot_say_is_told() -> None:
    class Mute(Tone):
        def synthesise(self, text: str, language: str = "") -> Iterator[Speech]:
            yield Speech(np.zeros(100, np.float32))

    with pytest.raises(InputError, match="'hello'"):
        voice(Mute()).speak(Line("question", ("hello",)), Timbre(), seed=1)


def test_quiet_surroundings_are_none() -> None:
    assert voice().surround(Surroundings(), Timbre(), seed=1) is None


def test_a_noise_is_as_much_weaker_as_asked() -> None:
    around = voice().surround(Surroundings("pink", snr_db=15), Timbre(level_db=-20), seed=1)
    assert around is not None
    assert 20 * np.log10(acoustics.rms(around.samples)) == pytest.approx(-35, abs=0.1)
    assert not around.stretches


def test_other_people_speak_one_after_the_other_at_their_level() -> None:
    behind = Surroundings(voices=("aaaaa", "bbbbbbb"), voices_db=-20)
    around = voice().surround(behind, Timbre(level_db=-20), seed=1)
    assert around is not None
    first, second = around.stretches
    assert first.kind == second.kind == "background"
    assert first.end_s < second.start_s
    said = around.samples[round(first.start_s * RATE_HZ) : round(first.end_s * RATE_HZ)]
    assert 20 * np.log10(acoustics.rms(said)) == pytest.approx(-40, abs=0.3)


def test_a_sentence_is_cut_at_the_ends_of_its_words() -> None:
    samples = np.ones(30_000, np.float32)
    samples[9_800:10_000] = 0.001
    words = (WordTime(0, 5_000, 4), WordTime(5_000, 10_000, 8), WordTime(10_000, 30_000, 13))
    (cut,) = borders(Speech(samples, words), ("The red", "house"))
    assert 9_700 <= cut <= 10_100
    assert borders(Speech(samples), ("The red", "house")) == [], "a voice that does not know"
