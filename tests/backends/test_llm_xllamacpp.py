"""llama.cpp in its child: bad files, the shut door, memory of the prompt, coming back."""

from __future__ import annotations

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from visavis.backends.contract import Options, Sampling
from visavis.backends.llm.process import ProcessLlm
from visavis.backends.llm.xllamacpp import _Tally, load
from visavis.flow.errors import BundleError, EngineError
from visavis.flow.events import Message

SYSTEM = Message("system", "You are a helpful assistant.")


@pytest.fixture(scope="module")
def model(model_options: Callable[[str], Options]) -> Path:
    return model_options("smollm2-135m").files["model"]


@pytest.fixture(scope="module")
def engine(model: Path) -> Iterator[ProcessLlm]:
    engine = load(Options({"model": model}, {"context_tokens": 512}))
    assert isinstance(engine, ProcessLlm)
    yield engine
    engine.close()


def test_a_file_that_is_no_gguf_is_refused_before_anything_starts(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    for content in (b"", b"GGU", b"<html>"):
        path.write_bytes(content)
        with pytest.raises(BundleError, match=r"model\.gguf"):
            load(Options({"model": path}))
    with pytest.raises(BundleError):
        load(Options({"model": tmp_path / "absent.gguf"}))
    with pytest.raises(BundleError):
        load(Options())


@pytest.mark.model
def test_a_truncated_model_fails_in_the_child_and_names_the_file(
    model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "half.gguf"
    with model.open("rb") as whole, path.open("wb") as half:
        half.write(whole.read(3_000_000))
    with pytest.raises((BundleError, EngineError)) as caught:
        load(Options({"model": path}))
    assert "\n" not in str(caught.value)
    assert "half.gguf" in str(caught.value)


@pytest.mark.model
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks into /proc")
def test_nobody_can_reach_its_server(engine: ProcessLlm) -> None:
    assert engine.child is not None
    process = Path(f"/proc/{engine.child.pid}")
    sockets = {os.readlink(fd) for fd in (process / "fd").iterdir()}
    inodes = {name[8:-1] for name in sockets if name.startswith("socket:")}
    for table in ("tcp", "tcp6"):
        rows = (process / "net" / table).read_text("ascii").splitlines()[1:]
        assert not inodes & {row.split()[9] for row in rows}
    doors = [
        row.split()[7]
        for row in (process / "net/unix").read_text("utf-8").splitlines()[1:]
        if row.split()[6] in inodes and len(row.split()) > 7
    ]
    assert doors
    for door in doors:
        with socket.socket(socket.AF_UNIX) as knock, pytest.raises(FileNotFoundError):
            knock.connect(door)


@pytest.mark.model
def test_words_that_come_in_one_by_one_are_evaluated_once(engine: ProcessLlm) -> None:
    session, evaluated = engine.open([SYSTEM]), 0
    said = "How long does it take to walk from the old mill to the river"
    for end in (13, 26, 40, len(said)):
        session.rewind(1)
        session.append(Message("user", said[:end].strip()))
        usage = session.prefill()
        evaluated += usage.prompt_tokens - usage.cached_tokens
    # Each step costs its words and the end of the turn, which moves: four tokens at most.
    assert evaluated <= usage.prompt_tokens + 5 * 5
    list(session.generate(Sampling(max_tokens=2)))
    assert session.usage().prompt_tokens - session.usage().cached_tokens <= 6


@pytest.mark.model
def test_the_history_is_still_there_after_the_answer(engine: ProcessLlm) -> None:
    asked = Message("user", "What is the capital of France?")
    session = engine.open([SYSTEM, asked])
    answer = "".join(session.generate(Sampling(seed=1, max_tokens=32)))
    session.append(Message("assistant", answer.strip()))
    session.append(Message("user", "And of Spain?"))
    usage = session.prefill()
    assert usage.prompt_tokens - usage.cached_tokens <= 16


@pytest.mark.model
def test_killed_in_the_middle_of_an_answer_it_comes_back(engine: ProcessLlm) -> None:
    session = engine.open([SYSTEM, Message("user", "Tell me a long story about a horse.")])
    pieces = session.generate(Sampling(seed=1))
    next(pieces)
    assert engine.child is not None
    os.kill(engine.child.pid, signal.SIGKILL)
    with pytest.raises(EngineError, match="died"):
        list(pieces)
    assert next(session.generate(Sampling(seed=1)))
    assert engine.stats()["restarts"] >= 1


@pytest.mark.model
def test_a_smaller_cache_type_answers_too(model: Path, tmp_path: Path) -> None:
    copy = tmp_path / "a name with spaces, ünïcode.gguf"
    shutil.copy(model, copy)
    settings = {"context_tokens": 256, "kv": "q8_0", "batch_tokens": 32, "threads": 1}
    engine = load(Options({"model": copy}, settings))
    session = engine.open([SYSTEM, Message("user", "How many days are in a week?")])
    answer = "".join(session.generate(Sampling(temperature=0, max_tokens=24)))
    engine.close()
    assert "7" in answer or "seven" in answer.lower()


def test_a_tally_counts_what_the_chunks_say() -> None:
    tally = _Tally()
    assert tally.add({"prompt_progress": {"total": 9, "cache": 4, "processed": 4}}) == ""
    assert (tally.usage.prompt_tokens, tally.usage.cached_tokens) == (9, 4)
    assert tally.add({"choices": [{"delta": {"content": "Hi"}, "finish_reason": None}]}) == "Hi"
    assert not tally.usage.complete
    ending = {"choices": [{"delta": {}, "finish_reason": "length"}]}
    timings = {"cache_n": 5, "prompt_n": 4, "predicted_n": 2, "prompt_ms": 1.0}
    assert tally.add({**ending, "timings": timings}) == ""
    usage = tally.usage
    assert (usage.complete, usage.finish, usage.made_tokens) == (True, "length", 2)
    assert (usage.prompt_tokens, usage.cached_tokens) == (9, 5)
