"""An engine in a child process: it may crash, hang or be killed; the session lives on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.pictures import named, picture
from visavis.backends.contract import Options, Sampling
from visavis.backends.llm.process import ProcessLlm
from visavis.backends.llm.wire import Child
from visavis.flow.errors import ContextFull, EngineError, InputError
from visavis.flow.events import Message

FAKE = "visavis.backends.llm.fake:load"
ASKED = Message("user", "Where is my cat?")
REPLY = "It is on the warm roof."
Host = Callable[..., ProcessLlm]


@pytest.fixture
def host() -> Iterator[Host]:
    """Makes hosted fakes and ends them."""
    engines: list[ProcessLlm] = []

    def make(timeouts: dict[str, float] | None = None, **settings: Any) -> ProcessLlm:
        settings = {"reply": REPLY, "token_ms": 0.1, "prefill_token_ms": 0, **settings}
        engines.append(ProcessLlm(FAKE, Options(settings=settings), **(timeouts or {})))
        return engines[-1]

    yield make
    for engine in engines:
        engine.close()
        assert engine.child is not None
        assert not is_running(engine.child)


def is_running(child: Child) -> bool:
    return child._process.poll() is None


def pid_of(engine: ProcessLlm) -> int:
    assert engine.child is not None
    return engine.child.pid


def ask(engine: ProcessLlm) -> str:
    session = engine.open([ASKED])
    with closing(session):
        return "".join(session.generate(Sampling()))


def test_it_answers_as_the_engine_does(host: Host) -> None:
    engine = host(context_tokens=777)
    assert engine.capabilities.context_tokens == 777
    session = engine.open([ASKED])
    assert "".join(session.generate(Sampling(max_tokens=3))) == "It is on"
    assert (session.usage().finish, session.usage().made_tokens) == ("length", 3)
    assert engine.stats()["made_tokens"] == 3


def test_only_what_is_new_is_evaluated(host: Host) -> None:
    session = host().open([Message("system", "Be brief."), ASKED])
    whole = session.prefill()
    session.rewind(1)
    session.append(Message("user", "Where is my dog?"))
    changed = session.prefill()
    assert whole.cached_tokens == 0
    assert changed.prompt_tokens - changed.cached_tokens == 1


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_killed_engine_fails_the_call_and_comes_back_with_its_sessions(host: Host) -> None:
    engine = host(token_ms=20)
    session = engine.open([ASKED])
    pieces = session.generate(Sampling())
    first = next(pieces)
    os.kill(pid_of(engine), signal.SIGKILL)
    with pytest.raises(EngineError, match="SIGKILL"):
        list(pieces)
    assert "".join(session.generate(Sampling())) == REPLY
    assert first == "It"
    assert engine.stats()["restarts"] == 1


def test_an_abort_in_native_code_is_an_error_with_its_last_words(host: Host) -> None:
    engine = host(faults=[{"kind": "abort", "at": 2}])
    with pytest.raises(EngineError, match="died"):
        ask(engine)
    with pytest.raises(EngineError, match="died"):
        ask(engine)  # the fresh child aborts at its first call as well
    assert engine.stats()["restarts"] == 1


def test_an_error_of_the_engine_keeps_it_running(host: Host) -> None:
    engine = host(faults=[{"kind": "fail", "at": 1}])
    before = pid_of(engine)
    with pytest.raises(EngineError, match="told to fail"):
        ask(engine)
    assert ask(engine) == REPLY
    assert pid_of(engine) == before


def test_errors_keep_their_kind_and_fields(host: Host) -> None:
    engine = host(context_tokens=8)
    session = engine.open([Message("user", "word " * 20)])
    for call in (session.prefill, lambda: list(session.generate(Sampling()))):
        with pytest.raises(ContextFull) as caught:
            call()
        assert caught.value.prompt_tokens in (21, 22)
        assert caught.value.context_tokens == 8


def test_what_the_engine_refuses_at_load_is_raised_as_it_is(host: Host) -> None:
    with pytest.raises(InputError, match="no such fault") as caught:
        host(faults=[{"kind": "nonsense"}])
    assert caught.value.problem == "no such fault"
    assert caught.value.exit_code == 2


def test_a_library_that_cannot_be_imported_is_named() -> None:
    with pytest.raises(EngineError, match="visavis_nowhere"):
        ProcessLlm("visavis_nowhere:load", Options())


def test_a_cancel_from_another_thread_ends_the_answer(host: Host) -> None:
    session = host(token_ms=20, reply="word " * 500).open([ASKED])
    pieces = session.generate(Sampling(max_tokens=500))
    next(pieces)
    thread = threading.Thread(target=session.cancel)
    thread.start()
    thread.join()
    assert len(list(pieces)) <= 1
    assert session.usage().finish == "cancelled"
    assert not session.usage().complete


def test_a_cancel_reaches_a_prefill(host: Host) -> None:
    session = host(prefill_token_ms=5).open([Message("user", "word " * 4000)])
    timer = threading.Timer(0.05, session.cancel)
    timer.start()
    usage = session.prefill()  # 20 seconds, if it were not cancelled
    timer.join()
    assert not usage.complete
    assert usage.prompt_tokens == 4001


def test_a_cancel_that_comes_before_the_first_piece_is_not_lost(host: Host) -> None:
    engine = host(token_ms=5, reply="word " * 400)
    for _ in range(20):
        session = engine.open([ASKED])
        pieces = session.generate(Sampling(max_tokens=400))
        session.cancel()
        assert list(pieces) == []


def test_closing_the_iterator_cancels_and_the_next_call_is_its_own(host: Host) -> None:
    engine = host(token_ms=2, reply="word " * 2000)
    session = engine.open([ASKED])
    for _ in range(3):
        pieces = session.generate(Sampling(max_tokens=2000))
        assert next(pieces) == "word"
        pieces.close()  # type: ignore[attr-defined]
    assert engine.stats()["restarts"] == 0


def test_a_cancel_without_a_call_does_nothing(host: Host) -> None:
    engine = host()
    session = engine.open([ASKED])
    session.cancel()
    assert "".join(session.generate(Sampling())) == REPLY
    session.cancel()
    assert "".join(session.generate(Sampling())) == REPLY


def test_an_engine_that_hangs_is_replaced(host: Host) -> None:
    engine = host({"stall_timeout_s": 0.2}, faults=[{"kind": "stall", "stall_ms": 60_000}])
    with pytest.raises(EngineError, match=r"no answer for 0\.2 s"):
        ask(engine)
    assert engine.child is not None
    assert not engine.child.alive


def test_an_engine_that_hears_no_cancel_is_replaced(host: Host) -> None:
    stall = {"kind": "stall", "at": 1, "stall_ms": 60_000}
    session = host({"cancel_timeout_s": 0.2}, faults=[stall]).open([ASKED])
    pieces = session.generate(Sampling())
    assert next(pieces) == "It"
    session.cancel()
    with pytest.raises(EngineError, match=r"no answer for 0\.2 s"):
        list(pieces)


def test_an_engine_that_does_not_start_is_given_up() -> None:
    with pytest.raises(EngineError, match="no answer for"):
        ProcessLlm(FAKE, Options(), start_timeout_s=0.001)


def test_close_ends_it_even_in_the_middle_of_a_call(host: Host) -> None:
    engine = host(token_ms=50, reply="word " * 500)
    pieces = engine.open([ASKED]).generate(Sampling())
    next(pieces)
    closer = threading.Timer(0.05, engine.close)
    closer.start()
    with pytest.raises(EngineError):
        list(pieces)
    closer.join()
    engine.close()
    with pytest.raises(EngineError, match="closed"):
        ask(engine)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_stopped_child_blocks_neither_cancel_nor_close(host: Host) -> None:
    engine = host({"close_timeout_s": 0.1})
    session = engine.open([ASKED])
    pieces = session.generate(Sampling())
    os.kill(pid_of(engine), signal.SIGSTOP)
    for _ in range(10_000):
        session.cancel()
    engine.close()
    with pytest.raises(EngineError):
        list(pieces)


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_ctrl_c_is_for_the_parent_alone(host: Host) -> None:
    engine = host()
    assert os.getpgid(pid_of(engine)) != os.getpgid(0)
    os.kill(pid_of(engine), signal.SIGINT)
    assert ask(engine) == REPLY


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_no_orphan_outlives_its_parent() -> None:
    program = f"""
import os, signal
from tests.pictures import named, picture
from visavis.backends.contract import Options, Sampling
from visavis.backends.llm.process import ProcessLlm
from visavis.flow.events import Message
engine = ProcessLlm({FAKE!r}, Options(settings={{"token_ms": 60_000}}))
pieces = engine.open([Message("user", "hello")]).generate(Sampling())
print(engine.child.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    parent = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=30, check=False
    )
    pid, pause = int(parent.stdout), threading.Event()
    assert any(is_gone(pid) or pause.wait(0.02) for _ in range(250))


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


SEEING = {"picture_tokens": 9}


def sent_pictures(engine: ProcessLlm, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The names of the pictures whose bytes each request brings, from now on."""
    assert engine.child is not None
    sent: list[list[str]] = []
    post = engine.child.post

    def noted(call: Any, request: dict[str, Any]) -> None:
        sent.append(sorted(request.get("pictures", ())))
        post(call, request)

    monkeypatch.setattr(engine.child, "post", noted)
    return sent


def test_a_picture_travels_once(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, shown = host(**SEEING), picture()
    sent = sent_pictures(engine, monkeypatch)
    for session in (engine.open(), engine.open()):
        for words in ("", "What is", "What is this?"):
            session.rewind(0)
            session.append(Message("user", words), [shown])
            assert session.prefill().prompt_tokens == 1 + 9 + len(words.split())
    assert sent == [[shown.id]] + [[]] * 5


def test_a_picture_that_was_forgotten_travels_again(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = host(**SEEING)
    large = [named(b"\xff\xd8\xff" + bytes([n]) * (3 << 20)) for n in range(3)]
    sent = sent_pictures(engine, monkeypatch)
    session = engine.open()
    for shown in (*large, large[0]):
        session.rewind(0)
        session.append(ASKED, [shown])
        session.prefill()
    assert sent == [[each.id] for each in (*large, large[0])]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_new_child_is_shown_the_pictures_again(host: Host) -> None:
    engine, shown = host(token_ms=20, **SEEING), picture()
    session = engine.open()
    session.append(ASKED, [shown])
    pieces = session.generate(Sampling())
    next(pieces)
    os.kill(pid_of(engine), signal.SIGKILL)
    with pytest.raises(EngineError):
        list(pieces)
    assert "".join(session.generate(Sampling())) == REPLY
    assert session.usage().prompt_tokens == 1 + 9 + 4 + 1


def test_text_of_every_script_passes_unharmed(host: Host) -> None:
    reply = '你好，世界 👋🏽 \u2028 naïve "quoted" \\n'
    session = host(reply=reply).open([Message("user", "日本語\n\x00 " + "x" * 200_000)])
    assert "".join(session.generate(Sampling())) == reply
