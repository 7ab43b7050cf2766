"""What a backend must offer, one Protocol a kind. Stations know these and never a backend.

A backend is one file `backends/<kind>/<name>.py` with a module-level `load(options) -> <Kind>`.
`options` is the bundle's: the paths of its files, and its settings. `load` raises
`BackendMissing` when its library is absent, `BundleError` when a file is unusable, or a
setting (backends/settings.py reads them).

All calls block; the caller runs them in a lane. `close` may be called twice.
A backend that is a fake spends simulated time through `clock.spend` (see flow/clock.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from visavis.flow.events import Message, Samples, WordTime
from visavis.flow.ring import Pixels


@dataclass(frozen=True, slots=True)
class Options:
    """What a bundle gives its backend: `files` by role (`model`, `config`, …) and `settings`."""

    files: Mapping[str, Path] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


class Resampler(Protocol):
    """Streaming sample-rate conversion that keeps its state between chunks."""

    def feed(self, samples: Samples, *, last: bool = False) -> Samples:
        """Converts one mono chunk, shape (n,); `last` flushes what the filter still holds."""

    def reset(self) -> None:
        """Forgets the state: the next chunk begins a new stream."""


class EchoCanceller(Protocol):
    """Takes out of what the microphone hears what the loudspeaker plays.

    `doubted`: whether the newest 10 ms may be no more than echo that it could not take out.
    `regained`: what it kept back and knows, with these 10 ms, to have been a user, shape (n,): the
    last n samples of its output as they should have been; mostly none.
    """

    @property
    def doubted(self) -> bool: ...

    @property
    def regained(self) -> Samples: ...

    def feed(self, near: Samples, far: Samples, delay_ms: float) -> Samples:
        """The next 10 ms, both shape (160,) at 16 kHz: `near` without its echo of `far`.

        `delay_ms`: how much later than `far` its echo is in `near`; NaN = not known yet. Keeps
        state, which samples that are not finite, or are beyond all measure, do not spoil.
        """

    def reset(self) -> None:
        """Forgets the room."""

    def close(self) -> None: ...


class Vad(Protocol):
    """Voice activity: the probability of speech in successive windows of `window` samples."""

    window: int

    def score(self, samples: Samples) -> float:
        """Probability in [0, 1] for the next `window` samples at 16 kHz. Keeps state."""

    def reset(self) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A recognition of everything fed since `open`. Empty `text`: no words in it.

    `confidence` in [0, 1]; `language` an ISO 639-1 code, or empty when unknown. `thorough`: of a
    partial one, that it is as good as any: `flush` would say the same. `hesitation` in [0, 1]: how
    likely the last word is an "um" that was taken for a word, or one follows it; 0 when unknown.
    """

    text: str
    confidence: float = 0.0
    language: str = ""
    thorough: bool = False
    hesitation: float = 0.0


class Asr(Protocol):
    """Speech recognition of one utterance at a time, 16 kHz mono float32."""

    languages: tuple[str, ...]

    def open(self) -> None:
        """Begins an utterance; what was fed before is forgotten."""

    def feed(self, samples: Samples) -> Hypothesis | None:
        """Adds samples. Returns a partial hypothesis when it has a new one, else None."""

    def flush(self) -> Hypothesis:
        """Recognises all that was fed, at full quality. More may be fed afterwards."""

    def close(self) -> None: ...


@runtime_checkable
class Locating(Protocol):
    """A recogniser that knows when a word was spoken. None need."""

    def locate(self, start: int, end: int) -> tuple[int, int] | None:
        """When characters [start, end) of the text were spoken that `flush` last gave.

        Samples [from, to), counted from `open`; None when it cannot tell, or more was fed since.
        """


class PictureCodec(Protocol):
    """Puts pictures into the form in which engines take them."""

    def encode(self, pixels: Pixels, longest: int) -> tuple[bytes, int, int]:
        """RGB pixels, shape (height, width, 3), as JPEG, and its width and height.

        It is made smaller, never larger, so that its longer side is at most `longest`.
        """

    def decode(self, data: bytes) -> Pixels:
        """The pixels of a JPEG or PNG. Raises `InputError` when it is neither, or damaged."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Line:
    """A line of writing: its text, confidence in [0, 1], and box (left, top, right, bottom)."""

    text: str
    confidence: float
    box: tuple[float, float, float, float]


class Ocr(Protocol):
    """Reads the writing in a picture."""

    languages: tuple[str, ...]

    def read(self, pixels: Pixels, most_lines: int = 0) -> Iterable[Line]:
        """Lines in reading order, each as soon as it is read: who has enough may leave.

        `most_lines`: if there are more, only so many, those that are written largest (0 = all).
        Called, or asked for a line, it raises `EngineError`.
        """

    def close(self) -> None: ...


class Embedder(Protocol):
    """Texts as vectors whose dot product says how near their meanings are."""

    def embed(self, texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), d). `query`: they are questions."""

    def close(self) -> None: ...


class TurnModel(Protocol):
    """An audio model of turn end."""

    def score(self, samples: Samples) -> float:
        """Probability in [0, 1] that whoever speaks in these samples (16 kHz) has finished."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Speech:
    """Synthesised speech, or a piece of it: `samples` at the voice's rate.

    Of several pieces the first has the `words` of them all, in order, or none if the voice does
    not know them; `words[i].char_end` counts characters of the text that was synthesised, and the
    times count from the first sample of the first piece. `total`, in the first piece: the samples
    of all pieces together (0 = there is only this one).
    """

    samples: Samples
    words: tuple[WordTime, ...] = ()
    total: int = 0

    @classmethod
    def joined(cls, pieces: Iterable[Speech]) -> Speech:
        """The pieces of one call as one."""
        found = list(pieces)
        return cls(np.concatenate([piece.samples for piece in found]), found[0].words)


class Tts(Protocol):
    """Text to speech at a fixed rate."""

    rate_hz: int
    languages: tuple[str, ...]

    def synthesise(self, text: str, language: str = "") -> Iterable[Speech]:
        """Speaks one phrase, in one piece (a list of one will do) or in several, at least one.

        A generator that gives a short piece first lets the phrase sound while its rest is made; it
        may be left before its end. Called, or asked for a piece, it raises `EngineError` when it
        cannot speak.
        """

    def close(self) -> None: ...


@runtime_checkable
class TtsInContext(Tts, Protocol):
    """A voice that can say a part of a sentence as it sounds there: phrases may end at any word.

    `in_context` false: of these very files it cannot.
    """

    in_context: bool

    def synthesise_part(
        self, text: str, language: str = "", *, before: str = "", after: str = ""
    ) -> Iterable[Speech]:
        """As `synthesise`, between the words `before` and `after`, which are not to be heard."""


@runtime_checkable
class TtsInTakes(Tts, Protocol):
    """A voice that can say the same words in many ways, as people do."""

    def synthesise_take(self, text: str, language: str = "", *, take: int) -> Iterable[Speech]:
        """As `synthesise`, which gives the take 0; the same take is the same sound each time."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn. `seed` None = a fresh one each time."""

    temperature: float = 0.4
    top_p: float = 0.6
    max_tokens: int = 192
    seed: int | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call cost. `cached_tokens` of the prompt were reused; `complete` false = cancelled."""

    complete: bool = True
    prompt_tokens: int = 0
    cached_tokens: int = 0
    made_tokens: int = 0
    finish: str = "end"


@dataclass(frozen=True, slots=True)
class LlmCapabilities:
    """What an engine can do. `rewind`: dropping the tail of a session costs no new prefill.

    `fork`: a session can be continued in two ways. `picture_tokens`: what a picture takes of the
    context; 0 = it cannot see. `most_pictures`: how many it can make sense of in one prompt.
    `picture_reach`: how many messages further on it still answers well about one.
    `picture_side`: pixels of the longer side beyond which it sees no more. `audio_rate_hz`: of the
    sound that it can hear; 0 = none.
    """

    context_tokens: int
    rewind: bool = True
    prefill: bool = True
    fork: bool = False
    picture_tokens: int = 0
    most_pictures: int = 1
    picture_reach: int = 6
    picture_side: int = 640
    audio_rate_hz: int = 0


@dataclass(frozen=True, slots=True)
class Media:
    """A picture for the engine: `data` as JPEG or PNG, `id` the hash of it."""

    id: str
    data: bytes = field(repr=False)


class LlmSession(Protocol):
    """One conversation in the engine. Not thread-safe but for `cancel`."""

    def append(self, message: Message, media: Sequence[Media] = ()) -> None:
        """Adds a message at the end, `media` before its text; evaluates nothing yet.

        `message.views` are names of pictures, which an engine does not know. Raises `EngineError`
        if there is media and the engine cannot see. What a picture is worth shows when it is
        evaluated.
        """

    def rewind(self, count: int) -> None:
        """Keeps the first `count` messages."""

    def prefill(self) -> Usage:
        """Evaluates all messages in short chunks, generating nothing. Ends early when cancelled.

        A picture is one chunk. What begins as the last prompt did is not evaluated again, pictures
        included, which are equal when their ids are. Raises `ContextFull`; `EngineError`, also
        when what should be a picture is none, and then the session lives on.
        """

    def generate(self, sampling: Sampling) -> Iterator[str]:
        """Streams the assistant's next message, as pieces of whole characters.

        Ends at a stop, at `max_tokens`, or between two tokens when cancelled; closing the
        iterator cancels too. The answer is not appended. Raises `ContextFull`, `EngineError`.
        """

    def usage(self) -> Usage:
        """Of the last `prefill` or `generate`."""

    def cancel(self) -> None:
        """Stops the running call soon, if there is one. Safe from any thread."""

    def close(self) -> None: ...


class Llm(Protocol):
    """A language model engine."""

    capabilities: LlmCapabilities

    def open(self, messages: Sequence[Message] = ()) -> LlmSession:
        """Begins a session with these messages."""

    def stats(self) -> Mapping[str, float]:
        """Counters and gauges since load: tokens, seconds, restarts, resident bytes."""

    def close(self) -> None: ...
