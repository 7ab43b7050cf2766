"""A scripted engine that takes time: for tests, the simulated line, and a machine without models.

Takes a clock, a seed, latencies and a script; gives replies that depend on nothing else. It counts
a word as a token and keeps what it evaluated, as a real engine does, so that a prompt which begins
like the one before costs only its end. A picture costs as many words as it is told, if it can see
at all; what it shows is the script's affair, which finds the ids in `Message.views`. Time is spent
through `clock.spend`, between two tokens and between two chunks of a prefill, which is also where a
cancel lands.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from visavis.backends.contract import Llm, LlmCapabilities, Media, Options, Sampling, Usage
from visavis.backends.llm.pictures import JPEG, PNG, Turn, sight, turn
from visavis.backends.settings import MOST_CONTEXT_TOKENS, MOST_SEED, Settings
from visavis.flow.clock import NS_PER_MS, Clock, SystemClock
from visavis.flow.errors import ContextFull, EngineError, InputError
from visavis.flow.events import Message, View

Script = Callable[[Sequence[Message], random.Random], str]
CHUNK_TOKENS = 16
LATENCIES_MS = (0.0, 3_600_000.0)
PIECE = re.compile(r"\s*(?:[\u2e80-\uffef]|[^\s\u2e80-\uffef]+)")
"""A token: a word with the space before it, or one wide character."""

FAULTS = ("fail", "stall", "die", "abort", "nothing", "full")


@dataclass(frozen=True, slots=True)
class Latency:
    """A duration drawn evenly from mean ± jitter, never below zero. Milliseconds."""

    mean_ms: float
    jitter_ms: float = 0.0

    def draw_ns(self, rng: random.Random) -> int:
        drawn_ms = self.mean_ms + rng.uniform(-self.jitter_ms, self.jitter_ms)
        return max(0, round(drawn_ms * NS_PER_MS))


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong in a call, before its token `at`.

    fail: an error. stall: it takes `stall_ms` more. die: an error, and all that was evaluated is
    lost. abort: ends the process it runs in (for an engine in a child). nothing: an empty answer.
    full: the context is said to be full.
    """

    kind: str
    at: int = 0
    stall_ms: float = 5_000

    def __post_init__(self) -> None:
        if self.kind not in FAULTS:
            raise InputError(f"fault {self.kind!r}", "no such fault", f"known are {FAULTS}")


def sentences(messages: Sequence[Message], rng: random.Random) -> str:
    """One to four sentences of varied shape about the last words heard."""
    heard = re.findall(r"\w+", messages[-1].content) or ["that"]
    shapes = (
        "Yes.",
        f"You said {heard[-1]}, and I heard you.",
        "It costs 3.50 dollars, opens at 7:15 a.m., and closes late.",
        f"I do not know much about {rng.choice(heard)}; do you?",
        "First comes one thing, then another, and after a while, when all is done, the last.",
        f"Well: {' '.join(heard[:6])}!",
    )
    return " ".join(rng.choices(shapes, k=rng.randint(1, 4)))


class FakeLlm:
    """The engine. `faults` by number of the `generate` call, from 0; `fault_rate` of the others
    fail, stall, die or say nothing, somewhere in their first eight tokens.
    """

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        seed: int = 0,
        script: Script = sentences,
        prefill_token: Latency = Latency(0.5),
        token: Latency = Latency(15, 5),
        context_tokens: int = 4096,
        faults: Mapping[int, Fault] | None = None,
        fault_rate: float = 0.0,
        picture_tokens: int = 0,
        most_pictures: int = 1,
    ) -> None:
        self.capabilities = LlmCapabilities(
            context_tokens=context_tokens,
            picture_tokens=picture_tokens,
            most_pictures=most_pictures,
        )
        self.clock: Clock = clock or SystemClock()
        self.rng = random.Random(seed)
        self.seed, self.script = seed, script
        self.prefill_token, self.token = prefill_token, token
        self.faults, self.fault_rate = dict(faults or {}), fault_rate
        self.evaluated: list[str] = []
        self.calls = 0
        self.restarts = 0
        self.made_tokens = 0

    def open(self, messages: Sequence[Message] = ()) -> FakeSession:
        return FakeSession(self, messages)

    def stats(self) -> Mapping[str, float]:
        return {"made_tokens": self.made_tokens, "restarts": self.restarts, "calls": self.calls}

    def close(self) -> None:
        self.evaluated.clear()

    def next_fault(self) -> Fault | None:
        """What the `generate` call that begins now will suffer."""
        self.calls += 1
        if self.rng.random() < self.fault_rate:
            kind = self.rng.choice(("fail", "stall", "die", "nothing"))
            return Fault(kind, self.rng.randrange(8), self.rng.uniform(100, 5_000))
        return self.faults.get(self.calls - 1)


class FakeSession:
    """A session of the fake."""

    def __init__(self, engine: FakeLlm, messages: Sequence[Message]) -> None:
        self._engine = engine
        self._turns = [Turn(message) for message in messages]
        self._usage = Usage(complete=False)
        self._running = self._cancelled = False

    def append(self, message: Message, media: Sequence[Media] = ()) -> None:
        # Through a child its names are lost; the pictures have them too.
        views = message.views or tuple(View(each.id) for each in media)
        message = replace(message, views=views)
        self._turns.append(turn(message, media, self._engine.capabilities))

    def rewind(self, count: int) -> None:
        assert 0 <= count <= len(self._turns)
        del self._turns[count:]

    def prefill(self) -> Usage:
        self._begin()
        try:
            self._evaluate(self._rendered())
        finally:
            self._running = False
        return self._usage

    def generate(self, sampling: Sampling) -> Iterator[str]:
        assert self._turns, "nothing to answer"
        self._begin()
        return self._generate(sampling)

    def usage(self) -> Usage:
        return self._usage

    def cancel(self) -> None:
        self._cancelled = self._running

    def close(self) -> None:
        self.cancel()

    def _begin(self) -> None:
        self._running, self._cancelled = True, False
        self._usage = Usage(complete=False, finish="cancelled")

    def _generate(self, sampling: Sampling) -> Iterator[str]:
        engine, fault = self._engine, self._engine.next_fault()
        try:
            if fault and fault.kind == "full":
                context = engine.capabilities.context_tokens
                raise ContextFull(context + 1, context)
            if self._evaluate([*self._rendered(), "assistant"]):
                messages = [each.message for each in self._turns]
                seed = f"{engine.seed} {messages[-1].content} {sampling.seed}"
                text = engine.script(messages, random.Random(seed))
                pieces = PIECE.findall("" if fault and fault.kind == "nothing" else text)
                yield from self._speak(pieces, sampling, fault)
        finally:
            self._running = False

    def _speak(self, pieces: list[str], sampling: Sampling, fault: Fault | None) -> Iterator[str]:
        engine = self._engine
        for index, piece in enumerate(pieces[: sampling.max_tokens]):
            if fault and index == fault.at:
                self._go_wrong(fault)
            engine.clock.spend(engine.token.draw_ns(engine.rng))
            if self._cancelled:
                return
            engine.made_tokens += 1
            self._usage = replace(self._usage, complete=False, made_tokens=index + 1)
            engine.evaluated.append(piece)
            yield piece
        if not self._cancelled:
            finish = "length" if len(pieces) > sampling.max_tokens else "end"
            self._usage = replace(self._usage, complete=True, finish=finish)

    def _go_wrong(self, fault: Fault) -> None:
        engine = self._engine
        if fault.kind == "abort":
            os.abort()
        if fault.kind == "stall":
            engine.clock.spend(round(fault.stall_ms * NS_PER_MS))
        if fault.kind == "die":
            engine.evaluated.clear()
            engine.restarts += 1
        if fault.kind in ("fail", "die"):
            raise EngineError(f"the fake engine was told to {fault.kind}")

    def _rendered(self) -> list[str]:
        cost = self._engine.capabilities.picture_tokens
        words: list[str] = []
        for each in self._turns:
            words.append(each.message.role)
            for picture in each.media:
                if not picture.data.startswith((JPEG, PNG)):
                    raise EngineError(f"the picture {picture.id} is neither JPEG nor PNG")
                words += [f"{picture.id} {part}" for part in range(cost)]
            words += PIECE.findall(each.message.content)
        return words

    def _evaluate(self, tokens: list[str]) -> bool:
        """Takes the time of a prefill; False if it was cancelled on the way."""
        engine, context = self._engine, self._engine.capabilities.context_tokens
        if len(tokens) > context:
            raise ContextFull(len(tokens), context)
        # The last one is always evaluated again: what follows it has to be predicted.
        cached = min(_shared(engine.evaluated, tokens), max(0, len(tokens) - 1))
        self._usage = Usage(
            complete=False, prompt_tokens=len(tokens), cached_tokens=cached, finish="cancelled"
        )
        del engine.evaluated[cached:]
        for at in range(cached, len(tokens), CHUNK_TOKENS):
            if self._cancelled:
                return False
            chunk = tokens[at : at + CHUNK_TOKENS]
            spent_ns = sum(engine.prefill_token.draw_ns(engine.rng) for _ in chunk)
            engine.clock.spend(spent_ns)
            engine.evaluated.extend(chunk)
        self._usage = replace(self._usage, complete=not self._cancelled)
        return not self._cancelled


def load(options: Options) -> Llm:
    """The fake as a backend. Settings: `seed`, `reply` (a fixed text), `context_tokens`,
    `token_ms`, `jitter_ms`, `prefill_token_ms`, `fault_rate`, `faults` (a list of {kind, call,
    at, stall_ms}), `picture_tokens` (0 = it cannot see), `most_pictures`, `picture_side`.
    """
    given, settings = options.settings, Settings("llm/fake", options.settings)
    reply = given.get("reply")
    faults = {
        int(fault.get("call", 0)): Fault(
            fault["kind"], int(fault.get("at", 0)), fault.get("stall_ms", 5_000)
        )
        for fault in given.get("faults", ())
    }
    llm = FakeLlm(
        seed=settings.whole("seed", 0, 0, MOST_SEED),
        script=sentences if reply is None else lambda messages, rng: str(reply),
        prefill_token=Latency(settings.number("prefill_token_ms", 0.5, *LATENCIES_MS)),
        token=Latency(
            settings.number("token_ms", 15, *LATENCIES_MS),
            settings.number("jitter_ms", 0, *LATENCIES_MS),
        ),
        context_tokens=settings.whole("context_tokens", 4096, 1, MOST_CONTEXT_TOKENS),
        faults=faults,
        fault_rate=settings.number("fault_rate", 0, 0, 1),
    )
    llm.capabilities = sight(llm.capabilities, settings)
    return llm


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    """How many words both begin with."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count
