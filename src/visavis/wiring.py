"""THE TABLE of nodes: who takes what, who gives what, where it runs. Read this first.

A node without a lane runs inline, on the loop's own thread; the audio path runs there alone and
never waits for a model. A lane is one thread that runs one heavy call at a time. A line whose
parts lack what a row `needs` leaves that node out: its events then come from outside, which is how
a replay works. Docs, the recorder and replay are derived from these rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from visavis.align.audio import AudioAligner
from visavis.align.echo import Cancelling
from visavis.align.reference import Reference
from visavis.align.shutter import HalfDuplex
from visavis.align.video import FrameAligner
from visavis.backends import contract
from visavis.config import Config
from visavis.decide.floor import Manners
from visavis.decide.session import Session
from visavis.flow.events import CAMERA
from visavis.flow.line import Line
from visavis.flow.node import Node
from visavis.flow.ring import AudioRing, FrameRing
from visavis.memory.visual import VisualMemory
from visavis.perceive.asr import Recogniser
from visavis.perceive.camera import Camera
from visavis.perceive.reading import Reader
from visavis.perceive.scene import SceneWatcher
from visavis.perceive.turn import TurnTaking
from visavis.perceive.turn_audio import TurnScorer
from visavis.perceive.vad import VoiceActivity
from visavis.perceive.vision import Vision
from visavis.perceive.voice import VoiceMeter
from visavis.speak.ahead import LookAhead
from visavis.speak.output import Ear
from visavis.speak.player import Player
from visavis.speak.segment import Segmenter
from visavis.speak.sink import Sink
from visavis.speak.synth import Synthesiser
from visavis.think.decode import Thinker
from visavis.think.tools import Tool, ToolRunner


@dataclass(slots=True)
class Parts:
    """What nodes are made of. None, or no tools = the line does without.

    `scored_elsewhere`: there is no audio model of turn end here, but its scores come from outside,
    as in a replay; `seen_elsewhere`: the same of the eyes. `streams`: what there is to see.
    `in_context`: the languages in which phrases may end at any word, see speak/segment.py.
    """

    config: Config
    ring: AudioRing
    make_resampler: Callable[[int, int], contract.Resampler] | None
    vad: contract.Vad
    asr: contract.Asr | None = None
    echo: contract.EchoCanceller | None = None
    turn: contract.TurnModel | None = None
    scored_elsewhere: bool = False
    llm: contract.Llm | None = None
    tts: contract.Tts | None = None
    spare_tts: contract.Tts | None = None
    sink: Sink | None = None
    frames: FrameRing | None = None
    seen_elsewhere: bool = False
    streams: tuple[str, ...] = (CAMERA,)
    codec: contract.PictureCodec | None = None
    ocr: contract.Ocr | None = None
    embedder: contract.Embedder | None = None
    tools: tuple[Tool, ...] = ()
    in_context: tuple[str, ...] = ()
    output_rate_hz: int = 22_050
    strict: bool = False

    @property
    def sees(self) -> bool:
        """Whether there is anything to look at."""
        return self.frames is not None or self.seen_elsewhere

    @property
    def remembers(self) -> bool:
        """Whether what was looked at is to be remembered."""
        return self.sees and self.config.sight.memory_mb > 0


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table. `make` builds the node from the parts; `needs` names some, by spaces.

    `background`: its lane gives way to all others.
    """

    name: str
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    make: Callable[[Parts], Any]
    lane: str = ""
    needs: str = ""
    background: bool = False


SOURCES = {
    "source": ("audio.captured", "frame.captured", "source.ended", "notice.raised"),
    "flow.clock": ("clock.ticked",),
}
"""Who gives the events that come from outside the line."""


READABLE_SIDE = 640
"""Pixels of a view's longer side that whoever reads what is written in it needs."""


def _aligner(parts: Parts) -> Node:
    assert parts.make_resampler is not None
    profile, rate_hz = parts.config.sound.profile, parts.output_rate_hz
    echo = None
    if parts.echo is not None:
        heard = Reference(rate_hz, parts.make_resampler) if profile == "speaker" else None
        echo = Cancelling(parts.echo, heard)
    shutter = HalfDuplex(rate_hz) if profile == "half-duplex" else None
    return AudioAligner(parts.ring, parts.make_resampler, shutter=shutter, echo=echo)


def _frame_aligner(parts: Parts) -> Node:
    return FrameAligner(parts.frames)


def _voice(parts: Parts) -> Node:
    return VoiceActivity(parts.vad, pause_ms=parts.config.turns.pause_ms)


def _recogniser(parts: Parts) -> Node:
    assert parts.asr is not None
    return Recogniser(parts.asr, parts.ring)


def _scene_watcher(parts: Parts) -> Node:
    assert parts.frames is not None
    return SceneWatcher(parts.frames)


def _camera(parts: Parts) -> Node:
    return Camera(expected=tuple(stream for stream in parts.streams if stream == CAMERA))


def _vision(parts: Parts) -> Node:
    assert parts.frames is not None
    assert parts.codec is not None
    side = parts.llm.capabilities.picture_side if parts.llm is not None else READABLE_SIDE
    if parts.ocr is not None:
        side = max(side, READABLE_SIDE)
    return Vision(parts.frames, parts.codec, side=side)


def _voice_meter(parts: Parts) -> Node:
    return VoiceMeter(parts.ring)


def _turn_scorer(parts: Parts) -> Node:
    assert parts.turn is not None
    return TurnScorer(parts.turn, parts.ring)


def _turn_taking(parts: Parts) -> Node:
    turns = parts.config.turns
    return TurnTaking(
        parts.ring,
        sure_ms=turns.sure_ms,
        unsure_ms=turns.unsure_ms,
        has_model=parts.turn is not None or parts.scored_elsewhere,
    )


def _reader(parts: Parts) -> Node:
    assert parts.ocr is not None
    assert parts.codec is not None
    return Reader(parts.ocr, parts.codec)


def _visual_memory(parts: Parts) -> Node:
    return VisualMemory(round(parts.config.sight.memory_mb * 2**20), parts.embedder)


def _session(parts: Parts) -> Node:
    config = parts.config
    manners = Manners(
        patience_ms=config.turns.patience_ms,
        draft_tokens=config.turns.draft_tokens,
        initiative=config.initiative,
        greeting=config.reply.greeting,
        language=config.language,
        names=config.names,
        heartbeat_s=config.sight.heartbeat_s if parts.sees else None,
        streams=parts.streams,
    )
    return Session(manners, strict=parts.strict)


def _thinker(parts: Parts) -> Node:
    assert parts.llm is not None
    reply = parts.config.reply
    sampling = contract.Sampling(reply.temperature, reply.top_p, reply.max_tokens, reply.seed)
    language = parts.config.language or "en"
    return Thinker(
        parts.llm, sampling=sampling, system=reply.system, language=language, tools=parts.tools
    )


def _tool_runner(parts: Parts) -> Node:
    return ToolRunner(parts.tools, limit_s=parts.config.reply.tool_limit_s)


def _look_ahead(parts: Parts) -> Node:
    return LookAhead(seconds=parts.config.sound.look_ahead_s, rate_hz=parts.output_rate_hz)


def _synthesiser(parts: Parts) -> Node:
    assert parts.tts is not None
    return Synthesiser(parts.tts, parts.spare_tts)


def _player(parts: Parts) -> Node:
    return Player(parts.output_rate_hz)


def _ear(parts: Parts) -> Node:
    assert parts.sink is not None
    return Ear(parts.sink)


WIRING: tuple[Row, ...] = (
    Row(
        "align.audio",
        ("audio.captured", "sound.played", "source.ended"),
        ("audio.aligned",),
        _aligner,
        needs="make_resampler",
    ),
    Row(
        "align.video",
        ("frame.captured", "audio.aligned"),
        ("frame.aligned",),
        _frame_aligner,
    ),
    Row(
        "perceive.vad",
        ("audio.aligned", "clock.ticked"),
        ("speech.started", "speech.paused"),
        _voice,
    ),
    Row(
        "perceive.voice",
        ("speech.started", "audio.aligned", "speech.paused", "turn.ended", "turn.dropped"),
        ("voice.measured",),
        _voice_meter,
    ),
    Row(
        "perceive.asr",
        ("speech.started", "audio.aligned", "speech.paused", "turn.ended", "turn.dropped"),
        ("speech.fading", "words.heard"),
        _recogniser,
        lane="asr",
        needs="asr",
    ),
    Row(
        "perceive.turn_audio",
        ("turn.doubted", "turn.ended", "turn.dropped"),
        ("turn.scored",),
        _turn_scorer,
        lane="turn",
        needs="turn",
    ),
    Row(
        "perceive.reading",
        ("view.taken",),
        ("view.read",),
        _reader,
        lane="ocr",
        needs="ocr",
        background=True,
    ),
    Row(
        "memory.visual",
        (
            "scene.changed",
            "view.taken",
            "view.read",
            "view.described",
            "item.kept",
            "words.heard",
        ),
        ("view.kept", "memory.recalled"),
        _visual_memory,
        needs="remembers",
    ),
    Row(
        "perceive.turn",
        (
            "audio.aligned",
            "speech.started",
            "speech.fading",
            "speech.paused",
            "words.heard",
            "turn.scored",
            "clock.ticked",
        ),
        ("turn.doubted", "turn.expected", "turn.lingered", "turn.ended", "turn.dropped"),
        _turn_taking,
    ),
    Row(
        "perceive.scene",
        ("frame.aligned", "speech.started", "turn.ended", "turn.dropped"),
        ("scene.changed", "sight.judged"),
        _scene_watcher,
        lane="vision",
        needs="frames",
    ),
    Row(
        "perceive.camera",
        ("frame.aligned", "sight.judged", "clock.ticked"),
        ("camera.changed",),
        _camera,
        needs="sees",
    ),
    Row(
        "perceive.vision",
        ("look.start",),
        ("view.taken", "view.missed"),
        _vision,
        lane="vision",
        needs="frames codec",
    ),
    Row(
        "decide.session",
        (
            "clock.ticked",
            "notice.raised",
            "speech.started",
            "speech.paused",
            "voice.measured",
            "words.heard",
            "turn.expected",
            "turn.lingered",
            "turn.ended",
            "turn.dropped",
            "reply.written",
            "tool.called",
            "tool.finished",
            "sound.played",
            "node.failed",
            "scene.changed",
            "camera.changed",
            "view.taken",
            "view.missed",
            "view.read",
            "view.described",
            "memory.recalled",
        ),
        (
            "state.changed",
            "item.kept",
            "item.amended",
            "prompt.prefill",
            "reply.start",
            "reply.adopt",
            "tool.run",
            "reply.cancel",
            "playback.duck",
            "playback.restore",
            "playback.hold",
            "playback.release",
            "playback.stop",
            "look.start",
            "view.describe",
        ),
        _session,
    ),
    Row(
        "think.decode",
        ("prompt.prefill", "reply.start", "view.describe", "view.taken", "memory.recalled"),
        ("prompt.prefilled", "token.made", "tool.called", "reply.written", "view.described"),
        _thinker,
        lane="llm",
        needs="llm",
    ),
    Row(
        "think.tools",
        ("tool.run",),
        ("tool.finished",),
        _tool_runner,
        lane="tools",
        needs="tools",
    ),
    Row(
        "speak.segment",
        ("reply.start", "token.made", "reply.written"),
        ("phrase.ready",),
        lambda parts: Segmenter(in_context=parts.in_context),
    ),
    Row(
        "speak.ahead",
        ("reply.start", "reply.cancel", "phrase.ready", "sound.made", "sound.played"),
        ("phrase.released",),
        _look_ahead,
    ),
    Row(
        "speak.synth", ("phrase.released",), ("sound.made",), _synthesiser, lane="tts", needs="tts"
    ),
    Row(
        "speak.player",
        (
            "clock.ticked",
            "reply.start",
            "reply.adopt",
            "reply.cancel",
            "sound.made",
            "playback.duck",
            "playback.restore",
            "playback.hold",
            "playback.release",
            "playback.stop",
        ),
        ("sound.played",),
        _player,
    ),
    Row("speak.ear", ("sound.played", "playback.stop"), (), _ear, needs="sink"),
)


def connect(line: Line, parts: Parts) -> dict[str, Node]:
    """Builds every node that the parts allow and subscribes it; returns them by name."""
    nodes: dict[str, Node] = {}
    for row in WIRING:
        if any(getattr(parts, need) in (None, (), False) for need in row.needs.split()):
            continue
        nodes[row.name] = row.make(parts)
        line.add(nodes[row.name], row.takes, row.lane, background=row.background)
    return nodes


def mermaid() -> str:
    """The table as a Mermaid flow chart."""
    givers = {topic: name for name, topics in SOURCES.items() for topic in topics}
    givers |= {topic: row.name for row in WIRING for topic in row.gives}
    lines = ["flowchart LR"]
    for row in WIRING:
        shape = f'["{row.name}"]' if not row.lane else f'[["{row.name}<br/>lane {row.lane}"]]'
        lines.append(f"    {_id(row.name)}{shape}")
    for row in WIRING:
        for topic in row.takes:
            if topic in givers:
                lines.append(f"    {_id(givers[topic])} -- {topic} --> {_id(row.name)}")
    return "\n".join(lines)


def _id(name: str) -> str:
    return name.replace(".", "_")
