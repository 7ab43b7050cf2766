"""A path on the command line.

Takes what was given; gives a `Path`. Invariant: it is never empty. What is made of the empty text,
as by a variable of the shell that is not set, is the folder one stands in, and nobody meant that.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from visavis.flow.errors import InputError


class NamedPath(click.Path):
    """A path that has a name."""

    def __init__(self, *, file_okay: bool = True) -> None:
        super().__init__(file_okay=file_okay, path_type=Path)

    def convert(
        self,
        value: str | os.PathLike[str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Any:
        if value == "":
            subject = (param.metavar or param.opts[0]) if param else "a path"
            raise InputError(subject, "the name is empty", "name a file or folder")
        return super().convert(value, param, ctx)


FILE = NamedPath()
