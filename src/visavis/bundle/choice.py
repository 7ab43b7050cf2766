"""Whether the bundles that were chosen fit: each its kind, all of them the language.

Takes names by kind and a language (empty: none was named). Gives manifests, errors and warnings,
from manifests alone: nothing is loaded and nothing needs to be installed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from visavis.bundle import catalogue
from visavis.bundle.manifest import Manifest
from visavis.bundle.store import Store
from visavis.flow.errors import BundleError, InputError

KINDS = ("vad", "asr", "turn", "llm", "tts")
_WHERE = "under [bundles] in config.toml"
_SPEAKING = ("llm", "tts")


class Misfit(NamedTuple):
    """A bundle that does not know the language; the conversation can be held all the same."""

    name: str
    problem: str
    remedy: str


def manifests(names: Mapping[str, str], store: Store) -> dict[str, Manifest]:
    """The manifests by kind. Raises `BundleError` if one is unknown or of another kind."""
    return {kind: manifest(kind, name, store) for kind, name in names.items()}


def manifest(kind: str, name: str, store: Store) -> Manifest:
    """The manifest of the bundle `name`, chosen as `kind`. Raises `BundleError`."""
    if kind not in KINDS:
        known = ", ".join(KINDS)
        remedy = f"known are {known}; a setting of another section belongs above [bundles]"
        raise BundleError(f"bundles.{kind}", "no such kind", remedy)
    outside = catalogue.current(name) not in catalogue.names() and store.has(name)
    found = store.find(name).manifest if outside else catalogue.manifest(name)
    if found.kind != kind:
        remedy = f"choose another {_WHERE}, such as {', '.join(_of(kind))}"
        raise BundleError(name, f"is a {found.kind} bundle, not {kind}", remedy)
    return found


def refuse_unheard(chosen: Mapping[str, Manifest], language: str) -> None:
    """Raises `InputError` if the recogniser does not understand `language`."""
    asr = chosen.get("asr")
    if asr and not _knows(asr, language):
        problem = f"{asr.name} understands only {', '.join(asr.languages)}"
        raise InputError(f"language {language!r}", problem, _instead("asr", language))


def misfits(chosen: Mapping[str, Manifest], language: str) -> Iterator[Misfit]:
    """The language model and the voice, where they do not know `language`."""
    for kind in _SPEAKING:
        if (found := chosen.get(kind)) and not _knows(found, language):
            problem = f"speaks only {', '.join(found.languages)}, not {language}"
            yield Misfit(found.name, problem, _instead(kind, language))


def _knows(manifest: Manifest, language: str) -> bool:
    known = {_primary(each) for each in manifest.languages}
    return not (known and language) or _primary(language) in known


def _primary(language: str) -> str:
    return language.partition("-")[0].lower()


def _instead(kind: str, language: str) -> str:
    fitting = [name for name in _of(kind) if _knows(catalogue.manifest(name), language)]
    if not fitting:
        return f"set {kind} to a bundle of your own {_WHERE}"
    return f"run 'visavis pull {fitting[0]}' and set {kind} = \"{fitting[0]}\" {_WHERE}"


def _of(kind: str) -> list[str]:
    return [name for name in catalogue.names() if catalogue.manifest(name).kind == kind]
