"""The loudspeaker, with PortAudio replaced by a hand-cranked device."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from visavis.flow.errors import BackendMissing, InputError, VisavisError
from visavis.flow.events import (
    ClockTicked,
    Event,
    PlaybackStop,
    ReplyStart,
    Samples,
    SoundMade,
)
from visavis.speak.device import PERIODS, DeviceSink
from visavis.speak.output import Ear
from visavis.speak.player import Player

RATE_HZ, PERIOD = 1000, 20


class Stream:
    """Asks for a period each time it is cranked."""

    def __init__(self, *, callback: Callable[..., None], blocksize: int, **settings: Any) -> None:
        self.callback, self.blocksize, self.settings = callback, blocksize, settings
        self.state = "open"

    def start(self) -> None:
        self.state = "started"

    def abort(self) -> None:
        self.state = "aborted"

    def close(self) -> None:
        self.state = "closed"

    def crank(self) -> Samples:
        out = np.full((self.blocksize, 1), np.nan, np.float32)
        self.callback(out, self.blocksize, None, None)
        return out[:, 0]


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> list[Stream]:
    made: list[Stream] = []

    def open_stream(**settings: Any) -> Stream:
        if settings["device"] == "nowhere":
            raise ValueError("No output device matching 'nowhere'")
        made.append(Stream(**settings))
        return made[-1]

    module = ModuleType("sounddevice")
    module.OutputStream = open_stream  # type: ignore[attr-defined]
    module.PortAudioError = OSError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    return made


def block(value: float, count: int = PERIOD) -> Samples:
    return np.full(count, value, np.float32)


def test_blocks_sound_in_order_one_period_behind(streams: list[Stream]) -> None:
    sink = DeviceSink(RATE_HZ)
    (stream,) = streams
    assert stream.state == "started"
    assert not stream.crank().any()
    sink.write(0, block(0.1))
    sink.write(20, block(0.2))
    assert [stream.crank()[0] for _ in range(4)] == pytest.approx([0, 0.1, 0.2, 0])


def test_a_late_block_leaves_no_gap_within_its_slack(streams: list[Stream]) -> None:
    sink = DeviceSink(RATE_HZ)
    sounded = []
    for i in range(1, 6):
        if i % 2:  # two blocks at a time: each second one comes a whole period early
            sink.write(0, block(i / 10))
            sink.write(0, block((i + 1) / 10))
        sounded.append(float(streams[0].crank()[0]))
    assert sounded == pytest.approx([0, 0.1, 0.2, 0.3, 0.4])
    assert sink.dropped == 0


def test_a_short_block_is_filled_up_with_silence(streams: list[Stream]) -> None:
    sink = DeviceSink(RATE_HZ)
    sink.write(0, block(0.5, 7))
    streams[0].crank()
    assert np.count_nonzero(streams[0].crank()) == 7


def test_nothing_sounds_after_a_clear(streams: list[Stream]) -> None:
    sink = DeviceSink(RATE_HZ)
    sink.write(0, block(0.5))
    sink.clear()
    assert not streams[0].crank().any()


def test_the_buffer_is_bounded_and_drops_are_counted(streams: list[Stream]) -> None:
    sink = DeviceSink(RATE_HZ)
    for _ in range(10):
        sink.write(0, block(0.5))
    assert sink.dropped == 10 - (PERIODS - 1)
    assert [bool(streams[0].crank().any()) for _ in range(4)] == [False, True, True, False]


def test_the_device_can_drive_the_clock(streams: list[Stream]) -> None:
    ticks: list[int] = []
    DeviceSink(RATE_HZ, on_period=lambda: ticks.append(1))
    streams[0].crank()
    streams[0].crank()
    assert len(ticks) == 2


def test_of_a_long_reply_that_is_cut_nothing_sounds_later_than_a_period(
    streams: list[Stream],
) -> None:
    """20 s wait; cut at 1 s; what was made of the old reply comes late."""
    player, ear = Player(RATE_HZ), Ear(DeviceSink(RATE_HZ))

    def give(event: Event) -> None:
        for out in player.on(event):
            list(ear.on(out))
        if isinstance(event, PlaybackStop):
            list(ear.on(event))

    def play(ticks: range) -> list[bool]:
        sounded = []
        for index in ticks:
            give(ClockTicked(t_ns=0, index=index))
            sounded.append(bool(streams[0].crank().any()))
        return sounded

    def sound(part: int, seconds: int, epoch: int = 1) -> SoundMade:
        samples = block(0.5, seconds * RATE_HZ)
        return SoundMade(
            t_ns=0,
            epoch=epoch,
            index=0,
            samples=samples,
            words=(),
            written="",
            part=part,
            more=True,
        )

    give(ReplyStart(t_ns=0, epoch=1, messages=()))
    give(sound(0, 20))
    assert play(range(50))[-1]
    give(PlaybackStop(t_ns=0, epoch=1))
    give(sound(1, 20))
    assert not any(play(range(50, 200)))
    give(ReplyStart(t_ns=0, epoch=2, messages=()))
    give(sound(1, 20))
    assert not any(play(range(200, 300)))
    give(sound(0, 1, epoch=2))
    assert any(play(range(300, 310)))


def test_closing_twice_is_allowed(streams: list[Stream]) -> None:
    sink = DeviceSink(RATE_HZ)
    sink.close()
    sink.close()
    assert streams[0].state == "closed"


def test_an_unknown_device_is_named(streams: list[Stream]) -> None:
    with pytest.raises(InputError, match=r"nowhere.*visavis doctor"):
        DeviceSink(RATE_HZ, device="nowhere")


def test_without_portaudio_its_package_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "sounddevice.py").write_text("raise OSError('PortAudio library not found')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "sounddevice", raising=False)
    with pytest.raises(VisavisError, match="apt install libportaudio2"):
        DeviceSink(RATE_HZ)


def test_without_sounddevice_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    with pytest.raises(BackendMissing, match=r"visavis\[device\]"):
        DeviceSink(RATE_HZ)
