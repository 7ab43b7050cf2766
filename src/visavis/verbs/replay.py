"""`visavis replay`: feeds a recording to the same stations and reports the first difference."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from visavis.flow.clock import NS_PER_S
from visavis.verbs.path import FILE

if TYPE_CHECKING:
    from visavis.govern.replay import Difference, Recording, Report

WIDEST = 160
"""A longer line is shortened, unless all is asked for."""


@click.command()
@click.argument("path", metavar="RECORDING", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout instead of text.")
@click.option("--verbose", is_flag=True, help="Say what was recorded, and show events in full.")
def replay(*, path: Path, as_json: bool, verbose: bool) -> None:
    """Feed a recording to the same stations and report the first difference.

    The clock, the sound and what the models gave come from the recording; everything that was
    decided from them is decided again, and must come out the same. Exits with 0 when it does, 1
    when it does not or the recording is damaged, 2 when RECORDING cannot be used. One that only
    breaks off, as after a crash, is compared as far as it goes.

    \b
    visavis talk --audio question.wav --record run.mcap
    visavis replay run.mcap                    identical: 231 decisions in 1,760 events
    visavis replay run.mcap --verbose          and when, by which version, with which settings
    visavis replay run.mcap --json | jq .difference
    visavis replay run.mcap.part               a recording that was never completed
    """
    from visavis.engines import replay_line
    from visavis.govern.replay import read
    from visavis.govern.replay import replay as replay_recording

    recording = read(path)
    report = replay_recording(recording, replay_line)
    if as_json:
        click.echo(json.dumps(_told(recording, report), indent=2, ensure_ascii=False))
    else:
        if verbose:
            _print_origin(recording, report)
        _print_verdict(report, full=verbose)
    click.get_current_context().exit(0 if report.identical else 1)


def _told(recording: Recording, report: Report) -> dict[str, Any]:
    told = {"identical": report.identical, "recorded_by": recording.version, **asdict(report)}
    if report.difference is not None:
        told["difference"]["fields"] = report.difference.fields
    return told


def _print_origin(recording: Recording, report: Report) -> None:
    moment = datetime.fromtimestamp(recording.wall_ns / NS_PER_S, UTC)
    click.echo(f"recorded by visavis {recording.version}, {moment:%Y-%m-%d %H:%M:%S} UTC")
    click.echo(f"settings    {json.dumps(recording.settings, ensure_ascii=False)}")
    click.echo(f"seed        {recording.seed}")
    click.echo(f"length      {report.end_ns / NS_PER_S:.2f} s")
    click.echo(f"run again   {', '.join(report.nodes)}")
    click.echo(f"compared    {report.compared:,} of {report.events:,} events; the others were fed")


def _print_verdict(report: Report, *, full: bool) -> None:
    """What was decided again is what was compared; it is not said of the events that were fed."""
    where = f"at {report.end_ns / NS_PER_S:.2f} s"
    compared = f"{report.compared:,} decisions in {report.events:,} events"
    if report.difference is not None:
        _print_difference(report.difference, full=full)
    elif report.dropped:
        click.echo(f"incomplete: no difference among {compared}, but then, {where},")
        click.echo("            the recorder had lost some; what follows cannot be judged")
    elif report.damaged:
        click.echo(f"identical as far as it goes: {compared}")
    else:
        click.echo(f"identical: {compared}")
    if report.broken:
        click.echo(f"The recording breaks off {where}: {report.broken}.")
    elif report.cut:
        click.echo(f"The session was broken off {where}.")
    if report.inexact:
        click.echo(f"The sound of {report.inexact:,} events is not to the bit what it was.")


def _print_difference(found: Difference, *, full: bool) -> None:
    by = f" of {found.node}" if found.node else ""
    at = f"at event {found.number:,}, {found.t_ns / NS_PER_S:.3f} s"
    click.echo(f"different: {found.topic}{by} {at}")
    if found.fields and found.expected and found.got:
        for name in found.fields:
            click.echo(f"  {name}")
            click.echo(_cut(f"    was  {_json(found.expected[name])}", full))
            click.echo(_cut(f"    is   {_json(found.got.get(name))}", full))
    else:
        click.echo(_cut(f"  was  {_json(found.expected) if found.expected else 'nothing'}", full))
        click.echo(_cut(f"  is   {_json(found.got) if found.got else 'nothing'}", full))
    click.echo("  before it")
    for line in found.before:
        click.echo(_cut(f"    {line}", full))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _cut(line: str, full: bool) -> str:
    return line if full or len(line) <= WIDEST else f"{line[: WIDEST - 1]}…"
