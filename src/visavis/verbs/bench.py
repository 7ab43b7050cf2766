"""`visavis bench`: scripted dialogues through the audio path, and a table of how they went."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from visavis.verbs.path import FILE

if TYPE_CHECKING:
    from visavis.bench.result import Episode, Result
    from visavis.bench.runner import Runner
    from visavis.bench.scenario import Scenario
    from visavis.bench.voice import Voice
    from visavis.config import Config

REGRESSED = NOT_PLAYED = 1
NOT_COMPARED = 2
BUSY_SHARE = 0.25
"""Of the cores. A machine at rest uses a few hundredths; one busy core of two is felt."""


@click.command()
@click.option("--quick", is_flag=True, help="A few episodes of each scenario, in 4 minutes.")
@click.option("--scenario", "names", multiple=True, metavar="NAME", help="Only this; repeatable.")
@click.option("--list", "as_list", is_flag=True, help="List the scenarios.")
@click.option("--report", type=FILE, help="Where to write the report, as one HTML page.")
@click.option("--json", "out", type=FILE, help="Where to write the result, truth included.")
@click.option("--compare", "old", type=FILE, help="A result to compare with; exit 1 if worse.")
@click.option("--url", help="Talk to this server of the OpenAI Realtime protocol instead.")
@click.option("--model", help="The model to ask that server for.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), default=1, show_default=True)
@click.option("--tier", help="Which set of models.  [default: tiny]")
def bench(
    *,
    quick: bool,
    names: tuple[str, ...],
    as_list: bool,
    report: Path | None,
    out: Path | None,
    old: Path | None,
    url: str | None,
    model: str | None,
    seed: int,
    tier: str | None,
) -> int:
    """Measure manners: whose turn it is, being interrupted, remembering what was heard.

    A scripted user with a synthetic voice talks to the real system, in real time; what sounded is
    compared with what was scripted. Keep the machine quiet meanwhile. A full run takes half an
    hour; Ctrl-C ends it and shows what was measured so far.

    \b
    visavis bench --quick
    visavis bench --scenario interruption --report out.html
    visavis bench --quick --json new.json --compare old.json
    visavis bench --quick --url ws://localhost:8000/v1/realtime

    A server's token is taken from VISAVIS_REALTIME_TOKEN.
    """
    from visavis.bench import run, store
    from visavis.bench.about import about
    from visavis.bench.remote.link import address
    from visavis.bench.result import Result
    from visavis.flow.errors import VisavisError
    from visavis.verbs.run import check_writable

    check_writable(report, "--report", (old,), stream=True)
    check_writable(out, "--json", (report, old), stream=True)
    chosen = run.choose(names)
    if as_list:
        return _list(chosen)
    if url is not None:
        address(url, model or "")  # refuses an unfit one
    before = store.load(old) if old else None
    if before is not None:
        _check_comparable(before, old, chosen)
    _warn_if_busy()
    runner, chosen = _open(chosen, tier, url, model)
    told = {"tier": "" if url else tier or "tiny", "target": "server" if url else "visavis"}
    result = Result(about(**told, seed=str(seed), command=_command(quick, names, seed)))
    planned = run.plan(chosen, seed, quick=quick, least=bool(names))
    result.planned = len(planned)
    broken_off: BaseException | None = None
    try:
        most_s = run.QUICK_S if quick else inf
        if left_out := run.perform(runner, planned, result, _tell, most_s=most_s):
            click.echo(f"{left_out} episodes were left out: 4 minutes are over", err=True)
    except (KeyboardInterrupt, VisavisError) as error:
        broken_off = error  # after what was measured is shown and kept
    finally:
        runner.close()
    code = _conclude(result, out, report, before)
    if broken_off is not None:
        raise broken_off
    return code


def _check_comparable(before: Result, path: Path | None, chosen: list[Scenario]) -> None:
    from visavis.bench.compare import scenarios
    from visavis.flow.errors import InputError

    had = scenarios(before)
    if not {*had} & {scenario.name for scenario in chosen}:
        problem = "has no scenario in common with this run"
        raise InputError(path, problem, f"it has {', '.join(had)}: see --scenario")


def _open(
    chosen: list[Scenario], tier: str | None, url: str | None, model: str | None
) -> tuple[Runner, list[Scenario]]:
    """Who is talked to, and the scenarios that can be tried there."""
    from visavis.bench.runner import LocalRunner
    from visavis.config import load
    from visavis.engines import bundle_names, can_cancel, load_parts
    from visavis.verbs.pull import pull_missing

    config = load(tier=tier)
    pull_missing(bundle_names(config).values(), config)
    click.echo("loading the models …", err=True)
    runner: Runner
    if url is None:
        profile = "speaker" if can_cancel() else "headset"
        config = replace(config, sound=replace(config.sound, profile=profile))
        runner = LocalRunner(load_parts(config))
    else:
        from visavis.bench.realtime import RealtimeRunner

        token = config.realtime_token
        runner = RealtimeRunner(url, _voice(config), token=token, model=model or "")
    kept = []
    for scenario in chosen:
        if why := runner.why_not(scenario):
            click.echo(f"skipped {scenario.name}: {why}", err=True)
        else:
            kept.append(scenario)
    return runner, kept


def _voice(config: Config) -> Voice:
    """The user's voice alone: what it talks to has engines of its own."""
    from visavis import backends
    from visavis.bench.voice import Voice
    from visavis.engines import find_bundles, make_resampler, spare_voice

    installed = find_bundles(config)["tts"]
    tts = backends.load("tts", installed.manifest.backend, installed.options)
    return Voice(tts, make_resampler, spare_voice(tts.rate_hz))


def _list(chosen: list[Scenario]) -> int:
    for scenario in chosen:
        counts = f"{scenario.quick:3} quick, {scenario.full:3} full"
        click.echo(f"{scenario.name:13} {scenario.title:32} {counts}")
    return 0


def _warn_if_busy() -> None:
    from visavis.bench.about import cores, cores_in_use

    in_use = cores_in_use()
    if in_use is not None and in_use > BUSY_SHARE * cores():
        click.echo(
            f"visavis: warning: the machine is busy ({in_use:.1f} of {cores()} cores in use); "
            "the figures will be worse than they could be",
            err=True,
        )


def _tell(episode: Episode) -> None:
    """A line for each episode."""
    from visavis.bench.metrics import BY_NAME

    parts = []
    for name, values in episode.values.items():
        if name in BY_NAME and values:
            share = f"{sum(values) / len(values):.0%}" if BY_NAME[name].rate else ""
            parts.append(f"{name} {share or ' '.join(f'{value:.0f}' for value in values)}")
    trouble = f"  ! {episode.error}" if episode.error else ""
    click.echo(
        f"{episode.name:22} {episode.length_s:5.1f} s  {' · '.join(parts)}{trouble}", err=True
    )


def _conclude(result: Result, out: Path | None, report: Path | None, before: Result | None) -> int:
    from rich.console import Console

    from visavis.bench import store
    from visavis.bench.table import table

    if not result.episodes:
        click.echo("nothing was measured", err=True)
        return 1
    console = Console()
    console.print(result.about["command"], style="bold", highlight=False)
    console.print(table(result))
    if result.is_partial:
        console.print(f"{len(result.episodes)} of {result.planned} episodes", highlight=False)
    failed = [episode.name for episode in result.episodes if episode.error]
    if failed:
        click.echo(f"not played as scripted: {', '.join(failed)}", err=True)
    if out is not None:
        store.save(result, out)
    if report is not None:
        from visavis.bench import report as page

        page.write(result, report)
    if before is None:
        return NOT_PLAYED if failed else 0
    return _compare(before, result, console)


def _compare(before: Result, result: Result, console: Any) -> int:
    from visavis.bench.compare import compare

    comparison = compare(before, result)
    if not comparison.changes:
        click.echo("nothing to compare: the runs have no scenario in common", err=True)
        return NOT_COMPARED
    console.print(comparison.table())
    return REGRESSED if comparison.regressed else 0


def _command(quick: bool, names: tuple[str, ...], seed: int) -> str:
    words = ["visavis bench", *(["--quick"] if quick else [])]
    words += [f"--scenario {name}" for name in names]
    return " ".join([*words, f"--seed {seed}"])
