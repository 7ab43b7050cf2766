"""The whole line with a screen beside the camera: it is told with the question, and delays none.

The same user asks the same two questions, each time with another screen; what is compared is when
the answers begin to sound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np
import pytest

from tests.sim.eyes import pattern
from visavis.backends.asr.fake import FakeAsr, encode
from visavis.backends.llm.fake import FakeLlm, Latency
from visavis.backends.ocr.fake import FakeOcr, write
from visavis.backends.picture.fake import FakePictureCodec
from visavis.backends.resample.soxr import SoxrResampler
from visavis.backends.tts.fake import FakeTts
from visavis.backends.turn.fake import FakeTurn
from visavis.backends.vad.fake import FakeVad
from visavis.config import Config
from visavis.flow import events as e
from visavis.flow.clock import NS_PER_MS, NS_PER_S, SimulatedClock
from visavis.flow.ring import AudioRing, FrameRing, Pixels, Room
from visavis.flow.simulate import SimulatedLoop
from visavis.govern.meter import Meter
from visavis.source.file import merged
from visavis.source.script import ScriptedSpeaker
from visavis.speak.sink import NullSink
from visavis.wiring import Parts, connect

QUESTIONS = ("what is in this book", "when does the museum open today")
ASKED_MS = (2_000, 10_000)
SECONDS = 20
BLANK = np.full((144, 512, 3), 90, np.uint8)


def slide(number: int) -> Pixels:
    return write(BLANK, [f"No {number}"] * (1 + number % 6))


@dataclass
class Shown:
    """A screen that is turned at these moments; `film`: it is another one in every frame."""

    turned_ms: tuple[int, ...] = ()
    ocr_ms: float = 100.0
    film: bool = False

    def at(self, t_ms: int) -> Pixels:
        number = t_ms if self.film else sum(t_ms >= each for each in self.turned_ms)
        return slide(number)


@dataclass
class Outcome:
    voice_to_voice_ms: list[float]
    asked: list[e.Message]
    """What the engine was asked, last of all for each answer."""
    offsets_ms: list[float]
    looks: int
    read: list[str] = field(default_factory=list)


def frames(ring: FrameRing, stream: str, shown: Shown, rate_hz: int) -> Iterator[e.Event]:
    for number in range(SECONDS * rate_hz):
        t_ns = number * NS_PER_S // rate_hz
        pixels = pattern(1) if stream == "camera" else shown.at(t_ns // NS_PER_MS)
        place = ring.write(pixels, stream)
        if place is not None:
            yield e.FrameCaptured(
                t_ns=t_ns,
                slot=place[0],
                generation=place[1],
                width=pixels.shape[1],
                height=pixels.shape[0],
                stamp=t_ns,
                stream=stream,
            )


def converse(shown: Shown | None, *, most_pictures: int = 1) -> Outcome:
    """Two questions, with this screen or with none."""
    clock, config = SimulatedClock(), Config()
    asked: list[e.Message] = []

    def answer(messages: tuple[e.Message, ...], random: Random) -> str:
        asked.append(messages[-1])
        return "The answer is yes."

    llm = FakeLlm(
        clock,
        script=answer,  # type: ignore[arg-type]
        prefill_token=Latency(0.5),
        token=Latency(15),
        picture_tokens=16,
        most_pictures=most_pictures,
    )
    tts = FakeTts(clock, latency_ms=60, letter_ms=30)
    streams = ("camera", "screen") if shown else ("camera",)
    parts = Parts(
        config=replace(config, sight=replace(config.sight, heartbeat_s=3_600)),
        ring=AudioRing(config.sound.ring_s),
        make_resampler=SoxrResampler,
        vad=FakeVad(clock),
        asr=FakeAsr(clock, latency_ms=(40, 200)),
        turn=FakeTurn(clock),
        llm=llm,
        tts=tts,
        sink=NullSink(),
        frames=FrameRing.of({stream: Room(64, BLANK.nbytes) for stream in streams}),
        streams=streams,
        codec=FakePictureCodec(clock),
        ocr=FakeOcr(clock, latency_ms=(shown.ocr_ms,) * 2 if shown else (50, 50)),
        output_rate_hz=tts.rate_hz,
        strict=True,
    )
    loop = SimulatedLoop(clock, strict=True)
    connect(loop, parts)
    meter, seen = Meter(output_rate_hz=tts.rate_hz), list[e.Event]()
    loop.bus.tap(meter.watch)
    loop.bus.tap(seen.append)
    speaker = ScriptedSpeaker(e.INPUT_RATE_HZ)
    for question, at_ms in zip(QUESTIONS, ASKED_MS, strict=True):
        speaker.say(encode(question), at_ms * NS_PER_MS)
    ring = parts.frames
    assert ring is not None
    sources = [speaker.events(), frames(ring, "camera", Shown(), 15)]
    if shown:
        sources.append(frames(ring, "screen", shown, 2))
    loop.feed(merged(*sources))
    loop.run(lambda: clock.now_ns() > SECONDS * NS_PER_S)
    loop.close()
    times = [reply.voice_to_voice_ms for reply in meter.replies]
    looks = [event for event in seen if isinstance(event, e.LookStart)]
    return Outcome(
        voice_to_voice_ms=[ms for ms in times if ms is not None],
        asked=[
            next(message for message in reversed(asked) if question in message.content)
            for question in QUESTIONS
        ],
        offsets_ms=[look.offset_ms for look in meter.looks if look.offset_ms is not None],
        looks=sum(look.stream == "screen" for look in looks),
        read=[event.text for event in seen if isinstance(event, e.ViewRead) and event.text],
    )


@pytest.fixture(scope="module")
def alone() -> Outcome:
    """Without a screen."""
    outcome = converse(None)
    assert len(outcome.voice_to_voice_ms) == 2
    return outcome


def assert_as_soon(outcome: Outcome, alone: Outcome, *, within_ms: float = 1) -> None:
    assert len(outcome.voice_to_voice_ms) == 2
    for found, usual in zip(outcome.voice_to_voice_ms, alone.voice_to_voice_ms, strict=True):
        assert found <= usual + within_ms
    assert len(outcome.offsets_ms) == 2
    assert all(abs(found) < 70 for found in outcome.offsets_ms), "the camera's, at 15 Hz"


def test_what_is_on_the_screen_is_told_with_the_question(alone: Outcome) -> None:
    outcome = converse(Shown(turned_ms=(6_500,)))
    assert [message.content for message in outcome.asked] == [
        f"(On the screen: No 0)\n{QUESTIONS[0]}",
        f"(On the screen: No 1 / No 1)\n{QUESTIONS[1]}",
    ]
    assert [len(message.views) for message in outcome.asked] == [1, 0], "the camera's, once"
    assert_as_soon(outcome, alone)


def test_an_engine_of_two_pictures_is_shown_both() -> None:
    outcome = converse(Shown(turned_ms=(6_500,)), most_pictures=2)
    first, second = outcome.asked
    assert len(first.views) == 2
    assert len(second.views) == 1, "the new slide; the camera's stands where it was"
    assert first.content.startswith("(On the screen: No 0)\n")


# Around the second question, which lasts from 10 to 11.2 s, with a slide that is turned at 9 s.
READ_AFTER_MS = (1_500, 2_000, 2_300, 2_350, 2_400, 2_450, 2_900)


@pytest.mark.parametrize("ocr_ms", READ_AFTER_MS)
def test_whenever_reading_is_done_it_delays_no_answer(alone: Outcome, ocr_ms: float) -> None:
    outcome = converse(Shown(turned_ms=(9_000,), ocr_ms=ocr_ms))
    assert_as_soon(outcome, alone, within_ms=15)
    told = outcome.asked[1].content
    assert told in (
        f"(On the screen: No 1 / No 1)\n{QUESTIONS[1]}",
        QUESTIONS[1],  # what was not read in time is not told, nor is the slide before it
    )
    assert outcome.read == ["No 0", "No 1\nNo 1"]


def test_reading_of_two_seconds_is_in_time_for_who_lets_it(alone: Outcome) -> None:
    outcome = converse(Shown(turned_ms=(6_500,), ocr_ms=2_000))
    assert outcome.asked[1].content == f"(On the screen: No 1 / No 1)\n{QUESTIONS[1]}"
    assert_as_soon(outcome, alone)


@pytest.mark.parametrize("turned_ms", range(9_000, 12_000, 500))
def test_whenever_a_slide_is_turned_it_delays_no_answer(alone: Outcome, turned_ms: int) -> None:
    outcome = converse(Shown(turned_ms=(turned_ms,), ocr_ms=300))
    assert_as_soon(outcome, alone, within_ms=15)
    asked_of = outcome.asked[1].content
    if turned_ms < 9_500:
        assert asked_of.startswith("(On the screen: No 1")
    elif turned_ms > 11_300:
        assert asked_of == QUESTIONS[1], "it is the slide that was told of before"


@pytest.mark.parametrize("ocr_ms", [100, 2_000])
def test_a_film_on_the_screen_delays_no_answer(alone: Outcome, ocr_ms: float) -> None:
    outcome = converse(Shown(film=True, ocr_ms=ocr_ms))
    assert_as_soon(outcome, alone, within_ms=15)
    assert outcome.looks < SECONDS / 2


def test_a_screen_that_says_nothing_delays_no_answer(
    alone: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeOcr, "read", lambda *_: ())
    outcome = converse(Shown(turned_ms=(6_500,)))
    assert [message.content for message in outcome.asked] == [*QUESTIONS]
    assert_as_soon(outcome, alone)
