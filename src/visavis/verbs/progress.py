"""Shows a pull on the terminal: one bar a file. Says nothing where there is no terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bars

    from visavis.bundle.fetch import Progress, Report


@contextmanager
def shown() -> Iterator[Report]:
    """A report for `pull` that draws bars on stderr while the context lasts."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", style="bold"),
        TextColumn("{task.fields[what]}", style="dim"),
        BarColumn(bar_width=24),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bars:
        yield _Rows(bars).show


class _Rows:
    """Gives each file of each bundle a bar of its own, and a new length for each step."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._rows: dict[tuple[str, str], int] = {}

    def show(self, progress: Progress) -> None:
        key = (progress.bundle, progress.file)
        if key not in self._rows:
            name = f"{progress.bundle}  {progress.file}"
            self._rows[key] = self._bars.add_task(name, total=None, what="")
        self._bars.update(
            self._rows[key],  # type: ignore[arg-type]
            what=progress.what,
            completed=progress.done_bytes,
            total=progress.total_bytes or None,
        )
