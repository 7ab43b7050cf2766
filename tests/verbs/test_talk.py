"""`visavis talk` with fake engines: what it prints and leaves, and what bad input gets."""

from __future__ import annotations

import json
import os
import signal
import sys
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from PIL import Image

from tests import media
from visavis import engines
from visavis.backends.llm.fake import FakeLlm
from visavis.backends.ocr.fake import FakeOcr, write
from visavis.backends.symbols import INDEX
from visavis.backends.vad.fake import FakeVad
from visavis.config import PROFILES, Config
from visavis.flow.clock import Clock, SimulatedClock
from visavis.flow.events import Event, FrameCaptured, Message, Samples, SourceEnded
from visavis.flow.ring import FrameRing
from visavis.govern.recording import read
from visavis.source import camera, mic, screen
from visavis.source.device import Device
from visavis.speak import device
from visavis.speak.sink import FileSink, NullSink
from visavis.verbs import talk
from visavis.wiring import Parts

from . import fake_engines
from .conftest import Run, RunVerb

QUESTION = "what is the capital of france"


class Loader:
    """Stands in for `load_parts`: gives fakes, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.configs: list[Config] = []
        self.engines: dict[str, Any] = {}

    def __call__(
        self, config: Config, *, sight: bool = False, streams: tuple[str, ...] = (), **_: Any
    ) -> Parts:
        self.configs.append(config)
        eyes = {**fake_engines.eyes(), "streams": streams} if sight else {}
        return fake_engines.parts(config, **eyes, **self.engines)


@pytest.fixture
def loader(monkeypatch: pytest.MonkeyPatch) -> Loader:
    loader = Loader()
    monkeypatch.setattr(engines, "load_parts", loader)
    monkeypatch.setattr(engines, "replay_line", fake_engines.rebuilt)
    return loader


@pytest.fixture
def question(tmp_path: Path) -> Path:
    return fake_engines.write_speech(tmp_path / "question.wav", QUESTION)


def samples(path: Path) -> tuple[Any, int]:
    with wave.open(str(path)) as file:
        data = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        return data / 32_768, file.getframerate()


# ── what comes out ───────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("loader")
def test_a_question_is_answered_on_stdout_and_told_on_stderr(
    run_verb: RunVerb, question: Path
) -> None:
    ended = run_verb("talk", "--audio", str(question))
    assert ended.code == 0
    assert ended.out.count("\n") == 1
    assert len(ended.out) > 3
    assert QUESTION in ended.err
    assert "voice to voice" in ended.err


@pytest.mark.usefixtures("loader")
def test_quiet_says_nothing_but_the_answer(run_verb: RunVerb, question: Path) -> None:
    ended = run_verb("talk", "--audio", str(question), "--quiet")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.strip()


@pytest.mark.usefixtures("loader")
def test_json_is_all_that_is_on_stdout(run_verb: RunVerb, question: Path, tmp_path: Path) -> None:
    out, record = str(tmp_path / "answer.wav"), str(tmp_path / "run.mcap")
    ended = run_verb("talk", "--audio", str(question), "--json", "--out", out, "--record", record)
    told = json.loads(ended.out)
    assert [item["role"] for item in told["history"]] == ["user", "assistant"]
    assert told["history"][0]["text"] == QUESTION
    assert (told["out"], told["record"]) == (out, record)
    assert len(told["replies"]) == 1
    assert told["failures"] == []


@pytest.mark.usefixtures("loader")
def test_what_a_link_names_is_written_and_the_link_stays(
    run_verb: RunVerb, question: Path, tmp_path: Path
) -> None:
    (tmp_path / "kept").mkdir()
    names = ("answer.wav", "run.mcap")
    for name in names:
        (tmp_path / name).symlink_to(tmp_path / "kept" / name)
    out, record = (str(tmp_path / name) for name in names)
    ended = run_verb("talk", "--audio", str(question), "--out", out, "--record", record)
    assert ended.code == 0
    assert all((tmp_path / name).is_symlink() for name in names)
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == sorted(names)


@pytest.mark.parametrize("option", ["--out", "--record"])
def test_a_device_or_a_pipe_is_not_replaced(
    run_verb: RunVerb, question: Path, tmp_path: Path, option: str
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    ended = run_verb("talk", "--audio", str(question), option, str(pipe))
    assert (ended.code, ended.out) == (2, "")
    assert f"{pipe}: is a device or a pipe, not a file; give {option} a file name" in ended.err
    assert pipe.is_fifo()


@pytest.mark.usefixtures("loader")
def test_the_answer_lies_where_it_was_said(
    run_verb: RunVerb, question: Path, tmp_path: Path
) -> None:
    out = tmp_path / "answer.wav"
    ended = run_verb("talk", "--audio", str(question), "--out", str(out), "--json")
    told = json.loads(ended.out)
    sound, rate_hz = samples(out)
    first_s = float(np.flatnonzero(sound)[0]) / rate_hz
    asked_s = 0.2 + len(QUESTION.split()) * 0.2
    assert first_s == pytest.approx(asked_s + told["replies"][0]["voice_to_voice_ms"] / 1e3, 0.05)
    # It lasts as long as the conversation did.
    assert len(sound) / rate_hz == pytest.approx(told["session_ms"] / 1e3, abs=0.1)


@pytest.mark.usefixtures("loader")
def test_a_dialogue_with_pauses_gets_an_answer_each(run_verb: RunVerb, tmp_path: Path) -> None:
    talk = fake_engines.write_speech(
        tmp_path / "talk.wav", QUESTION, "what is the weather tomorrow", pause_ms=25_000
    )
    told = json.loads(run_verb("talk", "--audio", str(talk), "--json").out)
    assert [item["role"] for item in told["history"]] == ["user", "assistant"] * 2


@pytest.mark.usefixtures("loader")
def test_a_recording_of_it_replays_identically(
    run_verb: RunVerb, question: Path, tmp_path: Path
) -> None:
    record = str(tmp_path / "run.mcap")
    run_verb("talk", "--audio", str(question), "--record", record)
    ended = run_verb("replay", record)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("identical: ")


@pytest.mark.usefixtures("loader")
def test_a_secret_does_not_go_into_the_recording(
    run_verb: RunVerb, question: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_very_secret")
    record = tmp_path / "run.mcap"
    run_verb("talk", "--audio", str(question), "--record", str(record))
    verbose = run_verb("replay", str(record), "--verbose").out
    assert '"hub_token": ""' in verbose
    assert str(tmp_path) not in verbose


def test_the_choices_reach_the_engines(run_verb: RunVerb, loader: Loader, question: Path) -> None:
    run_verb(
        *("talk", "--audio", str(question), "--seed", "5", "--system", "Be brief."),
        *("--language", "zh", "--tier", "tiny"),
    )
    (config,) = loader.configs
    assert (config.reply.seed, config.reply.system) == (5, "Be brief.")
    assert (config.language, config.tier) == ("zh", "tiny")


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize("kind", ["silence", "murmur", "short"])
def test_where_nothing_was_said_nothing_is_answered(
    run_verb: RunVerb, tmp_path: Path, kind: str
) -> None:
    sound = {
        "silence": np.zeros(16_000),
        "murmur": np.full(8_000, 8 * 32 / 32_768),
        "short": np.array([0.1, -0.1, 0.1]),
    }[kind]
    audio, out = media.write_wav(tmp_path / "audio.wav", sound, 16_000), tmp_path / "answer.wav"
    ended = run_verb("talk", "--audio", str(audio), "--out", str(out), "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["history"] == []
    assert ended.err.endswith("no words were heard, so nothing was answered\n")
    answer, rate_hz = samples(out)
    assert len(answer) > rate_hz
    assert not answer.any()


def test_a_film_is_seen_beside_the_question(
    run_verb: RunVerb, loader: Loader, question: Path, tmp_path: Path
) -> None:
    loader.engines["llm"] = FakeLlm(picture_tokens=16)
    video = media.write_video(tmp_path / "scene.mp4", media.shades(75))
    record = str(tmp_path / "run.mcap")
    ended = run_verb(
        *("talk", "--audio", str(question), "--video", str(video), "--record", record, "--json")
    )
    assert ended.code == 0
    assert "warning" not in ended.err
    told = json.loads(ended.out)
    assert len(told["replies"]) == 1
    assert told["eyes"]["frames_captured"] == 75
    assert run_verb("replay", record).out.startswith("identical: ")


def test_a_picture_is_seen_all_the_time(
    run_verb: RunVerb, loader: Loader, question: Path, tmp_path: Path
) -> None:
    loader.engines["llm"] = FakeLlm(picture_tokens=16)
    picture = tmp_path / "scene.jpg"
    Image.new("RGB", (64, 48), "red").save(picture)
    ended = run_verb("talk", "--audio", str(question), "--video", str(picture), "--json", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    told = json.loads(ended.out)
    seen_s = told["eyes"]["frames_captured"] / 10
    assert seen_s == pytest.approx(told["session_ms"] / 1000, abs=0.3)


@pytest.mark.parametrize("beside", [False, True])
def test_a_screen_is_read_and_told_with_the_question(
    run_verb: RunVerb, loader: Loader, question: Path, tmp_path: Path, beside: bool
) -> None:
    asked: list[Message] = []
    clock = SimulatedClock()
    loader.engines["llm"] = FakeLlm(
        clock, picture_tokens=16, script=lambda messages, _: asked.append(messages[-1]) or "Yes."
    )
    loader.engines["ocr"] = FakeOcr(clock)
    scene, slide = tmp_path / "scene.png", tmp_path / "slide.png"
    Image.new("RGB", (64, 48), "red").save(scene)
    Image.fromarray(write(np.full((64, 640, 3), 90, np.uint8), ["Results"])).save(slide)
    camera = ("--video", str(scene)) if beside else ()
    record = str(tmp_path / "run.mcap")
    ended = run_verb(
        *("talk", "--audio", str(question), *camera, "--screen", str(slide), "--record", record),
        *("--json", "--quiet"),
    )
    assert (ended.code, ended.err) == (0, "")
    (said,) = {message for message in asked if QUESTION in message.content}
    assert said.content == f"(On the screen: Results)\n{QUESTION}"
    assert len(said.views) == 1, "the camera's, or for want of one the screen's"
    told = json.loads(ended.out)
    assert told["eyes"]["conditions"][0]["condition"] == "clear"
    assert {each["stream"] for each in told["eyes"]["conditions"]} == (
        {"camera", "screen"} if beside else {"screen"}
    )
    assert (told["replies"][0]["view"]["offset_ms"] is not None) == beside
    assert run_verb("replay", record).out.startswith("identical: ")


@pytest.mark.usefixtures("loader")
def test_a_model_without_eyes_is_warned_of(
    run_verb: RunVerb, question: Path, tmp_path: Path
) -> None:
    video = media.write_video(tmp_path / "scene.mp4", media.shades(75))
    ended = run_verb("talk", "--audio", str(question), "--video", str(video), "--quiet")
    assert ended.code == 0
    assert ended.err == f"visavis: warning: {talk.BLIND}\n"


# ── what goes wrong ──────────────────────────────────────────────────────────────────────────

HTML, POINTER = b"<!DOCTYPE html><html></html>", b"version https://git-lfs.github.com/spec/v1\n"


def _written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def _pictures_only(path: Path) -> Path:
    return media.write_video(path.with_suffix(".mp4"), media.shades(5))


UNUSABLE: dict[str, Callable[[Path], Path]] = {
    "missing": lambda path: path,
    "empty": lambda path: _written(path, b""),
    "folder": lambda path: path.parent,
    "text": lambda path: _written(path, b"hello\n"),
    "bytes": lambda path: _written(path, bytes(range(256))),
    "web page": lambda path: _written(path, HTML),
    "pointer": lambda path: _written(path, POINTER),
    "header only": lambda path: _written(path, media.wav_bytes(b"", 16_000)),
    "half a header": lambda path: _written(path, media.wav_bytes(b"", 16_000)[:20]),
    "no sound": _pictures_only,
    "half a video": lambda path: media.cut(_pictures_only(path), 0.3),
    "absurd rate": lambda path: _written(path, media.wav_bytes(b"\0" * 64, 2_000_000_000)),
}


def _assert_refused(ended: Run, *, subject: str) -> None:
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    assert subject in ended.err
    # What is wrong; what to do.
    assert ";" in ended.err.partition(subject)[2]


@pytest.mark.parametrize("kind", UNUSABLE)
def test_a_file_that_cannot_be_heard_is_refused_before_anything_is_loaded(
    run_verb: RunVerb, loader: Loader, tmp_path: Path, kind: str
) -> None:
    audio = UNUSABLE[kind](tmp_path / "audio.wav")
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    ended = run_verb(
        *("talk", "--audio", str(audio), "--json"),
        *("--out", str(outputs / "answer.wav"), "--record", str(outputs / "run.mcap")),
    )
    _assert_refused(ended, subject=audio.name)
    assert loader.configs == []
    assert list(outputs.iterdir()) == []


@pytest.mark.parametrize("kind", ["missing", "text", "sound only"])
def test_a_video_without_a_picture_is_refused(
    run_verb: RunVerb, loader: Loader, question: Path, tmp_path: Path, kind: str
) -> None:
    video = question if kind == "sound only" else UNUSABLE[kind](tmp_path / "scene.mp4")
    ended = run_verb("talk", "--audio", str(question), "--video", str(video))
    _assert_refused(ended, subject=video.name)
    assert loader.configs == []


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--out", "{tmp}/nowhere/answer.wav"], id="no such folder"),
        pytest.param(["--record", "{tmp}/nowhere/run.mcap"], id="no such folder to record to"),
        pytest.param(["--out", "{tmp}"], id="a folder"),
        pytest.param(["--out", "{tmp}/question.wav"], id="the recording itself"),
        pytest.param(["--record", "{tmp}/./question.wav"], id="the recording by another name"),
        pytest.param(["--out", "{tmp}/answer.mp3"], id="an answer that is not WAV"),
        pytest.param(["--record", "{tmp}/notes.txt"], id="something that is no recording"),
        pytest.param(["--out", "{tmp}/a", "--record", "{tmp}/a"], id="one file for both"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_first(
    run_verb: RunVerb, loader: Loader, question: Path, tmp_path: Path, arguments: list[str]
) -> None:
    (tmp_path / "notes.txt").write_text("my notes")
    before, files = question.read_bytes(), sorted(tmp_path.iterdir())
    given = [argument.format(tmp=tmp_path) for argument in arguments]
    ended = run_verb("talk", "--audio", str(question), *given)
    _assert_refused(ended, subject=Path(given[-1]).name)
    assert loader.configs == []
    assert question.read_bytes() == before
    assert (tmp_path / "notes.txt").read_text() == "my notes"
    assert sorted(tmp_path.iterdir()) == files


@pytest.mark.usefixtures("loader")
def test_a_recording_may_be_written_over_by_another(
    run_verb: RunVerb, question: Path, tmp_path: Path
) -> None:
    record = tmp_path / "run.mcap"
    for _ in range(2):
        assert run_verb("talk", "--audio", str(question), "--record", str(record)).code == 0


@pytest.mark.usefixtures("loader")
def test_what_does_not_speak_the_language_is_warned_of(run_verb: RunVerb, question: Path) -> None:
    ended = run_verb("talk", "--audio", str(question), "--language", "zh", "--quiet")
    assert ended.code == 0
    warned = [line for line in ended.err.splitlines() if "warning: " in line]
    assert len(warned) == 2
    assert "piper-en-joe" in warned[1]


@pytest.mark.usefixtures("loader")
def test_decisions_and_losses_are_logged(
    run_verb: RunVerb, question: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        run_verb("talk", "--audio", str(question), "--quiet")
    assert any(" s: streaming (user " in line for line in caplog.messages)
    assert "dropped: nothing" in caplog.messages


def test_without_models_all_that_are_missing_are_named_with_one_remedy(
    run_verb: RunVerb, question: Path, tmp_path: Path
) -> None:
    out = tmp_path / "answer.wav"
    ended = run_verb("talk", "--audio", str(question), "--out", str(out))
    _assert_refused(ended, subject="silero-vad")
    assert "smollm2-135m" in ended.err
    assert ended.err.endswith("run 'visavis pull --tier tiny'\n")
    assert not out.exists()


@pytest.mark.parametrize("name", [(), ("no such file.png",), (":1",)])
def test_beside_a_recording_a_screen_is_a_file(
    run_verb: RunVerb, loader: Loader, question: Path, name: tuple[str, ...]
) -> None:
    ended = run_verb("talk", "--screen", *name, "--audio", str(question))
    _assert_refused(ended, subject=name[0] if name else "--screen")
    assert loader.configs == []


@pytest.mark.parametrize(
    ("session", "told"),
    [
        ({"XDG_SESSION_TYPE": "wayland", "DISPLAY": ":0"}, "Wayland lets no program look at it"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "Wayland lets no program look at it"),
        ({}, "there is none: DISPLAY is not set"),
    ],
)
def test_a_screen_that_nobody_may_look_at_is_refused_before_anything_is_loaded(
    run_verb: RunVerb,
    loader: Loader,
    monkeypatch: pytest.MonkeyPatch,
    session: dict[str, str],
    told: str,
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("XDG_SESSION_TYPE", "WAYLAND_DISPLAY", "DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in session.items():
        monkeypatch.setenv(name, value)
    ended = run_verb("talk", "--screen")
    _assert_refused(ended, subject="screen")
    assert told in ended.err
    assert loader.configs == []


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize("option", ["--out", "--video"])
def test_at_the_microphone_there_is_no_file(run_verb: RunVerb, tmp_path: Path, option: str) -> None:
    _assert_refused(run_verb("talk", option, str(tmp_path / "file")), subject=option)


@pytest.mark.parametrize("device", [(), ("2",), ("/dev/video2",)])
def test_beside_a_recording_there_is_no_camera(
    run_verb: RunVerb, loader: Loader, question: Path, device: tuple[str, ...]
) -> None:
    ended = run_verb("talk", "--camera", *device, "--audio", str(question))
    _assert_refused(ended, subject="--camera")
    assert loader.configs == []


class Unplugged:
    """A microphone that is gone at once."""

    def __init__(self, post: Callable[[Event], None], clock: Clock) -> None:
        self._post = post

    def __enter__(self) -> Unplugged:
        self._post(SourceEnded(t_ns=0, source="audio"))
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to close."""


@pytest.mark.parametrize(
    ("installed", "options", "profile", "told"),
    [
        (True, (), "speaker", "speak whenever you like"),
        (False, (), "headset", "Use a headset"),
        (True, ("--profile", "headset"), "headset", "Use a headset"),
        (True, ("--profile", "half-duplex"), "half-duplex", "not heard while it speaks"),
    ],
)
def test_at_the_microphone_the_loudspeaker_is_cancelled_where_it_can_be(
    run_verb: RunVerb,
    loader: Loader,
    monkeypatch: pytest.MonkeyPatch,
    installed: bool,
    options: tuple[str, ...],
    profile: str,
    told: str,
) -> None:
    monkeypatch.setattr(engines, "can_cancel", lambda: installed)
    monkeypatch.setattr(mic, "Microphone", Unplugged)
    monkeypatch.setattr(device, "DeviceSink", lambda rate_hz: NullSink())
    ended = run_verb("talk", *options)
    assert ended.code == 0
    assert told in ended.err
    assert [config.sound.profile for config in loader.configs] == [profile]


class Gazing:
    """A camera that sees one grey picture."""

    asked: ClassVar[list[str | None]] = []

    def __init__(
        self,
        ring: FrameRing,
        post: Callable[[Event], None],
        clock: Clock,
        *,
        device: str | None,
        max_rate_hz: float,
    ) -> None:
        self.asked.append(device)
        self._ring, self._post = ring, post

    def __enter__(self) -> Gazing:
        place = self._ring.write(np.full((48, 64, 3), 128, np.uint8))
        assert place is not None
        slot, generation = place
        self._post(FrameCaptured(t_ns=0, slot=slot, generation=generation, width=64, height=48))
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to close."""


@pytest.mark.parametrize(
    ("options", "asked"),
    [((), []), (("--camera",), [None]), (("--camera", "/dev/video2"), ["/dev/video2"])],
)
def test_at_the_microphone_it_looks_through_the_camera_if_told_to(
    run_verb: RunVerb,
    loader: Loader,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    asked: list[str | None],
) -> None:
    loader.engines["llm"] = FakeLlm(picture_tokens=16)
    monkeypatch.setattr(Gazing, "asked", [])
    monkeypatch.setattr(camera, "Camera", Gazing)
    monkeypatch.setattr(mic, "Microphone", Unplugged)
    monkeypatch.setattr(device, "DeviceSink", lambda rate_hz: NullSink())
    ended = run_verb("talk", *options, "--json", "--quiet")
    assert ended.code == 0
    assert Gazing.asked == asked
    eyes = json.loads(ended.out)["eyes"]
    assert (eyes and eyes["frames_captured"]) == (1 if asked else None)


@pytest.mark.parametrize("live", [False, True])
def test_at_the_microphone_a_screen_is_live_or_a_file(
    run_verb: RunVerb,
    loader: Loader,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    live: bool,
) -> None:
    filmed: list[Device] = []

    def film(
        ring: FrameRing, post: Callable[[Event], None], clock: Clock, device: Device, **_: Any
    ) -> Gazing:
        filmed.append(device)
        return Gazing(ring, post, clock, device=None, max_rate_hz=2)

    loader.engines["llm"] = FakeLlm(picture_tokens=16)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(screen, "live_screen", film)
    monkeypatch.setattr(mic, "Microphone", Unplugged)
    monkeypatch.setattr(device, "DeviceSink", lambda rate_hz: NullSink())
    slide = tmp_path / "slide.png"
    Image.new("RGB", (64, 48), "white").save(slide)
    ended = run_verb("talk", "--screen", ":1" if live else str(slide), "--json", "--quiet")
    assert ended.code == 0
    assert [each.name for each in filmed] == ([":1"] if live else [])
    assert json.loads(ended.out)["eyes"]["frames_captured"] == 1


@pytest.mark.usefixtures("loader")
def test_a_camera_that_is_not_there_is_one_line(
    run_verb: RunVerb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mic, "Microphone", Unplugged)
    monkeypatch.setattr(device, "DeviceSink", lambda rate_hz: NullSink())
    ended = run_verb("talk", "--camera", "/dev/no-such-camera", "--quiet")
    assert (ended.code, ended.out) == (2, "")
    assert "no-such-camera" in ended.err.splitlines()[-1]
    assert "Traceback" not in ended.err


@pytest.mark.usefixtures("loader")
def test_a_recording_needs_no_canceller(run_verb: RunVerb, loader: Loader, question: Path) -> None:
    run_verb("talk", "--audio", str(question), "--quiet")
    assert [config.sound.profile for config in loader.configs] == [""]


def test_the_profiles_are_those_of_the_configuration() -> None:
    assert talk.PROFILES == PROFILES


@pytest.mark.usefixtures("loader")
def test_a_recording_that_breaks_off_is_answered_and_exits_with_1(
    run_verb: RunVerb, question: Path, tmp_path: Path
) -> None:
    out = tmp_path / "answer.wav"
    broken = media.cut(question, 0.5)
    ended = run_verb("talk", "--audio", str(broken), "--out", str(out), "--quiet")
    assert ended.code == 1
    assert ended.out.strip()
    assert ended.err.startswith("visavis: question.wav: is cut off, ")
    assert ended.err.count("\n") == 1
    assert samples(out)[0].any()


class Interrupting(FakeLlm):
    """An engine during whose answer somebody presses Ctrl-C, maybe twice, or ends the program."""

    signals: tuple[signal.Signals, ...] = ()

    def next_fault(self) -> None:
        for number in self.signals:
            signal.raise_signal(number)


@pytest.mark.parametrize(
    ("signals", "code"),
    [
        ((signal.SIGINT,), 130),
        ((signal.SIGINT, signal.SIGINT), 130),
        ((signal.SIGTERM,), 143),
    ],
)
def test_a_signal_leaves_whole_files(
    run_verb: RunVerb,
    loader: Loader,
    question: Path,
    tmp_path: Path,
    signals: tuple[signal.Signals, ...],
    code: int,
) -> None:
    loader.engines["llm"] = llm = Interrupting()
    llm.signals = signals
    out, record = tmp_path / "answer.wav", tmp_path / "run.mcap"
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    ended = run_verb("talk", "--audio", str(question), "--out", str(out), "--record", str(record))
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert ended.code == code
    assert "Traceback" not in ended.err
    assert len(samples(out)[0]) > 0
    replayed = run_verb("replay", str(record))
    assert replayed.code == 0
    assert replayed.out.startswith("identical: ")
    assert "The session was broken off" in replayed.out
    assert sorted(path.name for path in tmp_path.glob("*.part")) == []


class Stopped(FakeVad):
    """Somebody presses Ctrl-C as soon as there is sound."""

    pressed = False

    def score(self, samples: Samples) -> float:
        if not self.pressed:
            self.pressed = True
            signal.raise_signal(signal.SIGINT)
        return super().score(samples)


def test_ctrl_c_before_any_answer_is_told_as_that(
    run_verb: RunVerb, loader: Loader, question: Path
) -> None:
    loader.engines["vad"] = Stopped()
    ended = run_verb("talk", "--audio", str(question), "--quiet")
    assert ended.code == 130
    assert ended.err == "broken off at 0.0 s, before any answer\n"


@pytest.mark.usefixtures("loader")
def test_a_disk_that_fills_up_is_one_line(
    run_verb: RunVerb, question: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: FileSink, start: int, samples: object) -> None:
        with self._explained():
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(FileSink, "write", full)
    out, record = tmp_path / "answer.wav", tmp_path / "run.mcap"
    ended = run_verb(
        *("talk", "--audio", str(question), "--out", str(out), "--record", str(record), "--quiet")
    )
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"visavis: {out}: cannot be written (No space left on device)")
    assert ended.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [
        "question.wav",
        "run.mcap",
    ]
    # The answer was given all the same, to its end.
    topics = [entry.topic for entry in read(record)]
    assert "reply.written" in topics
    assert "node.failed" not in topics


def test_the_words_of_these_tests_are_known() -> None:
    assert set(QUESTION.split()) <= INDEX.keys()
