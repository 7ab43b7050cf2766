"""The models of the tier, and whether a missing one could be fetched."""

from __future__ import annotations

from collections.abc import Iterator

from visavis.bundle import catalogue
from visavis.bundle.fetch import pip
from visavis.bundle.store import Store
from visavis.config import Config
from visavis.flow.errors import BundleError, PullError
from visavis.verbs.health.check import Check


def checks(config: Config, *, thorough: bool = False) -> Iterator[Check]:
    """The models of the tier, and whether a missing one could be fetched."""
    store, lacking = Store(config.models), False
    pull_all = f"run 'visavis pull --tier {config.tier}'"
    for name in catalogue.chosen(config.tier, config.bundles).values():
        try:
            installed = store.find(name)
            if thorough:
                installed.verify()
            shown = f"{installed.manifest.version}, {installed.manifest.size_bytes / 1e6:,.1f} MB"
            licence = installed.manifest.licence.spdx
            yield Check("models", name, "ok", f"{shown}, verified, {licence}")
        except BundleError as error:
            lacking = True
            remedy = error.remedy if store.has(name) else pull_all
            yield Check("models", name, "problem", error.problem, remedy)
    if lacking:
        try:
            pip.command()
        except PullError as error:
            yield Check("models", "pip", "problem", error.problem, error.remedy)


def libraries_of(config: Config) -> set[str]:
    """The libraries that the bundles of the configuration need."""
    needed: set[str] = set()
    for name in catalogue.chosen(config.tier, config.bundles).values():
        if name in catalogue.names():
            needed.update(catalogue.manifest(name).requires.libraries)
    return needed
