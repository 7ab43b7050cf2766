"""Endings that nobody wished for: Ctrl-C in mid-sentence, and an engine that is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.voice import said
from visavis.config import Config
from visavis.conversation import Conversation
from visavis.flow import events as e
from visavis.govern.memory import processes
from visavis.source.script import ScriptedSpeaker
from visavis.verbs.summary import Minutes
from visavis.wiring import Parts

from .conftest import Run, samples

pytestmark = pytest.mark.model


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for children in /proc")
def test_ctrl_c_leaves_whole_files_and_no_process(
    run: Run, speech: dict[str, Path], tmp_path: Path
) -> None:
    out, record = tmp_path / "answer.wav", tmp_path / "run.mcap"
    command = [sys.executable, "-m", "visavis", "talk", "--pace", "real", "--json"]
    command += ["--audio", str(speech["two_cities"]), "--out", str(out), "--record", str(record)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a terminal's Ctrl-C goes to a whole group: ours is this one
    ) as process:
        assert process.stderr is not None
        assert any("perceiving" in line for line in process.stderr), "it hears"
        children = [child.pid for child in processes(process.pid) or ()][1:]
        assert children, "the engine is in a process of its own"
        os.killpg(process.pid, signal.SIGINT)
        began = time.monotonic()
        told, complaints = process.communicate(timeout=20)
        took_s = time.monotonic() - began
    assert process.returncode == 130
    assert took_s < 5
    assert "Traceback" not in complaints
    assert json.loads(told)["record"] == str(record)
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answer.wav", "run.mcap"]
    sound, rate_hz = samples(out)
    assert len(sound) > rate_hz / 10
    replayed = run("replay", record)
    assert replayed.code == 0
    assert replayed.out.startswith("identical: ")
    assert "The session was broken off" in replayed.out


class Killer:
    """A tap: asks again once it was answered, and kills the engine at its first token."""

    def __init__(self, pid: int, speaker: ScriptedSpeaker, question: e.Samples) -> None:
        self.killed = False
        self._pid = pid
        self._speaker, self._question, self._left = speaker, question, 1
        speaker.say(question)

    def watch(self, event: e.Event) -> None:
        if isinstance(event, e.TokenMade) and not self.killed:
            self.killed = True
            os.kill(self._pid, signal.SIGKILL)
        elif isinstance(event, e.StateChanged) and event.state == "idle" != event.previous:
            if self._left:
                self._left -= 1
                self._speaker.say(self._question, event.t_ns)
            else:
                self._speaker.end()


def test_an_engine_killed_in_mid_reply_is_not_the_end(
    make_parts: Callable[[Config], Parts],
) -> None:
    parts = make_parts(Config())
    assert parts.tts is not None
    question = said(parts.tts, "What is the capital of France?").samples
    llm: Any = parts.llm
    before = llm.stats()["restarts"]
    speaker = ScriptedSpeaker(parts.output_rate_hz)
    killer = Killer(llm.child.pid, speaker, question)
    minutes = Minutes()
    conversation = Conversation(parts, pace="fast", taps=(killer.watch, minutes.watch))
    conversation.run(speaker.events())
    conversation.close()
    assert killer.killed
    assert llm.stats()["restarts"] == before + 1
    assert conversation.state == "idle"
    roles = [item.role for item in minutes.items]
    assert roles.count("user") == 2
    assert roles[-1] == "assistant"
    assert "Paris" in minutes.items[-1].text
