"""The events: every fact and command that travels the line, as frozen slotted dataclasses.

A fact is `NounPastParticiple`, a command `NounImperative`; the topic bears the same words in
lower case (`TurnEnded` is `turn.ended`). Only `decide` issues commands.

Common to all: `t_ns`, nanoseconds on the session axis (0 = the session began); `trace`, the
number of the utterance that first caused it (0 = none); `epoch`, the id of the reply it belongs
to (0 = none). Audio positions are absolute sample indices: of the input axis (16 kHz) in
`audio.*`, `speech.*`, `words.*`, `turn.*`; of the output axis (the voice's rate) in `sound.*`.

Invariant: an event never changes once made. Knows nothing of who sends or receives it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]
"""Mono float32 audio, shape (n,), full scale ±1."""

INPUT_RATE_HZ = 16_000
"""The one rate of the input axis, after `align`."""
SAMPLES_PER_MS = INPUT_RATE_HZ // 1_000

CAMERA, SCREEN = "camera", "screen"
"""The streams of pictures: the one that is asked about, and one that is seen beside it."""


@dataclass(frozen=True, slots=True)
class View:
    """A picture that was taken out of a stream, by name; `view.taken` brings its bytes.

    `id`: a hash of the bytes, so equal ids are equal pictures. `captured_ns`: when the camera saw
    it, on the session axis; a later frame that shows the same is the same view, seen later. `text`:
    what is known of it in words, of a screen what is written on it; `written`: what is written in
    the camera's view. Empty = nothing.
    """

    id: str
    captured_ns: int = field(default=0, compare=False)
    width: int = field(default=0, compare=False)
    height: int = field(default=0, compare=False)
    stream: str = "camera"
    text: str = ""
    written: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn as the engine sees it. `role` is system, user or assistant.

    `views` stand before the text, in their order.
    """

    role: str
    content: str
    views: tuple[View, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """Samples [begin, end) of an axis."""

    begin: int
    end: int

    def within(self, begin: int, end: int) -> int:
        """How many of them lie in [begin, end)."""
        return max(0, min(self.end, end) - max(self.begin, begin))


@dataclass(frozen=True, slots=True)
class WordTime:
    """A spoken word's samples [start, end) within its phrase, and where it ends in the text.

    `char_end` counts characters of the phrase's written text, up to and including the word and
    the punctuation and spaces that follow it.
    """

    start: int
    end: int
    char_end: int


def topic_of(class_name: str) -> str:
    """`TurnEnded` → `turn.ended`."""
    return ".".join(word.lower() for word in re.findall(r"[A-Z][a-z]*", class_name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Root of all events."""

    topic: ClassVar[str] = ""
    t_ns: int
    trace: int = 0
    epoch: int = 0

    def __init_subclass__(cls, **kwargs: Any) -> None:
        # Called twice for a slotted dataclass (the class is made anew); both times the same name.
        cls.topic = topic_of(cls.__name__)


# ── the clock ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockTicked(Event):
    """Output period `index` has begun: index × 20 ms. It skips only after a long stall."""

    index: int


# ── source ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioCaptured(Event):
    """Raw interleaved audio bytes. `t_ns` is the time of the chunk's end.

    `encoding`: u8, s16, s24, s32, f32, f64 (little endian), mulaw or alaw. The bytes may end in
    the middle of a sample; the rest comes with the next chunk. `captured_ns`: the chunk's end as
    the source stamped it, which stays true when the event is delivered late and `t_ns` with it
    (-1 = the same as `t_ns`).
    """

    data: bytes = field(repr=False)
    encoding: str
    rate_hz: int
    channels: int
    captured_ns: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameCaptured(Event):
    """A picture lies in slot `slot` of the frame ring, in its generation `generation`.

    `stamp`: when it was taken, in ticks of the source's own clock, of which `stamp_hz` make a
    second and which begins anew after `stamp_bits` bits (0 = never). -1 = the source does not say,
    and it was taken just now. `stream`: camera or screen.
    """

    slot: int
    generation: int
    width: int
    height: int
    stamp: int = -1
    stamp_hz: int = 1_000_000_000
    stamp_bits: int = 0
    stream: str = "camera"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEnded(Event):
    """No more will come from `source` (audio, video, screen). `error` is empty at a natural end."""

    source: str
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeRaised(Event):
    """Something worth saying unasked: `text`, spoken as it is, when the floor allows it.

    `urgent`: a warning; it is spoken at once, over whatever goes on, and cannot be interrupted.
    """

    text: str
    urgent: bool = False
    language: str = ""


# ── align ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class AudioAligned(Event):
    """Samples [start, start + len) of the input axis: a view into the audio ring, 16 kHz mono.

    `doubted`: the spans of them that may be no more than what is left of our echo.
    """

    start: int
    samples: Samples = field(repr=False, compare=False)
    doubted: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameAligned(Event):
    """The picture in slot `slot` was taken at `captured_ns` of the session axis."""

    slot: int
    generation: int
    width: int
    height: int
    captured_ns: int
    stream: str = "camera"


# ── perceive ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechStarted(Event):
    """Voice began at sample `start` (the onset itself, without pre-roll).

    `doubted`: some of what was heard around it may be no more than our own echo.
    """

    start: int
    doubted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechPaused(Event):
    """Voice has been absent for the pause length; `end` is the sample after the last voiced one."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechFading(Event):
    """The sound has died down at sample `end`: long before it is a pause, it may be the end."""

    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceMeasured(Event):
    """How the voice that began at sample `start` has sounded up to sample `end`.

    `level_db`: its loudness, dB of full scale; `usual_db`: that of this user's turns so far (NaN
    = not known yet); `hum`: from 0 to 1, how much it sounds like a hum ("mm", "uh", "嗯") rather
    than speech; `doubted`: how many samples of its first half second may be no more than our own
    echo.
    """

    start: int
    end: int
    level_db: float
    usual_db: float
    hum: float
    doubted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsHeard(Event):
    """What the utterance that began at `start` says so far.

    `text[:stable]` will not change any more. `final`: recognised at full quality up to the pause
    at sample `end`; it is superseded only if the user goes on speaking. `pointed`: the sample in
    the middle of the first word that points ("this", "那"); -1 = none, or not known when.
    `hesitation`: how likely the last word is an "um" that was taken for a word, from 0 to 1.
    """

    text: str
    stable: int
    final: bool
    start: int
    end: int
    language: str = ""
    confidence: float = 0.0
    pointed: int = -1
    hesitation: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneChanged(Event):
    """What the stream shows is not what it showed before, from the frame of `captured_ns` on.

    `share`: how much of the picture changed, from 0 to 1.
    """

    captured_ns: int
    share: float
    stream: str = "camera"


@dataclass(frozen=True, slots=True, kw_only=True)
class SightJudged(Event):
    """What the stream's pictures are: `condition` clear, dark, blurred or frozen.

    It says nothing of whether pictures come; `camera.changed` does, and says the rest again.
    """

    condition: str
    since_ns: int
    stream: str = "camera"


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraChanged(Event):
    """How well the stream sees: `condition` is clear, dark, blurred, frozen or absent.

    frozen: pictures come, always the very same one, of a camera whose pictures differed before.
    absent: none come any more, or none has come yet. `since_ns`: from when on it is so.
    """

    condition: str
    since_ns: int
    stream: str = "camera"


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewTaken(Event):
    """What was to be looked at: the view of the frame nearest to `moment_ns`.

    `data`: the picture as JPEG or PNG; empty if it shows what the stream's last view shows, and so
    bears its id. `view.captured_ns` is the frame's own time either way.
    """

    view: View
    moment_ns: int
    reason: str
    data: bytes = field(default=b"", repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewMissed(Event):
    """There is no frame near enough to `moment_ns` that could be looked at."""

    moment_ns: int
    reason: str
    stream: str = "camera"


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRead(Event):
    """The writing in the view `id`, in reading order, a line each; empty = none."""

    id: str
    text: str
    stream: str = "camera"


# ── memory ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewKept(Event):
    """The view is remembered from now on. `bytes_kept`: of all that are."""

    view: View
    bytes_kept: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecalled(Event):
    """The utterance `trace` asks about the past, and this view of then may answer it.

    `ago_ms`: how long ago the stream last showed it. `data` as in `view.taken`.
    """

    view: View
    ago_ms: float
    data: bytes = field(default=b"", repr=False, compare=False)


# ── perceive, of turns ───────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDoubted(Event):
    """Words and voice leave a doubt that the turn with samples [start, end) is over."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnScored(Event):
    """An audio model's probability that the turn with samples [start, end) is over."""

    start: int
    end: int
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnExpected(Event):
    """The words up to sample `end` sound finished: unless the user goes on, the turn ends here.

    In a pause, `end` is the sample after the last voiced one; it may come while the voice still
    sounds.
    """

    text: str
    start: int
    end: int
    probability: float
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLingered(Event):
    """The user has been silent for `silent_ms` in the middle of a turn that is not finished."""

    start: int
    end: int
    silent_ms: float
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(Event):
    """The user has finished. `end` is the sample after the last voiced one."""

    text: str
    start: int
    end: int
    probability: float
    reasons: tuple[str, ...]
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnDropped(Event):
    """A voiced stretch held no words (noise, a cough, an invention): no turn, no trace of it."""

    start: int
    end: int
    reason: str


# ── decide ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class StateChanged(Event):
    """The session state (idle · perceiving · reasoning · streaming · interrupted) and its parts."""

    state: str
    previous: str
    user: str
    reply: str
    engine: str
    playback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemKept(Event):
    """A turn entered the history: what the user said, or exactly what was heard of the answer.

    `role`: user, assistant or tool (what an errand brought).
    """

    role: str
    text: str
    start_ns: int
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPrefill(Event):
    """Command: evaluate these messages ahead of the question. Abandoned by any later command."""

    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemAmended(Event):
    """The item of the history that began at `start_ns` now reads `text`: its words came late."""

    role: str
    text: str
    start_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyStart(Event):
    """Command: answer. `epoch` is the new reply's id and makes every older one stale.

    `say`: speak this text as it is, without asking the engine (an apology, a notice).
    `held`: a draft; it is written and made into sound, and not played before `reply.adopt`.
    `view_id`: what is being seen with the question; `view_captured_ns`: when its frame was taken,
    on the session axis; `view_offset_ms`: how much later than the question's moment that was (NaN =
    not known, or nothing is seen).
    """

    messages: tuple[Message, ...]
    language: str = ""
    say: str = ""
    held: bool = False
    view_id: str = ""
    view_captured_ns: int = -1
    view_offset_ms: float = float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyAdopt(Event):
    """Command: the held reply `epoch` is the answer; let it sound.

    The view is the draft's, as it was seen at the question's moment; fields as in `reply.start`.
    """

    view_id: str = ""
    view_captured_ns: int = -1
    view_offset_ms: float = float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyCancel(Event):
    """Command: the reply `epoch` is over; all its work not yet heard is stale."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LookStart(Event):
    """Command: take the view nearest to `moment_ns` (-1 = the newest there is).

    `reason`: speech, question, pointed, change or heartbeat. Answered by view.taken or view.missed.
    """

    moment_ns: int
    reason: str
    stream: str = "camera"


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewDescribe(Event):
    """Command: put what the view shows into words, for later. Abandoned by any later command."""

    view: View
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybackDuck(Event):
    """Command: lower the volume while we find out what the voice means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybackRestore(Event):
    """Command: full volume again; not a sample was lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybackHold(Event):
    """Command: stand still; the next sample played is the one after the last one played."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybackRelease(Event):
    """Command: go on where playback stood still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybackStop(Event):
    """Command: silence within one output period; report what was heard of reply `epoch`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun(Event):
    """Command: run the tool `name` with these arguments (JSON), as call `call` of reply `epoch`."""

    call: int
    name: str
    arguments: str


# ── think ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPrefilled(Event):
    """Prefill is done (or was abandoned: `complete` is false)."""

    complete: bool
    prompt_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewDescribed(Event):
    """What the view `id` shows, in words; empty if that was abandoned."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenMade(Event):
    """A piece of the reply's text: whole characters only. Joined, the pieces are the reply."""

    text: str
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyWritten(Event):
    """The engine is free: `reason` is end, length, cancelled or failed (then `error` says why)."""

    reason: str
    tokens: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCalled(Event):
    """The engine asks for the tool `name` with these arguments (JSON): call `call` of its reply."""

    call: int
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFinished(Event):
    """What call `call` of reply `epoch` brought, whatever has become of the reply since.

    `result` is text for the engine to read; with `error`, why there is none.
    """

    call: int
    name: str
    result: str
    error: str = ""


# ── speak ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseReady(Event):
    """Phrase `index` of the reply, ready to be spoken.

    `written` is the exact slice of the reply that begins at character `char_start`: the slices
    of all phrases, joined, are the reply. `spoken` is what to read aloud; empty = nothing to say.
    `last`: the reply ends with this phrase (which may be empty). `before` and `after`: the words
    of its sentence around it, as far as they are known and matter to how it sounds.
    """

    index: int
    written: str
    spoken: str
    char_start: int
    last: bool = False
    language: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhraseReleased(Event):
    """Phrase `index` may be synthesised now: sound not yet played is below the look-ahead."""

    index: int
    written: str
    spoken: str
    char_start: int
    last: bool = False
    language: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundMade(Event):
    """The sound of phrase `index` at the output rate; `words` gives each word's samples.

    A phrase may come in parts, numbered from 0, so that its beginning sounds before its end is
    made; `more`: another part follows. The words and the text come with part 0, and their times
    count from the beginning of the phrase. Empty `samples` with `error`: synthesis failed and
    this phrase (or its rest) stays silent.
    """

    index: int
    samples: Samples = field(repr=False, compare=False)
    words: tuple[WordTime, ...]
    written: str
    last: bool = False
    error: str = ""
    part: int = 0
    more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundPlayed(Event):
    """Samples [start, start + len) of the output axis went to the ear, all of reply `epoch`.

    `heard` is the text whose words sounded in this period, often empty. `done`: the last of this
    reply, because it ended or (`stopped`) because playback was told to stop.
    """

    start: int
    samples: Samples = field(repr=False, compare=False)
    heard: str = ""
    done: bool = False
    stopped: bool = False


# ── from any node ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFailed(Event):
    """The node `node` raised while it worked on an event of topic `on`. The session lives on."""

    node: str
    on: str
    error: str
