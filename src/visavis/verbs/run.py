"""Runs one conversation for a verb: taps, signals, files completed whatever happens.

Takes parts and a source; gives the summary. Invariant: whether the run ends by itself, by Ctrl-C,
SIGTERM or an error, the recording and the answer are closed and complete when this returns.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

from visavis.conversation import Conversation, Pace
from visavis.flow.bus import Tap
from visavis.flow.errors import InputError
from visavis.flow.events import Event
from visavis.flow.files import place, unfinished
from visavis.govern.meter import Meter
from visavis.govern.record import Recorder
from visavis.verbs.narrate import Narrator
from visavis.verbs.summary import Minutes, summary
from visavis.wiring import WIRING, Parts


@dataclass(slots=True)
class Outcome:
    """What a run gave. `signal`: what broke it off, Ctrl-C or SIGTERM; 0 if nothing did."""

    summary: dict[str, Any] = field(default_factory=dict)
    signal: int = 0

    @property
    def cancelled(self) -> bool:
        return self.signal != 0

    @property
    def exit_code(self) -> int:
        """What a shell gives for a program that the signal ended."""
        return 128 + self.signal if self.signal else 0


def converse(
    parts: Parts,
    source: Iterable[Event],
    *,
    pace: Pace = "real",
    record: Path | None = None,
    quiet: bool = False,
    taps: Iterable[Tap] = (),
    live: Callable[[Conversation], AbstractContextManager[Any]] | None = None,
    remark: Callable[[Event], str] | None = None,
) -> Outcome:
    """Runs until the source ends and the last answer was played, or Ctrl-C, or SIGTERM.

    `live` opens whatever feeds or drives the conversation while it runs, and closes it after.
    `remark`: what is told beside an event in the live view.
    Raises, at the end, what kept the answers from sounding where they were to sound.
    """
    meter, minutes = Meter(output_rate_hz=parts.output_rate_hz), Minutes()
    watchers: list[Tap] = [meter.watch, minutes.watch, *taps]
    outcome = Outcome()
    with ExitStack() as stack:
        if not quiet:
            narrator = Narrator(meter, sys.stderr, remark)
            stack.callback(narrator.close)
            watchers.append(narrator.watch)
        conversation = Conversation(parts, pace=pace, taps=watchers)
        stack.callback(conversation.close)
        if record is not None:
            recorder = stack.enter_context(_recorder(record, parts, pace))
            stack.callback(lambda: recorder.close(cut=True) if outcome.cancelled else None)
            conversation.loop.bus.tap(recorder.write)
            stack.callback(conversation.close)  # what it still says is recorded
        with _interruptible(conversation, outcome):
            if live is not None:
                stack.enter_context(live(conversation))
            conversation.run(source)
        outcome.summary = summary(minutes, meter, conversation.loop.bus, pace)
    if conversation.sink_failure is not None:
        raise conversation.sink_failure
    return outcome


def _recorder(path: Path, parts: Parts, pace: Pace) -> Recorder:
    # A recording is given away as a bug report: neither a secret nor a home folder goes in.
    config = replace(parts.config, hub_token="", realtime_token="", models=Path())
    return Recorder(
        path,
        rows=WIRING,
        settings={
            "config": msgspec.to_builtins(config, enc_hook=str),
            "output_rate_hz": parts.output_rate_hz,
            "sees": parts.sees,
            "scores_turns": parts.turn is not None,
            "in_context": list(parts.in_context),
            "streams": list(parts.streams),
        },
        seed=config.reply.seed or 0,
        output_rate_hz=parts.output_rate_hz,
        threaded=pace == "real",
    )


@contextmanager
def _interruptible(conversation: Conversation, outcome: Outcome) -> Iterator[None]:
    """The first signal ends the conversation in good order; a second one ends the program."""

    def stop(number: int, frame: FrameType | None) -> None:
        if outcome.cancelled:
            raise KeyboardInterrupt
        outcome.signal = number
        conversation.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def check_writable(
    path: Path | None, option: str, others: Iterable[Path | None] = (), *, stream: bool = False
) -> None:
    """Refuses an output path before any work is done, not after; also one that is in use.

    A link stands for what it names. `stream`: a device or a pipe will do.
    """
    if path is None:
        return
    _check_name(path, option)
    if path.is_dir() or not stream:
        place(path, f"give {option} a file name")
    if any(other and os.path.realpath(path) == os.path.realpath(other) for other in others):
        raise InputError(path, "would be written over", f"give {option} another name")
    if path.exists() and not path.is_file():  # a device, a pipe: nothing is put beside it
        if not os.access(path, os.W_OK):
            raise InputError(path, "cannot be written to", f"give {option} another one")
        return
    folder = Path(os.path.realpath(path)).parent if path.is_symlink() else path.parent
    if not folder.is_dir():
        raise InputError(path, "its folder does not exist", f"mkdir -p {folder}")
    if not os.access(folder, os.W_OK):
        raise InputError(path, "its folder cannot be written to", f"give {option} another one")


def _check_name(path: Path, option: str) -> None:
    """Refuses what the system takes for no name of a file."""
    real = Path(os.path.realpath(path))
    try:
        # Nothing is written under its own name at first, and this name is longer.
        for each in (path, unfinished(real)):
            with suppress(FileNotFoundError, NotADirectoryError):
                each.stat()
    except OSError as error:
        problem = f"cannot be written ({error.strerror})"
        raise InputError(path, problem, f"give {option} another name") from error
