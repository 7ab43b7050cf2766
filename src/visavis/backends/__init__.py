"""Engines behind the contract: one file = one backend.

`load` finds a backend by its kind and name: a module of this package, or one that another package
offers under the entry-point group `visavis.backends.<kind>`.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from visavis.backends.contract import Options
from visavis.flow.errors import BackendMissing, InputError

_LOAD = "\ndef load("


def names(kind: str) -> tuple[str, ...]:
    """The backends of a kind that can be named in a bundle manifest."""
    folders = importlib.import_module(f"{__name__}.{kind}").__path__
    files = [
        (module.name, Path(folder))
        for folder in folders
        for module in pkgutil.iter_modules([folder])
    ]
    # Read, not imported: their libraries need not be here. What has no `load` only helps others.
    own = [name for name, folder in files if _LOAD in (folder / f"{name}.py").read_text("utf-8")]
    offered = [entry.name for entry in entry_points(group=f"visavis.backends.{kind}")]
    return tuple(sorted({*own, *offered}))


def load(kind: str, name: str, options: Options) -> Any:
    """Loads backend `name`. Raises `InputError` if unknown, `BackendMissing` for its library."""
    for entry in entry_points(group=f"visavis.backends.{kind}", name=name):
        return entry.load()(options)
    module_name = f"{__name__}.{kind}.{name}"
    if not name.isidentifier() or importlib.util.find_spec(module_name) is None:
        known = ", ".join(names(kind))
        raise InputError(f"backend {name!r}", f"no such {kind}", f"known are {known}")
    try:
        return importlib.import_module(module_name).load(options)
    except ModuleNotFoundError as error:
        # The library that is really missing, by its own name.
        raise BackendMissing(f"{kind}/{name}", error.name or "?", "local") from error
