"""`visavis pull`: fetches bundles into the store, or lists them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from visavis.flow.errors import BundleError, InputError, PullError
from visavis.verbs.path import FILE

if TYPE_CHECKING:
    from visavis.bundle.fetch import Access, Report
    from visavis.bundle.manifest import Manifest
    from visavis.bundle.store import Store
    from visavis.config import Config


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one bundle: `present` before, `pulled`, `failed` or `skipped`."""

    manifest: Manifest
    state: str
    directory: Path | None = None
    error: BundleError | InputError | PullError | None = None


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--tier", help="Fetch what this tier runs on.")
@click.option("--list", "listing", is_flag=True, help="Show all bundles and fetch nothing.")
@click.option("--manifest", type=FILE, help="Fetch what this file describes.")
@click.option("--force", is_flag=True, help="Fetch again what is there already.")
@click.option("--offline", is_flag=True, help="Use no network; fail if it would be needed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout instead of text.")
def pull(
    *,
    names: tuple[str, ...],
    tier: str | None,
    listing: bool,
    manifest: Path | None,
    force: bool,
    offline: bool,
    as_json: bool,
) -> None:
    """Fetch models into the local store; without a name, those of your tier.

    A bundle is fetched once, checked by its SHA-256, and appears in the store whole or not at
    all. Interrupted, it goes on where it stopped when you run the same again. The store is
    ~/.cache/visavis/models, or the directory in VISAVIS_MODELS.

    \b
    visavis pull                         what a first conversation needs
    visavis pull --list                  what there is, how large, under which licence
    visavis pull whisper-base            one bundle: speech recognition in 99 languages
    visavis pull silero-vad --force      again, when a file is damaged
    visavis pull --manifest bundle.toml  a bundle of your own
    visavis pull --offline               check that everything is here; touch no network
    """
    from visavis.bundle.store import Store
    from visavis.config import load

    config = load(tier=tier, offline=offline or None)
    store = Store(config.models)
    wanted = _wanted(names, tier, manifest, config)
    if listing:
        _list(wanted if names or tier or manifest else None, store, config, as_json)
        return
    if not as_json:
        _show_licences(wanted)
    outcomes = pull_all(wanted, store, config, force=force)
    _tell(outcomes, as_json)
    failed = [each.error.exit_code for each in outcomes if each.error]
    click.get_current_context().exit(failed[0] if failed else 0)


def pull_missing(names: Iterable[str], config: Config) -> None:
    """Fetches those of the named bundles that the store lacks, showing how far it is.

    Silent if none is lacking. Raises as `bundle.pull.pull` does, at the first that fails.
    """
    from visavis.bundle import catalogue
    from visavis.bundle.store import Store

    store = Store(config.models)
    lacking = [m for m in map(catalogue.manifest, names) if _state(m, store) != "installed"]
    if not lacking:
        return
    _show_licences(lacking, err=True)
    for outcome in pull_all(lacking, store, config):
        if outcome.error:
            raise outcome.error


def pull_all(
    wanted: Sequence[Manifest], store: Store, config: Config, *, force: bool = False
) -> list[Outcome]:
    """Fetches one after the other. After a failure of network or disk the rest is skipped."""
    from visavis.verbs.progress import shown

    outcomes: list[Outcome] = []
    with shown() as report:
        for manifest in wanted:
            if any(isinstance(each.error, PullError) for each in outcomes):
                outcomes.append(Outcome(manifest, "skipped"))
            else:
                outcomes.append(_pull_one(manifest, store, access(config), report, force))
    return outcomes


def access(config: Config) -> Access:
    """How a pull may reach the world under this configuration."""
    from visavis.bundle.fetch import Access
    from visavis.config import inherited

    return Access(config.offline, config.hub_url, config.hub_token, inherited())


def _pull_one(
    manifest: Manifest, store: Store, access: Access, report: Report, force: bool
) -> Outcome:
    from visavis.bundle.pull import pull

    before = _state(manifest, store)
    try:
        installed = pull(manifest, store, access=access, report=report, force=force)
    except (BundleError, InputError, PullError) as error:
        return Outcome(manifest, "failed", error=error)
    state = "present" if before == "installed" and not force else "pulled"
    return Outcome(manifest, state, installed.directory)


def _wanted(
    names: tuple[str, ...], tier: str | None, path: Path | None, config: Config
) -> list[Manifest]:
    """The manifests that the command line asks for, each once."""
    from visavis.bundle import catalogue
    from visavis.bundle.parse import read
    from visavis.bundle.store import Store

    given = [read(path)] if path else []
    if tier or not (names or path):
        names = (*names, *catalogue.chosen(config.tier, config.bundles).values())
    store = Store(config.models)
    manifests = [*given, *(_manifest(name, store) for name in names)]
    return list({manifest.name: manifest for manifest in manifests}.values())


def _manifest(name: str, store: Store) -> Manifest:
    """The shipped manifest of a bundle, or the one it was pulled by from elsewhere."""
    from visavis.bundle import catalogue

    outside = catalogue.current(name) not in catalogue.names() and store.has(name)
    return store.find(name).manifest if outside else catalogue.manifest(name)


def _state(manifest: Manifest, store: Store) -> str:
    if not store.place(manifest).is_dir():
        return "missing"
    try:
        store.load(manifest)
    except BundleError:
        return "damaged"
    return "installed"


def _list(wanted: Sequence[Manifest] | None, store: Store, config: Config, as_json: bool) -> None:
    """Lists the wanted bundles, or all: those of the catalogue and what else is in the store."""
    from visavis.bundle import catalogue

    rows = {m.name: m for m in wanted or map(catalogue.manifest, catalogue.names())}
    if wanted is None:
        rows = {each.manifest.name: each.manifest for each in store.installed()} | rows
    states = {name: _state(manifest, store) for name, manifest in rows.items()}
    if as_json:
        click.echo(
            json.dumps([_row(m) | {"state": states[m.name]} for m in rows.values()], indent=2)
        )
        return
    tier = catalogue.tier(config.tier)
    _print_table([rows[name] for name in sorted(rows)], states, tier.bundles)
    bundles = [catalogue.manifest(name) for name in tier.bundles]
    have = sum(_state(manifest, store) == "installed" for manifest in bundles)
    kept, fetched = (
        _size(sum(getattr(manifest, which) for manifest in bundles))
        for which in ("size_bytes", "fetch_bytes")
    )
    click.echo(f"\n* in the tier {tier.name}: {have} of {len(bundles)} installed")
    click.echo(f"  {kept} on the disk, {fetched} to fetch")
    click.echo(f"store: {store.root}")


def _print_table(rows: Sequence[Manifest], states: dict[str, str], tier: tuple[str, ...]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("bundle", "kind", "size", "languages", "licence", "state"):
        table.add_column(title, justify="right" if title == "size" else "left", no_wrap=True)
    for manifest in rows:
        star = " *" if manifest.name in tier else ""
        table.add_row(
            f"{manifest.name}{star}",
            manifest.kind,
            _size(manifest.size_bytes),
            ", ".join(manifest.languages) or "any",
            escape(manifest.licence.spdx),
            states[manifest.name],
        )
    console.print(table, soft_wrap=not console.is_terminal)


def _row(manifest: Manifest) -> dict[str, Any]:
    return {
        "name": manifest.name,
        "version": manifest.version,
        "kind": manifest.kind,
        "summary": manifest.summary,
        "languages": list(manifest.languages),
        "licence": manifest.licence.spdx,
        "licence_note": manifest.licence.note,
        "size_bytes": manifest.size_bytes,
        "fetch_bytes": manifest.fetch_bytes,
    }


def _show_licences(wanted: Sequence[Manifest], *, err: bool = False) -> None:
    for manifest in wanted:
        note = f" ({manifest.licence.note})" if manifest.licence.note else ""
        size, licence = _size(manifest.fetch_bytes), f"{manifest.licence.spdx}{note}"
        click.echo(f"{manifest.name:<18}{size:>9}  {licence}", err=err)


def _tell(outcomes: Sequence[Outcome], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([_told(each) for each in outcomes], indent=2))
        return
    for each in outcomes:
        if each.error:
            click.echo(f"visavis: {each.error}", err=True)
        else:
            click.echo(f"{each.manifest.name:<18}{each.state:>9}  {each.directory or ''}".rstrip())


def _told(outcome: Outcome) -> dict[str, Any]:
    end: dict[str, Any] = {"state": outcome.state}
    if outcome.directory:
        end["directory"] = str(outcome.directory)
    if outcome.error:
        end["error"] = str(outcome.error)
    return _row(outcome.manifest) | end


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"
