"""The stations of hearing together: symbolic speech with the fakes, real speech with the models."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from tests.perceive.line import hear, only
from tests.perceive.sound import noises, read_wav
from visavis import backends
from visavis.backends.asr.fake import FakeAsr
from visavis.backends.contract import Asr, Options, TurnModel, Vad
from visavis.backends.symbols import encode, murmur, silence
from visavis.backends.turn.fake import FakeTurn
from visavis.backends.vad.fake import FakeVad
from visavis.flow.clock import SimulatedClock
from visavis.flow.events import (
    Event,
    NodeFailed,
    Samples,
    SpeechFading,
    SpeechPaused,
    SpeechStarted,
    TurnDropped,
    TurnEnded,
    WordsHeard,
)


def symbolic(samples: Samples, *, seed: int = 0, fail_rate: float = 0.0) -> list[Event]:
    clock = SimulatedClock()
    asr = FakeAsr(clock, seed=seed, fail_rate=fail_rate)
    turn = FakeTurn(clock, seed=seed, fail_rate=fail_rate)
    return hear(samples, clock, FakeVad(clock), asr, turn, strict=not fail_rate)


def test_a_question_becomes_a_turn() -> None:
    events = symbolic(np.concatenate([silence(400), encode("what time is it now"), silence(400)]))
    (ended,) = only(events, TurnEnded)
    assert ended.text == "what time is it now"
    assert ended.end == 6_400 + 5 * 3_200
    assert 200 <= ended.t_ns / 1e6 - 1_400 <= 250
    kinds = [type(event) for event in events if not isinstance(event, WordsHeard | SpeechFading)]
    assert kinds[:2] == [SpeechStarted, SpeechPaused]
    assert {event.trace for event in events} == {1}


def test_chinese_is_an_equal() -> None:
    (ended,) = only(symbolic(encode("博物馆 几点 开门")), TurnEnded)
    assert (ended.text, ended.language) == ("博物馆几点开门", "zh")
    assert ended.t_ns / 1e6 - 600 <= 250


def test_who_pauses_in_mid_sentence_is_not_interrupted() -> None:
    parts = [encode("i want the"), silence(1_000), encode("red book"), silence(1)]
    (ended,) = only(symbolic(np.concatenate(parts)), TurnEnded)
    assert ended.text == "i want the red book"
    assert ended.trace == 1


def test_a_number_in_three_parts_is_one_turn() -> None:
    parts = ["four one five", "five five five", "zero one two three"]
    sound = [piece for part in parts for piece in (encode(part), silence(900))]
    (ended,) = only(symbolic(np.concatenate(sound)), TurnEnded)
    assert ended.text == " ".join(parts)


def test_a_noise_is_no_turn() -> None:
    events = symbolic(np.concatenate([murmur(400), silence(2_000), encode("what is it")]))
    dropped, ended = only(events, TurnDropped), only(events, TurnEnded)
    assert [event.trace for event in dropped] == [1]
    assert [(event.trace, event.text) for event in ended] == [(2, "what is it")]


@pytest.mark.parametrize("seed", range(20))
def test_everything_said_is_in_exactly_one_turn(seed: int) -> None:
    random = Random(seed)
    vocabulary = ["what", "is", "the", "time", "and", "of", "yes", "no", "红色", "我想", "museum"]
    said: list[str] = []
    sound = [silence(200)]
    for _ in range(random.randint(1, 8)):
        words = [random.choice(vocabulary) for _ in range(random.randint(1, 9))]
        said += words
        sound += [encode(words), silence(random.choice([20, 150, 400, 900, 3_000]))]
    events = symbolic(np.concatenate(sound), seed=seed)
    ended = only(events, TurnEnded)
    heard = "".join(event.text for event in ended).replace(" ", "")
    assert heard == "".join(said)
    assert [event.start for event in ended] == sorted(event.start for event in ended)
    assert only(events, TurnDropped) == []


@pytest.mark.parametrize("seed", range(10))
def test_when_backends_fail_every_turn_still_has_an_outcome(seed: int) -> None:
    turn = np.concatenate([encode("what is the time"), silence(6_000)])
    events = symbolic(np.concatenate([turn] * 5), seed=seed, fail_rate=0.3)
    assert len(only(events, NodeFailed)) > 0
    assert len(only(events, TurnEnded)) + len(only(events, TurnDropped)) == 5


def test_the_same_seed_gives_the_same_events() -> None:
    sound = np.concatenate([encode("what is the and"), silence(700), encode("time 现在 几点")])
    assert symbolic(sound, seed=3) == symbolic(sound, seed=3)


# ── with models ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def models(model_options: Callable[[str], Options]) -> tuple[Vad, Asr, TurnModel]:
    return (
        backends.load("vad", "silero", model_options("silero-vad")),
        backends.load("asr", "faster_whisper", model_options("whisper-tiny-en")),
        backends.load("turn", "smart_turn", model_options("smart-turn")),
    )


@pytest.mark.model
@pytest.mark.parametrize("kind", noises(0.1))
def test_real_models_hear_no_words_in_noise(models: tuple[Vad, Asr, TurnModel], kind: str) -> None:
    models[0].reset()
    events = hear(noises(4, seed=7)[kind], SimulatedClock(), *models)
    assert [event.text for event in only(events, TurnEnded)] == []
    assert [event.text for event in only(events, WordsHeard) if event.text] == []


CITIES = """it was the best of times it was the worst of times it was the age of wisdom it was the
age of foolishness it was the epoch of belief it was the epoch of incredulity it was the season of
light it was the season of darkness it was the spring of hope it was the winter of despair we had
everything before us we had nothing before us"""
CITIES_S = 24.3


@pytest.mark.model
def test_a_person_reading_is_heard_and_loses_nothing(
    models: tuple[Vad, Asr, TurnModel], model_options: Callable[[str], Options]
) -> None:
    models[0].reset()
    speech = read_wav(model_options("human-speech").files["two_cities"])
    events = hear(speech[: int(CITIES_S * 16_000)], SimulatedClock(), *models)
    heard = " ".join(event.text for event in only(events, TurnEnded))
    wrong = distance(CITIES.split(), re.findall(r"[a-z']+", heard.casefold()))
    assert wrong <= 8, heard
    partials = [event for event in only(events, WordsHeard) if not event.final]
    assert len(partials) > 20


def distance(expected: list[str], found: list[str]) -> int:
    """Words wrong: substituted, missing or invented."""
    row = list(range(len(found) + 1))
    for at, word in enumerate(expected, 1):
        corner, row[0] = row[0], at
        for column, other in enumerate(found, 1):
            best = min(row[column] + 1, row[column - 1] + 1, corner + (word != other))
            corner, row[column] = row[column], best
    return row[-1]
