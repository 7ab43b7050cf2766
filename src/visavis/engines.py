"""From the configuration to running engines: which bundles, which backends, loaded and warm.

Takes a `Config`; gives the `Parts` of a line. Invariant: when loading fails half way, what was
loaded is closed again.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from visavis import backends
from visavis.backends.contract import EchoCanceller, Ocr, Options, PictureCodec, Tts, TtsInContext
from visavis.bundle import catalogue, choice
from visavis.bundle.store import Installed, Store
from visavis.config import Config, from_table
from visavis.config import load as load_config
from visavis.flow.clock import SimulatedClock
from visavis.flow.errors import BundleError, VisavisError
from visavis.flow.events import CAMERA, SCREEN
from visavis.flow.line import Line
from visavis.flow.ring import AudioRing, FrameRing, Room
from visavis.govern.replay import Rebuilt
from visavis.speak.sink import Sink
from visavis.wiring import WIRING, Parts, connect

ENGINES = choice.KINDS
Progress = Callable[[str], None]
log = logging.getLogger(__name__)


def bundle_names(config: Config) -> dict[str, str]:
    """The bundles that this configuration runs on, by kind. Raises `BundleError` if unknown."""
    return catalogue.chosen(config.tier, config.bundles)


def find_bundles(config: Config) -> dict[str, Installed]:
    """The same, in the store. Raises `BundleError` naming all that are missing, or one damaged.

    Also for one of another kind, and `InputError` if the recogniser does not know the language.
    """
    store, names = Store(config.models), bundle_names(config)
    choice.refuse_unheard(choice.manifests(names, store), config.language)
    absent = [name for name in names.values() if not store.has(name)]
    if len(absent) > 1:
        what = " ".join(absent) if config.bundles else f"--tier {config.tier}"
        raise BundleError(", ".join(absent), "are not installed", f"run 'visavis pull {what}'")
    return {kind: store.find(name) for kind, name in names.items()}


def warnings(config: Config) -> list[str]:
    """What does not keep the tier from running but will not be as wished, a sentence each."""
    chosen = choice.manifests(bundle_names(config), Store(config.models))
    found = choice.misfits(chosen, config.language)
    return [f"{each.name}: {each.problem}; {each.remedy}" for each in found]


def load_parts(
    config: Config,
    *,
    sink: Sink | None = None,
    sight: bool = False,
    streams: Sequence[str] = (CAMERA,),
    progress: Progress = lambda _: None,
) -> Parts:
    """Loads every engine of the tier, side by side. The caller closes the line's nodes.

    `sight`: there is something to look at, whose `streams` of pictures go into `Parts.frames`.
    """
    found = find_bundles(config)
    frames = frame_ring(config, streams) if sight else None
    # Before any engine brings its OpenMP: threads that wait by spinning take the cores from one
    # another. On two busy cores recognition of 2 s of speech then took 5 s instead of 0.2 s.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    engines: dict[str, Any] = {}
    if (canceller := load_canceller(config)) is not None:
        engines["echo"] = canceller
    engines["codec"] = load_codec()

    def load(kind: str) -> None:
        installed = found[kind]
        begun = time.perf_counter()
        progress(installed.manifest.name)
        installed.refuse_misfit()
        options = installed.options
        if changed := catalogue.settings(config.tier, kind, installed.manifest.name):
            options = replace(options, settings={**options.settings, **changed})
        if kind == "asr" and config.language:
            options = replace(options, settings={**options.settings, "language": config.language})
        engines[kind] = backends.load(kind, installed.manifest.backend, options)
        took_s = time.perf_counter() - begun
        log.info("%s %s: loaded in %.2f s", kind, installed.directory, took_s)

    def load_reading() -> None:
        if (ocr := load_ocr(config)) is not None:
            engines["ocr"] = ocr

    with ExitStack() as undo, ThreadPoolExecutor(len(ENGINES) + 1) as pool:
        undo.callback(lambda: [engine.close() for engine in engines.values()])
        loads = [pool.submit(load, kind) for kind in ENGINES if kind in found]
        if sight:
            loads.append(pool.submit(load_reading))
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
        echo=engines.get("echo"),
        sink=sink,
        frames=frames,
        streams=tuple(streams),
        codec=engines["codec"],
        ocr=engines.get("ocr"),
        in_context=said_in_context(engines["tts"]),
        output_rate_hz=engines["tts"].rate_hz,
    )


def frame_ring(config: Config, streams: Sequence[str] = (CAMERA,)) -> FrameRing:
    """Room for what is seen. Raises `InputError` when that is more than memory can be asked for."""
    sight = config.sight
    rooms = {
        CAMERA: Room.for_rate(sight.max_pixels, sight.rate_hz, sight.keep_s),
        SCREEN: Room.for_rate(sight.screen_max_pixels, sight.screen_rate_hz, sight.keep_s),
    }
    return FrameRing.of({stream: rooms[stream] for stream in streams})


def can_cancel() -> bool:
    """Whether the library that cancels echo is installed."""
    return importlib.util.find_spec("livekit") is not None


def load_canceller(config: Config) -> EchoCanceller | None:
    """What cleans the microphone's sound, if that is wished. Raises `BackendMissing`."""
    cancels = config.sound.profile == "speaker"
    if not cancels and not config.sound.noise_suppression:
        return None
    settings = {"echo": cancels, "noise_suppression": config.sound.noise_suppression}
    canceller: EchoCanceller = backends.load("echo", "webrtc", Options(settings=settings))
    return canceller


def make_resampler(from_hz: int, to_hz: int) -> Any:
    """A streaming resampler of the best backend there is."""
    settings = {"in_rate_hz": from_hz, "out_rate_hz": to_hz}
    return backends.load("resample", "soxr", Options(settings=settings))


def load_codec() -> PictureCodec:
    """What makes files of pictures, and pictures of files."""
    codec: PictureCodec = backends.load("picture", "pillow", Options())
    return codec


def load_ocr(config: Config) -> Ocr | None:
    """What reads the writing in pictures, where that is wished and its library is installed."""
    if not config.sight.reading or importlib.util.find_spec("rapidocr") is None:
        return None
    ocr: Ocr = backends.load("ocr", "rapidocr", Options())
    return ocr


def said_in_context(voice: Tts) -> tuple[str, ...]:
    """The languages in which it says a part of a sentence as it sounds there."""
    return voice.languages if isinstance(voice, TtsInContext) and voice.in_context else ()


def spare_voice(rate_hz: int) -> Any:
    """A second voice for phrases at which the first one fails; None where there is none."""
    try:
        return backends.load("tts", "espeak", Options(settings={"rate_hz": rate_hz}))
    except VisavisError:
        return None


def replay_line(settings: Mapping[str, Any]) -> Rebuilt:
    """The inline half of the line that was recorded, for `govern.replay`.

    Only the detector of voice runs again; the other engines' words come from the recording.
    """
    config = from_table(settings["config"])
    config = replace(config, models=load_config().models)
    vad = Store(config.models).find(bundle_names(config)["vad"])
    parts = Parts(
        config=config,
        ring=AudioRing(config.sound.ring_s),
        make_resampler=None,
        vad=backends.load("vad", vad.manifest.backend, vad.options),
        scored_elsewhere=settings.get("scores_turns", "turn" in bundle_names(config)),
        seen_elsewhere=settings.get("sees", False),
        streams=tuple(settings.get("streams", (CAMERA,))),
        in_context=tuple(settings.get("in_context", ())),
        output_rate_hz=settings["output_rate_hz"],
    )
    line = Line(SimulatedClock())
    connect(line, parts)
    return Rebuilt(line, WIRING, parts.ring)
