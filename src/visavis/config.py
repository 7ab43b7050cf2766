"""Configuration: frozen dataclasses, one dial (the tier). The only reader of environment and TOML.

Order: defaults, then the file (`VISAVIS_CONFIG`, else `config.toml` in the user's configuration
folder), then the environment, then what the command line says. A key that is not known, or a
value that is not of its kind or range, is an `InputError` that names the file and the key, and
says where the key belongs or what it may have been meant to be.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_type_hints

import msgspec
import platformdirs

from visavis.flow.errors import InputError

MOST_SEED = 2**32 - 2
"""What llama.cpp takes; its highest stands for a random one."""

PROFILES = ("headset", "speaker", "browser", "half-duplex")


class Range(NamedTuple):
    """The values that a number may have. `open`: the least is not one of them."""

    least: float
    most: float
    open: bool = False

    def holds(self, value: float) -> bool:
        """Never so for NaN."""
        return self.least <= value <= self.most and not (self.open and value == self.least)

    def __str__(self) -> str:
        return f"a number {'above' if self.open else 'from'} {self.least:g} up to {self.most:.10g}"


class Choices(NamedTuple):
    """The words that a value may be. The empty one leaves it to us."""

    words: tuple[str, ...]

    def holds(self, value: str) -> bool:
        return not value or value in self.words

    def __str__(self) -> str:
        return f"one of {', '.join(self.words)}"


def _within(default: Any, least: float, most: float, *, open: bool = False) -> Any:
    return field(default=default, metadata={"allowed": Range(least, most, open)})


def _one_of(words: tuple[str, ...]) -> Any:
    return field(default="", metadata={"allowed": Choices(words)})


def _ms(default: int) -> Any:
    return _within(default, 1, 600_000)


@dataclass(frozen=True, slots=True)
class Reply:
    """How answers are made. `system`: empty = the tier's own; `seed` None = a fresh one.

    `greeting`: what is said first, unless the initiative is quiet; None = the one of the language,
    empty = nothing.
    `tool_limit_s`: how long a tool may take.
    """

    system: str = ""
    greeting: str | None = None
    temperature: float = _within(0.4, 0, 2)
    top_p: float = _within(0.6, 0, 1, open=True)
    max_tokens: int = _within(192, 1, 2048)
    seed: int | None = _within(None, 0, MOST_SEED)
    tool_limit_s: float = _within(30.0, 0.1, 600)


@dataclass(frozen=True, slots=True)
class Turns:
    """How turns are taken. Times in milliseconds.

    `draft_tokens`: how many tokens of answers begun too soon may be wasted a minute; 0 = none is
    begun before the turn is over.
    """

    pause_ms: int = _ms(100)
    sure_ms: int = _ms(200)
    unsure_ms: int = _ms(1_200)
    patience_ms: int = _ms(30_000)
    draft_tokens: int = _within(600, 0, 100_000)


@dataclass(frozen=True, slots=True)
class Sound:
    """How sound is made and heard. `look_ahead_s`: how far synthesis runs ahead of the ear.

    `profile`: what keeps us from hearing ourselves. headset = nothing need be done; speaker = the
    echo is cancelled; browser = the client does it; half-duplex = the microphone is shut while we
    speak. Empty: at a microphone speaker, if that can be done, else headset.
    """

    look_ahead_s: float = _within(4.0, 0.1, 30)
    ring_s: float = _within(60.0, 30, 600)
    profile: str = _one_of(PROFILES)
    noise_suppression: bool = False


@dataclass(frozen=True, slots=True)
class Sight:
    """How much is seen. `rate_hz`: pictures a second that are taken in; `max_pixels`: their size.

    `screen_rate_hz`, `screen_max_pixels`: the same of a screen, which changes seldom and is full of
    small writing. `keep_s`: how long each is kept, so that a word that points finds the picture of
    its moment. `heartbeat_s`: how often it looks although nothing happens. `reading`: whether the
    writing in a view is read, where there is an engine for that. `memory_mb`: how much of what was
    seen is remembered; 0 = nothing.
    """

    rate_hz: float = _within(30.0, 1, 120)
    max_pixels: int = _within(640 * 480, 128 * 128, 1920 * 1080)
    screen_rate_hz: float = _within(2.0, 0.5, 10)
    screen_max_pixels: int = _within(1280 * 720, 128 * 128, 2560 * 1440)
    keep_s: float = _within(2.0, 0.5, 10)
    heartbeat_s: float = _within(30.0, 1, 3600)
    reading: bool = True
    memory_mb: float = _within(16.0, 0, 1024)


@dataclass(frozen=True, slots=True)
class Config:
    """Everything a user can choose. `bundles` replaces bundles of the tier, by kind.

    `names`: what it is called; who says one of them over its speech means it.
    `initiative`: what is said unasked. quiet = nothing but warnings; polite = a greeting, remarks
    in a silence, a murmur in a long pause; lively = the same, sooner.
    """

    tier: str = "tiny"
    language: str = ""
    names: tuple[str, ...] = ()
    initiative: Literal["quiet", "polite", "lively"] = "quiet"
    offline: bool = False
    models: Path = field(
        default_factory=lambda: Path(platformdirs.user_cache_dir("visavis")) / "models"
    )
    hub_url: str = "https://huggingface.co"
    hub_token: str = field(default="", repr=False)
    realtime_token: str = field(default="", repr=False)
    bundles: dict[str, str] = field(default_factory=dict)
    reply: Reply = field(default_factory=Reply)
    turns: Turns = field(default_factory=Turns)
    sound: Sound = field(default_factory=Sound)
    sight: Sight = field(default_factory=Sight)


def load(environ: Mapping[str, str] | None = None, **changes: Any) -> Config:
    """The configuration in force. `changes` are the command line's; None means not given."""
    environ = os.environ if environ is None else environ
    return _in_force(_from_file(_path(environ)), environ, changes)


def load_what_can_be(
    environ: Mapping[str, str] | None = None, **changes: Any
) -> tuple[Config, InputError | None]:
    """As `load`; where the file cannot be used, the rest without it, and what is wrong with it."""
    environ = os.environ if environ is None else environ
    try:
        return load(environ, **changes), None
    except InputError as error:
        return _in_force(Config(), environ, changes), error


def _in_force(config: Config, environ: Mapping[str, str], changes: Mapping[str, Any]) -> Config:
    """What the file says, overruled by the environment, and that by the command line."""
    if models := environ.get("VISAVIS_MODELS"):
        config = replace(config, models=Path(models).expanduser())
    if environ.get("VISAVIS_OFFLINE", "").lower() in ("1", "true", "yes"):
        config = replace(config, offline=True)
    # The hub's own variables, which mirrors are used through.
    if hub_url := environ.get("HF_ENDPOINT"):
        config = replace(config, hub_url=hub_url)
    if hub_token := environ.get("HF_TOKEN"):
        config = replace(config, hub_token=hub_token)
    if realtime_token := environ.get("VISAVIS_REALTIME_TOKEN"):
        config = replace(config, realtime_token=realtime_token)
    return replace(config, **{key: value for key, value in changes.items() if value is not None})


class Desktop(NamedTuple):
    """Where the screen is, on Linux. `display`: the X server's name; empty = there is none."""

    display: str
    is_wayland: bool


def desktop(environ: Mapping[str, str] | None = None) -> Desktop:
    """What the session says of that."""
    environ = os.environ if environ is None else environ
    is_wayland = environ.get("XDG_SESSION_TYPE") == "wayland" or "WAYLAND_DISPLAY" in environ
    return Desktop(environ.get("DISPLAY", ""), is_wayland)


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
    except tomllib.TOMLDecodeError as error:
        raise InputError(path, f"is not TOML: {error}", "correct it there") from None
    except UnicodeDecodeError as error:
        raise InputError(path, f"is not UTF-8: {error}", "save it as UTF-8") from None
    _refuse_unknown(path, table, Config)
    try:
        config = from_table(table)
    except msgspec.ValidationError as error:
        raise InputError(path, str(error), _remedy(str(error))) from None
    _refuse_not_allowed(path, config, "")
    return replace(config, models=config.models.expanduser())


def from_table(table: Mapping[str, Any]) -> Config:
    """The configuration that a table of plain values says. Raises `msgspec.ValidationError`."""
    return msgspec.convert(table, Config, dec_hook=lambda kind, value: kind(value))


def _remedy(problem: str) -> str:
    """What to do about a value of the wrong kind, by what is said of it."""
    key = problem.rpartition("`$.")[2].rstrip("`")
    words = get_args(get_type_hints(Config).get(key))
    named = words and all(isinstance(word, str) for word in words)
    return f"give one of {', '.join(words)}" if named else "correct the value"


def _refuse_unknown(path: Path, table: Mapping[str, Any], kind: Any, below: str = "") -> None:
    """`below`: the name of the table that this one is; empty = it is the file."""
    top = {entry.name for entry in fields(Config)}
    known = {entry.name: entry for entry in fields(kind)} if is_dataclass(kind) else None
    for key, value in table.items():
        if below and key in top and (known is None or key not in known):
            remedy = "it belongs at the top of the file, before the first table"
            if isinstance(value, dict):
                remedy = f"did you mean [{key}]?"
            raise InputError(path, f"unknown key {below}.{key!r}", remedy)
        if known is None:
            continue  # the keys are the user's own
        if key not in known:
            what = f"table [{key}]" if isinstance(value, dict) else f"key {key!r}"
            if below:
                what = f"key {below}.{key!r}"
            raise InputError(path, f"unknown {what}", _nearest(key, known, below))
        if isinstance(value, dict):
            _refuse_unknown(path, value, known[key].default_factory, key)


def _nearest(key: str, known: Mapping[str, Any], below: str) -> str:
    """What an unknown key may have been meant to be; if nothing is like it, all that there is."""
    near = difflib.get_close_matches(key, known, n=1)
    if not near:
        return f"known are {', '.join(known)}"
    if below:
        return f"did you mean {below}.{near[0]}?"
    inner = known[near[0]].default_factory
    is_table = inner is dict or is_dataclass(inner)
    return f"did you mean {f'[{near[0]}]' if is_table else near[0]}?"


def _refuse_not_allowed(path: Path, part: Any, prefix: str) -> None:
    for entry in fields(part):
        value, allowed = getattr(part, entry.name), entry.metadata.get("allowed")
        if is_dataclass(value):
            _refuse_not_allowed(path, value, f"{entry.name}.")
        elif allowed is not None and value is not None and not allowed.holds(value):
            wrong = "is unknown" if isinstance(allowed, Choices) else "is out of range"
            raise InputError(path, f"{prefix}{entry.name} = {value} {wrong}", f"give {allowed}")
