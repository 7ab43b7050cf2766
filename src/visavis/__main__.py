"""The verbs of the command line. Each lives in `verbs/` and is imported when it is called."""

from __future__ import annotations

import sys

CANCELLED = 130
try:
    import difflib
    import importlib
    import logging
    import os
    from contextlib import suppress
    from importlib.metadata import version
    from typing import NoReturn

    import click

    from visavis.flow.errors import VisavisError
except KeyboardInterrupt:
    sys.stderr.write("visavis: cancelled\n")
    sys.exit(CANCELLED)

VERBS = {
    "demo": "Hear a whole conversation happen, with an interruption; nothing to prepare.",
    "talk": "A recording in, the spoken answers out; or talk at the microphone.",
    "pull": "Fetch models into the local store, or list them.",
    "replay": "Feed a recording to the same stations and report the first difference.",
    "bench": "Measure how it converses: turns, interruptions, what it remembers.",
    "doctor": "What this machine has, and what to do about what is missing.",
    "wiring": "Print the table of nodes as a Mermaid chart.",
}


class Verbs(click.Group):
    """Lists the verbs without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"visavis.verbs.{cmd_name}")
        command = getattr(module, cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = difflib.get_close_matches(args[0], VERBS, 1)
            if not near:
                raise
            raise click.UsageError(f"{error.message} Did you mean '{near[0]}'?", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("visavis"), prog_name="visavis")
@click.option(
    "-v", "--verbose", is_flag=True, help="Say on stderr what is loaded, decided and lost."
)
def cli(verbose: bool) -> None:
    """Face to face with your own machine: talk to it, interrupt it; nothing leaves the device.

    \b
    visavis demo                                    hear it, no preparation
    visavis talk --audio question.wav --out answer.wav
    visavis talk --audio talk.mp3 --record run.mcap --json
    visavis replay run.mcap
    """
    level = logging.INFO if verbose else logging.ERROR
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")


def main() -> None:
    """Runs a verb. An error is one line on stderr: exit 2 for usage and input, 1 for failure."""
    _open_missing_streams()
    try:
        code = cli.main(prog_name="visavis", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except VisavisError as error:
        _end(error.exit_code, str(error))
    except OSError as error:  # what no verb expected; most likely stdout could not be written
        about = f"{error.filename}: " if error.filename else ""
        _end(1, f"{about}{error.strerror or error}")
    except (click.Abort, KeyboardInterrupt):
        _end(CANCELLED, "cancelled")
    sys.exit(code if isinstance(code, int) else 0)


def _end(code: int, why: str) -> NoReturn:
    with suppress(OSError):
        click.echo(f"visavis: {why}", err=True)
    with suppress(ValueError):  # closed
        try:
            sys.stdout.flush()
        except OSError:  # it would fail again, and loudly, when the interpreter ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _open_missing_streams() -> None:
    """A stream that was closed from without (`2>&-`) leads nowhere, not into the next file."""
    # In the order of their numbers: each takes the lowest that is free.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 - lives on


if __name__ == "__main__":
    main()
