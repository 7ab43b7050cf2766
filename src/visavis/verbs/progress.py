"""Shows a pull on the terminal: one bar a bundle. Says nothing where there is no terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from visavis.bundle.fetch import Progress, Report


@contextmanager
def shown() -> Iterator[Report]:
    """A report for `pull` that draws bars on stderr while the context lasts."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description:<16}", style="bold"),
        TextColumn("{task.fields[what]:<11}", style="dim"),
        BarColumn(bar_width=20),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bars:
        yield _Rows(bars).show


class _Rows:
    """Gives each bundle a bar, and a new one in its place for each step of each of its files."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._rows: dict[str, tuple[TaskID, str, str]] = {}

    def show(self, progress: Progress) -> None:
        bundle, step = progress.bundle, (progress.file, progress.what)
        row, *shown_step = self._rows.get(bundle, (None, "", ""))
        if row is None or tuple(shown_step) != step:
            if row is not None:
                self._bars.remove_task(row)
            row = self._bars.add_task(bundle, total=None, what=progress.what)
            self._rows[bundle] = (row, *step)
        self._bars.update(row, completed=progress.done_bytes, total=progress.total_bytes or None)
