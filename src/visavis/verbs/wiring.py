"""`visavis wiring`: the table of nodes as a chart."""

from __future__ import annotations

import click


@click.command()
def wiring() -> None:
    """Print which node takes and gives what, as a Mermaid flow chart.

    \b
    visavis wiring > wiring.mmd          open in any Mermaid viewer
    """
    from visavis.wiring import mermaid

    click.echo(mermaid())
