"""The whole station on a simulated loop: tokens in, a WAV out, cut at any instant."""

from __future__ import annotations

import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from visavis.backends.tts.fake import FakeTts, decode
from visavis.flow import events as e
from visavis.flow.simulate import SimulatedLoop
from visavis.speak.ahead import LookAhead
from visavis.speak.output import Ear
from visavis.speak.player import Player
from visavis.speak.segment import Segmenter
from visavis.speak.sink import FileSink
from visavis.speak.synth import Synthesiser

MS = 1_000_000
RATE_HZ = 16_000
TEXT = "Of course. The lighthouse is old, they say. It still stands and shines! And so on."


class Station:
    """Segmenter to ear, on a simulated loop; `run` until nothing more sounds."""

    def __init__(self, path: Path, *, look_ahead_s: float = 4.0, **voice: Any) -> None:
        self.loop = SimulatedLoop()
        self.path = path
        self.tts = FakeTts(self.loop.clock, rate_hz=RATE_HZ, **voice)
        self.held = False
        self.seen: list[e.Event] = []
        self.loop.bus.tap(self.seen.append)
        synth = Synthesiser(self.tts)
        reply = ("reply.start", "reply.cancel")
        self.loop.add(Segmenter(), ("reply.start", "token.made", "reply.written"))
        ahead = LookAhead(rate_hz=RATE_HZ, seconds=look_ahead_s)
        self.loop.add(ahead, (*reply, "phrase.ready", "sound.made", "sound.played"))
        self.loop.add(synth, ("phrase.released",), lane="tts")
        playback = [f"playback.{word}" for word in ("duck", "restore", "hold", "release", "stop")]
        commands = (*reply, "reply.adopt", *playback)
        self.loop.add(Player(RATE_HZ), ("clock.ticked", "sound.made", *commands))
        self.loop.add(Ear(FileSink(path, RATE_HZ)), ("sound.played", "playback.stop"))

    def run(self, text: str, *commands: e.Event, until_ms: int = 20_000) -> None:
        events = [*self.written(text), *commands]
        self.loop.feed(sorted(events, key=lambda event: event.t_ns))
        self.loop.run(until=lambda: self.loop.clock.now_ns() > until_ms * MS)
        self.loop.close()

    def written(self, text: str) -> Iterator[e.Event]:
        """A reply of three letters a token, a token each 15 ms."""
        yield e.ReplyStart(t_ns=0, trace=3, epoch=1, messages=(), language="en", held=self.held)
        t_ns = 0
        for index, at in enumerate(range(0, len(text), 3)):
            t_ns += 15 * MS
            yield e.TokenMade(t_ns=t_ns, trace=3, epoch=1, text=text[at : at + 3], index=index)
        yield e.ReplyWritten(t_ns=t_ns, trace=3, epoch=1, reason="end")

    @property
    def played(self) -> list[e.SoundPlayed]:
        return [event for event in self.seen if isinstance(event, e.SoundPlayed)]

    @property
    def heard(self) -> str:
        return "".join(event.heard for event in self.played)

    def in_file(self) -> list[str]:
        """The words in the file, those of which at least half is there."""
        with wave.open(str(self.path)) as file:
            samples = np.frombuffer(file.readframes(file.getnframes()), "<i2") / np.float32(32_768)
        runs: dict[int, int] = {}
        for word, count in decode(samples.astype(np.float32)):
            runs[word] = runs.get(word, 0) + count
        words = self.tts.words
        return [words[w] for w, count in runs.items() if 2 * count >= 960 * len(words[w])]


def test_a_reply_is_spoken_to_its_end_and_all_of_it_was_heard(tmp_path: Path) -> None:
    station = Station(tmp_path / "out.wav")
    station.run(TEXT)
    assert station.heard == TEXT
    assert station.in_file() == TEXT.split()
    assert [event.done for event in station.played].count(True) == 1
    assert {event.trace for event in station.played} == {3}


def test_the_first_sound_comes_long_before_the_reply_is_written(tmp_path: Path) -> None:
    station = Station(tmp_path / "out.wav")
    station.run(TEXT)
    written = next(event for event in station.seen if isinstance(event, e.ReplyWritten))
    assert station.played[0].t_ns < 200 * MS < written.t_ns


def test_synthesis_never_runs_far_ahead_of_the_playhead(tmp_path: Path) -> None:
    station = Station(tmp_path / "out.wav", look_ahead_s=1.0)
    station.run("One two three four. " * 20, until_ms=60_000)
    made = played = most = longest = 0
    for event in station.seen:
        if isinstance(event, e.SoundMade):
            made += len(event.samples)
            longest = max(longest, len(event.samples))
        elif isinstance(event, e.SoundPlayed):
            played += len(event.samples)
        most = max(most, made - played)
    assert most <= RATE_HZ + longest
    assert station.heard == "One two three four. " * 20


@pytest.mark.parametrize("piece_ms", [0, 200])
def test_synthesis_fails_on_the_second_of_three_sentences(tmp_path: Path, piece_ms: int) -> None:
    text = "First one here. Second one here. Third one here."
    station = Station(tmp_path / "out.wav", fail={1}, piece_ms=piece_ms)
    station.run(text)
    assert station.in_file() == ["First", "one", "here.", "Third", "one", "here."]
    assert station.heard == text
    failed = {
        event.index for event in station.seen if isinstance(event, e.SoundMade) and event.error
    }
    assert failed == {1}


def test_synthesis_breaks_off_in_the_second_of_three_sentences(tmp_path: Path) -> None:
    text = "First one here. Second one here. Third one here."
    station = Station(tmp_path / "out.wav", snap={1}, piece_ms=400)
    station.run(text)
    assert station.in_file() == ["First", "one", "here.", "Second", "Third", "one", "here."]
    assert station.heard == text
    cut = Station(tmp_path / "cut.wav", snap={1}, piece_ms=400)
    at = next(event.t_ns for event in station.played if "Third" in event.heard) - 200 * MS
    cut.run(text, e.PlaybackStop(t_ns=at, epoch=1))
    assert cut.heard == "First one here. Second "


def test_a_phrase_in_pieces_sounds_sooner_and_without_a_gap(tmp_path: Path) -> None:
    slow = {"latency_ms": 40, "factor": 0.3}
    whole = Station(tmp_path / "a.wav", **slow)
    whole.run(TEXT)
    pieces = Station(tmp_path / "b.wav", piece_ms=200, **slow)
    pieces.run(TEXT)
    assert pieces.heard == TEXT
    assert pieces.in_file() == whole.in_file()
    sounding = [event for event in pieces.played if len(event.samples)]
    assert sounding[0].t_ns < whole.played[0].t_ns - 100 * MS
    within = [event for event in sounding if event.t_ns < sounding[0].t_ns + 400 * MS]
    assert [event.start - within[0].start for event in within] == [320 * i for i in range(20)]


def test_a_held_reply_is_made_and_waits_to_be_adopted(tmp_path: Path) -> None:
    station = Station(tmp_path / "out.wav", piece_ms=200)
    station.held = True
    station.run(TEXT, e.ReplyAdopt(t_ns=700 * MS, epoch=1))
    assert any(isinstance(event, e.SoundMade) and event.t_ns < 200 * MS for event in station.seen)
    assert station.played[0].t_ns == 700 * MS
    assert station.heard == TEXT


def test_ducked_and_restored_speech_has_every_sample(tmp_path: Path) -> None:
    plain, ducked = Station(tmp_path / "a.wav"), Station(tmp_path / "b.wav")
    plain.run(TEXT)
    ducked.run(TEXT, e.PlaybackDuck(t_ns=500 * MS), e.PlaybackRestore(t_ns=1500 * MS))
    assert len(ducked.played) == len(plain.played)
    for one, other in zip(plain.played, ducked.played, strict=True):
        assert (one.start, len(one.samples), one.heard) == (
            other.start,
            len(other.samples),
            other.heard,
        )


@pytest.mark.parametrize("piece_ms", [0, 130])
@pytest.mark.parametrize("at_ms", [0, 15, 60, 140, 151, 333, 700, 1001, 1900, 3500, 5000, 9000])
def test_what_was_heard_is_what_is_in_the_file_however_it_is_cut(
    tmp_path: Path, at_ms: int, piece_ms: int
) -> None:
    station = Station(tmp_path / "out.wav", jitter=0.3, seed=at_ms, piece_ms=piece_ms)
    stop = e.PlaybackStop(t_ns=at_ms * MS, epoch=1)
    station.run(TEXT, stop, e.ReplyCancel(t_ns=at_ms * MS, epoch=1, reason="barged"))
    ends = [event for event in station.played if event.done]
    assert len(ends) == 1
    last_sound = max((event.t_ns for event in station.played if len(event.samples)), default=0)
    assert last_sound <= at_ms * MS
    assert TEXT.startswith(station.heard)
    if ends[0].stopped:
        assert station.in_file() == station.heard.split()
    else:
        assert station.heard == TEXT


def test_the_next_reply_speaks_after_a_cut(tmp_path: Path) -> None:
    station = Station(tmp_path / "out.wav")
    at = 700 * MS
    station.run(
        TEXT,
        e.PlaybackStop(t_ns=at, epoch=1),
        e.ReplyCancel(t_ns=at, epoch=1, reason="barged"),
        e.ReplyStart(t_ns=at + MS, trace=8, epoch=2, messages=()),
        e.TokenMade(t_ns=at + 2 * MS, trace=8, epoch=2, text="All right.", index=0),
        e.ReplyWritten(t_ns=at + 3 * MS, trace=8, epoch=2, reason="end"),
    )
    second = [event for event in station.played if event.epoch == 2]
    assert "".join(event.heard for event in second) == "All right."
    assert second[-1].done
    assert {event.trace for event in second} == {8}
    assert station.in_file()[-2:] == ["All", "right."]
