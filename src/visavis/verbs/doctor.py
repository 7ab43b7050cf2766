"""`visavis doctor`: what this machine has, and what to do about what is missing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from visavis.verbs.health import Check

_MARKS = {"ok": ("✓", "green"), "note": ("–", "yellow"), "problem": ("✗", "red")}


@click.command()
@click.option("--tier", help="Examine for this tier instead of the configured one.")
@click.option("--verify", is_flag=True, help="Read and hash every model file again.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def doctor(*, tier: str | None, verify: bool, as_json: bool) -> None:
    """Say what this machine has, and what to do about what is missing.

    Touches no network and changes nothing. Exits with 0 when the tier can run, 1 otherwise. Where
    the configuration's file cannot be used, it says why, and looks at the rest without it.

    \b
    visavis doctor                 a look at everything
    visavis doctor --verify        does every model file still have its hash?
    visavis doctor --json | jq '.checks[] | select(.verdict == "problem")'
    """
    from visavis.config import load_what_can_be
    from visavis.verbs.health import as_rows, everything
    from visavis.verbs.health.settings import broken

    config, error = load_what_can_be(tier=tier)
    checks = everything(config, thorough=verify)
    if error is not None:
        checks = [broken(error), *checks]
    ready = not any(check.verdict == "problem" for check in checks)
    if as_json:
        told = {"ready": ready, "tier": config.tier, "checks": as_rows(checks)}
        click.echo(json.dumps(told, indent=2))
    else:
        _print(checks)
        click.echo(f"\nThe tier {config.tier} " + _outcome(checks))
    click.get_current_context().exit(0 if ready else 1)


def _outcome(checks: Sequence[Check]) -> str:
    """Whether it can run, and if not, what to do, each thing once."""
    steps = [check.remedy or check.value for check in checks if check.verdict == "problem"]
    if not steps:
        return "can run: try 'visavis demo'."
    return "cannot run yet. Do this:\n" + "\n".join(f"  {step}" for step in dict.fromkeys(steps))


def _print(checks: Sequence[Check]) -> None:
    for group, members in groupby(checks, key=lambda check: check.group):
        click.secho(group, bold=True)
        for check in members:
            mark, colour = _MARKS[check.verdict]
            click.echo(f"  {click.style(mark, fg=colour)} {check.name:<16} {check.value}")
            if check.remedy:
                click.echo(f"    {'':<16} {check.remedy}")
