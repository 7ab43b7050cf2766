"""`visavis demo`: a scripted user with a synthetic voice talks to the real system.

The user's questions are synthesised and go in through the audio path as if from a microphone: they
are recognised, answered and spoken by the models of the tier, in real time. One answer is cut off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from visavis.flow.clock import NS_PER_S
from visavis.flow.events import Event, Samples, SoundPlayed, StateChanged, TurnDropped, TurnEnded
from visavis.verbs.talk import SEED

if TYPE_CHECKING:
    from visavis.conversation import Conversation, Pace
    from visavis.source.script import ScriptedSpeaker
    from visavis.verbs.run import Outcome
    from visavis.wiring import Parts

THINK_S = 0.9
"""How long the user waits after an answer before going on."""

CUT_S = 2.0
"""How long the user lets an unwanted answer run."""

PITCH = 1.12
"""The user has the system's voice, played this much faster, so that the two can be told apart."""


@dataclass(frozen=True, slots=True)
class Line:
    """What the user says: after the last answer, or (`cuts`) into it."""

    text: str
    cuts: bool = False


SCRIPT = (
    Line("What is the capital of France?"),
    Line("Tell me a long story about a fox who lived by a river."),
    Line("Stop. How many days are there in a week?", cuts=True),
    Line("Thank you. What colour is the sky on a clear day?"),
)


class Director:
    """A tap that gives the user a cue when an answer is over, or is to be cut off."""

    def __init__(self, lines: list[tuple[Line, Samples]], speaker: ScriptedSpeaker) -> None:
        self._lines = lines
        self._speaker = speaker
        self._cued = False  # a line was given that has not been answered yet
        self._sounded = 0  # epoch
        self._cue(round(THINK_S * NS_PER_S))

    def watch(self, event: Event) -> None:
        """Takes one event."""
        match event:
            case TurnEnded() | TurnDropped():
                self._cued = False
            case SoundPlayed() if event.epoch > self._sounded:
                self._sounded = event.epoch
                if self._lines and self._lines[0][0].cuts:
                    self._cue(event.t_ns + round(CUT_S * NS_PER_S))
            case StateChanged() if event.state == "idle" != event.previous and not self._cued:
                self._go_on(event.t_ns)

    def _go_on(self, t_ns: int) -> None:
        if self._lines:
            self._cue(t_ns + round(THINK_S * NS_PER_S))
        else:
            self._speaker.end()

    def _cue(self, t_ns: int) -> None:
        self._cued = True
        self._speaker.say(self._lines.pop(0)[1], t_ns)


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default="visavis-demo",
    show_default=True,
    help="Folder for conversation.wav, run.mcap and summary.json.",
)
@click.option("--tier", help="Which set of models.  [default: tiny]")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on stdout.")
@click.option("--seed", type=SEED, default=7, show_default=True, help="Of the answers.")
def demo(*, out: Path, tier: str | None, as_json: bool, seed: int) -> int:
    """Hear a whole conversation happen: four questions, four answers, one of them cut off.

    Fetches the models that are missing (about 250 MB, once), then runs in real time. The live view
    shows the state, the words as they become certain, the answer, and where each answer's time
    went.

    \b
    visavis demo
    visavis demo --out /tmp/demo --json
    """
    from dataclasses import replace

    from visavis.config import load
    from visavis.engines import bundle_names, load_parts
    from visavis.verbs.pull import pull_missing

    config = load(tier=tier)
    config = replace(config, reply=replace(config.reply, seed=seed))
    names = bundle_names(config).values()
    _make_folder(out)
    pull_missing(names, config)
    click.echo("loading the models …", err=True)
    outcome = perform(load_parts(config), out)
    summary = outcome.summary
    (out / "summary.json").write_text(json.dumps(summary, ensure_ascii=False, indent=2), "utf-8")
    if as_json:
        click.echo(json.dumps(summary, ensure_ascii=False, indent=2))
    _tell(summary, out)
    return outcome.exit_code


def _make_folder(path: Path) -> None:
    from visavis.flow.errors import InputError

    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot be made ({error.strerror})"
        raise InputError(path, problem, "give another folder with --out") from None


def perform(parts: Parts, out: Path, pace: Pace = "real") -> Outcome:
    """Runs the script; leaves the sound and the recording in `out`."""
    from visavis.backends.contract import Speech
    from visavis.source.script import ScriptedSpeaker
    from visavis.speak.sink import NullSink
    from visavis.verbs.run import converse
    from visavis.verbs.stereo import Stereo

    assert parts.tts is not None
    assert parts.make_resampler is not None
    lines = [(line, Speech.joined(parts.tts.synthesise(line.text)).samples) for line in SCRIPT]
    speaker = ScriptedSpeaker(round(parts.output_rate_hz * PITCH))
    director = Director(lines, speaker)
    parts.sink = NullSink()
    stereo = Stereo(out / "conversation.wav", parts.output_rate_hz, parts.make_resampler)
    return converse(
        parts,
        speaker.events(),
        pace=pace,
        record=out / "run.mcap",
        taps=(director.watch, stereo.watch),
        live=_closing(stereo.close),
    )


def _closing(close: Callable[[], None]) -> Callable[[Conversation], Any]:
    @contextmanager
    def live(_: Conversation) -> Iterator[None]:
        try:
            yield
        finally:
            close()

    return live


def _tell(summary: dict[str, Any], out: Path) -> None:
    voice = summary["latency"].get("voice_to_voice_ms")
    if voice:
        text = f"voice to voice: p50 {voice['p50']:.0f} ms, p95 {voice['p95']:.0f} ms"
        click.echo(f"\n{text} over {voice['count']} answers", err=True)
    for cut in summary["interruptions"]:
        click.echo(
            f"interrupted: silent {cut['silent_ms'] or 0:.0f} ms after your first sound,"
            f" understood after {cut['decide_ms'] or 0:.0f} ms",
            err=True,
        )
    for name, what in (
        ("conversation.wav", "left the user, right the system"),
        ("run.mcap", "visavis replay, Foxglove, rerun"),
        ("summary.json", "turns and latencies"),
    ):
        click.echo(f"  {out / name}  ({what})", err=True)
