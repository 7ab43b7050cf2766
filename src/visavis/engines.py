"""From the configuration to running engines: which bundles, which backends, loaded and warm.

Takes a `Config`; gives the `Parts` of a line. Invariant: when loading fails half way, what was
loaded is closed again.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

from visavis import backends
from visavis.backends.contract import Options
from visavis.bundle import catalogue
from visavis.bundle.store import Installed, Store
from visavis.config import Config
from visavis.flow.ring import AudioRing
from visavis.speak.sink import Sink
from visavis.wiring import Parts

ENGINES = ("vad", "asr", "turn", "llm", "tts")
Progress = Callable[[str], None]


def bundle_names(config: Config) -> dict[str, str]:
    """The bundles that this configuration runs on, by kind. Raises `BundleError` if unknown."""
    chosen = {catalogue.manifest(name).kind: name for name in catalogue.tier(config.tier).bundles}
    return chosen | config.bundles


def find_bundles(config: Config) -> dict[str, Installed]:
    """The same, in the store. Raises `BundleError` naming one that is missing or damaged."""
    store = Store(config.models)
    return {kind: store.find(name) for kind, name in bundle_names(config).items()}


def load_parts(
    config: Config, *, sink: Sink | None = None, progress: Progress = lambda _: None
) -> Parts:
    """Loads every engine of the tier, side by side. The caller closes the line's nodes."""
    found = find_bundles(config)
    engines: dict[str, Any] = {}

    def load(kind: str) -> None:
        installed = found[kind]
        progress(installed.manifest.name)
        engines[kind] = backends.load(kind, installed.manifest.backend, installed.options)

    with ExitStack() as undo, ThreadPoolExecutor(len(ENGINES)) as pool:
        undo.callback(lambda: [engine.close() for engine in engines.values()])
        loads = [pool.submit(load, kind) for kind in ENGINES if kind in found]
        for pending in loads:
            pending.result()
        undo.pop_all()
    return Parts(
        config=config,
        ring=AudioRing(config.sound.ring_s),
        make_resampler=make_resampler,
        vad=engines["vad"],
        asr=engines["asr"],
        turn=engines.get("turn"),
        llm=engines["llm"],
        tts=engines["tts"],
        spare_tts=spare_voice(engines["tts"].rate_hz),
        sink=sink,
        output_rate_hz=engines["tts"].rate_hz,
    )


def make_resampler(from_hz: int, to_hz: int) -> Any:
    """A streaming resampler of the best backend there is."""
    from visavis.backends.resample.soxr import SoxrResampler

    return SoxrResampler(from_hz, to_hz)


def spare_voice(rate_hz: int) -> Any:
    """A second voice for phrases at which the first one fails; None where there is none."""
    from visavis.flow.errors import VisavisError

    try:
        return backends.load("tts", "espeak", Options(settings={"rate_hz": rate_hz}))
    except VisavisError:
        return None
