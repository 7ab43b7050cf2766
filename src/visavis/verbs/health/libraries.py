"""The optional libraries: which are installed, and whether those that are needed import."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
from collections.abc import Iterator

from visavis.verbs.health import child
from visavis.verbs.health.check import Check, Verdict


def checks(needed: set[str]) -> Iterator[Check]:
    """The libraries of every extra; one that is needed must import."""
    running = {
        name: child.start(f"import {_module_of(name)}") for name in needed if version_of(name)
    }
    for extra, name, pin in _requirements():
        version = version_of(name)
        if name in running:
            yield _importable(extra, name, version, running[name])
        elif version is None:
            verdict: Verdict = "problem" if name in needed else "note"
            remedy = f"pip install 'visavis[{extra}]'"
            yield Check("libraries", name, verdict, f"not installed (extra {extra})", remedy)
        elif pin and pin != version:
            remedy = f"pip install 'visavis[{extra}]'"
            yield Check("libraries", name, "note", f"{version}, tested with {pin}", remedy)
        else:
            yield Check("libraries", name, "ok", version)


def _importable(
    extra: str, name: str, version: str | None, running: subprocess.Popen[str]
) -> Check:
    code, _, err = child.result(running)
    if code == 0:
        return Check("libraries", name, "ok", str(version))
    died = f"importing it kills the process (signal {-code})"
    value = f"{version}, but {died if code < 0 else child.last(err)}"
    remedy = f"pip install --force-reinstall 'visavis[{extra}]'"
    return Check("libraries", name, "problem", value, remedy)


def _requirements() -> Iterator[tuple[str, str, str]]:
    """Extra, library and exact version (or "") of each optional requirement of visavis."""
    for line in importlib.metadata.requires("visavis") or ():
        found = re.match(r"([\w.-]+)\s*(?:==\s*([\w.]+))?.*extra == ['\"](\w+)['\"]", line)
        if found and found[3] != "dev":
            yield found[3], found[1], found[2] or ""


def version_of(name: str) -> str | None:
    """The installed version of a distribution; None if it is not installed."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _module_of(name: str) -> str:
    """The module that the distribution `name` is imported as."""
    plain = name.replace("-", "_")
    homes = importlib.metadata.packages_distributions()
    modules = sorted(each for each, dists in homes.items() if name in dists and each[0] != "_")
    return plain if plain in modules or not modules else modules[0]
