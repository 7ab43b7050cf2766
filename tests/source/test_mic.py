"""The microphone: what PortAudio gives is stamped and posted; what it refuses is one clear line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from visavis.flow.clock import SimulatedClock
from visavis.flow.errors import BackendMissing, InputError, VisavisError
from visavis.flow.events import AudioCaptured, Event, SourceEnded
from visavis.source.mic import Microphone

MS = 1_000_000
NO_STATUS = SimpleNamespace(input_overflow=False)


class PortAudioError(Exception):
    pass


class Stream:
    """A stand-in for `sounddevice.RawInputStream`."""

    def __init__(self, **settings: Any) -> None:
        if settings["channels"] in refused_channels:
            raise PortAudioError("Invalid number of channels\n[PaErrorCode -9998]")
        self.settings = settings
        self.started = self.closed = False
        streams.append(self)

    def start(self) -> None:
        self.started = True

    def close(self) -> None:
        if not self.closed and self.started:
            self.settings["finished_callback"]()
        self.closed = True

    def give(self, data: bytes, *, adc_s: float, now_s: float, overflow: bool = False) -> None:
        settings = self.settings
        frames = len(data) // (2 * settings["channels"])
        times = SimpleNamespace(inputBufferAdcTime=adc_s, currentTime=now_s)
        settings["callback"](data, frames, times, SimpleNamespace(input_overflow=overflow))


streams: list[Stream] = []
refused_channels: set[int] = set()


def query_devices(device: object, kind: str) -> dict[str, Any]:
    assert kind == "input"
    if device == "nowhere":
        raise ValueError("No input device matching 'nowhere'")
    return {"name": "desk", "default_samplerate": 48_000.0, "max_input_channels": 2}


@pytest.fixture
def sounddevice(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("sounddevice")
    vars(module).update(
        PortAudioError=PortAudioError, RawInputStream=Stream, query_devices=query_devices
    )
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    streams.clear()
    refused_channels.clear()
    return module


def microphone(posted: list[Event], *, now_ms: int = 0, device: str | None = None) -> Microphone:
    clock = SimulatedClock()
    clock.move_to(now_ms * MS)
    return Microphone(posted.append, clock, device=device)


@pytest.mark.usefixtures("sounddevice")
def test_a_block_is_stamped_with_the_time_of_its_end() -> None:
    posted: list[Event] = []
    with microphone(posted, now_ms=1_000) as mic:
        [stream] = streams
        assert stream.settings["samplerate"] == 48_000
        assert stream.settings["blocksize"] == 960
        assert stream.settings["channels"] == 1
        stream.give(b"ab" * 960, adc_s=7.000, now_s=7.035)
        assert mic.rate_hz == 48_000
    [event] = posted
    assert isinstance(event, AudioCaptured)
    assert event.captured_ns == event.t_ns == pytest.approx(985 * MS, abs=10)
    assert event.data == b"ab" * 960
    assert (event.encoding, event.rate_hz, event.channels) == ("s16", 48_000, 1)


@pytest.mark.usefixtures("sounddevice")
@pytest.mark.parametrize("adc_s", [0, 7.1])
def test_a_device_that_does_not_know_the_time_gets_now(adc_s: float) -> None:
    posted: list[Event] = []
    with microphone(posted, now_ms=1_000):
        streams[0].give(bytes(1_920), adc_s=adc_s, now_s=7.035)
    assert posted[0].t_ns == 1_000 * MS


@pytest.mark.usefixtures("sounddevice")
def test_an_overflow_is_counted() -> None:
    with microphone([]) as mic:
        streams[0].give(bytes(1_920), adc_s=1, now_s=1, overflow=True)
        streams[0].give(bytes(1_920), adc_s=1, now_s=1)
        assert mic.overflows == 1


@pytest.mark.usefixtures("sounddevice")
def test_a_device_that_refuses_mono_is_opened_as_it_is() -> None:
    refused_channels.add(1)
    posted: list[Event] = []
    with microphone(posted):
        streams[0].give(bytes(3_840), adc_s=1, now_s=1)
    assert isinstance(posted[0], AudioCaptured)
    assert posted[0].channels == 2


@pytest.mark.usefixtures("sounddevice")
def test_a_device_that_goes_away_ends_the_source_once() -> None:
    posted: list[Event] = []
    with microphone(posted, now_ms=300):
        streams[0].settings["finished_callback"]()
    [end] = posted
    assert isinstance(end, SourceEnded)
    assert (end.source, end.t_ns) == ("audio", 300 * MS)
    assert end.error.startswith("the microphone stopped; ")


@pytest.mark.usefixtures("sounddevice")
def test_closing_it_is_no_event_and_may_be_repeated() -> None:
    posted: list[Event] = []
    mic = microphone(posted)
    mic.open()
    mic.close()
    mic.close()
    assert streams[0].closed
    assert posted == []


def one_line(open_it: Callable[[], None], kind: type[VisavisError]) -> str:
    with pytest.raises(kind) as caught:
        open_it()
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.usefixtures("sounddevice")
def test_no_such_device() -> None:
    text = one_line(microphone([], device="nowhere").open, InputError)
    assert text.startswith("microphone 'nowhere': no such input device: No input device matching")
    assert "--audio FILE" in text


@pytest.mark.usefixtures("sounddevice")
def test_a_device_that_is_busy() -> None:
    refused_channels.update((1, 2))
    text = one_line(microphone([]).open, VisavisError)
    assert text.startswith("microphone 'desk': Invalid number of channels [PaErrorCode -9998]; ")
    assert "close the program that holds it" in text


def test_sounddevice_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    assert "visavis[device]" in one_line(microphone([]).open, BackendMissing)


def test_portaudio_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoPortAudio:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "sounddevice":
                raise OSError("PortAudio library not found")

    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    monkeypatch.setattr(sys, "meta_path", [NoPortAudio(), *sys.meta_path])
    text = one_line(microphone([]).open, VisavisError)
    assert text == (
        "microphone: needs the library PortAudio; "
        "install it, for example: apt install libportaudio2"
    )
