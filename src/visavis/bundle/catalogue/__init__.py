"""The bundles that visavis ships manifests for, and the tiers made of them.

The `.toml` files beside this one are the catalogue: one a bundle, and `tiers.toml`. Invariant:
every bundle of a tier is in the catalogue (a test reads them all).
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from visavis.bundle.manifest import Manifest
from visavis.bundle.parse import parse
from visavis.flow.errors import BundleError, InputError

TIERS = "tiers.toml"
_RENAMED = {"whisper-base-en": "whisper-tiny-en"}


@dataclass(frozen=True, slots=True)
class Tier:
    """A named set of bundles that together run a conversation.

    `settings`, by kind, go over those of the tier's own bundle.
    """

    name: str
    summary: str
    bundles: tuple[str, ...]
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@cache
def names() -> tuple[str, ...]:
    """Every bundle of the catalogue, sorted."""
    files = (entry.name for entry in resources.files(__name__).iterdir())
    manifests = (name for name in files if name.endswith(".toml") and name != TIERS)
    return tuple(sorted(name.removesuffix(".toml") for name in manifests))


def current(name: str) -> str:
    """The name that `name` goes by today."""
    return _RENAMED.get(name, name)


@cache
def manifest(name: str) -> Manifest:
    """The shipped manifest of the bundle `name`. Raises `BundleError` when there is none."""
    known = current(name)
    if known not in names():
        raise BundleError(name, "no such bundle", _suggest(name, names()))
    text = resources.files(__name__).joinpath(f"{known}.toml").read_text("utf-8")
    return parse(text, name=f"catalogue/{known}.toml")


@cache
def tiers() -> dict[str, Tier]:
    """Every tier by name, from the smallest up."""
    text = resources.files(__name__).joinpath(TIERS).read_text("utf-8")
    return {
        name: Tier(name, row["summary"], tuple(row["bundles"]), row.get("settings", {}))
        for name, row in tomllib.loads(text).items()
    }


def tier(name: str) -> Tier:
    """The tier `name`. Raises `InputError` when there is none."""
    if name not in tiers():
        raise InputError(name, "no such tier", f"there is: {', '.join(tiers())}")
    return tiers()[name]


def chosen(tier_name: str, instead: Mapping[str, str]) -> dict[str, str]:
    """The bundles of a tier by kind, with those of `instead` in their places."""
    return {manifest(name).kind: name for name in tier(tier_name).bundles} | dict(instead)


def settings(tier_name: str, kind: str, bundle: str) -> Mapping[str, Any]:
    """What the tier changes in the settings of this bundle, if it is the tier's own."""
    found = tier(tier_name)
    return found.settings.get(kind, {}) if bundle in found.bundles else {}


def _suggest(name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else "'visavis pull --list' shows them all"
