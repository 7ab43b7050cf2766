"""Configuration: frozen dataclasses, one dial (the tier). The only reader of environment and TOML.

Order: defaults, then the file (`VISAVIS_CONFIG`, else `config.toml` in the user's configuration
folder), then the environment, then what the command line says. A key that is not known, or a
value that is not of its kind, is an `InputError` that names the file and the key.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import platformdirs

from visavis.flow.errors import InputError


@dataclass(frozen=True, slots=True)
class Reply:
    """How answers are made. `system`: empty = the tier's own; `seed` None = a fresh one."""

    system: str = ""
    temperature: float = 0.4
    top_p: float = 0.6
    max_tokens: int = 192
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Turns:
    """How turns are taken. Times in milliseconds."""

    pause_ms: int = 100
    sure_ms: int = 200
    unsure_ms: int = 1_200
    patience_ms: int = 30_000


@dataclass(frozen=True, slots=True)
class Sound:
    """How sound is made. `look_ahead_s`: how far synthesis runs ahead of the ear."""

    look_ahead_s: float = 4.0
    ring_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Config:
    """Everything a user can choose. `bundles` replaces bundles of the tier, by kind."""

    tier: str = "tiny"
    language: str = ""
    offline: bool = False
    models: Path = field(
        default_factory=lambda: Path(platformdirs.user_cache_dir("visavis")) / "models"
    )
    hub_url: str = "https://huggingface.co"
    hub_token: str = field(default="", repr=False)
    bundles: dict[str, str] = field(default_factory=dict)
    reply: Reply = field(default_factory=Reply)
    turns: Turns = field(default_factory=Turns)
    sound: Sound = field(default_factory=Sound)


def load(environ: Mapping[str, str] | None = None, **changes: Any) -> Config:
    """The configuration in force. `changes` are the command line's; None means not given."""
    environ = os.environ if environ is None else environ
    config = _from_file(_path(environ))
    if models := environ.get("VISAVIS_MODELS"):
        config = replace(config, models=Path(models).expanduser())
    if environ.get("VISAVIS_OFFLINE", "").lower() in ("1", "true", "yes"):
        config = replace(config, offline=True)
    # The hub's own variables, which mirrors are used through.
    if hub_url := environ.get("HF_ENDPOINT"):
        config = replace(config, hub_url=hub_url)
    if hub_token := environ.get("HF_TOKEN"):
        config = replace(config, hub_token=hub_token)
    return replace(config, **{key: value for key, value in changes.items() if value is not None})


def inherited() -> dict[str, str]:
    """The environment as it is, to be handed on to a child process."""
    return dict(os.environ)


def _path(environ: Mapping[str, str]) -> Path | None:
    if named := environ.get("VISAVIS_CONFIG"):
        return Path(named).expanduser()
    usual = Path(platformdirs.user_config_dir("visavis")) / "config.toml"
    return usual if usual.is_file() else None


def _from_file(path: Path | None) -> Config:
    if path is None:
        return Config()
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(path, error.strerror or "cannot be read", "check VISAVIS_CONFIG") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(path, f"is not TOML: {error}", "see `visavis doctor`") from None
    _refuse_unknown(path, table, Config, "")
    try:
        return msgspec.convert(table, Config)
    except msgspec.ValidationError as error:
        raise InputError(path, str(error), "correct the value") from None


def _refuse_unknown(path: Path, table: Mapping[str, Any], kind: Any, prefix: str) -> None:
    known = {entry.name: entry for entry in fields(kind)}
    for key, value in table.items():
        if key not in known:
            names = ", ".join(known)
            raise InputError(path, f"unknown key {prefix}{key!r}", f"known are {names}")
        inner = known[key].default_factory
        if isinstance(value, dict) and is_dataclass(inner):
            _refuse_unknown(path, value, inner, f"{key}.")
