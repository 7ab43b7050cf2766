"""`visavis talk`: a recording in, spoken answers out; or a conversation at the microphone."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from signal import SIGINT
from typing import TYPE_CHECKING, Any

import click

from visavis.flow.clock import NS_PER_S
from visavis.verbs.path import FILE

if TYPE_CHECKING:
    from visavis.config import Config
    from visavis.conversation import Conversation
    from visavis.flow.events import Event
    from visavis.verbs.run import Outcome
    from visavis.wiring import Parts

log = logging.getLogger(__name__)
SEED = click.IntRange(0, 2**32 - 2)
"""What llama.cpp takes; its highest stands for a random one."""
PROFILES = ("headset", "speaker", "browser", "half-duplex")
_MANNERS = {
    "headset": "Use a headset: the loudspeaker is not cancelled.",
    "speaker": "The loudspeaker is cancelled: speak whenever you like.",
    "browser": "The loudspeaker is not cancelled here: the client does it.",
    "half-duplex": "You are not heard while it speaks.",
}
_MCAP = b"\x89MCAP0\r\n"

BLIND = "the model has no eyes: of what is seen, only what is written there is understood"


@click.command()
@click.option("--audio", type=FILE, help="What the user says: anything FFmpeg reads.")
@click.option("--video", type=FILE, help="What the camera sees meanwhile: a film, or a picture.")
@click.option(
    "--camera",
    is_flag=False,
    flag_value="",
    metavar="[DEVICE]",
    help="At the microphone: look through this camera; alone, through the default one.",
)
@click.option(
    "--screen",
    is_flag=False,
    flag_value="",
    metavar="[DISPLAY|FILE]",
    help="A second thing to see, mostly to read: the live screen, or a film or picture of one.",
)
@click.option("--out", type=FILE, help="Where to write the answers, as WAV on the time axis.")
@click.option("--record", type=FILE, help="Where to write the whole run, as MCAP.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on stdout.")
@click.option(
    "--pace",
    type=click.Choice(["fast", "real"]),
    default="fast",
    show_default=True,
    help="fast: as quickly as the models compute; real: in real time.",
)
@click.option("--tier", help="Which set of models.  [default: tiny]")
@click.option("--language", help="Expect this language (en, zh, …).")
@click.option("--profile", type=click.Choice(PROFILES), help="What keeps it from hearing itself.")
@click.option("--system", help="The instruction the model is given.")
@click.option("--seed", type=SEED, help="Draw the same tokens each time.")
@click.option("--quiet", is_flag=True, help="No live view on stderr.")
def talk(
    *,
    audio: Path | None,
    video: Path | None,
    camera: str | None,
    screen: str | None,
    out: Path | None,
    record: Path | None,
    as_json: bool,
    pace: Any,
    quiet: bool,
    **choices: Any,
) -> int:
    """Talk: a recording in, the spoken answers out. One question, or a dialogue with pauses.

    \b
    visavis talk --audio question.wav --out answer.wav
    visavis talk --audio dialogue.mp3 --record run.mcap --json
    visavis talk --audio question.wav --video scene.mp4 --json
    visavis talk --audio question.wav --video picture.jpg --out answer.wav
    visavis talk --audio question.wav --screen slide.png
    visavis talk                    at the microphone; needs 'visavis[device]'
    visavis talk --camera           the same, and it looks through the camera
    visavis talk --camera --screen  and it reads what is on your screen
    visavis talk --profile headset  at the microphone, with a headset

    The film begins with the sound. A question is about what was in view at its moment: its end,
    or the word that points ("this", 这); the summary tells for each reply which picture that was,
    how far from the moment, and whether the model had taken it in before the question was over.

    A screen is looked at in passing, when it changes: what is written there is read and told to the
    model with the question, as far as it is read by then; nothing waits for it. A screen is named
    as the system does: an X display (":1"), the number of a screen on macOS, the title of a window
    on Windows. Wayland shows it to nobody: give a file, or log in to an X11 session.

    Times are those of the conversation: an answer that begins at 3.2 s stands there in the WAV.
    With --pace fast the work of each model is billed as if it had a core of its own; use
    --pace real to measure.
    """
    from visavis.verbs.inputs import from_files
    from visavis.verbs.run import check_writable, converse

    given = (audio, video, Path(screen) if screen else None)
    check_writable(out, "--out", given)
    check_writable(record, "--record", (*given, out))
    _refuse_other_forms(out, record)
    config = _config(**choices)
    if audio is None:
        _refuse_without_audio(out=out, video=video)
        return _at_the_microphone(config, camera, screen, record, as_json, quiet)
    _refuse_with_audio(camera)
    source = from_files(audio, video, screen)
    parts = _load(config, _streams(video, screen))
    live = _answer_file(parts, out) if out else None
    outcome = converse(
        parts, source(parts), pace=pace, record=record, quiet=quiet, taps=[_log_state], live=live
    )
    _log_end(parts, outcome)
    report(outcome, as_json, out, record)
    if outcome.summary["source_error"]:
        return 1
    return outcome.exit_code


def report(outcome: Outcome, as_json: bool, out: Path | None, record: Path | None) -> None:
    """Prints what came of it."""
    summary = outcome.summary
    summary |= {"out": str(out) if out else None, "record": str(record) if record else None}
    if as_json:
        click.echo(json.dumps(summary, ensure_ascii=False, indent=2))
    else:
        for item in summary["history"]:
            if item["role"] == "assistant":
                click.echo(f"{item['text']} —" if item["cut"] else item["text"])
    if outcome.cancelled and not summary["replies"]:
        at_s = summary["session_ms"] / 1e3
        click.echo(f"broken off at {at_s:.1f} s, before any answer", err=True)
    elif not summary["history"]:
        click.echo("no words were heard, so nothing was answered", err=True)
    if summary["source_error"]:
        click.echo(f"visavis: {summary['source_error']}", err=True)


def _config(**choices: Any) -> Config:
    from visavis.config import load

    reply = {key: choices.pop(key) for key in ("system", "seed")}
    profile = choices.pop("profile")
    config = load(**choices)
    if profile:
        config = replace(config, sound=replace(config.sound, profile=profile))
    given = {key: value for key, value in reply.items() if value is not None}
    return replace(config, reply=replace(config.reply, **given))


def _streams(camera: object, screen: object) -> tuple[str, ...]:
    """What there is to see."""
    given = {"camera": camera, "screen": screen}
    return tuple(stream for stream, each in given.items() if each is not None)


def _load(config: Config, streams: tuple[str, ...]) -> Parts:
    """The parts, and on stderr what will not be as wished."""
    from visavis import engines

    sight = bool(streams)
    parts = engines.load_parts(config, sight=sight, streams=streams)
    blind = sight and not (parts.llm and parts.llm.capabilities.picture_tokens)
    for warning in [*engines.warnings(config), *([BLIND] if blind else [])]:
        click.echo(f"visavis: warning: {warning}", err=True)
    return parts


def _refuse_other_forms(out: Path | None, record: Path | None) -> None:
    """An answer is WAV; and a file that is no recording is not written over by one."""
    from visavis.flow.errors import InputError

    if out is not None and out.suffix.lower() not in ("", ".wav"):
        raise InputError(out, "the answer is WAV", f"--out {out.with_suffix('.wav')}")
    if record is not None and record.is_file():
        try:
            with record.open("rb") as stream:
                begins = stream.read(len(_MCAP))
        except OSError as error:
            problem = f"cannot be read ({error.strerror})"
            raise InputError(record, problem, "give --record another name") from None
        if begins and begins != _MCAP:
            problem = "exists and is not a recording of visavis"
            raise InputError(record, problem, "give --record another name, or remove it")


def _answer_file(parts: Parts, out: Path) -> Callable[[Conversation], Any]:
    """Lets the answers sound into `out`, which becomes as long as the conversation was."""
    from visavis.speak.sink import FileSink

    parts.sink = sink = FileSink(out, parts.output_rate_hz)

    @contextmanager
    def live(conversation: Conversation) -> Iterator[None]:
        try:
            yield
        finally:
            sink.extend(conversation.loop.bus.now_ns * parts.output_rate_hz // NS_PER_S)

    return live


def _log_state(event: Event) -> None:
    from visavis.flow.events import StateChanged

    if isinstance(event, StateChanged):
        parts = f"user {event.user}, reply {event.reply}, engine {event.engine}"
        at_s = event.t_ns / NS_PER_S
        log.info("%.3f s: %s (%s, playback %s)", at_s, event.state, parts, event.playback)


def _log_end(parts: Parts, outcome: Outcome) -> None:
    if parts.llm is not None:
        spent = ", ".join(f"{key} {value:.4g}" for key, value in parts.llm.stats().items())
        log.info("llm: %s", spent)
    lost = ", ".join(f"{key} {count}" for key, count in outcome.summary["dropped"].items())
    log.info("dropped: %s", lost or "nothing")


def _refuse_without_audio(**files: Path | None) -> None:
    from visavis.flow.errors import InputError

    for name, path in files.items():
        if path is not None:
            raise InputError(f"--{name}", "goes with --audio", "give a recording as --audio too")


def _refuse_with_audio(camera: str | None) -> None:
    from visavis.flow.errors import InputError

    if camera is not None:
        raise InputError("--camera", "goes with the microphone", "give what is seen as --video")


def _at_the_microphone(
    config: Config,
    camera: str | None,
    screen: str | None,
    record: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    from visavis.speak.device import DeviceSink
    from visavis.verbs.inputs import from_devices
    from visavis.verbs.run import converse

    config = _with_profile(config)
    live = from_devices(config, camera, screen)
    parts = _load(config, _streams(camera, screen))
    parts.sink = DeviceSink(parts.output_rate_hz)
    click.echo(f"{_MANNERS[config.sound.profile]} Ctrl-C ends.", err=True)
    outcome = converse(parts, (), record=record, quiet=quiet, taps=[_log_state], live=live)
    _log_end(parts, outcome)
    report(outcome, as_json, None, record)
    if outcome.summary["source_error"]:
        return 1
    return 0 if outcome.signal == SIGINT else outcome.exit_code  # Ctrl-C is how it ends


def _with_profile(config: Config) -> Config:
    """The profile, if none was chosen: the loudspeaker, where it can be cancelled."""
    from visavis import engines

    if config.sound.profile:
        return config
    profile = "speaker" if engines.can_cancel() else "headset"
    return replace(config, sound=replace(config.sound, profile=profile))
