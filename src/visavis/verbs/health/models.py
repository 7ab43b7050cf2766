"""The models of the tier, and whether a missing one could be fetched."""

from __future__ import annotations

from collections.abc import Iterator

from visavis import backends
from visavis.bundle import catalogue, choice
from visavis.bundle.fetch import pip
from visavis.bundle.store import Store
from visavis.config import Config
from visavis.flow.errors import BundleError, InputError, PullError
from visavis.verbs.health.check import Check


def checks(config: Config, *, thorough: bool = False) -> Iterator[Check]:
    """The models of the tier, and whether a missing one could be fetched."""
    store, lacking = Store(config.models), False
    pull_all = f"run 'visavis pull --tier {config.tier}'"
    for kind, name in catalogue.chosen(config.tier, config.bundles).items():
        try:
            choice.manifest(kind, name, store)
            if not store.has(name):
                raise BundleError(name, "is not installed", pull_all)
            installed = store.find(name)
            _find_backend(kind, name, installed.manifest.backend)
            if thorough:
                installed.verify()
            shown = f"{installed.manifest.version}, {installed.manifest.size_bytes / 1e6:,.1f} MB"
            licence = installed.manifest.licence.spdx
            yield Check("models", name, "ok", f"{shown}, verified, {licence}")
        except BundleError as error:
            lacking = True
            yield Check("models", name, "problem", error.problem, error.remedy)
    yield from _language(config, store)
    if lacking:
        try:
            pip.command()
        except PullError as error:
            yield Check("models", "pip", "problem", error.problem, error.remedy)


def _find_backend(kind: str, name: str, backend: str) -> None:
    if backend not in backends.names(kind):
        known = f"known are {', '.join(backends.names(kind))}; a package may offer others"
        raise BundleError(name, f"its backend {backend!r} is not here", known)


def _language(config: Config, store: Store) -> Iterator[Check]:
    """Whether the models know the language that is expected."""
    try:
        chosen = choice.manifests(catalogue.chosen(config.tier, config.bundles), store)
    except BundleError:
        return  # told already
    try:
        choice.refuse_unheard(chosen, config.language)
    except InputError as error:
        yield Check("models", "language", "problem", error.problem, error.remedy)
    for each in choice.misfits(chosen, config.language):
        problem = f"{each.name} {each.problem}"
        yield Check("models", "language", "note", problem, each.remedy)


def libraries_of(config: Config) -> set[str]:
    """The libraries that the bundles of the configuration need."""
    needed: set[str] = set()
    for name in catalogue.chosen(config.tier, config.bundles).values():
        if name in catalogue.names():
            needed.update(catalogue.manifest(name).requires.libraries)
    return needed
