"""`visavis demo`: a scripted user with a synthetic voice talks to the real system.

The user's questions are synthesised and go in through the audio path as if from a microphone: they
are recognised, answered and spoken by the models of the tier, in real time. One answer is cut off.
Where the tier has eyes, a drawn scene is filmed as if by a camera; it changes in mid-question.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from visavis.source.scene import Scene, Thing
from visavis.verbs.dialogue import Director, Line
from visavis.verbs.path import NamedPath
from visavis.verbs.talk import SEED

if TYPE_CHECKING:
    from visavis.conversation import Conversation, Pace
    from visavis.verbs.run import Outcome
    from visavis.wiring import Parts

PITCH = 1.12
"""The user has the system's voice, played this much faster, so that the two can be told apart."""

Script = tuple[Line, ...]
SCRIPT: Script = (
    Line("What is the capital of France?"),
    Line("Tell me a long story about a fox who lived by a river."),
    Line("Stop. How many days are there in a week?", cuts=True),
    Line("Thank you. What colour is the sky on a clear day?"),
)
FIRST = Scene("white", (Thing("red", "circle", "left"), Thing("blue", "square", "right")))
SECOND = Scene("gray", (Thing("yellow", "star", "left"), Thing("red", "circle", "right")))
SEEING_SCRIPT: Script = (
    Line("What color is the square?", looks=True),
    Line("How many shapes do you see?", looks=True),
    Line("What is on the left?", looks=True),
    Line("What is on the left?", looks=True, shows=SECOND),
    Line("Tell me a long story about a fox who lived by a river."),
    Line("Stop. How many days are there in a week?", cuts=True),
)
"""With pictures: the first scene until a line shows another."""

FILES = {
    "conversation.wav": "left the user, right the system",
    "run.mcap": "visavis replay, Foxglove, rerun; with the pictures, if there were any",
    "summary.json": "turns, latencies, what was looked at",
}
BLIND = "the model of this tier has no eyes: the dialogue goes without pictures"


@click.command()
@click.option(
    "--out",
    type=NamedPath(file_okay=False),
    default="visavis-demo",
    show_default=True,
    help="Folder for conversation.wav, run.mcap and summary.json.",
)
@click.option("--tier", help="Which set of models.  [default: tiny]")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on stdout.")
@click.option("--seed", type=SEED, default=7, show_default=True, help="Of the answers.")
def demo(*, out: Path, tier: str | None, as_json: bool, seed: int) -> int:
    """Hear a whole conversation happen: six questions and their answers, one of them cut off.

    The first four are about a drawn scene that a camera films; it changes while the user speaks.
    A tier without eyes has another dialogue. Fetches the models that are missing (about 250 MB,
    once; 300 MB on the disk), then runs in real time. The live view shows the state, the words as
    they become certain, what was looked at and when, what really was in view, the answer, and where
    its time went.

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
    parts = load_parts(config, sight=True)
    if parts.llm is None or not parts.llm.capabilities.picture_tokens:
        click.echo(BLIND, err=True)
        parts.frames = None
    before = _written(out)
    try:
        outcome = perform(parts, out)
    except BaseException:
        _tell_files(out, _written(out) - before)
        raise
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
    from visavis.source.file import merged
    from visavis.source.script import ScriptedSpeaker
    from visavis.source.stage import ScriptedCamera
    from visavis.speak.sink import NullSink
    from visavis.verbs.run import converse
    from visavis.verbs.stereo import Stereo

    assert parts.tts is not None
    assert parts.make_resampler is not None
    camera = ScriptedCamera(parts.frames, [FIRST, SECOND]) if parts.frames else None
    script = SEEING_SCRIPT if camera else SCRIPT
    lines = [(line, Speech.joined(parts.tts.synthesise(line.text)).samples) for line in script]
    speaker = ScriptedSpeaker(round(parts.output_rate_hz * PITCH))
    director = Director(lines, speaker, camera)
    parts.sink = NullSink()
    stereo = Stereo(out / "conversation.wav", parts.output_rate_hz, parts.make_resampler)
    outcome = converse(
        parts,
        merged(speaker.events(), camera.events()) if camera else speaker.events(),
        pace=pace,
        record=out / "run.mcap",
        taps=(director.watch, stereo.watch),
        live=_closing(stereo.close),
        remark=director.remark,
    )
    outcome.summary["truths"] = [asdict(truth) for truth in director.truths]
    return outcome


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
    _tell_files(out, _written(out))


def _written(out: Path) -> set[tuple[str, int]]:
    """The files that are there, each with when it was written."""
    return {(name, (out / name).stat().st_mtime_ns) for name in FILES if (out / name).is_file()}


def _tell_files(out: Path, written: set[tuple[str, int]]) -> None:
    names = {name for name, _ in written}
    for name, what in FILES.items():
        if name in names:
            click.echo(f"  {out / name}  ({what})", err=True)
